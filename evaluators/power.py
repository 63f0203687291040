"""Compute how many prompts are needed to detect a difference: by the power of the paired t test at the tested level.

Holm's correction for m tests compares the smallest p with 0.05 / m first. So that is the level at which a difference
must be detected, whatever the others are; if others are detected too, fewer prompts suffice.
"""

import functools
import math

from scipy.special import nctdtr, nctdtrinc, ndtri, stdtrit

from evaluators.statistics import FEWEST, LEVEL

POWER = 0.8
CONFIDENCE = 0.8  # of the range of prompts
_MANY = 1e6  # prompts, from which the normal distribution is used


def prompts_needed(effect: float, tests: int = 1) -> float:
    """Return how many prompts would show a difference of this size (d_z) in four of five evaluations with `tests`
    tests.

    At least `FEWEST`, the minimum for a verdict; infinite for no difference, NaN for NaN. Sources: Cohen 1988,
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
    """Return the smallest and the largest number of prompts that `prompts_needed` gives for the plausible differences,
    if an effect of this size was found in `prompts` prompts: those in the effect's 80 % interval. The largest is
    infinite if the interval contains 0; both are NaN if there is no effect size.

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
    """Return the smallest difference (d_z) that so many prompts show in four of five evaluations with `tests` tests.

    The inverse of `prompts_needed`; NaN for fewer than `FEWEST`, which can show none.
    """
    if prompts < FEWEST:
        return math.nan
    low, high = 0.0, 400.0  # in standard errors
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _power(middle, prompts, tests) < POWER else (low, middle)
    return high / math.sqrt(prompts)


def _noncentrality(t: float, prompts: int, side: int) -> float:
    """Return the end of the noncentrality's interval, the lower one for side 1, given this t."""
    return float(nctdtrinc(prompts - 1, 0.5 + side * CONFIDENCE / 2, t))


def _power(noncentrality: float, prompts: int, tests: int) -> float:
    """Return the chance that the paired t test detects a difference of so many standard errors."""
    freedom = prompts - 1
    edge = stdtrit(freedom, 1 - LEVEL / tests / 2)
    return float(1 - nctdtr(freedom, noncentrality, edge) + nctdtr(freedom, noncentrality, -edge))
