"""Compute how certain a number is, and whether two runs differ. A prompt is a cluster: its completions are similar.

All functions take arrays with one row per cluster (a prompt) and one column per quantity (a metric, or a pair of runs),
so that one pass serves all columns. Memory grows with the arrays and not with the resamples.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from newwiki import interval

LEVEL, FEWEST = interval.LEVEL, interval.FEWEST
TOO_FEW = "too few prompts"
ALIKE = "no variance"
RESAMPLES = 10_000
_FLIPS = 9_999
_FLIPS_A_TEST = 200  # so that Holm's correction can still detect a difference among many tests
_CELLS = 1 << 20  # random numbers at a time

Array = NDArray[np.float64]


def number_or_none(value: float) -> float | None:
    """Return the value to store: None if it is not finite."""
    return float(value) if math.isfinite(value) else None


@dataclass(frozen=True)
class MeanInterval:
    """One column of an `Estimate`: a mean with its 95 % interval over `clusters`, None where there is no such number.
    `lacking` says why there is no interval."""

    mean: float | None
    low: float | None
    high: float | None
    clusters: int
    lacking: str | None

    @property
    def is_of_too_few(self) -> bool:
        """Whether there are too few clusters for an interval."""
        return self.lacking == TOO_FEW

    def within(self, minimum: float = -math.inf, maximum: float = math.inf) -> Self:
        """Return the same with both ends moved into the range of the numbers."""
        low, high = (end if end is None else min(max(end, minimum), maximum) for end in (self.low, self.high))
        return replace(self, low=low, high=high)


NOTHING = MeanInterval(None, None, None, 0, TOO_FEW)


@dataclass(frozen=True)
class Estimate:
    """Means with standard errors and 95 % intervals, one entry per column; NaN if there is none.

    `freedom` are the standard error's degrees of freedom: one less than the effective number of prompts. `skew` is the
    skewness of the mean, estimated from the prompts. `lacking` explains why a column has no interval (`TOO_FEW` or
    `ALIKE`), None if it has one.
    """

    mean: Array
    standard_error: Array
    low: Array
    high: Array
    clusters: NDArray[np.int64]
    freedom: Array
    skew: Array
    lacking: tuple[str | None, ...]

    def at(self, column: int = 0) -> MeanInterval:
        """Return one column, as it is stored and shown."""
        mean, low, high = (number_or_none(numbers[column]) for numbers in (self.mean, self.low, self.high))
        return MeanInterval(mean, low, high, int(self.clusters[column]), self.lacking[column])


def by_cluster(values: ArrayLike, clusters: ArrayLike) -> tuple[Array, Array]:
    """Return the total of each cluster's values and their number, as one column each, for `estimate`."""
    _, places = np.unique(np.asarray(clusters), return_inverse=True)
    columns = [np.bincount(places, weights) for weights in (np.asarray(values, float), np.ones(len(places)))]
    totals, counts = (np.asarray(column, float)[:, None] for column in columns)
    return totals, counts


def estimate(totals: Array, counts: Array, level: float = LEVEL) -> Estimate:
    """Estimate the mean over all values (totals over counts), its standard error clustered by row, and its interval,
    which covers 1 - `level`, 95 % by default.

    With w a cluster's share of the values, and e the sum of its residuals over the number of all values, the error is
    the square root of the sum of e² / (1 - w): CR2, which is unbiased if all values vary equally and independently.
    Under the same assumption its degrees of freedom are those of Satterthwaite,
    1 / (Σw² + (Σa)² - Σa²) with a = w² / (1 - w), which is G - 1 for G clusters of one size. Sources: Bell & McCaffrey
    2002, Bias reduction in standard errors for linear regression with multi-stage samples; Pustejovsky & Tipton 2018,
    Small-sample methods for cluster-robust variance estimation, section 2 (here for a constant only).

    The interval is at each end the wider one of Student's t and of Hall's transformation of t, which corrects for the
    skewness of the mean: that of the clusters' means (Fisher's, corrected for their number) times Σw³ / (Σw²)^1.5.
    Source: Hall 1992, On the removal of skewness by transformation, equation 2.4. There is none if the clusters' means
    are equal, or if fewer than `FEWEST` clusters are effective. Rows with a count of 0 are not clusters of that column.
    """
    present = counts > 0
    clusters = present.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = counts / counts.sum(axis=0)
        mean = totals.sum(axis=0) / counts.sum(axis=0)
        residuals = np.where(present, totals / np.where(present, counts, 1.0) - mean, 0.0)
        error = np.sqrt(((shares * residuals) ** 2 / (1 - shares)).sum(axis=0))
        pull = shares**2 / (1 - shares)
        squares = (shares**2).sum(axis=0)
        freedom = 1 / (squares + pull.sum(axis=0) ** 2 - (pull**2).sum(axis=0))
        skew = _skewness(residuals, present) * (shares**3).sum(axis=0) / squares**1.5
    single = clusters < 2
    error, freedom = np.where(single, np.nan, error), np.where(single, 0.0, freedom)
    lacking = tuple(map(_lacking, mean, error, freedom))
    shown = np.array([why is None for why in lacking], bool)
    below, above = _reach(np.where(shown, freedom, np.nan), np.where(shown, skew, 0.0), level)
    return Estimate(mean, error, mean - below * error, mean + above * error, clusters, freedom, skew, lacking)


