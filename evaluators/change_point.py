"""Find the month from which on a model has not seen what it reads: a change in the monthly means, tested and dated.

The months are the units of variation. A month has its own difficulty, which all its articles share, so ten thousand
articles of one month tell no more about the next than that month's mean does: months are the unit of the test and of
the interval, and articles only determine how precisely a month's mean is known. The mean of month t is

    y_t = a + b t + c s_k(t) + month_t + article_t,    month_t ~ N(0, τ²), article_t ~ N(0, σ² / n_t)

where s_k(t) is the share that was seen: 1 long before the cutoff k, 0 after it, and in between a ramp of some months or
none (`WIDTHS`), since text about an event continues to be written. The straight line a + b t is there because a model
knows less about newer articles even long before its cutoff; only a deviation from the line is a change. With a control
model, y is model minus control of each article (difference in differences), which removes the months' difficulty; with
lengths, the dependence of y on the logarithm of the length is removed by its slope within months.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluators.statistics import ALIKE, LEVEL, Array

FEWEST_MONTHS = 8
FEWEST_ARTICLES = 5  # of a month; months with fewer are left out
WIDTHS = (1, 3, 6, 12)  # months from all seen to nothing seen; 1 is a step
TOO_FEW_MONTHS = "too few months"
NO_CHANGE = "no change"
OTHER_WAY = "the change goes the other way"
ANYWHERE = "the month is open"
UNFINISHED = "the change may go on after the last month"
_LEAST = 1e-6  # the least variation of lengths within months, over that between months, to estimate their slope
_EDGE = 2  # months required on either side of a change
_DRAWS = 9_999
_DRAWS_A_MONTH = 1_999  # draws of the test for each month of the interval
_MONTH_LEVEL = 0.02  # of that test: below LEVEL, since months are only named where a change is found (`change_point`)

Months = NDArray[np.int64]


@dataclass(frozen=True)
class MonthlyMeans:
    """One row per month with at least `FEWEST_ARTICLES` articles: its number, its number of articles, their mean, and
    the covariance of the means' errors without the variation between months."""

    months: Months
    articles: NDArray[np.int64]
    means: Array
    errors: Array  # months × months
    left_out: Months  # months with fewer articles


@dataclass(frozen=True)
class ChangePoint:
    """`month` is the last that was seen, between `low` and `high` in 95 of 100 cases; None if it cannot be determined,
    and then `why` gives the reason: one of the constants above, or `ALIKE`.

    If `month` is set and `low` is None, the interval begins with the first month, and the change may have begun before
    it. For an `UNFINISHED` change no month is given, as its earliest month would be wrong too often
    (benchmarks/change_points.py).

    `change` is the mean of what was not seen less that of what was, in the values' unit, and `width` is the number of
    months that the change takes. `p` is that of the test for a change in the direction that having seen implies.
    """

    month: int | None
    low: int | None
    high: int | None
    change: float
    width: int | None
    p: float
    months: int
    articles: int
    why: str | None


def monthly_means(
    months: ArrayLike,
    clusters: ArrayLike,
    values: ArrayLike,
    controls: ArrayLike | None = None,
    lengths: ArrayLike | None = None,
) -> MonthlyMeans:
    """Compute monthly means from rows, each a text of an article: the number of its month, its article, its value, the
    control's value and its length (any unit, above 0). Rows that lack one of them (NaN) are left out; an article's are
    averaged.
    """
    columns = [np.asarray(months, float), np.asarray(values, float)]
    columns += [np.asarray(part, float) for part in (controls, lengths) if part is not None]
    present = np.isfinite(np.stack(columns)).all(axis=0)
    outcome = columns[1] - (columns[2] if controls is not None else 0.0)
    length = np.log(columns[-1][present]) if lengths is not None else np.zeros(int(present.sum()))
    when, value, size = _by_article(columns[0][present], np.asarray(clusters)[present], outcome[present], length)
    numbers, places, counts = np.unique(when.astype(np.int64), return_inverse=True, return_counts=True)
    enough = counts >= FEWEST_ARTICLES
    value_means, size_means = np.bincount(places, value) / counts, np.bincount(places, size) / counts
    inside = enough[places]
    residuals, longer = (value - value_means[places])[inside], (size - size_means[places])[inside]
    moved = size_means[enough] - size[inside].mean() if inside.any() else size_means[enough]
    spread, between = float(longer @ longer), float(counts[enough] @ moved**2)
    known = spread > _LEAST * between  # otherwise the slope is unknown, and its error explains all variation by length
    slope = float(longer @ residuals) / spread if known else 0.0
    freedom = max(int(inside.sum() - enough.sum() - known), 1)
    variance = float(((residuals - slope * longer) ** 2).sum()) / freedom
    errors = np.diag(variance / counts[enough])
    if spread + between > 0:
        errors = errors + variance / max(spread, _LEAST * between) * np.outer(moved, moved)
    return MonthlyMeans(numbers[enough], counts[enough], value_means[enough] - slope * moved, errors, numbers[~enough])


