"""Group-diverse beam search against the naive one, which is held to values of transformers 4."""

from pathlib import Path

import pytest

from newwiki.decoding.grammar import parse
from newwiki.errors import UsageError
from tests.newwiki.decoding.golden import all_written, assert_naive, lengths, toy
from tests.newwiki.decoding.lively import lively, prompts

ALONE, ODD, MANY = 1, 13, 64  # rows of a batch: one stream's, no multiple of it, all streams'


@pytest.mark.parametrize(
    ("spec", "seed", "spread", "ends"),
    [
        ("group-beam", 0, 0.2, [34]),
        ("group-beam:num_beams=4,diversity_penalty=2", 2, 0.2, [1, 2, 25, 31, 47]),
        ("group-beam:num_beam_groups=3,diversity_penalty=1,length_penalty=0", 4, 0.3, [25, 34]),
        ("group-beam:num_beams=4,num_beam_groups=4,no_repeat_ngram_size=2", 2, 0.15, [25, 34]),
    ],
)
def test_group_beam_equals_the_naive_implementation(spec: str, seed: int, spread: float, ends: list[int]) -> None:
    model = lively(seed, spread=spread)
    written = assert_naive(spec, model, lengths(seed), ends, room=16, rows=[ODD, MANY])
    assert {ended for _, ended in written.values()} == {True, False}


def test_group_beam_equals_the_naive_implementation_on_real_text(toy_checkpoint: Path) -> None:
    model, texts, ends = toy(toy_checkpoint)
    assert_naive("group-beam:num_beams=4", model, texts, ends, room=6, rows=[ALONE, ODD])


@pytest.mark.parametrize("groups", ["num_beams=4,num_beam_groups=1", "num_beams=8,diversity_penalty=0"])
def test_one_group_or_no_penalty_is_beam(groups: str) -> None:
    model, texts, ends = lively(2), prompts(2, 8), [25, 34]
    assert all_written(f"group-beam:{groups}", model, texts, ends) == all_written(
        "beam:num_beams=4", model, texts, ends
    )


def test_groups_of_many_beams_that_shun_each_other() -> None:
    """A penalty that moves every token: what a later group takes is far down in the model's own order."""
    spec = "group-beam:num_beams=12,num_beam_groups=6,diversity_penalty=20"
    assert_naive(spec, lively(2), prompts(2, 8), [25], room=8, rows=[ALONE, ODD])


def test_a_penalty_changes_what_is_written() -> None:
    model, texts = lively(2), prompts(2, 20)
    grouped = all_written("group-beam:num_beams=8,diversity_penalty=1", model, texts)
    assert grouped != all_written("beam:num_beams=4", model, texts)


def test_beams_that_do_not_make_equal_groups_are_refused() -> None:
    with pytest.raises(UsageError, match="make num_beams a multiple of num_beam_groups"):
        parse("group-beam:num_beams=5,num_beam_groups=2")
