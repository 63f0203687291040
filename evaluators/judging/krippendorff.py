"""Krippendorff's alpha: how far judges agree beyond chance."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from evaluators.judging.preference import Interval
from evaluators.statistics import LEVEL, Array

FEWEST_UNITS = 3  # required for an interval: the smallest number with sufficient coverage in `make bench-judges`


@dataclass(frozen=True)
class Agreement:
    """`alpha` is 1 if all agree, 0 if they agree as often as by chance, negative if less often; None if undefined.
    `units` counts those with two judges or more. `lacking` explains a missing alpha or interval."""

    units: int
    alpha: float | None
    interval: Interval | None
    lacking: str | None = None


def alpha(units: Sequence[Sequence[Hashable]]) -> Agreement:
    """Compute Krippendorff's alpha from the categories, without order, that each unit was given by its judges.

    α = 1 - (n - 1) (n - Σ o_cc) / (n² - Σ n_c²), with o_cc the pairs of judgements of one unit that agree on c, each
    unit's over one less than its judgements, n_c the judgements of c, n their number; units with one judgement do not
    count. Source: Krippendorff 2011, Computing Krippendorff's alpha-reliability, sections B and C.

    The 95 % interval is for all units like these, judged by the same judges, from `FEWEST_UNITS` on. It is that of the
    jackknife over units with Student's t (Efron & Tibshirani 1993, An introduction to the bootstrap, chapter 11), after
    four imagined units were added: two on which two judges agree, and two on which they do not. Agresti & Coull 1998,
    Approximate is better than "exact" for interval estimation of binomial proportions, add two successes and two
    failures in the same way. Resampling the units alone would give no width where all agree.
    """
    judged_twice = [unit for unit in units if len(unit) > 1]
    if not judged_twice:
        return Agreement(0, None, None, "no pair has two judges")
    names = {name: place for place, name in enumerate(dict.fromkeys(name for unit in judged_twice for name in unit))}
    counts = np.zeros((len(judged_twice), len(names)))
    for row, unit in enumerate(judged_twice):
        for name in unit:
            counts[row, names[name]] += 1
    if len(names) == 1:
        return Agreement(len(counts), None, None, "all judgements are the same")
    found = float(_alpha(np.ones((1, len(counts))), counts)[0])
    if len(counts) < FEWEST_UNITS:
        return Agreement(len(counts), found, None, "too few pairs for an interval")
    return Agreement(len(counts), found, _interval(found, counts))


def _interval(found: float, counts: Array) -> Interval:
    """Return the interval, limited to -1 … 1: alpha of pairs of judgements converges to that range."""
    first, second = np.argsort(-counts.sum(axis=0), kind="stable")[:2]
    imagined = np.zeros((4, counts.shape[1]))
    imagined[:2, [first, second]] = 1
    imagined[2, first] = imagined[3, second] = 2
    counts = np.vstack([counts, imagined])
    units = len(counts)
    centre = float(_alpha(np.ones((1, units)), counts)[0])
    without_each = _alpha(1 - np.eye(units), counts)
    error = float(np.sqrt((units - 1) * without_each.var()))
    reach = float(stdtrit(units - 1, 1 - LEVEL / 2)) * error
    return Interval(max(-1.0, min(centre - reach, found)), min(1.0, max(centre + reach, found)))


def _alpha(weights: Array, counts: Array) -> Array:
    """Compute alpha for each row of weights, which tell how often a unit counts; needs at least two categories."""
    judgements = counts.sum(axis=1)
    agreeing = (counts * (counts - 1)).sum(axis=1) / (judgements - 1)
    number, of_each = weights @ judgements, weights @ counts
    expected = number**2 - (of_each**2).sum(axis=1)
    return np.asarray(1 - (number - 1) * (number - weights @ agreeing) / expected)
