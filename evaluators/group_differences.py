"""Whether groups of people are written of alike: differences of shares, and their mean over pairs of groups.

Arrays have a row a prompt and a column a setting, a prompt's share in each cell, NaN where there is none. Prompts are
what varies: a prompt's texts resemble each other. Prompts of the same words for each group are rows of one context, and
are compared with each other; where nothing pairs them, each group has prompts of its own.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtr, stdtrit

from evaluators.bounded_intervals import bounded_interval
from evaluators.statistics import ALIKE, LEVEL, TOO_FEW, Estimate, differences_estimate, estimate, p_values

Array = NDArray[np.float64]

_PERMUTATIONS = 9_999
_RESAMPLES = 2_000
_CELLS = 1 << 20  # numbers at a time


@dataclass(frozen=True)
class Difference:
    """By setting the mean of one group less that of another, each prompt counted once, with 95 % interval and p.
    `lacking` says why a setting has no interval."""

    difference: Array
    low: Array
    high: Array
    p: Array
    prompts: NDArray[np.int64]
    lacking: tuple[str | None, ...]


@dataclass(frozen=True)
class Disparity:
    """By setting the mean absolute difference of the groups' means over all pairs, with 95 % interval and p."""

    disparity: Array
    low: Array
    high: Array
    p: Array
    lacking: tuple[str | None, ...]


def paired_difference(one: Array, other: Array, seed: int) -> Difference:
    """Of groups whose prompts in a row are of one context: the mean of the rows' differences, with the interval and p
    of `evaluators.statistics` (`differences_estimate`, `p_values`), a row being a cluster."""
    apart = one - other
    found = differences_estimate(apart)
    return Difference(found.mean, found.low, found.high, p_values(apart, seed), found.clusters, found.lacking)


def unpaired_difference(one: Array, other: Array, seed: int) -> Difference:
    """Of groups that have prompts of their own: Welch's t of the prompts' means, with p the greater of its own and of a
    permutation test that deals the prompts out to the groups anew.

    Where all prompts of a group are at 0 or at 1, their variance says nothing of how sure the group's share is. There
    the interval is Newcombe's, which combines the intervals of the two shares (`bounded_interval`), each with the
    prompt as its unit. No interval reaches beyond -1 or 1.

    Sources: Welch 1947, The generalization of Student's problem when several different population variances are
    involved; Phipson & Smyth 2010, Permutation p-values should never be zero; Newcombe 1998, Interval estimation for
    the difference between independent proportions, method 10.
    """
    a, b = (estimate(*_present(values)) for values in (one, other))
    shares = [bounded_interval(of_group, 0.0, 1.0) for of_group in (a, b)]
    at_end = _at_end(one) | _at_end(other)
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = a.standard_error**2, b.standard_error**2
        error = np.sqrt(squares[0] + squares[1])
        freedom = error**4 / (squares[0] ** 2 / a.freedom + squares[1] ** 2 / b.freedom)
        apart = a.mean - b.mean
        welch = 2 * stdtr(freedom, -np.abs(apart / error))
    lacking = tuple(
        TOO_FEW if TOO_FEW in pair else ALIKE if error <= 1e-12 and not end else None
        for pair, error, end in zip(zip(a.lacking, b.lacking, strict=True), error, at_end, strict=True)
    )
    shown = np.array([why is None for why in lacking], bool)
    reach = np.where(shown, stdtrit(np.where(shown, freedom, np.nan), 1 - LEVEL / 2) * error, np.nan)
    below, above = (np.where(at_end, newcombe, reach) for newcombe in _newcombe((a.mean, b.mean), shares))
    low, high = (np.where(shown, np.clip(end, -1.0, 1.0), np.nan) for end in (apart - below, apart + above))
    values, owners = np.concatenate([one, other]), np.repeat([0, 1], [len(one), len(other)])
    p = np.fmax(_permuted(values, owners, 2, seed), np.where(np.isfinite(welch), welch, np.nan))
    return Difference(apart, low, high, p, a.clusters + b.clusters, lacking)


