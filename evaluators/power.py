"""How many prompts it takes to see a difference: by the power of the paired t test, at the level that is tested at.

A verdict after Holm's correction for m tests first compares the smallest p with 0.05 / m. So that is the level at which
a difference must be seen, whatever the others are; where others are seen too, it takes less.
"""

import functools
import math

from scipy.special import nctdtr, nctdtrinc, ndtri, stdtrit

from evaluators.statistics import FEWEST, LEVEL

POWER = 0.8
CONFIDENCE = 0.8  # of the range of prompts
_MANY = 1e6  # prompts: from here on by the normal distribution


def prompts_needed(effect: float, tests: int = 1) -> float:
    """So many prompts would show a difference of this size (d_z) in four of five evaluations, among so many tests.

    Never fewer than `FEWEST`, which a verdict takes; infinite for no difference, NaN for NaN. Sources: Cohen 1988,
    Statistical power analysis for the behavioral sciences, chapter 2; Miller 2024, on power analysis.
    """
    if not effect:
        return math.inf
    if math.isnan(effect):
        return math.nan
    quantile = float(ndtri(1 - LEVEL / tests / 2))
    by_normal = ((quantile + float(ndtri(POWER))) / effect) ** 2
    if by_normal > _MANY:
        return float(math.ceil(by_normal + quantile**2 / 2))
    prompts = max(FEWEST, math.floor(by_normal))
    while _power(abs(effect) * math.sqrt(prompts), prompts, tests) < POWER:
        prompts += 1
    return float(prompts)


def prompts_range(effect: float, prompts: int, tests: int = 1) -> tuple[float, float]:
    """The least and the greatest number of prompts that `prompts_needed` gives for the differences that may be, where
    so many prompts had one of this size: those of the effect's 80 % interval. The greatest is infinite where that
    holds 0; both are NaN where there is no effect size.

    Sources: Cumming & Finch 2001, A primer on the understanding, use, and calculation of confidence intervals that are
    based on central and noncentral distributions; Anderson, Kelley & Maxwell 2017, Sample-size planning for more
    accurate statistical power, on planning by the ends of that interval.
    """
    if math.isnan(effect) or prompts < 2:
        return math.nan, math.nan
    root = math.sqrt(prompts)
    low, high = (_noncentrality(abs(effect) * root, prompts, side) / root for side in (1, -1))
    return prompts_needed(high, tests), prompts_needed(max(low, 0.0), tests)


@functools.cache
def visible_effect(prompts: int, tests: int = 1) -> float:
    """The smallest difference (d_z) that so many prompts would show in four of five evaluations, among so many tests.

    The inverse of `prompts_needed`; NaN for fewer than `FEWEST`, which show none.
    """
    if prompts < FEWEST:
        return math.nan
    low, high = 0.0, 400.0  # in standard errors
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _power(middle, prompts, tests) < POWER else (low, middle)
    return high / math.sqrt(prompts)


def _noncentrality(t: float, prompts: int, side: int) -> float:
    """The end of its interval, the lower one for 1, where this t was found."""
    return float(nctdtrinc(prompts - 1, 0.5 + side * CONFIDENCE / 2, t))


def _power(noncentrality: float, prompts: int, tests: int) -> float:
    """The chance that the paired t test finds a difference that is so many standard errors large."""
    freedom = prompts - 1
    edge = stdtrit(freedom, 1 - LEVEL / tests / 2)
    return float(1 - nctdtr(freedom, noncentrality, edge) + nctdtr(freedom, noncentrality, -edge))
