"""Intervals by leaving articles out, and p of several comparisons together."""

import numpy as np
import pytest

from evaluators import statistics
from flows.statements.jackknife import Jackknifed, at_least, leave_one_out

VALUES = np.random.default_rng(0).lognormal(size=20)


def test_sums_without_each_article() -> None:
    assert leave_one_out(np.array([1.0, 2.0, 4.0])).tolist() == [7.0, 6.0, 5.0, 3.0]


def test_of_a_mean_it_is_the_interval_that_a_mean_has_elsewhere() -> None:
    means = leave_one_out(VALUES) / np.array([20.0, *[19.0] * 20])
    found, expected = Jackknifed.of(means[None]).estimate, statistics.differences_estimate(VALUES[:, None])
    for name in ("mean", "standard_error", "low", "high"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name))


def test_p_is_one_in_twenty_where_the_interval_ends() -> None:
    found = Jackknifed.of((leave_one_out(VALUES) / np.array([20.0, *[19.0] * 20]))[None])
    assert found.above(found.estimate.low) == pytest.approx(0.05)
    assert found.below(found.estimate.high) == pytest.approx(0.05)
    assert found.above(np.array([-np.inf]))[0] == 0.0
    assert found.above(np.array([np.inf]))[0] == found.below(np.array([-np.inf]))[0] == 1.0


@pytest.mark.parametrize(("number", "p"), [(1, 0.03), (2, 0.04), (3, 0.5)])
def test_of_several_so_many_are_so(number: int, p: float) -> None:
    """By hand: 3 · 0.01, 2 · 0.02, 1 · 0.5."""
    assert at_least(np.array([0.5, 0.01, 0.02]), number) == pytest.approx(p)