def _lacking(mean: float, error: float, freedom: float) -> str | None:
    if math.isnan(mean) or freedom + 1 < FEWEST - 1e-6:
        return TOO_FEW
    return ALIKE if error <= 1e-12 * abs(mean) else None


def _skewness(values: Array, present: NDArray[np.bool_]) -> Array:
    """Return the skewness of each column's present entries, 0 for fewer than three or equal ones."""
    number = present.sum(axis=0).astype(float)
    centred = np.where(present, values - values.sum(axis=0) / number, 0.0)
    second, third = (centred**2).sum(axis=0) / number, (centred**3).sum(axis=0) / number
    corrected = np.sqrt(number * (number - 1)) / (number - 2) * third / second**1.5
    return np.where((number > 2) & (second > 0), corrected, 0.0)


def _reach(freedom: Array, skew: Array, level: float) -> tuple[Array, Array]:
    """Return how many standard errors the interval extends below and above the mean."""
    quantile = np.asarray(stdtrit(freedom, 1 - level / 2))
    return np.maximum(quantile, untransformed(quantile, skew)), np.maximum(quantile, -untransformed(-quantile, skew))


def transformed(t: Array, skew: Array) -> Array:
    """Apply Hall's transformation to a t statistic whose mean has this skewness; the result is nearly symmetric."""
    return np.asarray(t + skew * t**2 / 3 + skew**2 * t**3 / 27 + skew / 6)


def untransformed(value: Array, skew: Array) -> Array:
    """Invert `transformed`: return the t statistic that gives this value."""
    divisor = np.where(np.abs(skew) < 1e-6, 1.0, skew)
    return np.where(np.abs(skew) < 1e-6, value, 3 / divisor * (np.cbrt(1 + divisor * (value - divisor / 6)) - 1))


def differences_estimate(differences: Array, level: float = LEVEL) -> Estimate:
    """Estimate the mean of the prompts' differences, each prompt counted once. NaN means no difference."""
    return estimate(*_present(differences), level)


def differences_bootstrap(differences: Array, seed: int, level: float = LEVEL) -> tuple[Array, Array]:
    """Return both ends of the interval by drawing prompts with replacement, `RESAMPLES` times; NaN if there is none.

    From the quantiles of the drawn t statistics, and at each end never closer than Student's t: percentiles of the
    drawn means would cover skewed differences too rarely. Source: Efron & Tibshirani 1993, An introduction to the
    bootstrap, chapter 12.5.
    """
    found = differences_estimate(differences)
    centred, present = _present(differences - found.mean)
    rows = len(centred)
    random = np.random.default_rng(seed)
    drawn = []
    for size in _blocks(RESAMPLES, rows):
        places = random.integers(rows, size=(size, rows)) + np.arange(size)[:, None] * rows
        weights = np.bincount(places.ravel(), minlength=size * rows).reshape(size, rows).astype(float)
        with np.errstate(divide="ignore", invalid="ignore"):
            number, mean = weights @ present, (weights @ centred) / (weights @ present)
            variance = (weights @ centred**2) / number - mean**2
            drawn.append(
                np.nan_to_num(mean / np.sqrt(np.maximum(variance, 0) / (number - 1)), posinf=np.inf, neginf=-np.inf)
            )
    ends = np.quantile(np.concatenate(drawn), [level / 2, 1 - level / 2], axis=0, method="inverted_cdf")
    student = stdtrit(found.freedom, 1 - level / 2)
    shown = np.array([why is None for why in found.lacking], bool)
    low = found.mean - np.maximum(ends[1], student) * found.standard_error
    high = found.mean + np.maximum(-ends[0], student) * found.standard_error
    return np.where(shown, low, np.nan), np.where(shown, high, np.nan)


