"""Sibling-diverse beam search against the naive one."""

from pathlib import Path

import pytest

from tests.newwiki.decoding.golden import all_written, assert_naive, lengths, toy
from tests.newwiki.decoding.lively import lively, prompts

ALONE, ODD, MANY = 1, 13, 64  # rows of a batch: one stream's, no multiple of it, all streams'


@pytest.mark.parametrize(
    ("spec", "seed", "spread", "ends"),
    [
        ("sibling-beam", 0, 0.2, [34]),
        ("sibling-beam:sibling_penalty=0.5", 2, 0.2, [1, 2, 25, 31, 47]),
        ("sibling-beam:num_beams=3,sibling_penalty=1,length_penalty=0", 4, 0.3, [14, 29]),
        ("sibling-beam:num_beams=4,sibling_penalty=0.3,no_repeat_ngram_size=2", 2, 0.15, [25, 34]),
    ],
)
def test_sibling_beam_equals_the_naive_implementation(spec: str, seed: int, spread: float, ends: list[int]) -> None:
    model = lively(seed, spread=spread)
    written = assert_naive(spec, model, lengths(seed), ends, room=16, rows=[ODD, MANY])
    assert {ended for _, ended in written.values()} == {True, False}


def test_sibling_beam_equals_the_naive_implementation_on_real_text(toy_checkpoint: Path) -> None:
    model, texts, ends = toy(toy_checkpoint)
    assert_naive("sibling-beam:num_beams=4", model, texts, ends, room=6, rows=[ALONE, ODD])


@pytest.mark.parametrize("beams", [1, 4])
def test_without_a_penalty_it_is_beam(beams: int) -> None:
    model, texts, ends = lively(2), prompts(2, 8), [25, 34]
    sibling = all_written(f"sibling-beam:num_beams={beams},sibling_penalty=0", model, texts, ends)
    assert sibling == all_written(f"beam:num_beams={beams}", model, texts, ends)


def test_a_penalty_changes_what_is_written() -> None:
    model, texts = lively(2), prompts(2, 8)
    sibling = all_written("sibling-beam:num_beams=4,sibling_penalty=1", model, texts)
    assert sibling != all_written("beam:num_beams=4", model, texts)
