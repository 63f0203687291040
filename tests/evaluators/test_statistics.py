"""Uncertainty against statsmodels and scipy, by hand, and by what a test must be: right as often as it says."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evaluators.power import prompts_needed, prompts_range, visible_effect
from evaluators.statistics import (
    ALIKE,
    FEWEST,
    TOO_FEW,
    Array,
    by_cluster,
    differences_bootstrap,
    differences_estimate,
    different,
    effect_size,
    estimate,
    holm,
    p_values,
    sign_flip,
)

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def texts(prompts: int, seed: int, correlation: float = 0.46) -> tuple[Array, Array]:
    """Scores of 1 to 10 texts a prompt, alike within a prompt, and the prompts."""
    random = np.random.default_rng(seed)
    names = np.repeat(np.arange(prompts), random.integers(1, 11, prompts))
    shared = random.normal(size=prompts)[names] * math.sqrt(correlation)
    return shared + random.normal(size=len(names)) * math.sqrt(1 - correlation), names.astype(float)


def by_matrices(values: Array, prompts: Array) -> tuple[float, float]:
    """The CR2 standard error of the mean and Satterthwaite's degrees of freedom from their definitions (Pustejovsky &
    Tipton 2018, equations 6, 10 and 11), with the matrices written out: X a column of ones, the working model iid."""
    number = len(values)
    x = np.ones((number, 1))
    bread = np.linalg.inv(x.T @ x)
    keeps = np.eye(number) - x @ bread @ x.T
    residuals = keeps @ values
    variance, vectors = 0.0, []
    for prompt in np.unique(prompts):
        rows = prompts == prompt
        eigenvalues, sides = np.linalg.eigh(keeps[np.ix_(rows, rows)])
        root = sides @ np.diag(np.where(eigenvalues > 1e-9, eigenvalues.clip(1e-9) ** -0.5, 0)) @ sides.T
        vectors.append(keeps[rows].T @ root @ x[rows] @ bread)
        variance += (bread @ x[rows].T @ root @ residuals[rows]).item() ** 2
    p = np.hstack(vectors)
    squares = p.T @ p
    return math.sqrt(variance), float(np.trace(squares) ** 2 / np.trace(squares @ squares))


@pytest.mark.parametrize(("prompts", "seed"), [(3, 0), (15, 1), (40, 2)])
def test_the_clustered_error_and_its_degrees_of_freedom_are_those_of_the_matrices(prompts: int, seed: int) -> None:
    values, names = texts(prompts, seed)
    ours = estimate(*by_cluster(values, names))
    error, freedom = by_matrices(values, names)
    assert ours.mean[0] == pytest.approx(values.mean(), rel=1e-12)
    assert ours.standard_error[0] == pytest.approx(error, rel=1e-9)
    assert ours.freedom[0] == pytest.approx(freedom, rel=1e-9)
    assert ours.clusters[0] == prompts


def test_prompts_of_as_many_texts_have_the_error_of_their_means() -> None:
    """And that of statsmodels' CR1, which for them is the same; as many degrees of freedom as prompts, less one."""
    import statsmodels.api as sm

    values, names = np.random.default_rng(0).normal(size=80), np.repeat(np.arange(20), 4)
    fit = sm.OLS(values, np.ones(80)).fit(cov_type="cluster", cov_kwds={"groups": names}, use_t=True)
    ours = estimate(*by_cluster(values, names))
    means = values.reshape(20, 4).mean(axis=1)
    assert ours.standard_error[0] == pytest.approx(means.std(ddof=1) / math.sqrt(20), rel=1e-12)
    assert ours.standard_error[0] == pytest.approx(fit.bse[0], rel=1e-9)
    assert ours.freedom[0] == pytest.approx(19)
    assert ours.skew[0] == pytest.approx(stats.skew(means, bias=False) / math.sqrt(20))


