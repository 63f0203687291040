"""How sure a number is, and whether two runs differ. A prompt is a cluster: its completions resemble each other.

Everything works on arrays with a row a cluster (a prompt) and a column a quantity (a metric, or a pair of runs), so
that one pass serves all columns. The memory needed grows with the arrays and not with the resamples.
"""

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import nctdtr, ndtri, stdtrit

LEVEL = 0.05  # of a test; an interval covers 1 - LEVEL
POWER = 0.8
RESAMPLES = 10_000
_FLIPS = 9_999
_FLIPS_A_TEST = 200  # so that Holm's correction can still find a difference among many tests
_CELLS = 1 << 20  # random numbers at a time

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """Means with standard errors and 95 % intervals, an entry a column; NaN where too few clusters have values."""

    mean: Array
    standard_error: Array
    low: Array
    high: Array
    clusters: NDArray[np.int64]


def by_cluster(values: ArrayLike, clusters: ArrayLike) -> tuple[Array, Array]:
    """The total of each cluster's values and their number, in one column: what `estimate` and `bootstrap` take."""
    _, places = np.unique(np.asarray(clusters), return_inverse=True)
    columns = [np.bincount(places, weights) for weights in (np.asarray(values, float), np.ones(len(places)))]
    totals, counts = (np.asarray(column, float)[:, None] for column in columns)
    return totals, counts


def estimate(totals: Array, counts: Array) -> Estimate:
    """The mean over all values (totals over counts), its standard error clustered by row, and the t interval.

    The error is the cluster-robust one of an ordinary least squares fit of a constant, with the small-sample factor
    G / (G - 1) over G clusters (called CR1; what statsmodels gives for `cov_type="cluster"`). The interval takes
    Student's t with G - 1 degrees of freedom. Rows whose count is 0 are no clusters of that column. Sources: Cameron &
    Miller 2015, A practitioner's guide to cluster-robust inference, sections II and VI; Miller 2024, Adding error bars
    to evals, on clustered standard errors.
    """
    clusters = (counts > 0).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        texts = counts.sum(axis=0)
        mean = totals.sum(axis=0) / texts
        residuals = np.where(counts > 0, totals - counts * mean, 0.0)
        factor = np.where(clusters > 1, clusters / (clusters - 1.0), np.nan)
        error = np.sqrt(factor * (residuals**2).sum(axis=0)) / texts
        half = stdtrit(clusters - 1.0, 1 - LEVEL / 2) * error
    return Estimate(mean, error, mean - half, mean + half, clusters)


def bootstrap(totals: Array, counts: Array, seed: int) -> tuple[Array, Array]:
    """Both ends of the 95 % interval of the mean by drawing whole clusters with replacement, `RESAMPLES` times.

    Percentiles of the resampled means. Sources: Efron & Tibshirani 1993, An introduction to the bootstrap, chapter 13;
    Cameron & Miller 2015, section VI (pairs cluster bootstrap).
    """
    rows, columns = totals.shape
    if rows < 2:
        return np.full(columns, np.nan), np.full(columns, np.nan)
    random = np.random.default_rng(seed)
    means = []
    for size in _blocks(RESAMPLES, rows):
        drawn = random.integers(rows, size=(size, rows)) + np.arange(size)[:, None] * rows
        weights = np.bincount(drawn.ravel(), minlength=size * rows).reshape(size, rows).astype(float)
        with np.errstate(invalid="ignore"):
            means.append((weights @ totals) / (weights @ counts))
    resampled = np.concatenate(means)
    empty = np.isnan(resampled).all(axis=0)
    resampled[:, empty] = 0.0
    low, high = np.nanquantile(resampled, [LEVEL / 2, 1 - LEVEL / 2], axis=0)
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)


def differences_estimate(differences: Array) -> Estimate:
    """The mean of the prompts' differences, each prompt counted once, with error and interval. NaN is no difference."""
    return estimate(*_present(differences))


def differences_bootstrap(differences: Array, seed: int) -> tuple[Array, Array]:
    """The interval of the mean of the prompts' differences by drawing prompts."""
    return bootstrap(*_present(differences), seed)


