"""Check a pair scorer's calibration: of verdicts that are 80 % sure, are 80 % right?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

_BINS = 10


@dataclass(frozen=True, kw_only=True)
class Bin:
    """The pairs whose largest share lies above `low` and up to `high`: their number, their mean largest share, and the
    share of them with the right label."""

    low: float
    high: float
    pairs: int
    confidence: float
    accuracy: float


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """The calibration: `accuracy` and `error` (ECE) are from 0 to 1; `bins` are those with pairs."""

    pairs: int
    accuracy: float
    error: float
    bins: Sequence[Bin]


def calibration(shares: ArrayLike, labels: Sequence[int]) -> Calibration:
    """Compare the largest of each row of shares [pairs, labels], which add up to 1, with the right `labels`, given as
    positions in a row: the reliability table of ten bins, and the expected calibration error Σ (n_b / n) |accuracy_b −
    confidence_b|.

    Source: Guo, Pleiss, Sun and Weinberger 2017, On calibration of modern neural networks, equation 3. Raises
    ValueError if there are no pairs, or a different number of labels.
    """
    rows = np.asarray(shares, float)
    if not len(labels) or rows.shape[:1] != (len(labels),):
        raise ValueError(
            f"got shares of {rows.shape[0]} pairs and {len(labels)} labels: pass equally many, and at least one"
        )
    sure, right = rows.max(axis=1), rows.argmax(axis=1) == np.asarray(labels)
    places = np.clip(np.ceil(sure * _BINS).astype(int) - 1, 0, _BINS - 1)
    bins = [
        Bin(
            low=place / _BINS,
            high=(place + 1) / _BINS,
            pairs=int(here.sum()),
            confidence=float(sure[here].mean()),
            accuracy=float(right[here].mean()),
        )
        for place in np.unique(places).tolist()
        for here in [places == place]
    ]
    error = sum(group.pairs * abs(group.accuracy - group.confidence) for group in bins) / len(labels)
    return Calibration(pairs=len(labels), accuracy=float(right.mean()), error=error, bins=bins)