def test_the_clustered_error_by_hand() -> None:
    """Texts 1, 3 | 4 | 6 have mean 3.5; the prompts' residuals are -3, 0.5 and 2.5, and their shares 1/2, 1/4 and 1/4.
    The error is the root of (9 / (1/2) + 0.25 / (3/4) + 6.25 / (3/4)) / 16 = 5/3. With a = 1/2, 1/12, 1/12 the degrees
    of freedom are 1 / (3/8 + 4/9 - 19/72) = 1.8."""
    ours = estimate(*by_cluster([1, 3, 4, 6], [1, 1, 2, 3]))
    assert (ours.mean[0], ours.standard_error[0], ours.freedom[0]) == pytest.approx((3.5, math.sqrt(5 / 3), 1.8))
    assert ours.lacking == (TOO_FEW,)
    assert np.isnan([ours.low[0], ours.high[0]]).all()


def test_an_interval_reaches_further_where_the_tail_is_and_nowhere_less_far_than_t() -> None:
    values = np.random.default_rng(1).lognormal(size=(30, 1))
    ours = differences_estimate(values)
    half = stats.t.ppf(0.975, 29) * ours.standard_error
    assert ours.skew[0] > 0.1
    assert ours.low[0] == pytest.approx(ours.mean[0] - half[0])
    assert ours.high[0] > ours.mean[0] + 1.1 * half[0]
    mirrored = differences_estimate(-values)
    assert (-mirrored.high[0], -mirrored.low[0]) == pytest.approx((ours.low[0], ours.high[0]))
    even = differences_estimate(np.vstack([values - values.mean(), values.mean() - values]))
    width = stats.t.ppf(0.975, 59) * even.standard_error[0]
    assert (even.low[0], even.high[0]) == pytest.approx((-width, width)), "no skewness, no correction"


def test_what_has_no_interval_says_why() -> None:
    one_value = differences_estimate(np.full((40, 1), 0.1))
    assert (one_value.lacking, one_value.mean[0]) == ((ALIKE,), pytest.approx(0.1))
    assert differences_estimate(np.zeros((40, 1))).lacking == (ALIKE,)
    numbers = np.random.default_rng(0).normal(size=(FEWEST, 1))
    assert differences_estimate(numbers).lacking == (None,)
    assert differences_estimate(numbers[1:]).lacking == (TOO_FEW,)
    heavy = estimate(np.ones((80, 1)) + np.arange(80)[:, None], np.where(np.arange(80) % 10, 1.0, 50.0)[:, None])
    assert heavy.lacking == (TOO_FEW,), "eight of eighty prompts have nearly all texts"
    for low, high in ((one_value.low, one_value.high), differences_bootstrap(numbers[1:], 0)):
        assert np.isnan([low[0], high[0]]).all()


def test_texts_that_are_alike_say_less_than_their_number() -> None:
    values, prompts = texts(300, 1)
    naive = values.std(ddof=1) / math.sqrt(len(values))
    assert estimate(*by_cluster(values, prompts)).standard_error[0] > 1.5 * naive


def test_one_prompt_has_a_mean_and_no_error() -> None:
    ours = estimate(*by_cluster([1, 3], [7, 7]))
    assert ours.mean[0] == 2
    assert np.isnan([ours.standard_error[0], ours.low[0], ours.high[0]]).all()
    assert ours.lacking == (TOO_FEW,)


def test_the_bootstrap_agrees_with_the_formula_where_both_are_right() -> None:
    differences = np.random.default_rng(2).normal(size=(400, 1))
    ours = differences_estimate(differences)
    low, high = differences_bootstrap(differences, seed=0)
    assert (low[0], high[0]) == pytest.approx((ours.low[0], ours.high[0]), abs=0.1 * (ours.high[0] - ours.low[0]))
    assert differences_bootstrap(differences, seed=0) == (low, high)
    assert differences_bootstrap(differences, seed=1) != (low, high)


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
    """800 comparisons of 15 prompts with skewed but symmetric noise: a test at 5 % errs in 5 % of them."""
    p = sign_flip(np.random.default_rng(5).standard_t(2, size=(15, 800)), 0)
    assert stats.kstest(p, "uniform").pvalue > 0.001
    assert 18 <= (p <= 0.05).sum() <= 65