def paired_disparity(groups: Sequence[Array], seed: int) -> Disparity:
    """Of groups whose rows are of the same contexts. p is how often the disparity is as great when each context's
    numbers are dealt out to the groups anew.

    The interval reaches from the disparity as far as the 95 % quantile of the mean absolute error of the pairs'
    differences when contexts are drawn with replacement, and no further than 0: the disparity cannot be further from
    the true one than that error (by the triangle inequality), so that the interval covers it at least as often.
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
        sums = np.take_along_axis(filled[None], dealt[..., None], axis=2).sum(axis=1)
        reached += _reached(_disparity(_divided(sums, count.sum(axis=0))), found)
    errors = []
    for block in _blocks(_RESAMPLES, cube.size):
        weights = random.multinomial(rows, np.full(rows, 1 / rows), size=block).astype(float) if rows else None
        if weights is not None:
            again = (weights @ filled.reshape(rows, -1)).reshape(block, size, columns)
            errors.append(_mean_error(_divided(again, (weights @ count)[:, None]), means))
    lacking = tuple(
        _lacking_paired(np.where(present[:, column, None], cube[:, :, column], np.nan)) for column in range(columns)
    )
    return _with_interval(found, errors, reached / (_PERMUTATIONS + 1), rows, lacking)


def unpaired_disparity(groups: Sequence[Array], seed: int) -> Disparity:
    """Of groups that have prompts of their own: the same with prompts dealt out to the groups and drawn within them.

    Prompts that are all at 0 or all at 1 would be the same whichever are drawn. Their group's mean is drawn instead as
    Clopper & Pearson 1934 (The use of confidence or fiducial limits illustrated in the case of the binomial) have it
    for as many trials as there are prompts: from the distribution whose quantiles are their limits, Beta(1, n).
    """
    sums = [_present(values) for values in groups]
    means = np.stack([_divided(filled.sum(axis=0), count.sum(axis=0)) for filled, count in sums])
    owners = np.repeat(np.arange(len(groups)), [len(values) for values in groups])
    p = _permuted(np.concatenate(groups), owners, len(groups), seed)
    random = np.random.default_rng(seed)
    errors = []
    for block in _blocks(_RESAMPLES, sum(values.size for values in groups)):
        again = [_drawn_means(filled, count, block, random) for filled, count in sums]
        errors.append(_mean_error(np.stack(again, axis=1), means))
    ends = np.any([_at_end(values) for values in groups], axis=0)
    reasons = zip(*(differences_estimate(values).lacking for values in groups), strict=True)
    lacking = tuple(
        TOO_FEW if TOO_FEW in why else ALIKE if all(why) and not end else None
        for why, end in zip(reasons, ends, strict=True)
    )
    return _with_interval(_disparity(means), errors, p, min(map(len, groups)), lacking)


def welch_p(repetitions: Sequence[float], baseline: float) -> float:
    """Two-sided p of Welch's t-test of the repetitions against as many of a number that does not vary (Dhamala et al.
    2022, table 3, which does not say against what; only so can 0.2 points among 1,489 texts be significant)."""
    from scipy import stats

    if np.ptp([*repetitions, baseline]) <= 1e-12:
        return 1.0
    if np.ptp(repetitions) <= 1e-12:
        return 0.0
    return float(stats.ttest_1samp(repetitions, baseline).pvalue)  # what Welch's is where one sample does not vary


def _permuted(values: Array, owners: NDArray[np.int64], groups: int, seed: int) -> Array:
    """How often the disparity is as great where rows belong to groups at random."""
    filled, count = _present(values)
    found = _disparity(_shares(filled, count, owners, groups))
    random = np.random.default_rng(seed)
    reached = np.ones(values.shape[1])
    for block in _blocks(_PERMUTATIONS, len(owners) * groups):
        dealt = random.permuted(np.broadcast_to(owners, (block, len(owners))), axis=1)
        reached += _reached(_disparity(_shares(filled, count, dealt, groups)), found)
    return np.where(np.isfinite(found), reached / (_PERMUTATIONS + 1), np.nan)


def _shares(filled: Array, count: Array, owners: NDArray[np.int64], groups: int) -> Array:
    """Of … × rows … × groups × settings."""
    of_group = (owners[..., None, :] == np.arange(groups)[:, None]).astype(float)
    return _divided(of_group @ filled, of_group @ count)


def _drawn_means(filled: Array, count: Array, block: int, random: np.random.Generator) -> Array:
    """So many times the means by setting of as many rows, drawn with replacement; where all are at an end of the range,
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
    """By setting whether all prompts that have a number have 0, or all have 1."""
    present = np.isfinite(values)
    none, every = (np.all(~present | (values == end), axis=0) for end in (0.0, 1.0))
    return np.asarray(present.any(axis=0) & (none | every))


