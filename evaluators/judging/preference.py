"""What judgements of pairs of texts amount to: who is preferred, how surely, and whether the place of a text matters.

A pair's value is what its judges say of it on average: 1 where the first run's text is better, 0 where the second's is,
0.5 where they are the same, and in between where judges, or the answers in both orders, are apart. A prompt gives one
pair, so pairs are independent of each other, which answers on the same pair are not.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from evaluators.statistics import LEVEL

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """A 95 % interval."""

    low: float
    high: float


@dataclass(frozen=True)
class Preference:
    """So many pairs, and in how many of them the first run's text is better, both are the same, or the second's is
    better. `win_rate` is the mean of the values: the share of the first, ties as half. `p` is the sign test's."""

    pairs: int
    first: int
    same: int
    second: int
    win_rate: float
    interval: Interval
    p: float


def preference(values: ArrayLike) -> Preference:
    """Of one value a pair; there must be one."""
    found = np.asarray(values, float)
    first, second = int((found > 0.5).sum()), int((found < 0.5).sum())
    return Preference(
        len(found),
        first,
        len(found) - first - second,
        second,
        float(found.mean()),
        mean_interval(found, 0, 1),
        sign_test(first, second),
    )


def sign_test(first: int, second: int) -> float:
    """Two-sided p of so many pairs that went to the first against so many that went to the second; ties are left out,
    and without any pair that went to either p is 1.

    Source: Dixon & Mood 1946, The statistical sign test; with ties left out as in Su & Xu 2022, An empirical study on
    contrastive search and contrastive decoding for open-ended text generation, table 2.
    """
    from scipy.stats import binomtest

    return float(binomtest(first, first + second).pvalue) if first + second else 1.0


def mean_interval(values: ArrayLike, lowest: float, highest: float) -> Interval:
    """The 95 % interval of the mean of independent values between two bounds, however few they are and even if all are
    alike: Wald's, after one imagined value at each bound was added.

    With values at the bounds and half way it is the adjusted Wald interval of Bonett & Price 2012, Adjusted Wald
    confidence interval for a difference of binomial proportions based on paired data (for the share of one
    less that of the other, which a win rate with ties as half is half of, plus one half).
    """
    mean, error = adjusted_mean(values, lowest, highest)
    reach = normal_quantile() * error
    return Interval(max(lowest, mean - reach), min(highest, mean + reach))


def adjusted_mean(values: ArrayLike, lowest: float, highest: float) -> tuple[float, float]:
    """The mean of the values and one imagined value at each bound, and its standard error."""
    imagined = np.concatenate([np.asarray(values, float), [lowest, highest]])
    return float(imagined.mean()), float(imagined.std() / np.sqrt(len(imagined)))


def normal_quantile() -> float:
    """How many standard errors a 95 % interval reaches to each side."""
    return float(ndtri(1 - LEVEL / 2))


@dataclass(frozen=True)
class PositionBias:
    """How much oftener than not the text in the first place is named: the share of the answers that name it, ties as
    half, less one half; from −0.5 to 0.5. `consistent` is the share of pairs on which both answers agree."""

    pairs: int
    bias: float
    interval: Interval
    consistent: float


def position_bias(first_on_the_left: ArrayLike, second_on_the_left: ArrayLike) -> PositionBias:
    """Of the values of pairs with the first run's text in the first place, and of the same pairs the other way round.
    What the texts are worth is in both, and cancels out. Source: Zheng et al. 2023, Judging LLM-as-a-judge with
    MT-Bench and Chatbot Arena, section 3.3, which asks both orders and counts the same pairs.
    """
    left, right = np.asarray(first_on_the_left, float), np.asarray(second_on_the_left, float)
    leaning = (left + 1 - right) / 2 - 0.5
    return PositionBias(
        len(leaning), float(leaning.mean()), mean_interval(leaning, -0.5, 0.5), float((left == right).mean())
    )


@dataclass(frozen=True)
class Link:
    """Two judges on the same pairs: the share of them on which they say the same, and by how much the win rate of the
    second judge is above that of the first."""

    pairs: int
    agreement: float
    agreement_interval: Interval
    difference: float
    difference_interval: Interval


def link(old: ArrayLike, new: ArrayLike) -> Link:
    """Of one value a pair from each judge, in the same order of the pairs."""
    before, after = np.asarray(old, float), np.asarray(new, float)
    same = (np.sign(before - 0.5) == np.sign(after - 0.5)).astype(float)
    apart = after - before
    return Link(
        len(apart), float(same.mean()), mean_interval(same, 0, 1), float(apart.mean()), mean_interval(apart, -1, 1)
    )
