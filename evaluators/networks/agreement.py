"""Measure how well predicted scores agree with given ones, as the essay-scoring literature reports it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Agreement:
    """The agreement over `texts`: Pearson's correlation (None if one side is constant), the root mean squared error,
    and the quadratic weighted kappa of scores rounded to integers (None if the given ones are not integers)."""

    texts: int
    pearson: float | None
    rmse: float
    qwk: float | None

    def __str__(self) -> str:
        parts = (("Pearson", self.pearson), ("RMSE", self.rmse), ("QWK", self.qwk))
        return ", ".join(f"{name} {'–' if value is None else f'{value:.3f}'}" for name, value in parts)


def agreement(given: Sequence[float], predicted: Sequence[float]) -> Agreement:
    theirs, ours = np.asarray(given, dtype=float), np.asarray(predicted, dtype=float)
    varied = bool(theirs.std() > 0 and ours.std() > 0)
    whole = bool((theirs == np.rint(theirs)).all())
    return Agreement(
        len(theirs),
        float(np.corrcoef(theirs, ours)[0, 1]) if varied else None,
        float(np.sqrt(((theirs - ours) ** 2).mean())),
        quadratic_weighted_kappa(theirs, np.rint(ours)) if whole else None,
    )


def quadratic_weighted_kappa(given: np.ndarray, rounded: np.ndarray) -> float | None:
    """Return 1 − Σ (a−b)² over the pairs / Σ (a−b)² over all combinations, from −1 to 1; None if all scores are equal.

    Source: Cohen 1968, Weighted kappa. The weights' common factor cancels.
    """
    observed = ((given - rounded) ** 2).mean()
    expected = ((given[:, None] - rounded[None, :]) ** 2).mean()
    return float(1 - observed / expected) if expected > 0 else None