def sign_flip(differences: Array, seed: int) -> Array:
    """Two-sided p of each column: how often its mean is as far from 0 when each difference gets a random sign.

    If two runs do not differ, either sign is as likely. With few prompts all sign patterns are tried, and p is exact;
    otherwise (b + 1) / (m + 1) with b of m seeded random patterns as far out, never 0 nor too small. m is 9,999,
    and more where there are more than 50 columns. Sources: Fisher 1935, The design of experiments, section 21;
    Phipson & Smyth 2010, Permutation p-values should never be zero.
    """
    filled, _ = _present(differences)
    rows, columns = filled.shape
    flips = max(_FLIPS, _FLIPS_A_TEST * columns - 1)
    exact = 2**rows <= flips
    total = filled.sum(axis=0)
    bar = np.abs(total) - 1e-9 * np.abs(filled).sum(axis=0)  # sums in another order are the same sums
    reached = np.zeros(columns)
    for patterns in _all_patterns(rows) if exact else _random_patterns(flips, rows, seed):
        reached += (np.abs(total - 2 * (patterns @ filled)) >= bar).sum(axis=0)
    p = reached / 2**rows if exact else (reached + 1) / (flips + 1)
    return np.where(np.isfinite(differences).any(axis=0), p, np.nan)


def smallest_p(prompts: int) -> float:
    """The smallest p that `sign_flip` can give for so many prompts, where they decide it: two of all sign patterns."""
    return 2.0 ** (1 - prompts)


def holm(p_values: ArrayLike) -> Array:
    """The p values corrected for their number, in their order; NaN stays, and is not counted.

    A family of tests in which one is called different at p <= 0.05 is wrong in at most 5 % of cases, however the tests
    depend on each other. Source: Holm 1979, A simple sequentially rejective multiple test procedure.
    """
    p = np.asarray(p_values, float)
    corrected = np.full(p.shape, np.nan)
    order = np.argsort(p)[: np.isfinite(p).sum()]
    steps = p[order] * np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if len(order) else steps
    return corrected


def spread(differences: Array) -> Array:
    """Each column's standard deviation over prompts; NaN for fewer than two."""
    error = differences_estimate(differences).standard_error
    return np.asarray(error * np.sqrt(np.isfinite(differences).sum(axis=0)))


def effect_size(differences: Array) -> Array:
    """Cohen's d_z: the mean of the prompts' differences over their standard deviation; NaN where that is 0.

    Source: Cohen 1988, Statistical power analysis for the behavioral sciences, chapter 2.
    """
    deviation = spread(differences)
    mean = differences_estimate(differences).mean
    return np.asarray(np.divide(mean, deviation, out=np.full(mean.shape, np.nan), where=deviation > 0))


def prompts_needed(effect: float) -> float:
    """So many prompts would show a difference of this size (d_z) in four of five evaluations, tested alone at 5 %.

    By the power of the paired t test, which that of the sign-flip test comes close to; infinite for no difference, NaN
    for NaN. Sources: Cohen 1988, chapter 2; Miller 2024, on power analysis.
    """
    if not effect:
        return math.inf
    if math.isnan(effect):
        return math.nan
    quantile = float(ndtri(1 - LEVEL / 2))
    by_normal = ((quantile + float(ndtri(POWER))) / effect) ** 2
    if by_normal > 1e6:
        return float(math.ceil(by_normal + quantile**2 / 2))
    prompts = max(2, math.floor(by_normal))
    while _power(abs(effect) * math.sqrt(prompts), prompts) < POWER:
        prompts += 1
    return float(prompts)


@functools.cache
def visible_effect(prompts: int) -> float:
    """The smallest difference (d_z) that so many prompts would show in four of five evaluations; NaN for one prompt.

    The inverse of `prompts_needed`.
    """
    if prompts < 2:
        return math.nan
    low, high = 0.0, 40.0  # in standard errors
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _power(middle, prompts) < POWER else (low, middle)
    return high / math.sqrt(prompts)


def _power(noncentrality: float, prompts: int) -> float:
    """The chance that the paired t test finds a difference that is so many standard errors large."""
    freedom = prompts - 1
    edge = stdtrit(freedom, 1 - LEVEL / 2)
    return float(1 - nctdtr(freedom, noncentrality, edge) + nctdtr(freedom, noncentrality, -edge))


def _present(differences: Array) -> tuple[Array, Array]:
    present = np.isfinite(differences)
    return np.where(present, differences, 0.0), present.astype(float)


def _blocks(count: int, rows: int) -> Iterator[int]:
    """`count` in parts, so that a part times `rows` is no large array."""
    size = max(1, _CELLS // max(rows, 1))
    for start in range(0, count, size):
        yield min(size, count - start)


def _all_patterns(rows: int) -> Iterator[Array]:
    yield ((np.arange(2**rows)[:, None] >> np.arange(rows)) & 1).astype(float)


def _random_patterns(count: int, rows: int, seed: int) -> Iterator[Array]:
    """Ones where a sign is flipped."""
    random = np.random.default_rng(seed)
    for size in _blocks(count, rows):
        packed = np.frombuffer(random.bytes((size * rows + 7) // 8), np.uint8)
        yield np.unpackbits(packed, count=size * rows).reshape(size, rows).astype(float)
