"""What a statement is about as numbers of one's own runs, computed of all articles and without each of them.

An effect is in standard deviations of the texts of one article and setting or model together: the difference of two
means of article means, over the square root of the mean variance of the runs' texts. All runs of a number have the same
articles.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flows.statements.jackknife import leave_one_out
from flows.statements.numbers import Numbers
from flows.statements.settings import CannotTell, Ladder

Array = NDArray[np.float64]

_EVERY = -1e-9  # a variance that is only what rounding leaves is none


@dataclass(frozen=True)
class Moments:
    """Of one metric and the given runs: the means of the articles' means, and the variances of all texts and of each
    article's (the mean of these); runs × (1 + articles), the first of all articles, the others without each. `pages`
    says which of all articles these are."""

    runs: Sequence[int]
    pages: NDArray[np.bool_]
    means: Array
    variances: Array
    within: Array

    @property
    def deviation(self) -> Array:
        """Of a text under one of the runs."""
        return np.asarray(np.sqrt(self.variances.mean(axis=0)))

    def effect(self, ladder: Ladder) -> Array:
        """The change from the parameter's first to its last value, by the slope on their ranks, in standard
        deviations."""
        return over(ladder.slope @ self.at_values(ladder), self.deviation)

    def at_values(self, ladder: Ladder) -> Array:
        """The means at each value, over the combinations."""
        rows = np.searchsorted(self.runs, ladder.places)
        return np.asarray(self.means[rows].mean(axis=1))


def moments(numbers: Numbers, metric: str, runs: Sequence[int]) -> Moments:
    """Over the articles that each of the runs has texts of with this metric, the runs in the order of their places.
    Raises CannotTell where the runs do not have it."""
    place = numbers.place(metric)
    if place is None:
        raise CannotTell(f"needs the metric {metric} of every run, by one evaluator")
    listed = sorted(set(runs))
    counts = numbers.counts[listed, place]
    shared: NDArray[np.bool_] = np.all(counts > 0, axis=0)
    counts, sums, squares = (of[listed, place][:, shared] for of in (numbers.counts, numbers.sums, numbers.squares))
    if shared.sum() < 2:
        raise CannotTell("too few articles: fewer than two have texts of every run")
    left = np.concatenate([[shared.sum()], np.full(shared.sum(), shared.sum() - 1)])
    means = leave_one_out(sums / counts) / left
    number, total, square = (leave_one_out(of) for of in (counts, sums, squares))
    several = counts > 1
    own = np.where(several, squares - sums**2 / counts, 0.0) / np.maximum(counts - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        variances = _not_rounding(square - total**2 / number, square) / (number - 1)
        within = leave_one_out(_not_rounding(own, squares)) / leave_one_out(several.astype(float))
    return Moments(listed, shared, means, variances, within)


def _not_rounding(variance: Array, square: Array) -> Array:
    return np.where(variance > -_EVERY * square, variance, 0.0)


def over(difference: Array, deviation: Array) -> Array:
    """Raises CannotTell where the texts do not vary."""
    if not deviation[0] > 0:
        raise CannotTell("the metric does not vary")
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(difference / deviation)


def log_deviations(numbers: Numbers, runs: Sequence[int], *, of_prompts: bool) -> tuple[Array, list[str]]:
    """The logarithms of the runs' standard deviations, in the order of their places: the mean over the metrics that
    vary in every run, on the most articles; and which these are."""
    found = {metric: moments(numbers, metric, runs) for metric in _had(numbers, runs)}
    variances = {metric: of.within if of_prompts else of.variances for metric, of in found.items()}
    varying = [metric for metric, of in variances.items() if (of > 0).all()]
    most = max((found[metric].pages for metric in varying), key=np.count_nonzero, default=None)
    if most is None:
        raise CannotTell(f"no metric varies {'within the articles' if of_prompts else 'over the texts'} of every run")
    kept = [metric for metric in varying if np.array_equal(found[metric].pages, most)]
    return np.mean([0.5 * np.log(variances[metric]) for metric in kept], axis=0), kept


def _had(numbers: Numbers, runs: Sequence[int]) -> list[str]:
    """The metrics that at least two articles have in all of these runs."""
    shared = (numbers.counts[list(runs)] > 0).all(axis=0).sum(axis=1)
    return [metric for metric, articles in zip(numbers.metrics, shared, strict=True) if articles > 1]


def correlation(numbers: Numbers, one: str, other: str) -> Array:
    """Fisher's z of Pearson's r of two metrics over the texts of all runs. Raises CannotTell where one is constant."""
    places = [numbers.place(metric) for metric in (one, other)]
    if None in places:
        raise CannotTell(f"needs the metrics {one} and {other} of every run, each by one evaluator")
    high, low = sorted((place for place in places if place is not None), reverse=True)
    products = numbers.products[high, low]
    count, x, y, xx, yy, xy = (leave_one_out(of[products[0] > 0]) for of in products)
    with np.errstate(divide="ignore", invalid="ignore"):
        of_x, of_y = _not_rounding(xx - x * x / count, xx), _not_rounding(yy - y * y / count, yy)
        r = (xy - x * y / count) / np.sqrt(of_x * of_y)
    if not r.size or not np.isfinite(r).all():
        raise CannotTell("one of the metrics does not vary")
    return np.asarray(np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12)))
