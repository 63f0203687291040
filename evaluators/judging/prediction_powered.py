"""A model's judgements of many pairs, corrected by people's of some of them: prediction-powered inference."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluators.judging.preference import Interval, adjusted_mean, normal_quantile
from evaluators.statistics import FEWEST

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Corrected:
    """What people's win rate is on pairs like these, by so many that people `judged` and so many that the model alone
    has judged. `weight` is how far the model is trusted: PPI++'s λ, from 0 (people alone) to 1. None without people on
    `FEWEST` pairs, or where the model judged no pair beside theirs."""

    judged: int
    by_model_alone: int
    win_rate: float
    interval: Interval
    weight: float


def corrected(people: ArrayLike, model: ArrayLike, model_alone: ArrayLike) -> Corrected | None:
    """`people` and `model` are the values of the same pairs, `model_alone` those of pairs that no person has judged.
    The pairs that people judged must be a random share of all.

    With Y people's values, f the model's, n pairs of both and N of the model alone, the estimate is
    λ mean_N(f) + mean_n(Y - λ f), whatever the model is like; its variance λ² Var(f) / N + Var(Y - λ f) / n;
    λ = Cov(Y, f) / ((1 + n / N) Var(f)), cut at 0 and 1, makes that least. Sources: Angelopoulos, Bates, Fannjiang,
    Jordan & Zrnic 2023, Prediction-powered inference, algorithm 1; Angelopoulos, Duchi & Zrnic 2023, PPI++: efficient
    prediction-powered inference (λ of a mean). The interval takes Y - λ f with one imagined value at each of
    its bounds, as `mean_interval` does, so that few pairs on which all agree do not pass for certainty.
    """
    by_people, beside, alone = (np.asarray(one, float) for one in (people, model, model_alone))
    if len(by_people) < FEWEST or not len(alone):
        return None
    weight = _weight(by_people, beside, alone)
    left = by_people - weight * beside
    mean, error = adjusted_mean(left, -weight, 1)
    of_model = np.concatenate([beside, alone]).var() / len(alone)
    centre = weight * float(alone.mean()) + mean
    reach = normal_quantile() * float(np.sqrt(weight**2 * of_model + error**2))
    return Corrected(
        len(by_people),
        len(alone),
        float(np.clip(weight * alone.mean() + left.mean(), 0, 1)),
        Interval(max(0.0, centre - reach), min(1.0, centre + reach)),
        weight,
    )


def _weight(people: Array, model: Array, alone: Array) -> float:
    variance = np.concatenate([model, alone]).var()
    if variance == 0:
        return 0.0
    shared = ((people - people.mean()) * (model - model.mean())).sum() / (len(people) - 1)
    return float(np.clip(shared / ((1 + len(people) / len(alone)) * variance), 0, 1))
