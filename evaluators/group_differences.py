"""Test whether texts about groups of people are alike: differences of shares, and their mean over pairs of groups.

Arrays have one row per prompt and one column per setting, with a prompt's share in each cell, NaN if there is none.
Prompts are the units of variation, because a prompt's texts are similar. Prompts with the same words for each group are
rows of one context and are compared with each other; without such pairs, each group has its own prompts.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr, stdtrit

from evaluators.bounded_intervals import bounded_interval
from evaluators.statistics import ALIKE, LEVEL, TOO_FEW, Array, Estimate, differences_estimate, estimate, p_values

_PERMUTATIONS = 9_999
_RESAMPLES = 2_000
_CELLS = 1 << 20  # numbers at a time


@dataclass(frozen=True)
class Difference:
    """The mean of one group less that of another, by setting, each prompt counted once, with 95 % interval and p.
    `lacking` explains why a setting has no interval."""

    difference: Array
    low: Array
    high: Array
    p: Array
    prompts: NDArray[np.int64]
    lacking: tuple[str | None, ...]


@dataclass(frozen=True)
class Disparity:
    """The mean absolute difference of the groups' means over all pairs, by setting, with 95 % interval and p."""

    disparity: Array
    low: Array
    high: Array
    p: Array
    lacking: tuple[str | None, ...]


def paired_difference(first: Array, second: Array, seed: int) -> Difference:
    """Compare groups whose prompts in a row share a context: the mean of the rows' differences, with the interval and p
    of `evaluators.statistics` (`differences_estimate`, `p_values`), one cluster per row."""
    difference = first - second
    found = differences_estimate(difference)
    return Difference(found.mean, found.low, found.high, p_values(difference, seed), found.clusters, found.lacking)


def unpaired_difference(first: Array, second: Array, seed: int) -> Difference:
    """Compare groups that have their own prompts: Welch's t of the prompts' means, with p the greater of its own and of
    a permutation test that reassigns the prompts to the groups.

    If all prompts of a group are at 0 or at 1, their variance does not show how certain the group's share is. Then the
    interval is Newcombe's, which combines the intervals of the two shares (`bounded_interval`), each with the prompt as
    its unit. No interval extends beyond -1 or 1.

    Sources: Welch 1947, The generalization of Student's problem when several different population variances are
    involved; Phipson & Smyth 2010, Permutation p-values should never be zero; Newcombe 1998, Interval estimation for
    the difference between independent proportions, method 10.
    """
    a, b = (estimate(*_present(values)) for values in (first, second))
    shares = [bounded_interval(group, 0.0, 1.0) for group in (a, b)]
    at_end = _at_end(first) | _at_end(second)
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = a.standard_error**2, b.standard_error**2
        error = np.sqrt(squares[0] + squares[1])
        freedom = error**4 / (squares[0] ** 2 / a.freedom + squares[1] ** 2 / b.freedom)
        difference = a.mean - b.mean
        welch = 2 * stdtr(freedom, -np.abs(difference / error))
    lacking = tuple(
        TOO_FEW if TOO_FEW in pair else ALIKE if error <= 1e-12 and not end else None
        for pair, error, end in zip(zip(a.lacking, b.lacking, strict=True), error, at_end, strict=True)
    )
    shown = np.array([why is None for why in lacking], bool)
    reach = np.where(shown, stdtrit(np.where(shown, freedom, np.nan), 1 - LEVEL / 2) * error, np.nan)
    below, above = (np.where(at_end, newcombe, reach) for newcombe in _newcombe((a.mean, b.mean), shares))
    low, high = (np.where(shown, np.clip(end, -1.0, 1.0), np.nan) for end in (difference - below, difference + above))
    values, owners = np.concatenate([first, second]), np.repeat([0, 1], [len(first), len(second)])
    p = np.fmax(_permuted(values, owners, 2, seed), np.where(np.isfinite(welch), welch, np.nan))
    return Difference(difference, low, high, p, a.clusters + b.clusters, lacking)


