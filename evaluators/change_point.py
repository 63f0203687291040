"""From which month on a model has not seen what it reads: a change in the mean by month, tested and dated.

The months are what varies. A month has a difficulty of its own, which all its articles share, so ten thousand articles
of one month say no more of the next than that month's mean does: months are the unit of the test and of the interval,
and articles only say how exactly a month's mean is known. The mean of month t is

    y_t = a + b t + c s_k(t) + month_t + article_t,    month_t ~ N(0, τ²), article_t ~ N(0, σ² / n_t)

where s_k(t) is the share that was seen: 1 long before the cutoff k, 0 after it, and in between a ramp of some months or
none (`WIDTHS`), since text about an event goes on to be written. The straight line a + b t is there because a model
knows less of what is newer without having a cutoff in sight; only what is no straight line is a change. Where a control
model is given, y is model minus control of each article (difference in differences), which takes the months' difficulty
out; where lengths are given, what y owes to the logarithm of the length is taken out by its slope within months.
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
_LEAST = 1e-6  # of how lengths vary between months: so much they must within months for their slope to be known
_EDGE = 2  # months that there must be on either side of a change
_DRAWS = 9_999
_DRAWS_A_MONTH = 1_999  # of the test that each month of the interval passes
_MONTH_LEVEL = 0.02  # of that test: below LEVEL, since months are only named where a change is found (`change_point`)

Months = NDArray[np.int64]


@dataclass(frozen=True)
class MonthlyMeans:
    """A row a month with at least `FEWEST_ARTICLES` articles: its number, how many articles, their mean, and the
    covariance of the means' errors but for what the months vary by."""

    months: Months
    articles: NDArray[np.int64]
    means: Array
    errors: Array  # months × months
    left_out: Months  # months with fewer articles


