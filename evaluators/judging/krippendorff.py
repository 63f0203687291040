"""Krippendorff's alpha: how far judges agree beyond chance."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluators.judging.preference import Interval
from evaluators.statistics import LEVEL

_RESAMPLES = 2_000

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Agreement:
    """`alpha` is 1 where all agree, 0 where they agree as often as chance has it, below where less often; None where it
    is not defined, and `lacking` says why. Of so many units that two judges or more have judged."""

    units: int
    alpha: float | None
    interval: Interval | None
    lacking: str | None = None


def alpha(units: Sequence[Sequence[Hashable]], seed: int = 0) -> Agreement:
    """Of what each unit was called by those who judged it, in categories without an order.

    α = 1 - (n - 1) (n - Σ o_cc) / (n² - Σ n_c²), with o_cc the pairs of judgements of one unit that agree on c, each
    unit's over one less than its judgements, n_c the judgements of c, n their number; units with one judgement do not
    count. Source: Krippendorff 2011, Computing Krippendorff's alpha-reliability, sections B and C. The interval is of
    2,000 seeded draws of units with replacement, by percentiles.
    """
    told_twice = [unit for unit in units if len(unit) > 1]
    if not told_twice:
        return Agreement(0, None, None, "no pair has two judges")
    names = {name: place for place, name in enumerate(dict.fromkeys(name for unit in told_twice for name in unit))}
    counts = np.zeros((len(told_twice), len(names)))
    for row, unit in enumerate(told_twice):
        for name in unit:
            counts[row, names[name]] += 1
    judgements = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (judgements - 1)
    found = float(_alpha(np.ones((1, len(counts))), counts, judgements, agreeing)[0])
    if np.isnan(found):
        return Agreement(len(counts), None, None, "all judgements are the same")
    draws = np.random.default_rng(seed).multinomial(len(counts), np.full(len(counts), 1 / len(counts)), _RESAMPLES)
    drawn = _alpha(draws.astype(float), counts, judgements, agreeing)
    low, high = np.nanquantile(drawn, [LEVEL / 2, 1 - LEVEL / 2])
    return Agreement(len(counts), found, Interval(float(low), float(high)))


def _alpha(weights: Array, counts: Array, judgements: Array, agreeing: Array) -> Array:
    """Of each row of weights, which say how often a unit counts; NaN where all judgements are the same."""
    number, of_each = weights @ judgements, weights @ counts
    expected = number**2 - (of_each**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(expected > 0, 1 - (number - 1) * (number - weights @ agreeing) / expected, np.nan))