def paired_disparity(groups: Sequence[Array], seed: int) -> Disparity:
    """Compare groups whose rows have the same contexts. p is how often the disparity is as great when each context's
    numbers are reassigned to the groups at random.

    The interval extends from the disparity by the 95 % quantile of the mean absolute error of the pairs' differences
    when contexts are drawn with replacement, but not beyond 0: the disparity cannot differ from the true one by more
    than that error (by the triangle inequality), so the interval covers it at least as often.
    """
    cube = np.stack(groups, axis=1)
    present = np.asarray(np.isfinite(cube).all(axis=1))  # a context counts where each group has it
    filled, count = np.where(present[:, None], cube, 0.0), present.astype(float)
    rows, size, columns = cube.shape
    means = _divided(filled.sum(axis=0), count.sum(axis=0))
    found = _disparity(means)
    random = np.random.default_rng(seed)
    reached = np.ones(columns)
    for block in _blocks(_PERMUTATIONS, cube.size):
        dealt = random.random((block, rows, size)).argsort(axis=2)
        reached += _reached(_disparity(_divided(_dealt_sums(filled, dealt), count.sum(axis=0))), found)
    errors = []
    for block in _blocks(_RESAMPLES, cube.size):
        weights = random.multinomial(rows, np.full(rows, 1 / rows), size=block).astype(float) if rows else None
        if weights is not None:
            resampled = (weights @ filled.reshape(rows, -1)).reshape(block, size, columns)
            errors.append(_mean_error(_divided(resampled, (weights @ count)[:, None]), means))
    lacking = tuple(
        _lacking_paired(np.where(present[:, column, None], cube[:, :, column], np.nan)) for column in range(columns)
    )
    return _with_interval(found, errors, reached / (_PERMUTATIONS + 1), rows, lacking)


def unpaired_disparity(groups: Sequence[Array], seed: int) -> Disparity:
    """Compare groups that have their own prompts: like `paired_disparity`, but prompts are reassigned to the groups and
    drawn within them.

    Prompts that are all at 0 or all at 1 give the same mean in every draw. Their group's mean is drawn instead from
    Beta(1, n), whose quantiles are the limits of Clopper & Pearson 1934 (The use of confidence or fiducial limits
    illustrated in the case of the binomial) for as many trials as there are prompts.
    """
    sums = [_present(values) for values in groups]
    means = np.stack([_divided(filled.sum(axis=0), count.sum(axis=0)) for filled, count in sums])
    owners = np.repeat(np.arange(len(groups)), [len(values) for values in groups])
    p = _permuted(np.concatenate(groups), owners, len(groups), seed)
    random = np.random.default_rng(seed)
    errors = []
    for block in _blocks(_RESAMPLES, sum(values.size for values in groups)):
        resampled = [_drawn_means(filled, count, block, random) for filled, count in sums]
        errors.append(_mean_error(np.stack(resampled, axis=1), means))
    ends = np.any([_at_end(values) for values in groups], axis=0)
    reasons = zip(*(differences_estimate(values).lacking for values in groups), strict=True)
    lacking = tuple(
        TOO_FEW if TOO_FEW in why else ALIKE if all(why) and not end else None
        for why, end in zip(reasons, ends, strict=True)
    )
    return _with_interval(_disparity(means), errors, p, min(map(len, groups)), lacking)


def welch_p(repetitions: Sequence[float], baseline: float) -> float:
    """Return the two-sided p of Welch's t-test of the repetitions against equally many of a constant number (Dhamala et
    al. 2022, table 3, which does not name its baseline; only so can 0.2 points among 1,489 texts be significant)."""
    from scipy import stats

    if np.ptp([*repetitions, baseline]) <= 1e-12:
        return 1.0
    if np.ptp(repetitions) <= 1e-12:
        return 0.0
    return float(stats.ttest_1samp(repetitions, baseline).pvalue)  # equals Welch's if one sample does not vary


def _permuted(values: Array, owners: NDArray[np.int64], groups: int, seed: int) -> Array:
    """Return how often the disparity is as great if rows belong to groups at random."""
    filled, count = _present(values)
    found = _disparity(_shares(filled, count, owners, groups))
    random = np.random.default_rng(seed)
    reached = np.ones(values.shape[1])
    for block in _blocks(_PERMUTATIONS, len(owners) * groups):
        dealt = random.permuted(np.broadcast_to(owners, (block, len(owners))), axis=1)
        reached += _reached(_disparity(_shares(filled, count, dealt, groups)), found)
    return np.where(np.isfinite(found), reached / (_PERMUTATIONS + 1), np.nan)


def _dealt_sums(filled: Array, dealt: NDArray[np.int64]) -> Array:
    """Return the sums of what each group is dealt, deals × groups × settings, from numbers of rows × groups × settings
    and deals × rows × groups that give whose number a group gets. One product of matrices, many times faster than
    indexing."""
    deals, rows, size = dealt.shape
    gets = (dealt.transpose(0, 2, 1)[..., None] == np.arange(size)).astype(float)
    sums = gets.reshape(deals * size, rows * size) @ filled.reshape(rows * size, -1)
    return np.asarray(sums.reshape(deals, size, -1))


