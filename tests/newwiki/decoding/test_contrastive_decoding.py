"""Contrastive decoding against the naive one."""

import copy
from pathlib import Path
from typing import Any

import pytest
import torch

from newwiki.decoding.contrastive_decoding import Contrast
from newwiki.decoding.grammar import parse
from newwiki.decoding.stream import Ending, View
from newwiki.errors import UsageError
from newwiki.registry import decoders
from tests.newwiki.decoding.golden import all_written, assert_naive, lengths, toy
from tests.newwiki.decoding.lively import lively, prompts

ALONE, ODD, MANY = 1, 13, 64  # rows of a batch: one stream's, no multiple of it, all streams'
NAME = "contrastive-decoding:amateur=small"


@pytest.mark.parametrize(
    ("parameters", "seed", "ends"),
    [
        ("num_beams=3", 2, [25]),
        ("num_beams=2,alpha=0.3,amateur_context=full,no_repeat_ngram_size=2", 4, [14, 29]),
        ("num_beams=2,alpha=0,amateur_temperature=1.5", 0, [5, 7, 30, 34, 38]),
    ],
)
def test_contrastive_decoding_equals_the_naive_implementation(parameters: str, seed: int, ends: list[int]) -> None:
    model, amateur = lively(seed, spread=0.3), lively(9, layers=1)
    written = assert_naive(
        f"{NAME},{parameters}", model, lengths(seed), ends, room=16, rows=[ODD, MANY], amateur=amateur
    )
    assert {ended for _, ended in written.values()} == {True, False}


@pytest.mark.parametrize(
    ("parameters", "seed", "ends"),
    [
        ("num_beams=3", 2, [25]),
        ("num_beams=2,alpha=0.4,amateur_context=full,no_repeat_ngram_size=1", 4, [14, 29]),
    ],
)
def test_the_authors_contrastive_decoding_equals_the_naive_implementation(
    parameters: str, seed: int, ends: list[int]
) -> None:
    model, amateur = lively(seed, spread=0.3), lively(9, layers=1)
    spec = f"{NAME},candidates=authors,{parameters}"
    written = assert_naive(spec, model, lengths(seed), ends, room=16, rows=[ODD, MANY], amateur=amateur)
    assert not any(ended for _, ended in written.values())


@pytest.mark.parametrize("candidates", ["paper", "authors"])
@pytest.mark.parametrize("parameters", ["alpha=0.1", "alpha=0.5,amateur_context=full,no_repeat_ngram_size=2"])
def test_it_draws_the_same_as_the_naive_implementation(parameters: str, candidates: str) -> None:
    model, amateur = lively(2, spread=0.3), lively(9, layers=1)
    spec = f"{NAME},num_beams=0,candidates={candidates},{parameters}"
    assert_naive(spec, model, lengths(2), [3, 25], room=10, rows=[5, MANY], amateur=amateur)


def test_what_is_not_sure_is_drawn_once_more_from_both_models_alone() -> None:
    model, texts, amateur = lively(2, spread=0.3), prompts(2, 8), lively(9, layers=1)
    drawn = all_written(f"{NAME},num_beams=0", model, texts, [3, 25], amateur=amateur)
    assert drawn == all_written(f"{NAME},num_beams=0", model, texts, [3, 25], amateur=amateur, slack=10.0)


@pytest.mark.parametrize(
    ("alpha", "logits", "sure"),
    [
        (0.5, [0.0, -0.6, -0.8], True),
        (0.5, [0.0, -0.685, -0.8], False),
        (0.5, [0.0, -0.7, -0.8], False),
        (1.0, [0.0, -0.1, -0.8], True),
        (1.0, [0.0, -0.01, -0.8], False),
        (0.0, [0.0, -0.7, -0.8], True),
    ],
)
def test_nothing_is_sure_at_the_edge_of_what_is_plausible(alpha: float, logits: list[float], sure: bool) -> None:
    """log 0.5 is −0.693; two logits may come nearer to each other by twice the slack."""
    view = View(
        torch.tensor([logits]),
        torch.tensor([[0.01]]),
        lambda tokens: torch.zeros(tokens.shape),
        Ending(frozenset()),
        lambda scores: scores,
        torch.zeros(1, 3),
    )
    _, slack = Contrast(alpha, 0.5, authors=False, at_least=1).for_draw(view, [])
    assert slack.isfinite().item() is sure


@pytest.mark.parametrize("parameters", ["num_beams=3", "num_beams=3,candidates=authors", "num_beams=0"])
def test_contrastive_decoding_equals_the_naive_implementation_on_real_text(
    parameters: str, toy_checkpoint: Path
) -> None:
    model, texts, ends = toy(toy_checkpoint)
    spec = f"{NAME},{parameters}"
    assert_naive(spec, model, texts, ends, room=4, rows=[ALONE, ODD], amateur=one_layer(model))


def one_layer(model: Any) -> Any:
    smaller = copy.deepcopy(model)
    smaller.transformer.h = smaller.transformer.h[:1]
    smaller.config.n_layer = 1
    return smaller


@pytest.mark.parametrize("context", ["last", "full"])
@pytest.mark.parametrize("size", [0, 2])
def test_against_a_uniform_amateur_it_is_beam(size: int, context: str) -> None:
    """Paper 4.1: the score of every token moves by log |V|."""
    model, texts, ends = lively(2), prompts(2, 8), [25, 34]
    same = f"num_beams=4,no_repeat_ngram_size={size}"
    spec = f"{NAME},alpha=0,amateur_context={context},{same}"
    contrasted = all_written(spec, model, texts, ends, amateur=lively(0, spread=0.0))
    assert contrasted == all_written(f"beam:{same}", model, texts, ends)


def test_with_a_single_plausible_token_it_is_greedy() -> None:
    model, texts, ends = lively(2), prompts(2, 8), [25, 34]
    contrasted = all_written(f"{NAME},alpha=1", model, texts, ends, amateur=lively(9, layers=1))
    assert contrasted == all_written("greedy", model, texts, ends)


def test_against_a_uniform_amateur_it_draws_as_sample() -> None:
    model, texts, ends = lively(2), prompts(2, 8), [25, 34]
    drawn = all_written(f"{NAME},alpha=0,num_beams=0", model, texts, ends, amateur=lively(0, spread=0.0))
    assert drawn == all_written("sample", model, texts, ends)


def test_the_authors_candidates_are_not_the_papers() -> None:
    model, texts, amateur = lively(2), prompts(2, 8), lively(9, layers=1)
    paper = all_written(NAME, model, texts, [], amateur=amateur)
    assert paper != all_written(f"{NAME},candidates=authors", model, texts, [], amateur=amateur)


def test_only_a_search_is_deterministic() -> None:
    kind = decoders.get("contrastive-decoding")
    assert kind.is_deterministic(parse(NAME)[0])
    assert not kind.is_deterministic(parse(f"{NAME},num_beams=0")[0])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("contrastive-decoding", "needs amateur=…, the folder or hub id of a smaller model of the same tokenizer"),
        (f"{NAME},alpha=1.5", "alpha must be at least 0 and at most 1"),
        (f"{NAME},amateur_temperature=0", "amateur_temperature must be above 0"),
        (f"{NAME},candidates=both", "candidates must be paper or authors"),
        (f"{NAME},num_beams=-1", "num_beams must be at least 0"),
    ],
)
def test_what_is_wrong_is_named(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(spec)
