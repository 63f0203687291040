"""Compare two independent groups of articles: how often one has the higher score, and the difference of their means."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

from evaluators.statistics import ALIKE, LEVEL, TOO_FEW, Array, Estimate, differences_estimate


def area(first: Array, second: Array) -> float:
    """Return the area under the ROC curve: how often a score of the first group is above one of the second, where ties
    count half. It is the Mann-Whitney statistic over the number of pairs; 0.5 if the scores are uninformative.

    Source: Hanley & McNeil 1982, The meaning and use of the area under a ROC curve.
    """
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate([first, second]))[: len(first)]
    return float((ranks.sum() - len(first) * (len(first) + 1) / 2) / (len(first) * len(second)))


def area_interval(auc: float, first: int, second: int, level: float = LEVEL) -> tuple[float, float]:
    """Return the interval of an area for groups of these sizes, which covers 1 - `level`, 95 % by default.

    It contains each area that is less than 1.96 of its own standard errors away from this one, so it has a width even
    if the scores separate all articles. It leaves out 0.5 exactly if the normal approximation of the Mann-Whitney test
    is significant. Source: Newcombe 2006, Confidence intervals for an effect size measure based on the Mann-Whitney
    statistic, part 2, method 5.
    """
    return 1 - _reaches_up(1 - auc, first, second, level), _reaches_up(auc, first, second, level)


def _reaches_up(auc: float, first: int, second: int, level: float) -> float:
    """Return the upper end of the interval: the largest area within 1.96 standard errors of this one."""
    quantile = float(ndtri(1 - level / 2))

    def beyond(candidate: float) -> float:
        spread = 1 + ((first + second) / 2 - 1) * ((1 - candidate) / (2 - candidate) + candidate / (1 + candidate))
        return float(
            candidate - auc - quantile * (candidate * (1 - candidate) * spread) ** 0.5 / (first * second) ** 0.5
        )

    return float(brentq(beyond, auc + 1e-9, 1.0)) if auc < 1 else 1.0


def mean_difference(first: Array, second: Array, level: float = LEVEL) -> tuple[Estimate, Estimate, Array, Array]:
    """Estimate the mean of the first group less that of the second, for arrays of articles × quantities.

    NaN means no value.

    Returns the estimates of both groups, and both ends of the interval of the difference, NaN where there is none
    (`lacking_of`). The interval combines those of the two means, which allow for unequal variances and for skewness.
    Source: Zou & Donner 2008, Construction of confidence limits about effect measures: a general approach, equation 6.
    """
    a, b = differences_estimate(first, level), differences_estimate(second, level)
    difference = a.mean - b.mean
    low = difference - np.sqrt((a.mean - a.low) ** 2 + (b.high - b.mean) ** 2)
    high = difference + np.sqrt((a.high - a.mean) ** 2 + (b.mean - b.low) ** 2)
    return a, b, low, high


def lacking_of(a: Estimate, b: Estimate) -> tuple[str | None, ...]:
    """Return for each quantity why there is no interval of the difference: too few articles in a group, or a group
    whose values are equal; None if there is one."""
    pairs = zip(a.lacking, b.lacking, strict=True)
    return tuple(TOO_FEW if TOO_FEW in pair else ALIKE if ALIKE in pair else None for pair in pairs)
