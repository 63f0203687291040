"""Estimate the error of a number that is computed from all articles together, by leaving out each article."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from evaluators import statistics

Array = NDArray[np.float64]


def leave_one_out(article_values: Array) -> Array:
    """Return the sum over the last axis (articles), followed by the sums without each article.

    The last axis of the result is one entry longer.
    """
    total = article_values.sum(axis=-1, keepdims=True)
    return np.concatenate([total, total - article_values], axis=-1)


@dataclass(frozen=True)
class Jackknifed:
    """Numbers over G articles with 95 % intervals.

    The number is computed over all articles. Its error is that of the pseudo-values, which are the estimates that each
    article contributes given the others. For a mean, the pseudo-values are the articles' own numbers, so the interval
    is the usual one (`evaluators.statistics.estimate`).

    Source: Tukey 1958; Efron & Tibshirani 1993, An introduction to the bootstrap, chapter 11, on pseudo-values.
    """

    estimate: statistics.Estimate

    @classmethod
    def of(cls, values: Array) -> "Jackknifed":
        """Build from `values`, numbers × (1 + G): over all articles, and without each article."""
        articles = values.shape[1] - 1
        pseudo = articles * values[:, :1] - (articles - 1) * values[:, 1:]
        estimate = statistics.differences_estimate(np.where(np.isfinite(values).all(axis=1), pseudo.T, np.nan))
        moved = np.where(np.isfinite(estimate.mean), values[:, 0] - estimate.mean, 0.0)
        return cls(replace(estimate, mean=estimate.mean + moved, low=estimate.low + moved, high=estimate.high + moved))

    def over_models(self, error: float, freedom: int) -> "Jackknifed":
        """Return the same numbers with the error of sampling models added to that of sampling articles.

        `error` is the standard error over models with `freedom` degrees of freedom. The two errors add up as variances.
        The interval uses Student's t with the smaller degrees of freedom, so it generalizes over models and articles.
        """
        estimate = self.estimate
        total, fewer = np.hypot(estimate.standard_error, error), np.minimum(estimate.freedom, freedom)
        half = stdtrit(fewer, 1 - statistics.LEVEL / 2) * total
        half = np.where([why is None for why in estimate.lacking], half, np.nan)
        widened = replace(
            estimate,
            standard_error=total,
            freedom=fewer,
            low=np.minimum(estimate.low, estimate.mean - half),
            high=np.maximum(estimate.high, estimate.mean + half),
        )
        return Jackknifed(widened)

    def above(self, bounds: Array) -> Array:
        """Return for each number p under the hypothesis that it is not above the bound.

        p is doubled, because the direction is chosen after seeing the numbers. It is at most 0.05 if the 95 % interval
        lies above the bound.
        """
        return self._p(bounds, 1)

    def below(self, bounds: Array) -> Array:
        """Return for each number p under the hypothesis that it is not below the bound, doubled as in `above`."""
        return self._p(bounds, -1)

    def _p(self, bounds: Array, side: int) -> Array:
        estimate = self.estimate
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (estimate.mean - bounds) / estimate.standard_error
            corrected = statistics.transformed(t, estimate.skew)
        worst = np.fmax(stdtr(estimate.freedom, -side * t), stdtr(estimate.freedom, -side * corrected))
        known = np.array([why is None for why in estimate.lacking], bool)
        p = np.where(np.isposinf(-side * bounds), 0.0, np.where(np.isposinf(side * bounds), 1.0, 2 * worst))
        return np.where(known, np.minimum(p, 1.0), np.nan)


def at_least(p_values: Array, number: int) -> float:
    """Return p under the hypothesis that fewer than `number` of the null hypotheses are false.

    It is the number-th smallest p times the count of p-values that are not smaller, and is valid under any dependence
    of the tests. Source: Benjamini & Heller 2008, Screening for partial conjunction hypotheses, Biometrics 64, section
    2.2 (by Bonferroni's method).
    """
    ordered = np.sort(p_values)
    return float(min(1.0, (len(ordered) - number + 1) * ordered[number - 1]))
