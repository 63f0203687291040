"""Gaps between matched articles, by hand and against what `compare` would say of the same numbers."""

from dataclasses import replace

import numpy as np
import pytest

from evaluators import statistics
from flows.experiments.leakage.gaps import Gap, PairedScores, gaps, judged, paired

EVALUATORS = {"bits_per_byte": "e1", "rep_4": "e2"}
PAIRS = 40


def scores(old: np.ndarray, new: np.ndarray, model: str = "toy") -> PairedScores:
    return PairedScores(model, "likelihood", old, new)


@pytest.fixture
def noise() -> np.ndarray:
    return np.random.default_rng(7).normal(size=(4, PAIRS, 2)) * 0.1


def of(metric: str, found: list[Gap]) -> Gap:
    [one] = [gap for gap in found if gap.metric == metric]
    return one


def test_a_gap_is_the_mean_of_the_pairs_differences(noise: np.ndarray) -> None:
    old, new = noise[0] + [1.0, 0.2], noise[1] + [1.5, 0.2]
    found = gaps(EVALUATORS, scores(old, new), None, seed=0)
    one, estimate = of("bits_per_byte", found), statistics.differences_estimate(old - new)
    assert one.gap == pytest.approx((old - new)[:, 0].mean())
    assert (one.low, one.high) == pytest.approx((estimate.low[0], estimate.high[0]))
    assert one.sd == pytest.approx((old - new)[:, 0].std(ddof=1))
    assert (one.mean_old, one.mean_new) == pytest.approx((old[:, 0].mean(), new[:, 0].mean()))
    assert (one.verdict, of("rep_4", found).verdict) == ("gap", "no gap shown")
    assert (one.control, one.difference, one.difference_p_holm) == (None, None, None)


def test_a_gap_that_the_control_has_too_is_the_articles_own(noise: np.ndarray) -> None:
    old, new = noise[0] + [1.0, 0.2], noise[1] + [1.5, 0.2]
    control = scores(noise[2] + [2.0, 0.2], noise[3] + [2.5, 0.2], "older")
    one = of("bits_per_byte", gaps(EVALUATORS, scores(old, new), control, seed=0))
    assert one.verdict == "the articles' own"
    assert one.control == "older"
    assert one.difference == pytest.approx(one.gap - one.control_gap)  # type: ignore[operator]
    assert one.difference_low is not None and one.difference_high is not None
    assert one.difference_low < 0 < one.difference_high


def test_a_headline_about_several_models_is_corrected_for_their_number(noise: np.ndarray) -> None:
    old = noise[0] + [0.058, 0.2]
    one = of("bits_per_byte", gaps(EVALUATORS, scores(old, noise[1] + [0.0, 0.2]), None, seed=0))
    assert one.verdict == "gap" and one.p_holm <= 0.05 < 2 * one.p_holm
    of_both = judged([one, replace(one, model="another")])
    assert [(gap.p_holm, gap.verdict) for gap in of_both] == [(2 * one.p_holm, "no gap shown")] * 2
    assert judged([one]) == [one]


def test_what_the_control_does_not_have_stays_a_gap(noise: np.ndarray) -> None:
    old, new = noise[0] + [1.0, 0.2], noise[1] + [1.5, 0.2]
    control = scores(noise[2] + 2.0, noise[3] + 2.0, "older")
    one = of("bits_per_byte", gaps(EVALUATORS, scores(old, new), control, seed=0))
    assert one.verdict == "gap"
    assert one.difference_high is not None and one.difference_high < 0


def test_a_pair_of_which_an_article_has_no_number_is_left_out(noise: np.ndarray) -> None:
    old, new = noise[0].copy(), noise[1].copy()
    old[3, 0] = np.nan
    new[:, 1] = np.nan
    [one] = gaps(EVALUATORS, scores(old, new), None, seed=0)
    assert (one.metric, one.pairs) == ("bits_per_byte", PAIRS - 1)


def test_a_dozen_pairs_tell_nothing(noise: np.ndarray) -> None:
    [one, _] = gaps(EVALUATORS, scores(noise[0][:12] - 9, noise[1][:12]), None, seed=0)
    assert (one.verdict, one.no_interval, one.low) == ("too few pairs", "too few prompts", None)


def test_scores_stand_in_the_order_of_the_pairs() -> None:
    values = np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
    found = paired(values, np.array([5, 7, 9]), [9, 6, 5])
    np.testing.assert_array_equal(found, [[3.0, 30.0], [np.nan, np.nan], [1.0, 10.0]])
