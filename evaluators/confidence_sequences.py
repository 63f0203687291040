"""Judge a mean of paired differences after every round of prompts, with one error rate over all looks.

An interval of `evaluators/statistics.py` covers the true mean in 95 of 100 cases if somebody looks once. Whoever looks
after every round and stops at the first significant result is wrong far more often. The intervals here cover the true
mean at every look at once in 95 of 100 cases, so that an evaluation may stop at any look.

The prompts of a snapshot are drawn without replacement. The theory used here is that of independent draws, because a
verdict is about new articles of the same kind and not about the articles of one snapshot. Intervals for sampling
without replacement would be narrower, and would shrink to a point when every article is used.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evaluators.statistics import LEVEL, Array, differences_estimate, transformed, untransformed

Kind = Literal["betting", "asymptotic"]
# What must hold for the intervals and e-values of each kind
CONDITIONS: dict[Kind, str] = {
    "betting": "exact for independent articles: the metric has a smallest and a largest value",
    "asymptotic": "approximate, for independent articles without rare extreme differences: the metric has no bounds",
}

_BETS = np.arange(1, 21) / 21  # shares of the capital; Waudby-Smith & Ramdas 2023 use an even grid as well
FEWEST_ASYMPTOTIC = 30  # prompts before the first look of an asymptotic sequence
_TIGHTEST_AT = 100  # prompts at which an asymptotic sequence is narrowest
_HALVINGS = 24  # to less than a millionth of the range
_GROUP = 16  # factors between 1/21 and 1e7


@dataclass(frozen=True)
class AnytimeEstimate:
    """The mean of paired differences that may be looked at after any number of prompts.

    `low` and `high` enclose the true mean at all looks at once, in 95 of 100 cases. `e_value` is the evidence against a
    mean of 0: under it, the chance that it ever reaches 1 / a is at most a. `low` and `high` are None, and the e-value
    is 1, where `lacking` says why nothing can be said.
    """

    kind: Kind
    prompts: int
    mean: float | None
    low: float | None
    high: float | None
    e_value: float
    lacking: str | None = None

    def is_within(self, margin: float) -> bool:
        """Return whether the whole interval lies inside ±`margin`."""
        return self.low is not None and self.high is not None and -margin < self.low and self.high < margin


def anytime_estimate(differences: Array, span: float | None, level: float = LEVEL) -> AnytimeEstimate:
    """Estimate the mean of the prompts' differences, by betting if none can exceed ±`span`, otherwise asymptotically.

    `differences` has one number per prompt; NaN means no difference.
    """
    present = differences[np.isfinite(differences)]
    return _asymptotic(present, level) if span is None else _by_betting(present, span, level)


def _by_betting(differences: Array, span: float, level: float) -> AnytimeEstimate:
    """Return the interval of means against which no gambler became rich, and the capital won against a mean of 0.

    The hedged grid Kelly confidence sequence: one half of the capital bets that the mean is higher than m, the other
    half that it is lower, each split evenly over 20 constant shares g of the capital:

        K(m) = ½ mean_g Π (1 - g + g xᵢ / m) + ½ mean_g Π (1 - g + g (1 - xᵢ) / (1 - m))

    with x the differences moved into [0, 1]. If m is the true mean, K is a nonnegative martingale that starts at 1, so
    it ever reaches 1 / level with a probability of at most `level` (Ville's inequality). The interval has the m with
    K(m) < 1 / level. It is an interval because K is convex: each factor is positive, convex and monotone in m, in the
    same direction as the others of its product. Source: Waudby-Smith & Ramdas 2023, Estimating means of bounded random
    variables by betting, Journal of the Royal Statistical Society B 86(1), theorem 3 and the appendix on other bets.
    """
    if not len(differences):
        return AnytimeEstimate("betting", 0, None, None, None, 1.0, "no prompts")
    shares = np.clip((differences + span) / (2 * span), 0.0, 1.0)
    centre, bar = float(shares.mean()), -math.log(level)

    def is_excluded(mean: float) -> bool:
        return log_capital(shares, mean) >= bar

    low, high = _edge(is_excluded, centre, 0.0), _edge(is_excluded, centre, 1.0)
    return AnytimeEstimate(
        "betting",
        len(differences),
        float(differences.mean()),
        2 * span * low - span,
        2 * span * high - span,
        _exponential(log_capital(shares, 0.5)),
    )


def log_capital(shares: Array, mean: float) -> float:
    """Return the logarithm of the hedged capital K(mean), for numbers in [0, 1] and a mean between 0 and 1."""
    higher, lower = _log_side(shares / mean), _log_side((1 - shares) / (1 - mean))
    return float(np.logaddexp(higher, lower)) - math.log(2)


def _log_side(odds: Array) -> float:
    """Return the logarithm of the mean of the products. Factors are multiplied in groups that cannot overflow."""
    factors = np.ones((len(_BETS), -(-len(odds) // _GROUP) * _GROUP))
    factors[:, : len(odds)] += np.multiply.outer(_BETS, odds - 1)
    logs = np.log(factors.reshape(len(_BETS), -1, _GROUP).prod(axis=2)).sum(axis=1)
    return float(np.logaddexp.reduce(logs)) - math.log(len(_BETS))


def _edge(is_excluded: Callable[[float], bool], inside: float, end: float) -> float:
    """Return where the interval around `inside` ends on the way to `end`, which itself is never excluded."""
    outside = end
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        if not 0 < middle < 1 or middle in (inside, outside):
            break
        inside, outside = (inside, middle) if is_excluded(middle) else (middle, outside)
    return outside


def _asymptotic(differences: Array, level: float) -> AnytimeEstimate:
    """Return the asymptotic confidence sequence of Robbins's normal mixture, and its value against a mean of 0.

    With s the standard deviation of t differences, the interval is mean ± q s / √t with
    q² = 2 (tρ² + 1) / (tρ²) · log(√(tρ² + 1) / level); ρ makes it narrowest at 100 prompts. Its coverage over all looks
    approaches 1 - level as the number of prompts at the first look grows; there is none below 30. Source: Waudby-Smith,
    Arbour, Sinha, Kennedy & Ramdas 2024, Time-uniform central limit theory and asymptotic confidence sequences, Annals
    of Statistics 52(6), theorem 2.2.

    As in `evaluators.statistics.estimate`, each end is the farther one of this and of Hall's transformation, which
    corrects for skewed differences: without it, skewed differences of mean 0 seem to differ too often
    (benchmarks/until_sure.py).
    """
    number = len(differences)
    mean = float(differences.mean()) if number else None
    if number < FEWEST_ASYMPTOTIC or mean is None:
        return AnytimeEstimate("asymptotic", number, mean, None, None, 1.0, f"fewer than {FEWEST_ASYMPTOTIC} prompts")
    found = differences_estimate(differences[:, None])
    if found.lacking[0]:
        return AnytimeEstimate("asymptotic", number, mean, None, None, 1.0, found.lacking[0])
    error, skew = float(found.standard_error[0]), found.skew
    bar = -2 * math.log(level)
    shrinkage = number * (bar + math.log(bar) + 1) / _TIGHTEST_AT
    quantile = np.array([math.sqrt(2 * (shrinkage + 1) / shrinkage * math.log(math.sqrt(shrinkage + 1) / level))])
    below = float(np.maximum(quantile, untransformed(quantile, skew))[0])
    above = float(np.maximum(quantile, -untransformed(-quantile, skew))[0])
    t = np.array([mean / error])
    nearest = min(abs(float(t[0])), abs(float(transformed(t, skew)[0])))
    log_e = shrinkage * nearest**2 / (2 * (shrinkage + 1)) - math.log(shrinkage + 1) / 2
    return AnytimeEstimate("asymptotic", number, mean, mean - below * error, mean + above * error, _exponential(log_e))


def _exponential(logarithm: float) -> float:
    return math.exp(min(logarithm, 700.0))


def e_holm(e_values: Sequence[float]) -> list[float]:
    """Return the e-values corrected for their number, in their order.

    If differences are claimed where the corrected value reaches 1 / a, any claim is false with a probability of at most
    a, however the metrics depend on each other and whenever the evaluation stops. The corrected value of a metric is
    the smallest mean of its e-value and any of the others. Source: Vovk & Wang 2021, E-values: calibration, combination
    and applications, Annals of Statistics 49(3), section 5 (algorithm 2).
    """
    ordered = sorted(e_values)
    corrected = []
    for value in e_values:
        others = ordered.copy()
        others.remove(value)
        sums = np.concatenate([[value], value + np.cumsum(others)]) if others else np.array([value])
        corrected.append(float(np.min(sums / np.arange(1, len(sums) + 1))))
    return corrected
