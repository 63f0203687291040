"""Measure how much worse a model continues its own text than data: EB-M, EB-C and their parts.

The source of everything here: He et al. 2021, Exposure bias versus self-recovery: are distortions really incremental
for autoregressive text generation?
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import rel_entr

from evaluators.statistics import Array


def total_variation(p: ArrayLike, q: ArrayLike) -> Array:
    """Return ½ Σ |p − q| over the last axis, from 0 to 1, of distributions [..., vocabulary]. Source: equation 6."""
    return np.asarray(np.abs(np.asarray(p, float) - np.asarray(q, float)).sum(axis=-1) / 2)


def jensen_shannon(p: ArrayLike, q: ArrayLike) -> Array:
    """Return ½ KL(p‖m) + ½ KL(q‖m) with m = (p + q) / 2 over the last axis, from 0 to ln 2 nats. Source: equations 7
    and 8; the paper does not state the base of the logarithm."""
    p, q = np.asarray(p, float), np.asarray(q, float)
    middle = (p + q) / 2
    return np.asarray(np.maximum(0.0, (rel_entr(p, middle) + rel_entr(q, middle)).sum(axis=-1) / 2))


def generation_deviation(divergences: ArrayLike, probabilities: ArrayLike | None = None) -> float:
    """Return CGD, the expected divergence between the next token's distributions under the model and under the data,
    over prefixes: the mean over drawn prefixes, or weighted by the `probabilities` of all of them. Source: equation 3,
    and with a gap between a damaged prefix and the token equation 9."""
    weights = None if probabilities is None else np.asarray(probabilities, float)
    return float(np.average(np.asarray(divergences, float), weights=weights))


def eb_m(after_data: float, after_others: float) -> float | None:
    """Return EB-M, the score of the model's text after prefixes of data over that after other prefixes: above 1 if the
    others cost quality or diversity. None if the latter is 0. Source: equation 2 for prefixes of the model, section 6.2
    for shuffled and corrupted ones, and equation 5 with a gap, where both scores are of the same position."""
    return after_data / after_others if after_others else None


def eb_c(after_others: float, after_data: float) -> float | None:
    """Return EB-C, the CGD after other prefixes over that after prefixes of data: above 1 if the others make the model
    deviate more. None if the latter is 0, as for a model that equals the data's distribution. Source: equation 4, and
    with a gap equation 10, where the data's prefix is longer by the gap."""
    return after_others / after_data if after_data else None


def slope(places: Sequence[float], values: Sequence[float]) -> float:
    """Return the mean gain of a value per position, by least squares: whether distortions accumulate along prefixes, or
    are recovered from along gaps."""
    deviations = np.asarray(places, float) - np.mean(places)
    return float((deviations * np.asarray(values, float)).sum() / (deviations**2).sum())
