"""A cutoff's p, month and interval once more, from the numbers of articles: nothing of the product is used."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import null_space

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Month:
    """Of the articles of one month."""

    month: int
    values: Sequence[float]
    lengths: Sequence[float]


@dataclass(frozen=True)
class Found:
    """`months` are all of them with the p that the change is there."""

    p: float
    month: int
    months: dict[int, float]
    change: float

    @property
    def interval(self) -> list[int]:
        return [month for month, p in self.months.items() if p > 0.02]


def cutoff(months: Sequence[Month]) -> Found:
    """Of values that are lower where an article was seen."""
    random = np.random.default_rng(99)
    means, errors = adjusted_means(months)
    when = np.array([one.month for one in months], float)
    line = np.stack([np.ones(len(when)), when]).T
    shapes = shapes_of(when)
    root = whitened_by(means, errors, line, [seen for _, _, seen in shapes])
    means, line = root @ means, root @ line
    rest = null_space(line.T)  # the directions that the line leaves
    fits = np.array([unit(rest.T @ root @ -seen) for _, _, seen in shapes])
    left = unit(rest.T @ means)
    tested = [1 <= k <= len(when) - 3 and slow(width, when) for k, width, _ in shapes]
    inner = fits[tested]
    ways = random.normal(size=(20_000, len(left)))
    drawn = (ways / np.linalg.norm(ways, axis=1, keepdims=True) @ inner.T).max(axis=1)
    closest = int((fits @ left).argmax())
    column = root @ shapes[closest][2]
    fitted = np.linalg.lstsq(np.column_stack([line, column]), means, rcond=None)[0]
    p_values = []
    for k in range(len(when)):
        here = [fit for fit, (place, _, _) in zip(fits, shapes, strict=True) if place == k]
        p_values.append(p_of_month(max(here, key=lambda fit: float(fit @ left)), fits, left, random))
    p, month = float((drawn >= (inner @ left).max()).mean()), int(when[shapes[closest][0]])
    return Found(p, month, dict(zip(when.astype(int).tolist(), p_values, strict=True)), -float(fitted[-1]))


def slow(width: int, when: Array) -> bool:
    return width == 1 or width <= (when[-1] - when[0]) / 2


def adjusted_means(months: Sequence[Month]) -> tuple[Array, Array]:
    """The months' means at the length of all articles, by the slope within months, and the covariance of their errors:
    by least squares with a constant a month."""
    values = np.concatenate([one.values for one in months])
    logs = np.log(np.concatenate([one.lengths for one in months]))
    each = np.repeat(np.arange(len(months)), [len(one.values) for one in months])
    design = np.column_stack([*(each == place for place in range(len(months))), logs - logs.mean()]).astype(float)
    fitted, residual, _, _ = np.linalg.lstsq(design, values, rcond=None)
    variance = float(residual[0]) / (len(values) - len(months) - 1)
    covariance = variance * np.linalg.inv(design.T @ design)
    return fitted[:-1], covariance[:-1, :-1]


def shapes_of(when: Array) -> list[tuple[int, int, Array]]:
    """The share that was seen by month, for each last month k (its place) and number of months of the change."""
    found = []
    for width in (1, 3, 6, 12):
        if width > 1 and width > when[-1] - when[0]:
            continue
        last = len(when) - 1
        ends = [(place, month) for place, month in enumerate(when[:-1])]
        ends += [(last, when[-1] + later) for later in range(width - 1)]
        for place, month in ends:
            found.append((place, width, np.array([min(1.0, max(0.0, (month + 1 - one) / width)) for one in when])))
    return [one for at, one in enumerate(found) if not any(np.array_equal(one[2], other[2]) for other in found[:at])]


def whitened_by(means: Array, errors: Array, line: Array, shapes: Sequence[Array]) -> Array:
    """The inverse root of the errors' covariance with what months vary by, by the method of moments."""
    known = np.linalg.inv(np.linalg.cholesky(errors))
    best: tuple[float, Any] = (np.inf, None)
    for seen in shapes:
        design = known @ np.column_stack([line, seen])
        projection = np.eye(len(means)) - design @ np.linalg.pinv(design)
        best = min(best, (float(known @ means @ projection @ known @ means), projection), key=lambda one: one[0])
    projection = best[1]
    between = max(0.0, (best[0] - np.trace(projection)) / np.trace(projection @ known @ known.T))
    return np.asarray(np.linalg.inv(np.linalg.cholesky(errors + between * np.eye(len(means)))))


def p_of_month(own: Array, every: Array, left: Array, random: Any) -> float:
    """Where the change has this shape: how often another fits as well as the closest does, when what is not of this
    shape may point anywhere."""
    along = float(own @ left)
    apart, closest = null_space(own[None]), float((every @ left).max())
    ways = random.normal(size=(2_000, len(left) - 1))
    ways = ways / np.linalg.norm(ways, axis=1, keepdims=True) @ apart.T
    drawn = along * own + np.sqrt(max(0.0, 1 - along**2)) * ways
    return float(1 + ((drawn @ every.T).max(axis=1) >= closest - 1e-9).sum()) / 2_001


def unit(values: Array) -> Array:
    size = float(np.linalg.norm(values))
    return values / size if size > 1e-9 else 0 * values
