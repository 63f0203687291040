"""Estimate the fixed cost of a run and the cost of each item from runs of different sizes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_APART = 2.0  # minimum ratio of the largest to the smallest run that separates the fixed cost from the cost per item


@dataclass(frozen=True)
class Fit:
    """The seconds of each run and of each item.

    If `apart` is False, the data do not separate the two costs. Then `a_run` is zero and `an_item` is the cost per item
    of the cheapest run, which is an upper bound.
    """

    a_run: float
    an_item: float
    apart: bool


def fit(kinds: Sequence[str], sizes: Sequence[float], seconds: Sequence[float]) -> Fit:
    """Fit seconds = a_run + size · an_item by non-negative least squares, with a separate item cost for each kind.

    `an_item` is the mean of the item costs over all items. The errors are relative, so a delayed run has a bounded
    influence, however long the delay.
    """
    from scipy.optimize import nnls

    names = sorted(set(kinds))
    items = np.array([[size * (kind == name) for name in names] for kind, size in zip(kinds, sizes, strict=True)])
    took = np.array(seconds)
    if any(_tell(column[column > 0]) for column in items.T):
        a_run, *prices = nnls(np.column_stack([np.ones(len(took)), items]) / took[:, None], np.ones(len(took)))[0]
        if min(prices) > 0:
            return Fit(float(a_run), _mean(items, prices), apart=True)
    cheapest = [min(took[column > 0] / column[column > 0]) for column in items.T]
    return Fit(0.0, _mean(items, cheapest), apart=False)


def _tell(sizes: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> bool:
    return bool(sizes.max() >= _APART * sizes.min())


def _mean(items: "np.ndarray[tuple[int, int], np.dtype[np.float64]]", prices: Sequence[float]) -> float:
    return float((items @ np.array(prices)).sum() / items.sum())