def _newcombe(means: tuple[Array, Array], shares: Sequence[Estimate]) -> tuple[Array, Array]:
    """How far the interval of the difference of two shares reaches below and above it."""
    (one, other), (a, b) = means, shares
    below = np.sqrt((one - a.low) ** 2 + (b.high - other) ** 2)
    above = np.sqrt((a.high - one) ** 2 + (other - b.low) ** 2)
    return below, above


def _reached(again: Array, found: Array) -> Array:
    """By setting how often it is as great; sums in another order are the same sums."""
    return np.asarray((again >= found * (1 - 1e-9)).sum(axis=0), float)


def _with_interval(
    found: Array, errors: Sequence[Array], p: Array, rows: int, lacking: tuple[str | None, ...]
) -> Disparity:
    """The bootstrap's errors are too small by the square root of (n - 1) / n, and it takes them for known: the reach is
    stretched as Student's t is beside the normal."""
    shown = np.array([why is None for why in lacking], bool)
    reach = np.full(found.shape, np.nan)
    if errors and rows > 1:
        reach = np.quantile(np.concatenate(errors), 1 - LEVEL, axis=0) * np.sqrt(rows / (rows - 1))
        reach *= stdtrit(rows - 1, 1 - LEVEL / 2) / ndtri(1 - LEVEL / 2)
    reach = np.where(shown, reach, np.nan)
    low, high = np.maximum(found - reach, 0.0), np.minimum(found + reach, 1.0)
    return Disparity(found, low, high, np.where(np.isfinite(found), p, np.nan), lacking)


def _lacking_paired(numbers: Array) -> str | None:
    """Of contexts × groups: too few contexts, or nothing that differs between any two groups."""
    size = numbers.shape[1]
    reasons = [
        differences_estimate((numbers[:, a] - numbers[:, b])[:, None]).lacking[0]
        for a, b in itertools.combinations(range(size), 2)
    ]
    return TOO_FEW if TOO_FEW in reasons else ALIKE if all(reasons) else None


def _pairs(groups: int) -> Iterator[tuple[int, int]]:
    return itertools.combinations(range(groups), 2)


def _disparity(means: Array) -> Array:
    """Of … × groups × settings."""
    apart = [np.abs(means[..., a, :] - means[..., b, :]) for a, b in _pairs(means.shape[-2])]
    return np.asarray(np.mean(apart, axis=0))


def _mean_error(again: Array, means: Array) -> Array:
    """Of resamples × groups × settings how far the pairs' differences are from those of the means, their mean."""
    pairs = _pairs(len(means))
    errors = [np.abs((again[:, a] - again[:, b]) - (means[a] - means[b])) for a, b in pairs]
    return np.asarray(np.nan_to_num(np.mean(errors, axis=0)))


def _divided(sums: Array, count: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums / count)


def _present(values: Array) -> tuple[Array, Array]:
    present = np.isfinite(values)
    return np.where(present, values, 0.0), present.astype(float)


def _blocks(count: int, cells: int) -> Iterator[int]:
    """`count` in parts, so that a part times `cells` is no large array."""
    size = max(1, _CELLS // max(cells, 1))
    for start in range(0, count, size):
        yield min(size, count - start)
