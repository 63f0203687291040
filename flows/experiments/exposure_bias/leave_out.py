"""Leave out each group of articles in turn, and compute intervals over articles from the resulting scores."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import stdtr, stdtrit

from evaluators.statistics import ALIKE, LEVEL
from flows.experiments.exposure_bias.prefixes import Key

MOST_GROUPS = 20  # groups of articles; each group requires one more scoring of all texts
FEWEST = 3  # minimum number of seeds for an interval
FEWEST_ARTICLES = 6  # the smallest number of articles in benchmarks/exposure_bias_null.py
TOO_FEW, TOO_FEW_ARTICLES, ZERO = "too few seeds", "too few articles", "a score of 0"

# Maps the places of the texts that are kept to their score
ScoreOf = Callable[[Sequence[int]], float]


@dataclass(frozen=True)
class Replicated:
    """A number of one seed, and the same number without each group of articles; None if a score is 0."""

    whole: float | None
    without: Sequence[float | None]


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds with its 95 % interval over articles, and p of the test that it is 0.

    `lacking` is the reason for a missing interval.
    """

    mean: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    lacking: str | None = None


def page_groups(keys: Sequence[Key]) -> Mapping[int, int]:
    """Return the group of each page, numbered from 0 and the same for all seeds.

    Each page has its own group if there are at most `MOST_GROUPS` pages.
    """
    pages = sorted({page for page, _ in keys}, key=lambda page: hashlib.sha256(f"group:{page}".encode()).digest())
    return {page: place % MOST_GROUPS for place, page in enumerate(pages)}


def leave_out(score: ScoreOf, groups: Sequence[int], count: int) -> tuple[float, tuple[float, ...]]:
    """Return the score of all texts, and without each of `count` groups; `groups` has the group of each text."""
    everyone = range(len(groups))
    whole = score(everyone)
    present = set(groups)
    return whole, tuple(
        score([place for place in everyone if groups[place] != group]) if group in present else whole
        for group in range(count)
    )


def over_articles(seeds: Sequence[Replicated]) -> Estimate:
    """Return the mean over seeds with an interval by the delete-a-group jackknife over articles.

    A group is left out of all seeds at once. The variance therefore contains the differences between articles that all
    seeds share, and the draws of each seed for each article, divided by the number of seeds. Student's t has one degree
    of freedom less than there are groups.

    Source: Efron and Tibshirani 1993, An introduction to the bootstrap, chapter 11.
    """
    wholes = [replicated.whole for replicated in seeds if replicated.whole is not None]
    if (
        not seeds
        or len(wholes) < len(seeds)
        or any(value is None for replicated in seeds for value in replicated.without)
    ):
        return Estimate(lacking=ZERO)
    mean = float(np.mean(wholes))
    groups = len(seeds[0].without)
    if len(seeds) < FEWEST:
        return Estimate(mean, lacking=TOO_FEW)
    if groups < FEWEST_ARTICLES:
        return Estimate(mean, lacking=TOO_FEW_ARTICLES)
    without = np.mean(np.array([replicated.without for replicated in seeds], float), axis=0)
    error = sqrt((groups - 1) / groups * float(((without - without.mean()) ** 2).sum()))
    if error <= 1e-12 * max(1.0, abs(mean)):
        return Estimate(mean, lacking=ALIKE)
    reach = float(stdtrit(groups - 1, 1 - LEVEL / 2)) * error
    p = 2 * float(stdtr(groups - 1, -abs(mean) / error))
    return Estimate(mean, mean - reach, mean + reach, p)
