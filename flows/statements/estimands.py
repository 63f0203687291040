"""Compute the quantities that statements are about, over all articles and without each article.

An effect is a difference of two means of article means, in standard deviations. The standard deviation is the square
root of the mean variance of the texts of the runs together. All runs of a number have the same articles.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flows.statements.jackknife import leave_one_out
from flows.statements.numbers import Numbers
from flows.statements.settings import CannotTell, Ladder

Array = NDArray[np.float64]
Pages = NDArray[np.bool_]  # mask over all articles

_EVERY = -1e-9  # tolerance for rounding, below which a variance counts as 0


@dataclass(frozen=True)
class Moments:
    """Moments of one metric over the given runs, each as runs × (1 + articles).

    `means` are the means of the articles' means, `variances` the variances of all texts, and `within` the means of each
    article's variance. The first column is over all articles, each of the others without one article.
    """

    runs: Sequence[int]
    means: Array
    variances: Array
    within: Array

    @property
    def deviation(self) -> Array:
        """The standard deviation of a text over the runs."""
        return np.asarray(np.sqrt(self.variances.mean(axis=0)))

    def effect(self, ladder: Ladder) -> Array:
        """Return the change in standard deviations from the parameter's first to its last value, by the slope on
        ranks."""
        return over(ladder.slope @ self.at_values(ladder), self.deviation)

    def at_values(self, ladder: Ladder) -> Array:
        """Return the means at each value, averaged over the combinations."""
        rows = np.searchsorted(self.runs, ladder.places)
        return np.asarray(self.means[rows].mean(axis=1))


def moments(numbers: Numbers, metric: str, runs: Sequence[int], among: Pages | None = None) -> Moments:
    """Return the moments over the articles for which each run has texts with this metric.

    `among` restricts the articles. The runs are sorted by place. Raises CannotTell if the runs do not have the metric.
    """
    place = numbers.place(metric)
    if place is None:
        raise CannotTell(f"needs the metric {metric} of every run, by one evaluator")
    listed = sorted(set(runs))
    counts = numbers.counts[listed, place]
    shared: Pages = np.all(counts > 0, axis=0)
    if among is not None:
        shared = shared & among
    counts, sums, squares = (
        moments[listed, place][:, shared] for moments in (numbers.counts, numbers.sums, numbers.squares)
    )
    if shared.sum() < 2:
        raise CannotTell("too few articles: fewer than two have texts of every run")
    left = np.concatenate([[shared.sum()], np.full(shared.sum(), shared.sum() - 1)])
    means = leave_one_out(sums / counts) / left
    number, total, square = (leave_one_out(moments) for moments in (counts, sums, squares))
    several = counts > 1
    own = np.where(several, squares - sums**2 / counts, 0.0) / np.maximum(counts - 1, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        variances = _not_rounding(square - total**2 / number, square) / (number - 1)
        within = leave_one_out(_not_rounding(own, squares)) / leave_one_out(several.astype(float))
    return Moments(listed, means, variances, within)


def _not_rounding(variance: Array, square: Array) -> Array:
    return np.where(variance > -_EVERY * square, variance, 0.0)


def over(difference: Array, deviation: Array) -> Array:
    """Divide a difference by the standard deviation of all articles' texts.

    The deviation is treated as known, because it is only the unit: the significance of a difference does not depend on
    it. Raises CannotTell if the texts do not vary.
    """
    if not deviation[0] > 0:
        raise CannotTell("the metric does not vary")
    return np.asarray(difference / deviation[0])


def together(numbers: Numbers, metrics: Sequence[str], runs: Sequence[int]) -> dict[str, Moments]:
    """Return the moments of several metrics over the articles for which all runs have texts with each metric.

    A metric is left out if it covers fewer than half as many articles as the most common metric, because it would leave
    too few articles. Raises CannotTell if the runs have none of the metrics.
    """
    listed = sorted(set(runs))
    had = {
        metric: np.all(numbers.counts[listed, place] > 0, axis=0)
        for metric in metrics
        if (place := numbers.place(metric)) is not None
    }
    most = max((np.count_nonzero(pages) for pages in had.values()), default=0)
    common = [metric for metric, pages in had.items() if 0 < most <= 2 * np.count_nonzero(pages)]
    if not common:
        raise CannotTell(f"needs texts of every run with one of {', '.join(metrics)}, by one evaluator")
    among = np.all([had[metric] for metric in common], axis=0)
    return {metric: moments(numbers, metric, listed, among) for metric in common}


def log_deviations(numbers: Numbers, runs: Sequence[int], *, of_prompts: bool) -> tuple[Array, list[str]]:
    """Return the logarithms of the runs' standard deviations, averaged over metrics, and the names of these metrics.

    Only metrics that vary in every run are used. The rows are sorted by the runs' places. Raises CannotTell if no
    metric varies in every run.
    """
    by_metric = together(numbers, numbers.metrics, runs)
    variances = {metric: spread.within if of_prompts else spread.variances for metric, spread in by_metric.items()}
    varying = [metric for metric, spread in variances.items() if (spread > 0).all()]
    if not varying:
        raise CannotTell(f"no metric varies {'within the articles' if of_prompts else 'over the texts'} of every run")
    return np.mean([0.5 * np.log(variances[metric]) for metric in varying], axis=0), varying


def correlation(numbers: Numbers, first: str, second: str) -> Array:
    """Return Fisher's z of Pearson's r between two metrics over the texts of all runs.

    Raises CannotTell if a metric is missing or constant.
    """
    places = [numbers.place(metric) for metric in (first, second)]
    if None in places:
        raise CannotTell(f"needs the metrics {first} and {second} of every run, each by one evaluator")
    high, low = sorted((place for place in places if place is not None), reverse=True)
    products = numbers.products[high, low]
    count, x, y, xx, yy, xy = (leave_one_out(product[products[0] > 0]) for product in products)
    with np.errstate(divide="ignore", invalid="ignore"):
        x_squares, y_squares = _not_rounding(xx - x * x / count, xx), _not_rounding(yy - y * y / count, yy)
        r = (xy - x * y / count) / np.sqrt(x_squares * y_squares)
    if not r.size or not np.isfinite(r).all():
        raise CannotTell("one of the metrics does not vary")
    return np.asarray(np.arctanh(np.clip(r, -1 + 1e-12, 1 - 1e-12)))