@dataclass(frozen=True)
class ChangePoint:
    """`month` is the last that was seen, between `low` and `high` in 95 of 100 cases; None where that cannot be told,
    and then `why` says the reason: one of the constants above, or `ALIKE`.

    Where a month is named and `low` is None, the interval begins with the first month, and the change may have begun
    before it. Of an `UNFINISHED` change nothing more is told, as its earliest month would be wrong too often
    (benchmarks/change_points.py).

    `change` is the mean of what was not seen less that of what was, in the values' unit, and `width` over how many
    months it comes about. `p` is that of the test whether there is a change in the direction that having seen gives.
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
    """Of rows, each a text of an article: the number of its month, its article, its value, the control's value of the
    same and its length (any unit, above 0). Rows that lack one of them (NaN) are left out; an article's are averaged.
    """
    columns = [np.asarray(months, float), np.asarray(values, float)]
    columns += [np.asarray(part, float) for part in (controls, lengths) if part is not None]
    present = np.isfinite(np.stack(columns)).all(axis=0)
    outcome = columns[1] - (columns[2] if controls is not None else 0.0)
    length = np.log(columns[-1][present]) if lengths is not None else np.zeros(int(present.sum()))
    when, value, size = _by_article(columns[0][present], np.asarray(clusters)[present], outcome[present], length)
    numbers, places, counts = np.unique(when.astype(np.int64), return_inverse=True, return_counts=True)
    kept = counts >= FEWEST_ARTICLES
    value_means, size_means = np.bincount(places, value) / counts, np.bincount(places, size) / counts
    inside = kept[places]
    apart, longer = (value - value_means[places])[inside], (size - size_means[places])[inside]
    moved = size_means[kept] - size[inside].mean() if inside.any() else size_means[kept]
    spread, between = float(longer @ longer), float(counts[kept] @ moved**2)
    known = spread > _LEAST * between  # otherwise the slope is open, and its error leaves nothing that it could explain
    slope = float(longer @ apart) / spread if known else 0.0
    freedom = max(int(inside.sum() - kept.sum() - known), 1)
    variance = float(((apart - slope * longer) ** 2).sum()) / freedom
    errors = np.diag(variance / counts[kept])
    if spread + between > 0:
        errors = errors + variance / max(spread, _LEAST * between) * np.outer(moved, moved)
    return MonthlyMeans(numbers[kept], counts[kept], value_means[kept] - slope * moved, errors, numbers[~kept])


def change_point(found: MonthlyMeans, *, seen_is_lower: bool, seed: int = 0) -> ChangePoint:
    """The last month that was seen, its interval and whether there is a change at all.

    The test: the greatest of the t statistics of c over all k and widths, with the sign that having seen gives, against
    its distribution where there is none, drawn `_DRAWS` times for these very months. As t knows no scale, that is the
    exact distribution whatever a, b and the errors' variance are; only the share of the months in it is estimated, and
    weights alone depend on it. At least two months must lie on either side, and
    a change takes half of the months at most. Sources: Andrews 1993, Tests for parameter
    instability and structural change with unknown change point (the supremum over k); Davies 1987, Hypothesis testing
    when a nuisance parameter is present only under the alternative; Dufour 2006, Monte Carlo tests with nuisance
    parameters (the p value); Bai 1997, Estimation of a change point in multiple regression models (the month by least
    squares).

    The month and its interval are looked for among all months, the first and the last included, and among changes that
    go on after the last. The interval holds each month k that the likelihood ratio between k and the closest month does
    not reject, so that the closest is always in it. Its distribution where the change is at k is drawn `_DRAWS_A_MONTH`
    times for these months, given the fit at k and the size of what that leaves, on which neither the size of the change
    nor that of the errors then depends: for a width, it is exact. Drawing with the size that fits best at k in place of
    this holds the month too seldom, as a size that was looked for is too large. Sources: Worsley 1986, Confidence
    regions and tests for a change-point in a sequence of exponential family random variables; Knowles, Siegmund & Zhang
    1991, Confidence regions in semilinear regression.

    Each month is tested at `_MONTH_LEVEL`, not `LEVEL`: over all cases one of twenty intervals may miss the month, but
    where a change is found in a third of the cases, those that miss may all be among them. Only changes in the
    direction that having seen gives are candidates. Where the interval holds every month, nothing was told.
    """
    count, articles = len(found.months), int(found.articles.sum())
    none = ChangePoint(None, None, None, np.nan, None, np.nan, count, articles, TOO_FEW_MONTHS)
    if count < FEWEST_MONTHS:
        return none
    if np.ptp(found.means) <= 1e-12 * np.abs(found.means).max():
        return replace(none, why=ALIKE)
    shapes = _shapes(found.months)
    random = np.random.default_rng(seed)
    line = np.stack([np.ones(count), found.months - found.months.mean()])
    whiten = _whitening(found, line, shapes)
    means, line, columns = whiten @ found.means, line @ whiten.T, shapes.columns @ whiten.T
    inner = (shapes.places >= _EDGE - 1) & (shapes.places <= count - 1 - _EDGE)
    inner &= (shapes.widths == 1) | (shapes.widths <= np.ptp(found.months) / 2)  # slower ones are almost the line
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
    held = np.flatnonzero(p_by_place > _MONTH_LEVEL)
    if len(held) == len(p_by_place):
        return replace(result, why=ANYWHERE)
    low = int(found.months[held[0]]) if held[0] > 0 else None
    if held[-1] == count - 1:
        return replace(result, change=np.nan, width=None, why=UNFINISHED)
    closest = fits.argmax()
    return replace(
        result,
        month=int(found.months[shapes.places[closest]]),
        low=low,
        high=int(found.months[held[-1] + 1] - 1),  # where months are missing, the change may lie in the gap
        change=_change(means, line, columns[closest]),
        width=int(shapes.widths[closest]),
        why=None,
    )


def _change(means: Array, line: Array, column: Array) -> float:
    return -float(np.linalg.lstsq(np.vstack([line, column]).T, means, rcond=None)[0][-1])


@dataclass(frozen=True)
class _Shapes:
    """Each k and width: the share that was seen by month (a row a shape), k's place among the months, the width.

    A k at or after the last month, of which some was seen, has the last month's place: its ramp is cut off there.
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