def change_point(observed: MonthlyMeans, *, seen_is_lower: bool, seed: int = 0) -> ChangePoint:
    """Find the last month that was seen, its interval, and whether there is a change at all.

    The test: the greatest t statistic of c over all k and widths, with the sign that having seen implies, against its
    distribution without a change, drawn `_DRAWS` times for these very months. As t is independent of scale, that is the
    exact distribution whatever a, b and the errors' variance are; only the months' share of the variance is estimated,
    and only weights depend on it. At least two months must lie on either side, and a change takes at most half of the
    months. Sources: Andrews 1993, Tests for parameter
    instability and structural change with unknown change point (the supremum over k); Davies 1987, Hypothesis testing
    when a nuisance parameter is present only under the alternative; Dufour 2006, Monte Carlo tests with nuisance
    parameters (the p value); Bai 1997, Estimation of a change point in multiple regression models (the month by least
    squares).

    The month and its interval are searched among all months, including the first and the last, and among changes that
    continue after the last. The interval includes each month k that the likelihood ratio between k and the closest
    month does not reject, so that the closest is always in it. Its distribution for a change at k is drawn
    `_DRAWS_A_MONTH` times for these months, given the fit at k and the size of the residual, on which neither the size
    of the change nor that of the errors then depends: for a given width, it is exact. Drawing with the best-fitting
    size at k instead covers the month too rarely, as a maximized size is too large. Sources: Worsley 1986, Confidence
    regions and tests for a change-point in a sequence of exponential family random variables; Knowles, Siegmund & Zhang
    1991, Confidence regions in semilinear regression.

    Each month is tested at `_MONTH_LEVEL`, not `LEVEL`: over all cases one of twenty intervals may miss the month, but
    if a change is found in a third of the cases, those that miss may all be among them. Only changes in the direction
    that having seen implies are candidates. If the interval contains every month, there is no result.
    """
    count, articles = len(observed.months), int(observed.articles.sum())
    none = ChangePoint(None, None, None, np.nan, None, np.nan, count, articles, TOO_FEW_MONTHS)
    if count < FEWEST_MONTHS:
        return none
    if np.ptp(observed.means) <= 1e-12 * np.abs(observed.means).max():
        return replace(none, why=ALIKE)
    shapes = _shapes(observed.months)
    random = np.random.default_rng(seed)
    line = np.stack([np.ones(count), observed.months - observed.months.mean()])
    whiten = _whitening(observed, line, shapes)
    means, line, columns = whiten @ observed.means, line @ whiten.T, shapes.columns @ whiten.T
    inner = (shapes.places >= _EDGE - 1) & (shapes.places <= count - 1 - _EDGE)
    inner &= (shapes.widths == 1) | (shapes.widths <= np.ptp(observed.months) / 2)  # slower ones are almost the line
    towards = -1.0 if seen_is_lower else 1.0
    reached = towards * _correlations(means, line, columns[inner])
    drawn = _correlations(random.normal(size=(_DRAWS, count)), line, columns[inner])
    p = _p_value(reached.max(), drawn.max(axis=1))
    best = np.flatnonzero(inner)[reached.argmax()]
    result = replace(none, p=p, change=_change(means, line, columns[best]), width=int(shapes.widths[best]))
    if p > LEVEL:
        other = _p_value((-reached).max(), drawn.max(axis=1)) <= LEVEL
        return replace(result, why=OTHER_WAY if other else NO_CHANGE)
    fits = towards * _correlations(means, line, columns)
    p_by_place = _p_by_place(means, line, towards * columns, shapes.places, random.normal(size=(_DRAWS_A_MONTH, count)))
    possible = np.flatnonzero(p_by_place > _MONTH_LEVEL)
    if len(possible) == len(p_by_place):
        return replace(result, why=ANYWHERE)
    low = int(observed.months[possible[0]]) if possible[0] > 0 else None
    if possible[-1] == count - 1:
        return replace(result, change=np.nan, width=None, why=UNFINISHED)
    closest = fits.argmax()
    return replace(
        result,
        month=int(observed.months[shapes.places[closest]]),
        low=low,
        high=int(observed.months[possible[-1] + 1] - 1),  # where months are missing, the change may lie in the gap
        change=_change(means, line, columns[closest]),
        width=int(shapes.widths[closest]),
        why=None,
    )


def _change(means: Array, line: Array, column: Array) -> float:
    return -float(np.linalg.lstsq(np.vstack([line, column]).T, means, rcond=None)[0][-1])


@dataclass(frozen=True)
class _Shapes:
    """Each k and width: the share seen by month (one row per shape), k's position among the months, and the width.

    A k at or after the last month, of which some was seen, has the last month's position: its ramp is cut off there.
    """

    columns: Array
    places: NDArray[np.int64]
    widths: NDArray[np.int64]


