"""Gaps between matched articles, by hand and against what `compare` would say of the same numbers."""

from dataclasses import replace

import numpy as np
import pytest

from evaluators import statistics
from flows.experiments.leakage import words
from flows.experiments.leakage.gaps import PairedScores, gaps, judged_together, paired
from flows.experiments.leakage.result_tables import Gap

EVALUATORS = {"bits_per_byte": "e1", "rep_4": "e2"}
BETTER = {"bits_per_byte": "lower", "bits_per_token": "lower"}
PAIRS = 40


def scores(old: np.ndarray, new: np.ndarray, model: str = "toy") -> PairedScores:
    return PairedScores(model, "likelihood", old, new)


@pytest.fixture
def noise() -> np.ndarray:
    return np.random.default_rng(7).normal(size=(4, PAIRS, 2)) * 0.1


def judged(model: PairedScores, control: PairedScores | None = None) -> list[Gap]:
    return judged_together(gaps(EVALUATORS, model, control, seed=0), BETTER)


def of(metric: str, found: list[Gap]) -> Gap:
    [one] = [gap for gap in found if gap.metric == metric]
    return one


def test_a_gap_is_the_mean_of_the_pairs_differences(noise: np.ndarray) -> None:
    old, new = noise[0] + [1.0, 0.2], noise[1] + [1.5, 0.2]
    found = judged(scores(old, new))
    one, estimate = of("bits_per_byte", found), statistics.differences_estimate(old - new)
    assert one.gap == pytest.approx((old - new)[:, 0].mean())
    assert (one.low, one.high) == pytest.approx((estimate.low[0], estimate.high[0]))
    assert one.sd == pytest.approx((old - new)[:, 0].std(ddof=1))
    assert (one.mean_old, one.mean_new) == pytest.approx((old[:, 0].mean(), new[:, 0].mean()))
    assert (one.verdict, of("rep_4", found).verdict) == (
        "better on old articles",
        "no difference shown",
    )
    assert (one.control, one.difference, one.difference_p_holm) == (None, None, None)


def test_a_gap_that_the_control_has_too_is_the_articles_own(noise: np.ndarray) -> None:
    old, new = noise[0] + [1.0, 0.2], noise[1] + [1.5, 0.2]
    control = scores(noise[2] + [2.0, 0.2], noise[3] + [2.5, 0.2], "older")
    one = of("bits_per_byte", judged(scores(old, new), control))
    assert one.verdict == "the articles' own"
    assert one.control == "older"
    assert one.difference == pytest.approx(one.gap - one.control_gap)  # type: ignore[operator]
    assert one.difference_low is not None and one.difference_high is not None
    assert one.difference_low < 0 < one.difference_high


def test_a_headline_about_several_models_is_corrected_for_their_number(noise: np.ndarray) -> None:
    old = noise[0] + [0.053, 0.2]
    alone = gaps(EVALUATORS, scores(old, noise[1] + [0.0, 0.2]), None, seed=0)
    one = of("bits_per_byte", judged_together(alone, BETTER))
    assert one.verdict == "worse on old articles" and one.p_holm <= 0.05 < 2 * one.p_holm
    both = judged_together([*alone, *(replace(gap, model="another") for gap in alone)], BETTER)
    of_bits = [(gap.p_holm, gap.verdict) for gap in both if gap.metric == "bits_per_byte"]
    assert of_bits == [(2 * one.p_holm, "no difference shown")] * 2


def test_what_the_control_does_not_have_stays_a_gap(noise: np.ndarray) -> None:
    old, new = noise[0] + [1.0, 0.2], noise[1] + [1.5, 0.2]
    control = scores(noise[2] + 2.0, noise[3] + 2.0, "older")
    one = of("bits_per_byte", judged(scores(old, new), control))
    assert one.verdict == "better on old articles"
    assert one.difference_high is not None and one.difference_high < 0


def test_a_pair_of_which_an_article_has_no_number_is_left_out(noise: np.ndarray) -> None:
    old, new = noise[0].copy(), noise[1].copy()
    old[3, 0] = np.nan
    new[:, 1] = np.nan
    [one] = judged(scores(old, new))
    assert (one.metric, one.pairs) == ("bits_per_byte", PAIRS - 1)


