"""Numbers of pages once more, in plain Python: nothing of `evaluators`, `flows` or `storage` is used here.

A test that computes the numbers and verdicts of a kind again, from raw texts or scores, is marked with `recomputes`;
`test_recomputations.py` fails where a kind of verdict, or an experiment, has no such test.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.stats import skew as skewed
from scipy.stats import t as student

Test = TypeVar("Test", bound=Callable[..., None])
LEVEL = 0.05


def recomputes(*kinds: str) -> Callable[[Test], Test]:
    """Mark a test with the kinds of verdict (`flows/verdict_kinds.py`) that it computes again."""
    return lambda test: test


@dataclass(frozen=True)
class Interval:
    """Of a mean; `sd` is that of the values."""

    mean: float
    error: float
    skew: float
    low: float
    high: float
    p: float
    sd: float


def interval(values: Sequence[float], level: float = LEVEL) -> Interval:
    """Of a mean of prompts with one text each, which it leaves out in `level` of cases: at each end the farther of
    Student's t and Hall's transformation of it (Hall 1992, equation 2.4), and the p of the mean being 0 by the
    latter."""
    n = len(values)
    mean = sum(values) / n
    second = sum((one - mean) ** 2 for one in values) / n
    third = sum((one - mean) ** 3 for one in values) / n
    error = math.sqrt(second / (n - 1))
    if error <= 1e-12 * abs(mean) or not error:
        return Interval(mean, error, 0.0, math.nan, math.nan, math.nan, error * math.sqrt(n))
    skew = math.sqrt(n * (n - 1)) / (n - 2) * third / second**1.5 / math.sqrt(n)
    quantile = float(student.ppf(1 - level / 2, n - 1))
    below = max(quantile, back(quantile, skew))
    above = max(quantile, -back(-quantile, skew))
    ratio = mean / error
    hall = ratio + skew * ratio**2 / 3 + skew**2 * ratio**3 / 27 + skew / 6
    p = 2 * float(student.cdf(-abs(hall), n - 1))
    return Interval(mean, error, skew, mean - below * error, mean + above * error, p, error * math.sqrt(n))


def clustered(clusters: Sequence[Sequence[float]]) -> tuple[float, float, float]:
    """The mean of all texts of prompts that have unlike numbers of them, with both ends of its interval: the error is
    CR2's (Bell & McCaffrey 2002), with Satterthwaite's degrees of freedom for independent texts."""
    shares = np.array([len(one) for one in clusters], float) / sum(map(len, clusters))
    means = np.array([sum(one) / len(one) for one in clusters])
    mean = float(shares @ means)
    error = math.sqrt(float(((shares * (means - mean)) ** 2 / (1 - shares)).sum()))
    pulls = shares**2 / (1 - shares)
    freedom = float(1 / ((shares**2).sum() + pulls.sum() ** 2 - (pulls**2).sum()))
    skewness = float(skewed(means, bias=False)) * float((shares**3).sum() / (shares**2).sum() ** 1.5)
    t = float(student.ppf(0.975, freedom))
    return mean, mean - max(t, back(t, skewness)) * error, mean + max(t, -back(-t, skewness)) * error


def bounded(values: Sequence[float], least: float, most: float) -> tuple[float, float]:
    """Both ends of the interval of a mean of prompts whose numbers have this range: at each end the farther of Wilson's
    (1927), for as many texts as would have this error, and of Hall's, which ends where Wilson's of as many texts as
    prompts does; NaN where prompts are alike inside the range."""
    one = interval([(value - least) / (most - least) for value in values])
    number, t = len(values), float(student.ppf(0.975, len(values) - 1))
    is_at_end = one.mean < 1e-9 or one.mean > 1 - 1e-9
    if not is_at_end and math.isnan(one.low):
        return math.nan, math.nan
    texts = number if is_at_end else one.mean * (1 - one.mean) / one.error**2
    low, high = wilson(one.mean, texts, t)
    if not is_at_end:
        lowest, highest = wilson(one.mean, number, t)
        low = min(low, max(lowest, one.mean - back(t, one.skew) * one.error))
        high = max(high, min(highest, one.mean - back(-t, one.skew) * one.error))
    return least + max(low, 0.0) * (most - least), least + min(high, 1.0) * (most - least)


def wilson(share: float, texts: float, t: float) -> tuple[float, float]:
    middle, scale = share + t * t / (2 * texts), 1 + t * t / texts
    reach = t * math.sqrt(share * (1 - share) / texts + t * t / (4 * texts**2))
    return (middle - reach) / scale, (middle + reach) / scale


def back(value: float, skew: float) -> float:
    """The t of which Hall's transformation makes this value."""
    return value if abs(skew) < 1e-6 else 3 / skew * (float(np.cbrt(1 + skew * (value - skew / 6))) - 1)


def sign_flips(differences: Sequence[float]) -> float:
    """p by all patterns of signs; by 200,000 drawn ones of more than 16 differences."""
    sums = np.zeros(1 if len(differences) <= 16 else 200_000)
    random = np.random.default_rng(1)
    for one in differences:
        few = len(differences) <= 16
        sums = np.concatenate([sums + one, sums - one]) if few else sums + random.choice([-one, one], len(sums))
    bar = abs(sum(differences)) - 1e-9 * sum(abs(one) for one in differences)
    return float((np.abs(sums) >= bar).mean())


def p_of_mean(differences: Sequence[float]) -> float:
    """p of the mean being 0: the greater of that by signs and that by Hall's transformation of t."""
    by_skew = interval(differences).p
    return max(sign_flips(differences), 0.0 if math.isnan(by_skew) else by_skew)


def close(p: float, other: float) -> bool:
    """Whether two p values are one, of which the first may be by 9,999 drawn patterns of signs."""
    return abs(p - other) <= 4 * math.sqrt(other * (1 - other) / 9_999) + 3e-4


def holm(p_values: Sequence[float]) -> list[float]:
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    corrected, least = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        least = max(least, p_values[place] * (len(p_values) - rank))
        corrected[place] = min(least, 1.0)
    return corrected
