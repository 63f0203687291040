"""Put a metric's numbers on a scale from another article (0) to the article itself (100), and tell whether the metric
sees the difference at all.

A scale needs two ends that differ: see Sai et al. 2021, Perturbation CheckLists, and Karpinska et al. 2022, DEMETR, on
metrics that cannot tell a text from a perturbed one. All functions take one number for each article.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from evaluators.bounded_intervals import bounded_interval
from evaluators.statistics import NOTHING, Array, MeanInterval, differences_estimate
from newwiki.anchors import ARTICLE, HALF, OTHER, REPEAT
from newwiki.records import Direction

# The least share of articles on which a metric orders two texts rightly if it sees their difference. Half are right by
# chance. On 241 real articles the core metrics have either 46 to 52 % or 100 % (docs/metrics.md).
SEES_FROM = 0.75
# A calibrated number whose interval is wider than the scale cannot even say which end is nearer.
WIDEST = 100.0
_ORDERS = ((ARTICLE, OTHER), (ARTICLE, HALF), (HALF, OTHER), (HALF, REPEAT))  # the better text first


@dataclass(frozen=True)
class Sight:
    """What a metric sees of a text's content.

    `share` is the share of articles on which the article has a better number than another article (ties count half),
    with its 95 % interval. `orders` is the mean of four such shares: the article against another article, and against
    half of itself; half of it against another article, and against the first sentence repeated.
    `prefers_repetition` says that the last of these is below chance.
    """

    share: MeanInterval
    orders: float
    prefers_repetition: bool = False

    @property
    def sees_content(self) -> bool:
        mean, low = self.share.mean, self.share.low
        return mean is not None and low is not None and mean >= SEES_FROM and low > 0.5


def sight(anchors: Mapping[str, Array], direction: Direction) -> Sight:
    """Return the sight of a metric by its numbers for each anchor, one for each article (NaN: none)."""
    ordered = [_ordered(anchors[better], anchors[worse], direction) for better, worse in _ORDERS]
    share = bounded_interval(differences_estimate(ordered[0][:, None]), 0.0, 1.0).at()
    means = [shares[np.isfinite(shares)].mean() if np.isfinite(shares).any() else np.nan for shares in ordered]
    orders = float(np.mean([mean for mean in means if not np.isnan(mean)] or [np.nan]))
    return Sight(share, orders, prefers_repetition=bool(means[-1] < 0.5))


def _ordered(better: Array, worse: Array, direction: Direction) -> Array:
    gain = (-1 if direction == "lower" else 1) * (better - worse)
    return np.asarray(np.where(np.isfinite(gain), (np.sign(gain) + 1) / 2, np.nan))


def calibrated(text: Array, article: Array, other: Array) -> MeanInterval:
    """Return 100 · (text - other) / (article - other), each a mean over the articles that have all three numbers, with
    its 95 % interval over articles.

    Values below 0 and above 100 are possible. The ratio of two means is linearized: article i contributes
    (D_i - R · E_i) / mean(E) + R with D = text - other, E = article - other, R the ratio (Cochran 1977, Sampling
    techniques, section 6.4). So both ends of the scale enter the interval with their errors. The direction of the
    metric cancels out. There is no number if both ends have the same mean, or if the interval is wider than the scale:
    its ends are then too close, as those of BLEU for texts that are far shorter than the article.
    """
    present = np.isfinite(text) & np.isfinite(article) & np.isfinite(other)
    gained, whole = (np.where(present, numbers - other, np.nan) for numbers in (text, article))
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = whole[present].mean() if present.any() else np.nan
        ratio = gained[present].mean() / scale if present.any() and scale else np.nan
        contributions = 100 * ((gained - ratio * whole) / scale + ratio)
    found = differences_estimate(contributions[:, None]).at()
    too_wide = found.low is not None and found.high is not None and found.high - found.low > WIDEST
    return replace(NOTHING, clusters=found.clusters, lacking="too wide") if too_wide else found
