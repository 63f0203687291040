"""What any run costs and what each of its items does, from runs of different size."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_APART = 2.0  # times as large the largest run must be as the smallest, for the two parts to be told apart


@dataclass(frozen=True)
class Fit:
    """Seconds of any run and of each item; `apart` is False where nothing tells them apart: then all is counted by the
    item, at what it cost in the run where it cost least, which is the most that it can cost."""

    a_run: float
    an_item: float
    apart: bool


def fit(kinds: Sequence[str], sizes: Sequence[float], seconds: Sequence[float]) -> Fit:
    """Least squares of seconds = a_run + size x an_item, neither below zero, the items of each kind with a price of
    their own; `an_item` is the mean of these over all items here.

    Errors are relative, so a run that was held up, however long, weighs as one that is wrong by all of its time.
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
