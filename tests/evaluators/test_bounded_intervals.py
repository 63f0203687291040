"""Intervals of shares: inside the range, by hand where they are known, and as often right as they say."""

import numpy as np
import pytest
from scipy import stats

from evaluators.bounded_intervals import bounded_interval
from evaluators.statistics import Array, estimate


def of_texts(values: list[float]) -> tuple[Array, Array]:
    return np.array(values)[:, None], np.ones((len(values), 1))


def test_of_texts_that_are_independent_it_reaches_at_least_as_far_as_wilsons() -> None:
    found = bounded_interval(estimate(*of_texts([1.0] * 30 + [0.0] * 70)), 0.0, 1.0)
    wilson = stats.binomtest(30, 100).proportion_ci(method="wilson")
    assert wilson.low - 0.01 < found.low[0] <= wilson.low
    assert wilson.high <= found.high[0] < wilson.high + 0.01


def test_few_negatives_do_not_make_it_wider_than_independent_texts_can_be() -> None:
    """Hall's interval alone would end at 0.83. Clopper and Pearson's is exact for as many independent texts."""
    found = bounded_interval(estimate(*of_texts([1.0] * 3 + [0.0] * 17)), 0.0, 1.0)
    exact = stats.binomtest(3, 20).proportion_ci(method="exact")
    assert (found.low[0], found.high[0]) == pytest.approx((exact.low, exact.high), abs=0.02)


def test_it_is_the_same_in_other_units() -> None:
    values = np.random.default_rng(1).beta(0.3, 2, 20)
    share = bounded_interval(estimate(*of_texts(list(values))), 0.0, 1.0)
    percent = bounded_interval(estimate(*of_texts(list(100 * values - 50))), -50.0, 50.0)
    np.testing.assert_allclose([percent.low, percent.high], [100 * share.low - 50, 100 * share.high - 50])


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_where_all_are_at_one_end_it_knows_the_number_of_prompts(end: float) -> None:
    """At least Clopper and Pearson's, for as many trials as prompts, however many texts these have."""
    found = bounded_interval(estimate(np.full((20, 1), 50 * end), np.full((20, 1), 50.0)), 0.0, 1.0)
    exact = stats.binomtest(int(20 * end), 20).proportion_ci(method="exact")
    assert found.lacking == (None,)
    assert found.low[0] <= exact.low and exact.high <= found.high[0]
    assert found.high[0] - found.low[0] < 0.2


def test_few_prompts_and_prompts_all_alike_in_the_midst_have_none() -> None:
    found = bounded_interval(estimate(np.full((20, 1), 0.5), np.ones((20, 1))), 0.0, 1.0)
    assert found.lacking == ("no variance",) and np.isnan(found.low[0])
    assert bounded_interval(estimate(*of_texts([0.0] * 5)), 0.0, 1.0).lacking == ("too few prompts",)


def texts_of_prompts(random: np.random.Generator, share: float, prompts: int, draws: int) -> tuple[Array, Array]:
    """Three texts a prompt of five sentences each; the prompts' own shares differ much."""
    chances = random.beta(2 * share, 2 * (1 - share), (prompts, draws))
    return random.binomial(15, chances) / 5, np.full((prompts, draws), 3.0)


@pytest.mark.parametrize("share", [0.05, 0.25, 0.9])
@pytest.mark.parametrize(("prompts", "least"), [(13, 0.91), (20, 0.94), (50, 0.94)])
def test_it_holds_the_share_in_about_95_of_100_and_never_leaves_the_range(
    share: float, prompts: int, least: float
) -> None:
    """At 5 % and 13 prompts it is 92 of 100, as few of so few prompts have any."""
    found = bounded_interval(
        estimate(*texts_of_prompts(np.random.default_rng(prompts), share, prompts, 4000)), 0.0, 1.0
    )
    assert set(found.lacking) == {None}
    assert (found.low >= 0).all() and (found.high <= 1).all()
    assert ((found.low <= share) & (share <= found.high)).mean() >= least


@pytest.mark.parametrize("share", [0.03, 0.5])
def test_it_holds_the_share_where_each_prompt_has_all_or_nothing(share: float) -> None:
    texts = (np.random.default_rng(5).random((20, 4000)) < share).astype(float)
    found = bounded_interval(estimate(texts, np.ones_like(texts)), 0.0, 1.0)
    assert ((found.low <= share) & (share <= found.high)).mean() >= 0.95
