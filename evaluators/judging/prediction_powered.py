"""Correct a model's judgements of many units by people's judgements of some of them: prediction-powered inference."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluators.judging.preference import Interval, adjusted_mean, normal_quantile
from evaluators.statistics import FEWEST, Array


@dataclass(frozen=True)
class Corrected:
    """People's win rate on pairs like these, from `judged` pairs that people judged and `by_model_alone` that only the
    model judged. `weight` is how far the model is trusted: PPI++'s λ, from 0 (people alone) to 1."""

    judged: int
    by_model_alone: int
    win_rate: float
    interval: Interval
    weight: float


def corrected(people: ArrayLike, model: ArrayLike, model_alone: ArrayLike) -> Corrected | None:
    """Estimate the win rate. `people` and `model` are values of the same pairs, `model_alone` those of pairs without a
    person's judgement. The pairs that people judged must be a random sample. Returns None if people judged fewer than
    `FEWEST` pairs, or the model judged no others.

    With Y people's values, f the model's, n pairs of both and N of the model alone, the estimate is
    λ mean_N(f) + mean_n(Y - λ f), whatever the model is like; its variance λ² Var(f) / N + Var(Y - λ f) / n;
    λ = Cov(Y, f) / ((1 + n / N) Var(f)), cut at 0 and 1, makes that least. Sources: Angelopoulos, Bates, Fannjiang,
    Jordan & Zrnic 2023, Prediction-powered inference, algorithm 1; Angelopoulos, Duchi & Zrnic 2023, PPI++: efficient
    prediction-powered inference (λ of a mean). The interval takes Y - λ f with one imagined value at each of
    its bounds, as `mean_interval` does, so that few pairs on which all agree do not pass for certainty.
    """
    by_people, beside, alone = (np.asarray(part, float) for part in (people, model, model_alone))
    if len(by_people) < FEWEST or not len(alone):
        return None
    weight = _weight(by_people, beside, alone)
    left = by_people - weight * beside
    mean, error = adjusted_mean(left, -weight, 1)
    model_variance = np.concatenate([beside, alone]).var() / len(alone)
    centre = weight * float(alone.mean()) + mean
    reach = normal_quantile() * float(np.sqrt(weight**2 * model_variance + error**2))
    return Corrected(
        len(by_people),
        len(alone),
        float(np.clip(weight * alone.mean() + left.mean(), 0, 1)),
        Interval(max(0.0, centre - reach), min(1.0, centre + reach)),
        weight,
    )


@dataclass(frozen=True)
class CorrectedRatio:
    """A ratio of two means over units, from 0 to 1, as people would find it, from `judged` units that people judged and
    `by_model_alone` that only the model judged. `weight` is λ, from 0 (people alone) to 1."""

    judged: int
    by_model_alone: int
    ratio: float
    interval: Interval
    weight: float


def corrected_ratio(people: ArrayLike, model: ArrayLike, model_alone: ArrayLike) -> CorrectedRatio | None:
    """Correct a ratio whose numerator of a unit is at most its denominator, and that at most 1.

    Args:
        people: n units × (numerator, denominator), by people. The units must be a random share of all.
        model: The same units by the model, n × 2.
        model_alone: The units that no person has judged, N × 2; they may be means of several parts of a unit.

    With Y and f the two columns by people and by the model, both means are λ mean_N(f) + mean_n(Y - λ f), as in
    `corrected`, with one λ, and the ratio r is that of the two. Its error is that of the mean of z = numerator - r
    denominator over the mean denominator (the delta method; Cochran 1977, Sampling techniques, section 6.4), with two
    imagined units, one on which people find numerator and denominator and one with the denominator alone, the model
    finding the opposite. λ makes the variance of the mean of z least. Returns None without people on `FEWEST` units,
    without a unit of the model's own, or where the mean denominator is not above 0.
    """
    by_people, beside, alone = (np.asarray(part, float).reshape(-1, 2) for part in (people, model, model_alone))
    if len(by_people) < FEWEST or not len(alone) or by_people[:, 1].sum() <= 0:
        return None
    ratio = float(by_people[:, 0].sum() / by_people[:, 1].sum())
    for _ in range(2):  # λ depends on the ratio, and the ratio on λ
        weight = _weight(*(_beyond(part, ratio) for part in (by_people, beside, alone)))
        numerator, denominator = weight * alone.mean(axis=0) + (by_people - weight * beside).mean(axis=0)
        if denominator <= 0:
            return None
        ratio = float(np.clip(numerator / denominator, 0, 1))
    left = _beyond(by_people, ratio) - weight * _beyond(beside, ratio)
    size = float(by_people[:, 1].max())
    low, high = (-ratio - weight * (1 - ratio)) * size, (1 - ratio + weight * ratio) * size
    mean, error = adjusted_mean(left, low, high)
    model_variance = _beyond(np.concatenate([beside, alone]), ratio).var() / len(alone)
    centre = ratio + (mean - float(left.mean())) / denominator
    reach = normal_quantile() * float(np.sqrt(weight**2 * model_variance + error**2)) / denominator
    interval = Interval(max(0.0, min(centre - reach, ratio)), min(1.0, max(centre + reach, ratio)))
    return CorrectedRatio(len(by_people), len(alone), ratio, interval, weight)


def _beyond(part: Array, ratio: float) -> Array:
    return np.asarray(part[:, 0] - ratio * part[:, 1])


def _weight(people: Array, model: Array, alone: Array) -> float:
    variance = np.concatenate([model, alone]).var()
    if variance == 0:
        return 0.0
    shared = ((people - people.mean()) * (model - model.mean())).sum() / (len(people) - 1)
    return float(np.clip(shared / ((1 + len(people) / len(alone)) * variance), 0, 1))
