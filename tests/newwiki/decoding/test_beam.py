"""Beam search against the naive one, which is held to transformers' `generate`."""

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from newwiki.decoding.beams import best_tokens
from newwiki.decoding.grammar import parse
from newwiki.decoding.stream import Ending, Stream
from newwiki.models.engine.loop import Engine, Rules
from newwiki.models.engine.reader import Reader
from newwiki.registry import decoders
from tests.newwiki.decoding.golden import all_written, assert_naive, lengths, toy
from tests.newwiki.decoding.lively import lively, prompts

ALONE, ODD, MANY = 1, 13, 64  # rows of a batch: one stream's, no multiple of it, all streams'


@pytest.mark.parametrize(
    ("spec", "seed", "spread", "ends"),
    [
        ("beam", 0, 0.2, [34]),
        ("beam", 2, 0.2, [1, 2, 25, 31, 47]),
        ("beam:num_beams=3,length_penalty=2", 8, 0.3, [14, 29]),
        ("beam:num_beams=4,length_penalty=0,no_repeat_ngram_size=2", 2, 0.15, [25, 34]),
        ("beam:num_beams=2,length_penalty=-1,no_repeat_ngram_size=1", 0, 0.15, [30, 31]),
    ],
)
def test_beam_equals_the_naive_implementation(spec: str, seed: int, spread: float, ends: list[int]) -> None:
    model = lively(seed, spread=spread)
    written = assert_naive(spec, model, lengths(seed), ends, room=16, rows=[ODD, MANY])
    assert {ended for _, ended in written.values()} == {True, False}


@pytest.mark.parametrize("spec", ["beam:num_beams=4", "beam:num_beams=3,no_repeat_ngram_size=3"])
def test_beam_equals_the_naive_implementation_on_real_text(spec: str, toy_checkpoint: Path) -> None:
    model, texts, ends = toy(toy_checkpoint)
    assert_naive(spec, model, texts, ends, room=6, rows=[ALONE, ODD])


def test_the_engine_does_not_need_all_tokens_to_differ() -> None:
    """A uniform model: of equal scores the earlier beam goes first, and in it the lower token."""
    assert_naive("beam:num_beams=3", lively(0, spread=0.0), prompts(0, 3), [4], room=6, rows=[ALONE, ODD])


@pytest.mark.parametrize("size", [0, 2])
def test_one_beam_is_greedy(size: int) -> None:
    model, texts = lively(5), prompts(5, 8)
    beam = all_written(f"beam:num_beams=1,no_repeat_ngram_size={size}", model, texts, [])
    assert beam == all_written(f"greedy:no_repeat_ngram_size={size}", model, texts, [])


def test_more_beams_than_tokens() -> None:
    assert_naive("beam:num_beams=60", lively(0), prompts(0, 2), [3], room=4, rows=[ALONE])


def test_where_every_token_is_blocked_the_text_stands_as_it_is() -> None:
    """With no_repeat_ngram_size=1 nothing can follow once all 50 tokens are there."""
    texts = [[*range(40)], [*range(50)]]
    got = assert_naive("beam:num_beams=3,no_repeat_ngram_size=1", lively(0), texts, [], room=14, rows=[ALONE, ODD])
    assert [len(tokens) for tokens, _ in got.values()] == [10, 0]


def test_a_stop_string_ends_a_hypothesis_and_stays_in_it() -> None:
    """Scored like an end-of-text token: only what is written differs."""
    model, texts, marks = lively(2), prompts(2, 8), [1, 2, 25]
    by_token = all_written("beam:num_beams=4", model, texts, marks)
    search = decoders.get("beam").search(parse("beam:num_beams=4")[0])
    rules = Rules(Ending(frozenset([50, 51, 52]), lambda tokens: tokens[-1] in marks), seed=0, slack=0.0)
    streams = [Stream(page, 0, tuple(text), 16) for page, text in enumerate(texts)]
    done = [pair for batch in Engine([Reader(model, 8)], search, rules, rows=8).run(streams) for pair in batch]
    assert len(done) == 8 and any(one.ended for _, one in done)
    for stream, one in done:
        tokens, ended = by_token[stream.page_id, 0]
        assert one.ended == ended and one.tokens[: len(tokens)] == tokens
        assert not ended or (len(one.tokens) == len(tokens) + 1 and one.tokens[-1] in marks)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([1, 3, 2, 3, 0], [(1, 3), (3, 3), (2, 2)]),
        ([2, 1, 2, 2, 2], [(0, 2), (2, 2), (3, 2)]),
        ([1, 2, 5, 1, 1], [(2, 5), (1, 2), (0, 1)]),
        ([float("-inf"), 1, float("-inf"), 1, float("-inf")], [(1, 1), (3, 1)]),
    ],
)
def test_of_equal_scores_the_lower_token_goes_first(row: Sequence[float], expected: list[tuple[int, float]]) -> None:
    scores = torch.tensor([row, [0.0] * 5])
    assert best_tokens(scores, 3) == [expected, [(0, 0), (1, 0), (2, 0)]]
    assert best_tokens(scores, 5)[1] == [(token, 0) for token in range(5)]