def _whitening(found: MonthlyMeans, line: Array, shapes: _Shapes) -> Array:
    """What makes the means' errors independent and alike: the inverse root of their covariance.

    What the months vary by (τ²) is estimated from the residuals of the closest shape, by the method of moments. Source:
    DerSimonian & Laird 1986, Meta-analysis in clinical trials, equation 8, with a regression in place of the mean.
    """
    if not found.errors.any():
        return np.eye(len(found.means))
    known = np.linalg.inv(np.linalg.cholesky(found.errors))
    means, flat, columns = known @ found.means, line @ known.T, shapes.columns @ known.T
    closest = np.vstack([flat, columns[np.abs(_correlations(means, flat, columns)).argmax()]])
    basis = _basis(closest)
    residual = means - basis.T @ (basis @ means)
    left = np.eye(len(means)) - basis.T @ basis
    expected = np.trace(left @ known @ known.T)
    between = max(0.0, (float(residual @ residual) - np.trace(left)) / expected)
    return np.asarray(np.linalg.inv(np.linalg.cholesky(found.errors + between * np.eye(len(means)))))


def _basis(rows: Array) -> Array:
    """An orthonormal basis of the rows' span, a row each."""
    _, sizes, directions = np.linalg.svd(rows, full_matrices=False)
    return np.asarray(directions[sizes > 1e-9 * sizes.max()])


def _correlations(means: Array, beside: Array, columns: Array) -> Array:
    """Of the means (or rows of means) with each column, both without what `beside` explains; 0 where that is all of it.

    t is r √(freedom / (1 - r²)), so that the greatest of the one is the greatest of the other.
    """
    basis = _basis(beside)
    left = columns - (columns @ basis.T) @ basis
    sizes = np.linalg.norm(left, axis=1)
    free = sizes > 1e-6 * np.linalg.norm(columns, axis=1)
    left = np.where(free[:, None], left / np.where(free, sizes, 1.0)[:, None], 0.0)
    rest = means - (means @ basis.T) @ basis
    with np.errstate(invalid="ignore"):
        shares = (rest @ left.T) / np.linalg.norm(rest, axis=-1, keepdims=True)
    return np.asarray(np.nan_to_num(shares))


def _p_value(reached: float, drawn: Array) -> float:
    return float((1 + (drawn >= reached - 1e-12).sum()) / (1 + len(drawn)))


def _p_by_place(means: Array, line: Array, columns: Array, places: NDArray[np.int64], draws: Array) -> Array:
    """For each place, p of the hypothesis that the change is there, with the width that fits best there.

    `columns` have the sign that a change in the right direction gives them; p of the closest place is 1. Once the fit
    of a shape and the size of the rest are given, only the direction of the rest is open, and each is as likely:
    `draws` (a row a draw, normal) are turned into such directions.
    """
    basis = _basis(line)
    free = columns - (columns @ basis.T) @ basis
    sizes = np.linalg.norm(free, axis=1)
    some = sizes > 1e-6 * np.linalg.norm(columns, axis=1)
    free = np.where(some[:, None], free / np.where(some, sizes, 1.0)[:, None], 0.0)
    alike, fits = free @ free.T, _correlations(means, line, columns)
    rest = draws - (draws @ basis.T) @ basis
    along, squares = rest @ free.T, (rest**2).sum(axis=1)
    found = np.empty(int(places.max()) + 1)
    for place in range(len(found)):
        here = np.flatnonzero(places == place)
        shape = here[fits[here].argmax()]
        own = along[:, shape, None]
        directions = (along - own * alike[shape]) / np.sqrt(squares[:, None] - own**2)
        drawn = fits[shape] * alike[shape] + np.sqrt(max(0.0, 1 - fits[shape] ** 2)) * directions
        found[place] = _p_value(float(fits.max()), drawn.max(axis=1))
    return found
