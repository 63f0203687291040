"""Who is preferred, how surely, and how much the place of a text has to do with it."""

import numpy as np
import pytest
from scipy.stats import binomtest

from evaluators.judging.preference import Interval, link, mean_interval, position_bias, preference, sign_test


def test_of_ten_pairs_each_is_counted_where_it_goes() -> None:
    """7 for the first, 1 the same, 2 for the second: a sign test of 7 against 2 by hand, 2 (1 + 9 + 36) / 2⁹."""
    found = preference([1] * 7 + [0.5] + [0, 0.25])
    assert (found.pairs, found.first, found.same, found.second) == (10, 7, 1, 2)
    assert found.win_rate == pytest.approx(0.775)
    assert found.p == pytest.approx(2 * (1 + 9 + 36) / 2**9)


@pytest.mark.parametrize(("first", "second"), [(7, 2), (2, 7), (68, 30), (15, 0), (101, 99), (5, 5)])
def test_p_is_that_of_scipys_binomtest(first: int, second: int) -> None:
    assert sign_test(first, second) == binomtest(first, first + second, 0.5).pvalue


def test_where_nothing_is_decided_nobody_is_preferred() -> None:
    found = preference([0.5] * 20)
    assert (found.win_rate, found.p) == (0.5, 1)
    assert found.interval.low < 0.5 < found.interval.high


def test_the_interval_is_bonett_and_prices() -> None:
    """Their formula of 40 wins, 20 ties and 15 losses, as the win rate is (1 + difference) / 2."""
    one, other, pairs = 41 / 77, 16 / 77, 77
    error = np.sqrt((one + other - (one - other) ** 2) / pairs)
    expected = [(1 + one - other + sign * 1.959964 * error) / 2 for sign in (-1, 1)]
    found = preference([1] * 40 + [0.5] * 20 + [0] * 15).interval
    assert [found.low, found.high] == pytest.approx(expected, abs=1e-6)


def test_few_pairs_that_are_all_alike_are_no_certainty() -> None:
    assert mean_interval([1, 1, 1], 0, 1).low < 0.7
    assert mean_interval([1] * 3, 0, 1).high == 1
    assert mean_interval([], -1, 1) == Interval(-1, 1)


@pytest.mark.parametrize(("win", "tie"), [(0.5, 0.1), (0.7, 0.0), (0.85, 0.05), (0.3, 0.4)])
@pytest.mark.parametrize("pairs", [10, 30, 150])
def test_the_interval_covers_the_win_rate_as_often_as_it_says(win: float, tie: float, pairs: int) -> None:
    draw = np.random.default_rng(pairs)
    drawn = draw.choice([1, 0.5, 0], p=[win, tie, 1 - win - tie], size=(300, pairs))
    held = [one.low <= win + tie / 2 <= one.high for one in (mean_interval(row, 0, 1) for row in drawn)]
    assert 0.91 <= np.mean(held) <= 1


def test_a_judge_that_always_names_the_first_place_has_all_the_bias_there_is() -> None:
    found = position_bias([1.0] * 40, [0.0] * 40)
    assert (found.bias, found.consistent) == (0.5, 0)
    assert found.interval.low > 0.4


def test_a_judge_that_looks_at_the_texts_alone_has_none() -> None:
    said = [1, 0, 1, 0.5, 0, 0] * 5
    found = position_bias(said, said)
    assert (found.bias, found.consistent) == (0, 1)
    assert found.interval.low < 0 < found.interval.high


def test_a_tie_in_one_order_leans_half_as_far() -> None:
    """Four pairs: first place both times, first place and a tie, consistent, second place both times."""
    found = position_bias([1, 1, 1, 0], [0, 0.5, 1, 1])
    assert found.bias == pytest.approx((0.5 + 0.25 + 0 - 0.5) / 4)
    assert found.consistent == 0.25


def test_two_judges_are_linked_by_the_pairs_that_both_have_judged() -> None:
    """Of eight pairs they say the same on six; the new judge has one more for the first, and a tie for a loss."""
    old = [1, 1, 1, 0, 0, 0.5, 0, 0]
    new = [1, 1, 1, 0, 0, 0.5, 1, 0.5]
    found = link(old, new)
    assert (found.pairs, found.agreement) == (8, 0.75)
    assert found.difference == pytest.approx(1.5 / 8)
    assert found.difference_interval.low < 1.5 / 8 < found.difference_interval.high
    assert found.agreement_interval.low < 0.75 < found.agreement_interval.high
