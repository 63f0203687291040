"""Groups of articles compared once more, in plain Python: nothing of the product is used here."""

import math
from collections.abc import Sequence

import numpy as np
from scipy.stats import norm

from tests.flows.experiments.recomputed import interval


def area(first: Sequence[float], second: Sequence[float]) -> float:
    """How often one of the first is above one of the second; ties count half."""
    return sum((a > b) + 0.5 * (a == b) for a in first for b in second) / (len(first) * len(second))


def ends(auc: float, m: int, n: int, level: float = 0.05) -> tuple[float, float]:
    """The lowest and the highest area whose own standard errors reach this one (Newcombe 2006, method 5), to 0.0001."""
    areas = np.linspace(0.0001, 0.9999, 9_999)
    z = float(norm.ppf(1 - level / 2))

    def within(center: float) -> float:
        spread = 1 + ((m + n) / 2 - 1) * ((1 - areas) / (2 - areas) + areas / (1 + areas))
        error = np.sqrt(areas * (1 - areas) * spread / (m * n))
        return float(areas[np.abs(areas - center) <= z * error].max())

    return 1 - within(1 - auc), within(auc)


def difference(first: Sequence[float], second: Sequence[float], level: float = 0.05) -> tuple[float, float, float]:
    """The difference of two means with both ends of its interval, from those of the means (Zou & Donner 2008)."""
    a, b = interval(first, level), interval(second, level)
    apart = a.mean - b.mean
    low = apart - math.hypot(a.mean - a.low, b.high - b.mean)
    high = apart + math.hypot(a.high - a.mean, b.mean - b.low)
    return apart, low, high
