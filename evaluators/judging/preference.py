"""Summarize judgements of pairs of texts: which run is preferred, how surely, and whether the order of texts matters.

A pair's value is the average of its judges: 1 if the first run's text is better, 0 if the second's is, 0.5 for a tie,
and in between if judges, or the answers in both orders, disagree. A prompt gives one pair, so pairs are independent of
each other, unlike answers on the same pair.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from evaluators.statistics import LEVEL


@dataclass(frozen=True)
class Interval:
    """A 95 % interval."""

    low: float
    high: float


@dataclass(frozen=True)
class Preference:
    """The number of pairs, and in how many of them the first run's text is better, the two are the same, or the
    second's is better. `win_rate` is the mean of the values: the share of the first, with ties as half. `p` is the sign
    test's."""

    pairs: int
    first: int
    same: int
    second: int
    win_rate: float
    interval: Interval
    p: float


def preference(values: ArrayLike) -> Preference:
    """Summarize the values of pairs, at least one."""
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
    """Return the two-sided p of the numbers of pairs that favor the first and the second; ties are left out, and
    without any other pair p is 1.

    Source: Dixon & Mood 1946, The statistical sign test; with ties left out as in Su & Xu 2022, An empirical study on
    contrastive search and contrastive decoding for open-ended text generation, table 2.
    """
    from scipy.stats import binomtest

    return float(binomtest(first, first + second).pvalue) if first + second else 1.0


def mean_interval(values: ArrayLike, lowest: float, highest: float) -> Interval:
    """Return the 95 % interval of the mean of independent values between two bounds, for any number of values and even
    if all are equal: Wald's, after adding one imagined value at each bound.

    With values at the bounds and half way it is the adjusted Wald interval of Bonett & Price 2012, Adjusted Wald
    confidence interval for a difference of binomial proportions based on paired data (for the share of one
    less that of the other, which a win rate with ties as half is half of, plus one half).
    """
    mean, error = adjusted_mean(values, lowest, highest)
    reach = normal_quantile() * error
    return Interval(max(lowest, mean - reach), min(highest, mean + reach))


def adjusted_mean(values: ArrayLike, lowest: float, highest: float) -> tuple[float, float]:
    """Return the mean of the values and one imagined value at each bound, and its standard error."""
    imagined = np.concatenate([np.asarray(values, float), [lowest, highest]])
    return float(imagined.mean()), float(imagined.std() / np.sqrt(len(imagined)))


def normal_quantile() -> float:
    """Return how many standard errors a 95 % interval extends to each side."""
    return float(ndtri(1 - LEVEL / 2))


@dataclass(frozen=True)
class PositionBias:
    """How much more often than not the text in the first place is named: the share of the answers that name it, with
    ties as half, less one half; from −0.5 to 0.5. `consistent` is the share of pairs on which both answers agree."""

    pairs: int
    bias: float
    interval: Interval
    consistent: float


def position_bias(first_on_the_left: ArrayLike, second_on_the_left: ArrayLike) -> PositionBias:
    """Compute the bias from the values of pairs with the first run's text in the first place, and of the same pairs in
    the other order. The quality of the texts is in both, and cancels out. Source: Zheng et al. 2023, Judging
    LLM-as-a-judge with MT-Bench and Chatbot Arena, section 3.3, which uses both orders and counts the same pairs.
    """
    left, right = np.asarray(first_on_the_left, float), np.asarray(second_on_the_left, float)
    leaning = (left + 1 - right) / 2 - 0.5
    return PositionBias(
        len(leaning), float(leaning.mean()), mean_interval(leaning, -0.5, 0.5), float((left == right).mean())
    )


@dataclass(frozen=True)
class Link:
    """Two judges on the same pairs: the share of pairs on which they agree, and the win rate of the second judge less
    that of the first."""

    pairs: int
    agreement: float
    agreement_interval: Interval
    difference: float
    difference_interval: Interval


def link(old: ArrayLike, new: ArrayLike) -> Link:
    """Compare two judges by one value per pair from each, in the same order of pairs."""
    before, after = np.asarray(old, float), np.asarray(new, float)
    same = (np.sign(before - 0.5) == np.sign(after - 0.5)).astype(float)
    differences = after - before
    return Link(
        len(differences),
        float(same.mean()),
        mean_interval(same, 0, 1),
        float(differences.mean()),
        mean_interval(differences, -1, 1),
    )
