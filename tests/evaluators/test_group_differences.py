"""Differences of groups: by hand, against scipy, and as often as chance where there is none."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from benchmarks.group_disparities import Groups
from evaluators.group_differences import (
    paired_difference,
    paired_disparity,
    unpaired_difference,
    unpaired_disparity,
    welch_p,
)

Array = NDArray[np.float64]
SEEDS = 100


@pytest.fixture
def shares() -> list[Array]:
    """Of three groups, 14 prompts × 2 settings."""
    random = np.random.default_rng(3)
    return [random.random((14, 2)) * [1, 0.1] + [0, apart] for apart in (0.0, 0.1, 0.4)]


def test_the_disparity_is_the_mean_absolute_difference_of_pairs(shares: list[Array]) -> None:
    a, b, c = (one.mean(axis=0) for one in shares)
    expected = (abs(a - b) + abs(a - c) + abs(b - c)) / 3
    for of_all in (paired_disparity, unpaired_disparity):
        found = of_all(shares, 0)
        np.testing.assert_allclose(found.disparity, expected)
        assert (found.low <= expected).all() and (expected <= found.high).all()
        assert found.p[1] == 1e-4  # not one of 9,999 deals is as great


def test_where_a_prompt_lacks_a_number_it_counts_for_no_group_of_its_context(shares: list[Array]) -> None:
    whole = paired_disparity([one[1:] for one in shares], 0)
    shares[1][0] = np.nan
    found = paired_disparity(shares, 0)
    np.testing.assert_allclose(found.disparity, whole.disparity)
    np.testing.assert_allclose(unpaired_disparity([shares[1], shares[2]], 0).disparity,
                               np.abs(shares[1][1:].mean(axis=0) - shares[2].mean(axis=0)))  # fmt: skip


def test_groups_with_prompts_of_their_own_are_compared_as_by_welch(shares: list[Array]) -> None:
    one, other = shares[0], np.concatenate(shares[1:])
    found = unpaired_difference(one, other, 0)
    welch = stats.ttest_ind(one, other, equal_var=False)
    interval = welch.confidence_interval(0.95)
    np.testing.assert_allclose(found.low, interval.low)
    np.testing.assert_allclose(found.high, interval.high)
    assert (found.p >= welch.pvalue - 1e-12).all()


def test_too_few_prompts_and_prompts_that_do_not_vary_have_no_interval() -> None:
    few, alike = np.random.default_rng(0).random((12, 1)), np.full((14, 1), 0.5)
    assert paired_disparity([few, few[::-1]], 0).lacking == ("too few prompts",)
    assert unpaired_difference(few, few[::-1], 0).lacking == ("too few prompts",)
    for found in (paired_disparity([alike, alike], 0), unpaired_difference(alike, alike, 0)):
        assert found.lacking == ("no variance",)
        assert found.p[0] == 1.0


def test_a_group_without_a_negative_text_has_intervals_that_know_its_number_of_prompts() -> None:
    """Clopper and Pearson: of 20 prompts none, where up to 16.8 % of all may be."""
    none, some = np.zeros((20, 1)), np.array([[0.0], [0.4]] * 10)
    pair, every = unpaired_difference(none, some, 0), unpaired_disparity([none, some], 0)
    for found in (pair, every):
        assert found.lacking == (None,)
    assert pair.low[0] < -0.2 - 0.1 < -0.2 + 0.168 < pair.high[0]
    assert every.low[0] < 0.2 - 0.1 < 0.2 + 0.1 < every.high[0]
    many = unpaired_difference(np.zeros((200, 1)), np.tile(some, (10, 1)), 0)
    assert many.high[0] - many.low[0] < (pair.high[0] - pair.low[0]) / 2
    both = unpaired_disparity([none, none], 0)
    assert both.lacking == (None,)
    assert both.low[0] == 0.0
    assert 1 - 0.05 ** (1 / 20) < both.high[0] < 0.2  # with a larger share one group had a negative in 95 of 100
    apart = unpaired_difference(none, np.ones((20, 1)), 0)
    assert apart.low[0] == -1.0
    assert -0.9 < apart.high[0] < -0.6


def test_intervals_hold_the_difference_where_a_group_is_often_without_a_negative_text() -> None:
    rare = Groups("1 and 30 %", (20, 20), (0.01, 0.3), texts=1, paired=False)
    one, other = rare.draw(np.random.default_rng(2), 400)
    assert (one.sum(axis=0) == 0).mean() > 0.7
    pair, every = unpaired_difference(one, other, 0), unpaired_disparity([one, other], 0)
    assert ((pair.low <= -0.29) & (pair.high >= -0.29)).mean() >= 0.93
    assert ((every.low <= 0.29) & (every.high >= 0.29)).mean() >= 0.93


@pytest.mark.parametrize("paired", [True, False])
def test_groups_that_are_alike_differ_in_about_5_of_100_seeds(paired: bool) -> None:
    """benchmarks/group_disparities.py has more draws and more cases."""
    two = Groups("two alike", (20, 20), (0.3, 0.3), paired=paired)
    one, other = two.draw(np.random.default_rng(11), SEEDS)
    pair = (paired_difference if paired else unpaired_difference)(one, other, 0)
    every = (paired_disparity if paired else unpaired_disparity)([one, other], 0)
    for p in (pair.p, every.p):
        assert 1 <= (p <= 0.05).sum() <= 11  # 5 of 100, with 98 % of the binomial's chance


@pytest.mark.parametrize("paired", [True, False])
def test_groups_that_are_not_alike_are_told_apart(paired: bool) -> None:
    two = Groups("20 points apart", (20, 20), (0.3, 0.5), spread=0.05, paired=paired)
    one, other = two.draw(np.random.default_rng(11), SEEDS)
    pair = (paired_difference if paired else unpaired_difference)(one, other, 0)
    assert (pair.p <= 0.05).sum() >= 90
    assert ((pair.low <= -0.2) & (pair.high >= -0.2)).sum() >= 89


def test_welchs_test_of_repetitions_against_the_sentences_as_they_are() -> None:
    ten = [0.237, 0.236, 0.238, 0.237, 0.235, 0.239, 0.237, 0.236, 0.238, 0.237]
    # t = (mean - 0.2389) / (sd / √10), on 9 degrees of freedom, as the other sample does not vary
    t = (np.mean(ten) - 0.2389) / (np.std(ten, ddof=1) / np.sqrt(10))
    assert welch_p(ten, 0.2389) == pytest.approx(2 * stats.t.sf(abs(t), 9))
    assert welch_p([0.2, 0.2], 0.2) == 1.0
    assert welch_p([0.2, 0.2], 0.3) == 0.0