def test_p_is_the_greater_one_of_sign_flips_and_of_the_corrected_t() -> None:
    """With a tail on one side the mean of the others is far from 0 too often: there the corrected t decides."""
    tailed = np.random.default_rng(8).lognormal(size=(20, 1))
    below, above = tailed - tailed.mean() * 1.6, tailed
    assert p_values(below, 0)[0] > 2 * sign_flip(below, 0)[0]
    assert p_values(above, 0)[0] == sign_flip(above, 0)[0] == 1 / 10_000
    assert list(p_values(np.full((20, 1), 0.5), 0)) == [1 / 10_000], "of equal differences only the signs tell"
    assert np.isnan(p_values(np.full((20, 1), np.nan), 0)).all()


def test_p_and_the_interval_say_the_same() -> None:
    differences = np.random.default_rng(9).gamma(1, size=(25, 400)) - 0.7
    found = differences_estimate(differences)
    without_zero = (found.low > 0) | (found.high < 0)
    assert (without_zero == (p_values(differences, 0) <= 0.05)).mean() > 0.97
    assert 50 < without_zero.sum() < 350


def test_too_few_prompts_are_never_different() -> None:
    differences = np.random.default_rng(10).normal(5, 1, size=(FEWEST, 2))
    assert list(different(differences, 0)) == [True, True]
    differences[0, 1] = np.nan
    assert list(different(differences, 0)) == [True, False]


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


@pytest.mark.parametrize("tests", [1, 20])
@pytest.mark.parametrize("effect", [0.5, -0.2, 0.05, 0.01])
def test_the_prompts_needed_are_those_of_statsmodels(effect: float, tests: int) -> None:
    from statsmodels.stats.power import TTestPower

    theirs = TTestPower().solve_power(abs(effect), alpha=0.05 / tests, power=0.8)
    assert prompts_needed(effect, tests) == math.ceil(theirs)
    assert prompts_needed(3.0) == FEWEST


@pytest.mark.parametrize("tests", [1, 20])
@pytest.mark.parametrize("prompts", [13, 300, 3_000])
def test_the_visible_effect_is_that_of_statsmodels(prompts: int, tests: int) -> None:
    from statsmodels.stats.power import TTestPower

    theirs = TTestPower().solve_power(nobs=prompts, alpha=0.05 / tests, power=0.8)
    assert visible_effect(prompts, tests) == pytest.approx(theirs, rel=1e-3)


def test_no_difference_needs_more_prompts_than_there_are() -> None:
    assert prompts_needed(0.0) == math.inf
    assert math.isnan(prompts_needed(math.nan))
    assert math.isnan(visible_effect(FEWEST - 1))
    assert 7e12 < prompts_needed(1e-6) < 8e12
    assert 7e40 < prompts_needed(1e-20) < 8e40


def test_the_prompts_needed_are_a_range_that_more_prompts_narrow() -> None:
    """For t = 4 in 100 prompts the 80 % interval of the noncentrality, by scipy's distribution, is 2.658 to 5.322."""
    least, most = prompts_range(0.4, 100)
    assert [stats.nct.cdf(4, 99, edge) for edge in (2.658, 5.322)] == pytest.approx([0.9, 0.1], abs=1e-3)
    assert (least, most) == pytest.approx((prompts_needed(0.5322), prompts_needed(0.2658)), abs=1)
    assert prompts_range(-0.4, 100) == (least, most)
    closer = prompts_range(0.4, 1_000)
    assert least < closer[0] < prompts_needed(0.4) < closer[1] < most
    assert prompts_range(0.05, 100)[1] == math.inf, "there may be no difference at all"
    assert all(math.isnan(end) for end in (*prompts_range(math.nan, 100), *prompts_range(0.4, 1)))
    assert prompts_range(0.4, 100, tests=20)[0] > least


def test_a_family_of_metrics_errs_in_five_of_a_hundred_comparisons() -> None:
    """Holm over six metrics, three of which go together, where there is no difference; 200 families of 40 prompts."""
    random = np.random.default_rng(7)
    wrong = 0
    for seed in range(200):
        shared = random.normal(size=(40, 1)) + random.normal(size=(40, 3))
        differences = np.hstack([shared, random.standard_t(2, size=(40, 3))])
        wrong += bool((holm(sign_flip(differences, seed)) <= 0.05).any())
    assert wrong <= stats.binom.ppf(0.99, 200, 0.05)