def test_a_dozen_pairs_tell_nothing(noise: np.ndarray) -> None:
    [one, _] = judged(scores(noise[0][:12] - 9, noise[1][:12]))
    assert (one.verdict, one.no_interval, one.low) == ("too few pairs", "too few prompts", None)


def test_harder_old_articles_are_worse_and_no_sign_of_having_read_them(noise: np.ndarray) -> None:
    old, new = noise[0] + [3.7, 0.5], noise[1] + [1.5, 0.2]
    found = judged(scores(old, new))
    assert of("bits_per_byte", found).verdict == "worse on old articles"
    assert of("rep_4", found).verdict == "different on old articles"  # neither end of it is better
    higher = judged_together(gaps(EVALUATORS, scores(old, new), None, seed=0), {"bits_per_byte": "higher"})
    assert of("bits_per_byte", higher).verdict == "better on old articles"


def test_metrics_that_point_either_way_are_not_one_verdict(noise: np.ndarray) -> None:
    """Of texts that a model wrote no metric decides alone; of articles that it read the bits do."""
    evaluators, better = {"rouge_l": "e", "rep_4": "e"}, {"rouge_l": "higher", "rep_4": "lower"}
    written = gaps(evaluators, scores(noise[0] + 1.0, noise[1]), None, seed=0)
    assert words.verdict(judged_together(written, better)) == "better on old articles by some metrics, worse by others"
    read = gaps({"bits_per_byte": "e", "min_k_percent": "e"}, scores(noise[0] + 1.0, noise[1]), None, seed=0)
    found = judged_together(read, BETTER | {"min_k_percent": "higher"})
    assert words.verdict(found) == "worse on old articles"
    [told] = words.otherwise(found, words.decisive(found))
    assert "does not rest on min_k_percent, by which it would be: better on old articles" in told


def test_a_model_that_is_worse_than_its_control_is_worse(noise: np.ndarray) -> None:
    """Both do better on the old articles; the control does so by more."""
    old, new = noise[0] + 1.0, noise[1] + 1.5
    one = of("bits_per_byte", judged(scores(old, new), scores(noise[2] + 1.0, noise[3] + 3.0, "older")))
    assert (one.gap < 0, one.verdict) == (True, "worse on old articles")
    assert one.judged == (one.difference, one.difference_low, one.difference_high, one.difference_sd)


def test_the_same_bits_in_other_units_are_not_corrected_for_each_other(noise: np.ndarray) -> None:
    names = {"bits_per_byte": "e", "bits_per_token": "e", "prompt_bits_per_byte": "e", "rep_4": "e", "rouge_l": "e"}
    old, new = (np.repeat(noise[row][:, :1], 5, axis=1) for row in (0, 1))
    found = judged_together(gaps(names, scores(old, new), None, seed=0), BETTER)
    assert [one.p_holm / one.p for one in found[:3]] == [1, 1, 1]
    assert [one.p_holm for one in found[3:]] == [min(2 * found[0].p, 1)] * 2
    two = judged_together(
        [gap for name in "ab" for gap in gaps(names, PairedScores(name, "likelihood", old, new), None, seed=0)], BETTER
    )
    assert {one.p_holm for one in two if one.metric == "bits_per_byte"} == {min(2 * found[0].p, 1)}


def test_the_gap_that_is_said_to_be_visible_is_seen_in_80_of_100_and_chance_in_5() -> None:
    random, names = np.random.default_rng(11), {"bits_per_byte": "e"}
    seen, chance, draws = 0, 0, 200
    for _ in range(draws):
        old, new = random.normal(size=(2, 35, 1)) * 0.05
        [one] = judged_together(gaps(names, scores(old, new), None, seed=0), BETTER)
        chance += one.verdict != "no difference shown"
        visible = 0.05 * 2**0.5 * (one.visible or 0.0) / (one.sd or 1.0)  # as if the spread were known
        [one] = judged_together(gaps(names, scores(old - visible, new), None, seed=0), BETTER)
        seen += one.verdict == "better on old articles"
    assert 0.72 * draws <= seen <= 0.88 * draws
    assert chance <= 0.09 * draws


def test_scores_stand_in_the_order_of_the_pairs() -> None:
    values = np.array([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
    found = paired(values, np.array([5, 7, 9]), [9, 6, 5])
    np.testing.assert_array_equal(found, [[3.0, 30.0], [np.nan, np.nan], [1.0, 10.0]])