def sign_flip(differences: Array, seed: int) -> Array:
    """Return the two-sided p of each column: how often its mean is as far from 0 if each difference gets a random sign.

    If two runs do not differ, both signs are equally likely. With few prompts all sign patterns are tried, and p is
    exact; otherwise it is (b + 1) / (m + 1) with b of m seeded random patterns as extreme, never 0 nor too small. m is
    9,999, and more for more than 50 columns. Sources: Fisher 1935, The design of experiments, section 21;
    Phipson & Smyth 2010, Permutation p-values should never be zero.
    """
    filled, _ = _present(differences)
    rows, columns = filled.shape
    flips = max(_FLIPS, _FLIPS_A_TEST * columns - 1)
    exact = 2**rows <= flips
    total = filled.sum(axis=0)
    bar = np.abs(total) - 1e-9 * np.abs(filled).sum(axis=0)  # tolerates rounding of sums in another order
    reached = np.zeros(columns)
    for patterns in _all_patterns(rows) if exact else _random_patterns(flips, rows, seed):
        reached += (np.abs(total - 2 * (patterns @ filled)) >= bar).sum(axis=0)
    p = reached / 2**rows if exact else (reached + 1) / (flips + 1)
    return np.where(np.isfinite(differences).any(axis=0), p, np.nan)


def p_values(differences: Array, seed: int) -> Array:
    """Return the two-sided p of each column: the greater of `sign_flip`'s and of Student's t after Hall's
    transformation.

    Sign flips assume that the differences are symmetric about their mean; the ratio of a mean to its standard error
    orders sign patterns as the mean alone does, so studentizing them changes nothing. The transformed t assumes only
    that the prompts are independent and enough to show the skewness. If neither holds, no difference is claimed. The
    interval of `differences_estimate` excludes 0 if the second p, and that of Student's t, are below `LEVEL`. Sources:
    see `estimate`.
    """
    found = differences_estimate(differences)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = transformed(found.mean / found.standard_error, found.skew)
        by_skew = 2 * stdtr(found.freedom, -np.abs(t))
    return np.fmax(sign_flip(differences, seed), np.where(np.isfinite(t), by_skew, np.nan))


def different(differences: Array, seed: int) -> NDArray[np.bool_]:
    """Tell which columns' means are not 0, corrected for their number (`holm`); never for too few prompts."""
    enough = np.array([why != TOO_FEW for why in differences_estimate(differences).lacking], bool)
    return np.asarray(enough & (holm(p_values(differences, seed)) <= LEVEL))


def holm(p_values: ArrayLike | Sequence[float | None]) -> Array:
    """Return the p values corrected for their number, in their order; NaN or None, where there is no test, is not
    counted and stays NaN.

    If differences are claimed at corrected p <= 0.05, a family of tests has a false claim in at most 5 % of cases,
    however the tests depend on each other. Source: Holm 1979, A simple sequentially rejective multiple test procedure.
    """
    p = np.asarray(p_values, float)
    corrected = np.full(p.shape, np.nan)
    order = np.argsort(p)[: np.isfinite(p).sum()]
    steps = p[order] * np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if len(order) else steps
    return corrected


def spread(differences: Array) -> Array:
    """Return each column's standard deviation over prompts; NaN for fewer than two."""
    error = differences_estimate(differences).standard_error
    return np.asarray(error * np.sqrt(np.isfinite(differences).sum(axis=0)))


def effect_size(differences: Array) -> Array:
    """Return Cohen's d_z: the mean of the prompts' differences over their standard deviation; NaN if that is 0.

    Source: Cohen 1988, Statistical power analysis for the behavioral sciences, chapter 2.
    """
    deviation = spread(differences)
    mean = differences_estimate(differences).mean
    return np.asarray(np.divide(mean, deviation, out=np.full(mean.shape, np.nan), where=deviation > 0))


def _present(differences: Array) -> tuple[Array, Array]:
    present = np.isfinite(differences)
    return np.where(present, differences, 0.0), present.astype(float)


def _blocks(count: int, rows: int) -> Iterator[int]:
    """Split `count` into parts, such that a part times `rows` is not a large array."""
    size = max(1, _CELLS // max(rows, 1))
    for start in range(0, count, size):
        yield min(size, count - start)


def _all_patterns(rows: int) -> Iterator[Array]:
    yield ((np.arange(2**rows)[:, None] >> np.arange(rows)) & 1).astype(float)


def _random_patterns(count: int, rows: int, seed: int) -> Iterator[Array]:
    """Yield random patterns, with 1 for a flipped sign."""
    random = np.random.default_rng(seed)
    for size in _blocks(count, rows):
        packed = np.frombuffer(random.bytes((size * rows + 7) // 8), np.uint8)
        yield np.unpackbits(packed, count=size * rows).reshape(size, rows).astype(float)
