"""Intervals and e-values that hold at every look, against values computed by hand and simulated looks."""

import math

import numpy as np
import pytest

from evaluators.confidence_sequences import anytime_estimate, e_holm

_SQUARES = 2870 / (20 * 441)  # the mean of g² for g = 1/21 … 20/21


@pytest.mark.parametrize(
    ("differences", "capital"),
    [
        ([1.0], ((1 + 0.5) + (1 - 0.5)) / 2),  # the mean of 1 ± g
        ([1.0, 1.0], ((1 + 1 + _SQUARES) + (1 - 1 + _SQUARES)) / 2),  # of (1 ± g)²
        ([1.0, -1.0], 1 - _SQUARES),  # of (1 + g)(1 - g), for both sides
        ([0.0, 0.0, 0.0], 1.0),
    ],
)
def test_capital_of_even_bets_is_the_product_of_the_gains(differences: list[float], capital: float) -> None:
    assert anytime_estimate(np.array(differences), span=1.0).e_value == pytest.approx(capital)


def test_betting_interval_ends_where_the_capital_reaches_one_over_the_level() -> None:
    """For differences of 1 only, x = 1: at m the one side has the mean of (1 - g + g / m)^n, the other (1 - g)^n."""
    number, level = 12, 0.05
    found = anytime_estimate(np.ones(number), span=1.0, level=level)
    assert found.low is not None
    mean, bets = (found.low + 1) / 2, np.arange(1, 21) / 21
    capital = np.mean((1 - bets + bets / mean) ** number) / 2 + np.mean((1 - bets) ** number) / 2
    assert capital == pytest.approx(1 / level)
    assert found.high == 1.0


def test_zero_is_outside_the_betting_interval_if_and_only_if_the_e_value_reaches_twenty() -> None:
    random = np.random.default_rng(1)
    for _ in range(60):
        differences = np.clip(random.normal(random.uniform(-0.4, 0.4), 0.3, size=40), -1, 1)
        found = anytime_estimate(differences, span=1.0)
        assert found.low is not None and found.high is not None
        assert found.low <= float(differences.mean()) <= found.high
        assert (not found.low <= 0 <= found.high) == (found.e_value >= 20)


def test_betting_ignores_the_order_of_the_prompts_and_missing_scores() -> None:
    differences = np.array([0.3, -0.1, 0.2, 0.05])
    mixed = np.array([0.05, np.nan, 0.2, 0.3, -0.1])
    one, other = anytime_estimate(differences, 1.0), anytime_estimate(mixed, 1.0)
    assert (one.prompts, other.prompts) == (4, 4)
    assert one.e_value == pytest.approx(other.e_value)
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_asymptotic_interval_of_symmetric_differences_is_that_of_the_theorem() -> None:
    """50 differences of 0 and 50 of 2: mean 1, error √(100/99) / 10, no skewness. With 100 prompts tρ² is
    -2 log 0.05 + log(-2 log 0.05) + 1 = 5.99146 + 1.79034 + 1 = 8.78180."""
    found = anytime_estimate(np.array([0.0, 2.0] * 50), span=None)
    shrinkage, error = 8.78180, math.sqrt(100 / 99) / 10
    reach = error * math.sqrt(2 * 9.78180 / 8.78180 * math.log(math.sqrt(9.78180) / 0.05))
    assert (found.low, found.high) == pytest.approx((1 - reach, 1 + reach), rel=1e-5)
    expected = math.exp(shrinkage / error**2 / (2 * (shrinkage + 1))) / math.sqrt(shrinkage + 1)
    assert found.e_value == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("differences", "span", "why"),
    [
        (np.full(29, 0.5), None, "fewer than 30 prompts"),
        (np.full(40, 0.5), None, "no variance"),
        (np.full(3, np.nan), 1.0, "no prompts"),
    ],
)
def test_without_an_interval_the_evidence_is_one_and_the_reason_is_given(
    differences: np.ndarray, span: float | None, why: str
) -> None:
    found = anytime_estimate(differences, span)
    assert (found.low, found.high, found.e_value, found.lacking) == (None, None, 1.0, why)


def test_equal_texts_are_surely_within_a_margin() -> None:
    assert not anytime_estimate(np.zeros(20), span=1.0).is_within(0.1)
    assert anytime_estimate(np.zeros(400), span=1.0).is_within(0.1)


def test_corrected_e_values_are_the_smallest_means_with_the_others() -> None:
    """100 alone; with 2: 51; with 2 and 30: 44. 30: with 2: 16; with 2 and 100: 44. 2: alone."""
    assert e_holm([100.0, 2.0, 30.0]) == pytest.approx([44.0, 2.0, 16.0])
    assert e_holm([7.0]) == [7.0]
    assert e_holm([]) == []


@pytest.mark.parametrize("span", [1.0, None])
def test_looks_after_every_round_find_no_difference_in_more_than_one_of_twenty_nulls(span: float | None) -> None:
    """Of 150 evaluations without a difference, more than 15 with a false one have a chance below 1 in 100 at 5 %."""
    random = np.random.default_rng(5)
    differences = np.clip(random.normal(0, 0.3, size=(150, 120)), -1, 1)
    false = sum(
        any(anytime_estimate(row[:prompts], span).e_value >= 20 for prompts in range(30, 121, 30))
        for row in differences
    )
    assert false <= 15
