"""Uncertainty against statsmodels and scipy, by hand, and by what a test must be: right as often as it says."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluators.statistics import (
    Array,
    bootstrap,
    by_cluster,
    differences_bootstrap,
    differences_estimate,
    effect_size,
    estimate,
    holm,
    prompts_needed,
    sign_flip,
    smallest_p,
    visible_effect,
)

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def texts(prompts: int, seed: int, correlation: float = 0.46) -> tuple[Array, Array]:
    """Scores of 1 to 10 texts a prompt, alike within a prompt, and the prompts."""
    random = np.random.default_rng(seed)
    names = np.repeat(np.arange(prompts), random.integers(1, 11, prompts))
    shared = random.normal(size=prompts)[names] * math.sqrt(correlation)
    return shared + random.normal(size=len(names)) * math.sqrt(1 - correlation), names.astype(float)


@pytest.mark.parametrize("seed", range(3))
def test_the_clustered_error_is_that_of_statsmodels(seed: int) -> None:
    import statsmodels.api as sm

    values, prompts = texts(40, seed)
    fit = sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": prompts}, use_t=True)
    ours = estimate(*by_cluster(values, prompts))
    assert ours.mean[0] == pytest.approx(fit.params[0], rel=1e-12)
    assert ours.standard_error[0] == pytest.approx(fit.bse[0], rel=1e-9)
    assert (ours.low[0], ours.high[0]) == pytest.approx(tuple(fit.conf_int()[0]), rel=1e-9)
    assert ours.clusters[0] == 40


def test_the_clustered_error_by_hand() -> None:
    """Texts 1, 3 | 4 | 6 have mean 3.5; the prompts' residuals are -3, 0.5 and 2.5, whose squares sum up to 15.5. The
    error is sqrt(3/2 * 15.5) / 4 = 1.20545, and with t = 4.30265 the interval is 3.5 +- 5.18664."""
    ours = estimate(*by_cluster([1, 3, 4, 6], [1, 1, 2, 3]))
    assert (ours.mean[0], ours.standard_error[0]) == pytest.approx((3.5, 1.20545), abs=1e-5)
    assert (ours.low[0], ours.high[0]) == pytest.approx((-1.68664, 8.68664), abs=1e-4)


def test_texts_that_are_alike_say_less_than_their_number() -> None:
    values, prompts = texts(300, 1)
    naive = values.std(ddof=1) / math.sqrt(len(values))
    assert estimate(*by_cluster(values, prompts)).standard_error[0] > 1.5 * naive


def test_one_prompt_has_a_mean_and_no_error() -> None:
    ours = estimate(*by_cluster([1, 3], [7, 7]))
    assert ours.mean[0] == 2
    assert np.isnan([ours.standard_error[0], ours.low[0], ours.high[0]]).all()
    assert np.isnan(bootstrap(*by_cluster([1, 3], [7, 7]), 0)).all()


def test_the_bootstrap_agrees_with_the_formula_where_both_are_right() -> None:
    totals, counts = by_cluster(*texts(400, 2))
    ours = estimate(totals, counts)
    low, high = bootstrap(totals, counts, seed=0)
    assert (low[0], high[0]) == pytest.approx((ours.low[0], ours.high[0]), abs=0.1 * (ours.high[0] - ours.low[0]))
    assert bootstrap(totals, counts, seed=0) == (low, high)
    assert bootstrap(totals, counts, seed=1) != (low, high)


def test_a_prompt_without_a_difference_is_left_out_of_that_column_alone() -> None:
    whole = np.random.default_rng(0).normal(1, 2, size=(30, 2))
    holed = whole.copy()
    holed[20:, 1] = np.nan
    ours, short = differences_estimate(holed), differences_estimate(whole[:20])
    assert list(ours.clusters) == [30, 20]
    for part in ("mean", "standard_error", "low", "high"):
        assert getattr(ours, part)[1] == pytest.approx(getattr(short, part)[1], rel=1e-12)
    assert effect_size(holed)[1] == pytest.approx(effect_size(whole[:20])[1], rel=1e-12)
    low, high = differences_bootstrap(holed, 0)
    assert (low < ours.mean).all() and (ours.mean < high).all()
    assert sign_flip(holed[:12], 0)[0] == sign_flip(whole[:12], 0)[0]


def test_the_effect_size_by_hand() -> None:
    """Differences 1, 2, 3, 6 have mean 3 and deviation sqrt((4 + 1 + 0 + 9) / 3) = 2.16025."""
    differences = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [6.0, 5.0]])
    assert effect_size(differences)[0] == pytest.approx(3 / 2.160247, rel=1e-6)
    assert np.isnan(effect_size(differences)[1])


def test_the_exact_p_by_hand() -> None:
    """Of the 16 sign patterns of 1, 2, 3, 6 only all + and all - reach 12; 1, 2, 3, -6 sum up to 0, which all reach."""
    differences = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0], [3.0, 3.0, 0.0], [6.0, -6.0, 0.0]])
    assert list(sign_flip(differences, 0)) == [2 / 16, 1.0, 1.0]
    assert smallest_p(4) == 2 / 16


@pytest.mark.parametrize("prompts", [9, 200])
def test_p_is_that_of_scipy(prompts: int) -> None:
    """Nine prompts are exact in both; of two hundred both draw patterns."""
    differences = np.random.default_rng(3).normal(0.1, 1, size=(prompts, 1))
    theirs = stats.permutation_test(
        (differences[:, 0],), np.mean, permutation_type="samples", n_resamples=9_999, rng=np.random.default_rng(1)
    )
    assert sign_flip(differences, 0)[0] == pytest.approx(theirs.pvalue, abs=0.0 if prompts == 9 else 0.02)


def test_p_is_never_zero_and_follows_its_seed() -> None:
    differences = np.random.default_rng(4).normal([5, 0.1], 1, size=(50, 2))
    p = sign_flip(differences, 0)
    assert p[0] == 1 / 10_000
    assert (sign_flip(differences, 0) == p).all()
    assert sign_flip(differences, 1)[1] != p[1]


def test_p_is_uniform_where_there_is_no_difference() -> None:
    """2,000 comparisons of 15 prompts with skewed but symmetric noise: a test at 5 % errs in 5 % of them."""
    p = sign_flip(np.random.default_rng(5).standard_t(2, size=(15, 2_000)), 0)
    assert stats.kstest(p, "uniform").pvalue > 0.001
    assert 65 <= (p <= 0.05).sum() <= 140


def test_no_p_where_there_is_nothing() -> None:
    assert np.isnan(sign_flip(np.full((4, 1), np.nan), 0)).all()
    assert sign_flip(np.zeros((0, 0)), 0).shape == (0,)


def test_holm_by_hand() -> None:
    """Holm 1979: the smallest times 4, the next times 3, and no smaller than the one before."""
    assert list(holm([0.01, 0.04, math.nan, 0.03, 0.005])) == pytest.approx(
        [0.03, 0.06, math.nan, 0.06, 0.02], nan_ok=True
    )
    assert list(holm([])) == []


@given(P_VALUES)
def test_holm_raises_p_keeps_its_order_and_stays_a_p(p: list[float]) -> None:
    corrected = holm(p)
    assert (corrected >= np.array(p)).all() and (corrected <= 1).all()
    assert (corrected <= np.minimum(np.array(p) * len(p), 1)).all(), "never worse than Bonferroni"
    assert (np.diff(corrected[np.argsort(p, kind="stable")]) >= 0).all()


@given(P_VALUES, st.integers(0, 99))
def test_holm_does_not_look_at_the_order(p: list[float], seed: int) -> None:
    places = np.random.default_rng(seed).permutation(len(p))
    assert holm(np.array(p)[places]) == pytest.approx(holm(p)[places])


@pytest.mark.parametrize("effect", [2.0, 0.5, -0.2, 0.05, 0.01])
def test_the_prompts_needed_are_those_of_statsmodels(effect: float) -> None:
    from statsmodels.stats.power import TTestPower

    theirs = TTestPower().solve_power(abs(effect), alpha=0.05, power=0.8)
    assert prompts_needed(effect) == math.ceil(theirs)


@pytest.mark.parametrize("prompts", [3, 10, 300, 3_000])
def test_the_visible_effect_is_that_of_statsmodels(prompts: int) -> None:
    from statsmodels.stats.power import TTestPower

    theirs = TTestPower().solve_power(nobs=prompts, alpha=0.05, power=0.8)
    assert visible_effect(prompts) == pytest.approx(theirs, rel=1e-3)


def test_no_difference_needs_more_prompts_than_there_are() -> None:
    assert prompts_needed(0.0) == math.inf
    assert math.isnan(prompts_needed(math.nan))
    assert math.isnan(visible_effect(1))
    assert 7e12 < prompts_needed(1e-6) < 8e12
    assert 7e40 < prompts_needed(1e-20) < 8e40


def test_a_family_of_metrics_errs_in_five_of_a_hundred_comparisons() -> None:
    """Holm over six metrics, three of which go together, where there is no difference; 200 families of 40 prompts."""
    random = np.random.default_rng(7)
    wrong = 0
    for seed in range(200):
        shared = random.normal(size=(40, 1)) + random.normal(size=(40, 3))
        differences = np.hstack([shared, random.standard_t(2, size=(40, 3))])
        wrong += bool((holm(sign_flip(differences, seed)) <= 0.05).any())
    assert wrong <= stats.binom.ppf(0.99, 200, 0.05)