def _shapes(months: Months) -> _Shapes:
    widths = [width for width in WIDTHS if width == 1 or width <= months[-1] - months[0]]
    rows: dict[bytes, tuple[Array, int, int]] = {}
    last = len(months) - 1
    for width in widths:
        ends = [*enumerate(months[:-1]), *((last, months[-1] + later) for later in range(width - 1))]
        for place, month in ends:
            seen = np.clip((month + 1 - months) / width, 0.0, 1.0)
            rows.setdefault(seen.tobytes(), (seen, place, width))
    columns, places, used = zip(*rows.values(), strict=True)
    return _Shapes(np.stack(columns), np.array(places), np.array(used))


def _by_article(
    months: Array, clusters: NDArray[np.generic], values: Array, sizes: Array
) -> tuple[Array, Array, Array]:
    _, first, places, counts = np.unique(clusters, return_index=True, return_inverse=True, return_counts=True)
    return months[first], np.bincount(places, values) / counts, np.bincount(places, sizes) / counts


def _whitening(observed: MonthlyMeans, line: Array, shapes: _Shapes) -> Array:
    """Return the inverse root of the means' covariance, which makes their errors independent and equal.

    The variance between months (τ²) is estimated from the residuals of the closest shape, by the method of moments.
    Source: DerSimonian & Laird 1986, Meta-analysis in clinical trials, equation 8, with a regression in place of the
    mean.
    """
    if not observed.errors.any():
        return np.eye(len(observed.means))
    known = np.linalg.inv(np.linalg.cholesky(observed.errors))
    means, flat, columns = known @ observed.means, line @ known.T, shapes.columns @ known.T
    closest = np.vstack([flat, columns[np.abs(_correlations(means, flat, columns)).argmax()]])
    basis = _basis(closest)
    residual = means - basis.T @ (basis @ means)
    residual_maker = np.eye(len(means)) - basis.T @ basis
    expected = np.trace(residual_maker @ known @ known.T)
    between = max(0.0, (float(residual @ residual) - np.trace(residual_maker)) / expected)
    return np.asarray(np.linalg.inv(np.linalg.cholesky(observed.errors + between * np.eye(len(means)))))


def _basis(rows: Array) -> Array:
    """Return an orthonormal basis of the rows' span, one vector per row."""
    _, sizes, directions = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(directions[sizes > 1e-9 * sizes.max()])


def _correlations(means: Array, explained: Array, columns: Array) -> Array:
    """Correlate the means (or rows of means) with each column, both without the part in the span of `explained`; 0 if
    nothing else remains.

    t is r √(freedom / (1 - r²)), so the largest correlation has the largest t.
    """
    basis = _basis(explained)
    free = columns - (columns @ basis.T) @ basis
    sizes = np.linalg.norm(free, axis=1)
    nonzero = sizes > 1e-6 * np.linalg.norm(columns, axis=1)
    free = np.where(nonzero[:, None], free / np.where(nonzero, sizes, 1.0)[:, None], 0.0)
    rest = means - (means @ basis.T) @ basis
    with np.errstate(invalid="ignore"):
        shares = (rest @ free.T) / np.linalg.norm(rest, axis=-1, keepdims=True)
    return np.asarray(np.nan_to_num(shares))


def _p_value(reached: float, drawn: Array) -> float:
    return float((1 + (drawn >= reached - 1e-12).sum()) / (1 + len(drawn)))


def _p_by_place(means: Array, line: Array, columns: Array, places: NDArray[np.int64], draws: Array) -> Array:
    """Return for each position p of the hypothesis that the change is there, with the width that fits best there.

    `columns` have the sign that a change in the right direction gives them; p of the closest position is 1. Given the
    fit of a shape and the size of the residual, only the direction of the residual is unknown, and all are equally
    likely: `draws` (one row per draw, normal) are turned into such directions.
    """
    basis = _basis(line)
    free = columns - (columns @ basis.T) @ basis
    sizes = np.linalg.norm(free, axis=1)
    nonzero = sizes > 1e-6 * np.linalg.norm(columns, axis=1)
    free = np.where(nonzero[:, None], free / np.where(nonzero, sizes, 1.0)[:, None], 0.0)
    alike, fits = free @ free.T, _correlations(means, line, columns)
    rest = draws - (draws @ basis.T) @ basis
    along, squares = rest @ free.T, (rest**2).sum(axis=1)
    result = np.empty(int(places.max()) + 1)
    for place in range(len(result)):
        candidates = np.flatnonzero(places == place)
        shape = candidates[fits[candidates].argmax()]
        own = along[:, shape, None]
        directions = (along - own * alike[shape]) / np.sqrt(squares[:, None] - own**2)
        drawn = fits[shape] * alike[shape] + np.sqrt(max(0.0, 1 - fits[shape] ** 2)) * directions
        result[place] = _p_value(float(fits.max()), drawn.max(axis=1))
    return result
