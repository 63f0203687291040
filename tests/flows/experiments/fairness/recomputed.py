"""Disparities of groups and how shares go with diversity, once more: nothing of the product is used."""

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm
from scipy.stats import t as student

Array = NDArray[np.float64]


def disparity(means: Array) -> Array:
    """The mean absolute difference over pairs of groups, which are the last axis."""
    pairs = itertools.combinations(range(means.shape[-1]), 2)
    return np.asarray(np.mean([np.abs(means[..., a] - means[..., b]) for a, b in pairs], axis=0))


def dealt_p(groups: Array, draws: int = 10_000) -> float:
    """How often the disparity of contexts x groups is as great where each context's numbers are dealt out anew."""
    order = np.random.default_rng(21).random((draws, *groups.shape)).argsort(axis=2)
    dealt = np.take_along_axis(np.broadcast_to(groups, order.shape), order, axis=2).mean(axis=1)
    return float((disparity(dealt) >= disparity(groups.mean(axis=0)) - 1e-9).mean())


def reach(groups: Array, draws: int = 10_000) -> float:
    """How far the 95 % interval of a disparity reaches: the 95 % quantile of the pairs' mean absolute error where
    contexts are drawn with replacement, for as few contexts as there are."""
    count, means = len(groups), groups.mean(axis=0)
    places = np.random.default_rng(22).integers(count, size=(draws, count))
    errors = disparity(groups[places].mean(axis=1) - means)  # of a pair: its difference less the true one
    stretched = math.sqrt(count / (count - 1)) * float(student.ppf(0.975, count - 1) / norm.ppf(0.975))
    return float(np.quantile(errors, 0.95)) * stretched


def trigram_entropy(sentences: Sequence[str]) -> float:
    """Of the trigrams of words of all sentences together (Dhamala et al. 2022, equation 1)."""
    times: Counter[tuple[str, ...]] = Counter()
    for sentence in sentences:
        words = sentence.strip(".").split()
        times.update(zip(words, words[1:], words[2:], strict=False))
    every = sum(times.values())
    return -sum(one / every * math.log(one / every) for one in times.values())


def slopes(entropy: Sequence[float], groups: Mapping[str, Array]) -> tuple[float, float, list[float]]:
    """Of groups of contexts x settings: Pearson's r of entropy and the mean share, by how much a slope is divided to be
    r, and by context what it says the slope is."""
    apart = np.array(entropy) - np.mean(entropy)
    share = np.mean([one.mean(axis=0) for one in groups.values()], axis=0)
    scale = math.sqrt(float((apart**2).sum() * ((share - share.mean()) ** 2).sum()))
    by_context = np.mean([one @ apart for one in groups.values()], axis=0)
    return float(np.corrcoef(entropy, share)[0, 1]), scale, by_context.tolist()
