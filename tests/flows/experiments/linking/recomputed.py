"""What anchors gain from one month to the next, once more: nothing of the product is used."""

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
    own in a month; the latter is what the gains vary by beyond what the articles explain. The degrees of freedom are
    those of a sum of estimated variances (Satterthwaite).
    """
    anchors, gains = len(earlier), later.mean(axis=1) - earlier.mean(axis=1)
    of_articles = [np.cov(month) / month.shape[1] for month in (earlier, later)]
    mean = np.eye(anchors) - 1 / anchors
    explained = mean @ sum(of_articles)
    own = max(0.0, (float(((gains - gains.mean()) ** 2).sum()) - float(np.trace(explained))) / (anchors - 1))
    whole = explained + own * mean
    if_none, doubt = (2 * float(np.trace(part @ part)) / (anchors - 1) ** 2 for part in (explained, whole))
    doubt *= variance_above_0(own / if_none**0.5)
    parts = [float(one.mean()) for one in of_articles]
    variance = sum(parts) + own / anchors
    uncertain = sum(2 * part**2 / (month.shape[1] - 1) for part, month in zip(parts, (earlier, later), strict=True))
    freedom = 2 * variance**2 / (uncertain + doubt / anchors**2)
    reach = float(student.ppf(0.975, freedom)) * variance**0.5
    p = 2 * float(student.sf(abs(gains.mean()) / variance**0.5, freedom))
    return float(gains.mean()), float(gains.mean()) - reach, float(gains.mean()) + reach, p


def variance_above_0(mean: float) -> float:
    """The variance of a normal number with this mean and variance 1 of which what lies below 0 counts as 0."""

    def moment(power: int) -> float:
        density: Any = lambda x: x**power * norm.pdf(x, mean)  # noqa: E731
        return float(quad(density, 0, max(mean, 0.0) + 12)[0])

    return moment(2) - moment(1) ** 2