def _shares(filled: Array, count: Array, owners: NDArray[np.int64], groups: int) -> Array:
    """Return the means of … × groups × settings, from rows × settings and owners of … × rows. One product of matrices,
    because numpy multiplies a stack of small ones one after another."""
    member = (owners[..., None, :] == np.arange(groups)[:, None]).astype(float)
    flat = member.reshape(-1, len(filled))
    return _divided(flat @ filled, flat @ count).reshape(*member.shape[:-1], -1)


def _drawn_means(filled: Array, count: Array, block: int, random: np.random.Generator) -> Array:
    """Return the means by setting of resampled rows, `block` times; if all rows are at an end of the range, means drawn
    as far from it as their number leaves open."""
    rows = len(filled)
    weights = random.multinomial(rows, np.full(rows, 1 / rows), size=block).astype(float)
    drawn, values = _divided(weights @ filled, weights @ count), np.where(count > 0, filled, np.nan)
    at_end, number = _at_end(values), count.sum(axis=0)
    if at_end.any():
        away = random.beta(1.0, np.maximum(number, 1.0), size=(block, len(number)))
        drawn = np.where(at_end, np.where(filled.sum(axis=0) > 0, 1 - away, away), drawn)
    return drawn


def _at_end(values: Array) -> NDArray[np.bool_]:
    """Tell by setting whether all prompts with a value have 0, or all have 1."""
    present = np.isfinite(values)
    none, every = (np.all(~present | (values == end), axis=0) for end in (0.0, 1.0))
    return np.asarray(present.any(axis=0) & (none | every))


def _newcombe(means: tuple[Array, Array], shares: Sequence[Estimate]) -> tuple[Array, Array]:
    """Return how far the interval of the difference of two shares extends below and above it."""
    (first, second), (a, b) = means, shares
    below = np.sqrt((first - a.low) ** 2 + (b.high - second) ** 2)
    above = np.sqrt((a.high - first) ** 2 + (second - b.low) ** 2)
    return below, above


def _reached(resampled: Array, found: Array) -> Array:
    """Count by setting how often the disparity is as great, tolerating rounding of sums in another order."""
    return np.asarray((resampled >= found * (1 - 1e-9)).sum(axis=0), float)


def _with_interval(
    found: Array, errors: Sequence[Array], p: Array, rows: int, lacking: tuple[str | None, ...]
) -> Disparity:
    """Add the interval. The bootstrap's errors are too small by the square root of (n - 1) / n, and it treats them as
    known: the interval is widened by the ratio of Student's t to the normal quantile."""
    shown = np.array([why is None for why in lacking], bool)
    reach = np.full(found.shape, np.nan)
    if errors and rows > 1:
        reach = np.quantile(np.concatenate(errors), 1 - LEVEL, axis=0) * np.sqrt(rows / (rows - 1))
        reach *= stdtrit(rows - 1, 1 - LEVEL / 2) / ndtri(1 - LEVEL / 2)
    reach = np.where(shown, reach, np.nan)
    low, high = np.maximum(found - reach, 0.0), np.minimum(found + reach, 1.0)
    return Disparity(found, low, high, np.where(np.isfinite(found), p, np.nan), lacking)


def _lacking_paired(numbers: Array) -> str | None:
    """Tell why contexts × groups have no interval: too few contexts, or no difference between any two groups."""
    size = numbers.shape[1]
    reasons = [
        differences_estimate((numbers[:, a] - numbers[:, b])[:, None]).lacking[0]
        for a, b in itertools.combinations(range(size), 2)
    ]
    return TOO_FEW if TOO_FEW in reasons else ALIKE if all(reasons) else None


def _pairs(groups: int) -> Iterator[tuple[int, int]]:
    return itertools.combinations(range(groups), 2)


def _disparity(means: Array) -> Array:
    """Return the mean absolute difference of … × groups × settings."""
    differences = [np.abs(means[..., a, :] - means[..., b, :]) for a, b in _pairs(means.shape[-2])]
    return np.asarray(np.mean(differences, axis=0))


def _mean_error(resampled: Array, means: Array) -> Array:
    """Return the mean error of the pairs' differences in resamples × groups × settings."""
    pairs = _pairs(len(means))
    errors = [np.abs((resampled[:, a] - resampled[:, b]) - (means[a] - means[b])) for a, b in pairs]
    return np.asarray(np.nan_to_num(np.mean(errors, axis=0)))


def _divided(sums: Array, count: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums / count)


def _present(values: Array) -> tuple[Array, Array]:
    present = np.isfinite(values)
    return np.where(present, values, 0.0), present.astype(float)


def _blocks(count: int, cells: int) -> Iterator[int]:
    """Split `count` into parts, such that a part times `cells` is not a large array."""
    size = max(1, _CELLS // max(cells, 1))
    for start in range(0, count, size):
        yield min(size, count - start)
