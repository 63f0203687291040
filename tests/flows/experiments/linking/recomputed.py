"""What anchors gain from one month to the next, once more: nothing of the product is used."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.stats import norm
from scipy.stats import t as student

Array = NDArray[np.float64]


def mean_gain(earlier: Array, later: Array) -> tuple[float, float, float, float]:
    """The mean gain of anchors (anchors x articles in either month, each anchor a model of its own) with both ends of
    its 95 % interval, and the p of no gain.

    Its variance is that of the articles of both months, which all anchors read, and that of what anchors have of their
    own in a month.
    """
    gain = float(later.mean() - earlier.mean())
    return estimate(gain, (earlier.mean(axis=0), later.mean(axis=0)), own_variance(earlier, later), 1 / len(earlier))


def run_apart(earlier: Array, later: Array, first: Array, last: Array) -> tuple[float, float, float, float]:
    """How much better `last`, a run of the later month by article, is than `first`, one of the earlier month, on the
    later month's scale by these anchors: with both ends of its 95 % interval, and the p of no difference.

    Each is set against the anchors on the same articles. What `first` has of its own in either month is as large as
    what an anchor has, and comes on top of the mean of the anchors'.
    """
    above = first - earlier.mean(axis=0), last - later.mean(axis=0)
    difference = float(above[1].mean() - above[0].mean())
    return estimate(difference, above, own_variance(earlier, later), 1 + 1 / len(earlier))


def own_variance(earlier: Array, later: Array) -> tuple[float, float]:
    """What anchors' gains vary by beyond what the articles explain, at least 0, and the variance of that estimate."""
    anchors, gains = len(earlier), later.mean(axis=1) - earlier.mean(axis=1)
    of_articles = [np.cov(month) / month.shape[1] for month in (earlier, later)]
    mean = np.eye(anchors) - 1 / anchors
    explained = mean @ sum(of_articles)
    own = max(0.0, (float(((gains - gains.mean()) ** 2).sum()) - float(np.trace(explained))) / (anchors - 1))
    whole = explained + own * mean
    if_none, doubt = (2 * float(np.trace(part @ part)) / (anchors - 1) ** 2 for part in (explained, whole))
    return own, doubt * variance_above_0(own / if_none**0.5)


def estimate(
    value: float, by_article: tuple[Array, Array], own: tuple[float, float], times: float
) -> tuple[float, float, float, float]:
    """A value, its 95 % interval and the p of 0, of the articles of two months and so many times the anchors' own
    variance. The degrees of freedom are those of a sum of estimated variances (Satterthwaite)."""
    parts = [(float(one.var(ddof=1)) / len(one), len(one)) for one in by_article]
    variance = sum(part for part, _ in parts) + times * own[0]
    uncertain = sum(2 * part**2 / (articles - 1) for part, articles in parts) + times**2 * own[1]
    freedom = 2 * variance**2 / uncertain
    reach = float(student.ppf(0.975, freedom)) * variance**0.5
    return value, value - reach, value + reach, 2 * float(student.sf(abs(value) / variance**0.5, freedom))


def run_apart_by_slope(
    earlier: Array, later: Array, first: Array, last: Array, models: Sequence[str]
) -> tuple[float, float, float, float]:
    """The same where months differ in slope, too, by Deming's regression of the anchors, which are of these models.

    The errors of what is made of the means are by the delta method, with derivatives from small steps; the ratio of the
    errors of both months is taken as known.
    """
    anchors, alike = len(earlier), np.array([[float(one == other) for one in models] for other in models])
    of_articles = [np.cov(month) / month.shape[1] for month in (earlier, later)]
    x, y = earlier.mean(axis=1), later.mean(axis=1)
    apart = [(np.trace(one) - one.sum() / anchors) / (anchors - 1) for one in of_articles]  # what anchors do not share
    ratio, slope, own, doubt = apart[1] / apart[0], 1.0, 0.0, 0.0
    for _ in range(50):
        slope = deming(x, y, ratio)
        level = x - x.mean() + slope * (y - y.mean())
        fit = np.linalg.qr(np.column_stack([np.ones(anchors), level]))[0]
        left = np.eye(anchors) - fit @ fit.T
        explained = left @ (of_articles[1] + slope**2 * of_articles[0])
        rest, count = y - y.mean() - slope * (x - x.mean()), float(np.trace(left @ alike))
        own = max(0.0, (float(rest @ rest) - float(np.trace(explained))) / count)
        if_none, doubt = (
            2 * float(np.trace(part @ part)) / count**2 for part in (explained, explained + own * left @ alike)
        )
        doubt *= variance_above_0(own / if_none**0.5)
        ratio = (apart[1] + own / 2) / (apart[0] + own / 2 / slope**2)

    def linked(means: Array) -> float:
        """Of the means of the anchors in both months and of the first run, what that run would have in the second."""
        a, b = means[:anchors], means[anchors:-1]
        return float(b.mean() + deming(a, b, ratio) * (means[-1] - a.mean()))

    means = np.concatenate([x, y, [first.mean()]])
    steps = 1e-5 * np.eye(len(means))
    slopes = np.array([(linked(means + step) - linked(means - step)) / 2e-5 for step in steps])
    in_first, in_last = np.append(slopes[:anchors], slopes[-1]), slopes[anchors:-1]
    by_article = in_first @ np.vstack([earlier, first]), last - in_last @ later
    squares = [float(one @ alike @ one) for one in (in_first[:-1], in_last)]
    times = 0.5 / slope**2 * (squares[0] + in_first[-1] ** 2) + 0.5 * (squares[1] + 1)
    return estimate(float(last.mean()) - linked(means), by_article, (own, doubt), times)


def deming(x: Array, y: Array, ratio: float) -> float:
    """The slope of a line between numbers of which those of y have so many times the error variance of those of x."""
    xx, yy, xy = (float(np.cov(a, b)[0, 1]) for a, b in ((x, x), (y, y), (x, y)))
    return (yy - ratio * xx + ((yy - ratio * xx) ** 2 + 4 * ratio * xy**2) ** 0.5) / (2 * xy)


def odd_models(gains: Mapping[str, Sequence[float]]) -> dict[str, tuple[float, float, float]]:
    """By model, of the gains of its anchors: its share of the anchors, how much more they gain without it, and the p
    that it gains as the other models do, times the number of models."""
    every = [gain for of_model in gains.values() for gain in of_model]
    found = {}
    for model, of_model in gains.items():
        others = [sum(one) / len(one) for name, one in gains.items() if name != model]
        without = [gain for name, one in gains.items() if name != model for gain in one]
        middle = sum(others) / len(others)
        spread = (sum((one - middle) ** 2 for one in others) / (len(others) - 1) * (1 + 1 / len(others))) ** 0.5
        t = (sum(of_model) / len(of_model) - middle) / spread
        p = min(1.0, len(gains) * 2 * float(student.sf(abs(t), len(others) - 1)))
        found[model] = len(of_model) / len(every), sum(without) / len(without) - sum(every) / len(every), p
    return found


def variance_above_0(mean: float) -> float:
    """The variance of a normal number with this mean and variance 1 of which what lies below 0 counts as 0."""

    def moment(power: int) -> float:
        density: Any = lambda x: x**power * norm.pdf(x, mean)  # noqa: E731
        return float(quad(density, 0, max(mean, 0.0) + 12)[0])

    return moment(2) - moment(1) ** 2
