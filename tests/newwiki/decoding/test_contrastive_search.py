"""Contrastive search in the engine against the naive one, and the laws that it keeps."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoModelForCausalLM, AutoTokenizer

from newwiki.decoding.grammar import parse
from tests.newwiki.decoding.lively import CONTEXT, lively, prompts
from tests.newwiki.decoding.naive import Naive
from tests.newwiki.decoding.running import Written, written

ENDS = frozenset([3, 7])
WORDS = ["The town", "She was born in", "In 1986 the band of", "It is", "A river in the north of"]

Request = tuple[int, int, Sequence[int]]


def naively(spec: str, model: Any, asked: Sequence[Request], ends: frozenset[int], room: int, context: int) -> Written:
    naive, decoder = Naive(model, ends, context), parse(spec)[0]
    return {(page, sample): naive.write(decoder, text, room=room) for page, sample, text in asked}


def asked_of(seed: int, many: int) -> list[Request]:
    """Prompts of 1 to 12 tokens."""
    return [(page, 0, text[: 1 + 5 * page % 12]) for page, text in enumerate(prompts(seed, many))]


@pytest.mark.parametrize(
    ("seed", "spread", "spec"),
    [
        (0, 0.2, "contrastive-search"),
        (1, 0.1, "contrastive-search:top_k=3,penalty_alpha=0.9,no_repeat_ngram_size=2"),
        (2, 0.4, "contrastive-search:top_k=8,penalty_alpha=0.3"),
        (3, 0.2, "contrastive-search:top_k=4,penalty_alpha=1"),
    ],
)
def test_it_writes_the_same_as_the_naive_implementation(seed: int, spread: float, spec: str) -> None:
    model, asked = lively(seed, spread=spread), asked_of(seed, 6)
    expected = naively(spec, model, asked, ENDS, 12, CONTEXT)
    assert written(spec, model, asked, ends=ENDS, room=12) == expected


def test_it_examines_at_most_the_whole_vocabulary() -> None:
    spec, model, asked = "contrastive-search:top_k=60,penalty_alpha=0.9", lively(4), asked_of(4, 4)
    assert written(spec, model, asked, ends=ENDS, room=6) == naively(spec, model, asked, ENDS, 6, CONTEXT)


def test_it_writes_the_same_as_the_naive_implementation_on_real_text(toy_checkpoint: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(toy_checkpoint).eval()
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    asked = [(page, 0, tokenizer(text)["input_ids"]) for page, text in enumerate(WORDS)]
    ends = frozenset([tokenizer.eos_token_id])
    expected = naively("contrastive-search", model, asked, ends, 8, model.config.n_positions)
    assert written("contrastive-search", model, asked, ends=ends, room=8) == expected


@pytest.mark.parametrize("size", [0, 2])
def test_without_a_penalty_it_is_greedy(size: int) -> None:
    model, asked = lively(0), asked_of(0, 5)
    greedy = written(f"greedy:no_repeat_ngram_size={size}", model, asked, ends=ENDS, room=16)
    for top_k, alpha in [(1, 0.6), (5, 0)]:
        spec = f"contrastive-search:top_k={top_k},penalty_alpha={alpha},no_repeat_ngram_size={size}"
        assert written(spec, model, asked, ends=ENDS, room=16) == greedy


@pytest.mark.parametrize("slack", [2e-5, 2e-2, 10.0], ids=["few steps settled", "some", "all"])
def test_the_batch_and_the_order_change_nothing(slack: float) -> None:
    model, asked = lively(1, spread=0.1), asked_of(1, 5)
    alone = written("contrastive-search", model, asked, ends=ENDS, room=7, rows=1)
    for rows, order in ((7, asked), (32, asked[::-1])):
        assert written("contrastive-search", model, order, ends=ENDS, room=7, rows=rows, slack=slack) == alone


def test_a_long_completion_outgrows_its_slot() -> None:
    """More tokens than the slots are widened by at a time; to the last one that the context holds."""
    model, asked = lively(2), asked_of(2, 1)
    expected = naively("contrastive-search", model, asked, frozenset(), CONTEXT - 12, CONTEXT)
    assert written("contrastive-search", model, asked, ends=frozenset(), room=CONTEXT - 12) == expected
