"""Who can tell old articles from new ones, once more: nothing of the product, and no library of classifiers, is used.

Pairs are an old article and its new one; a text or score that looks older is the higher one.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Array = NDArray[np.float64]
_PENALTY, _FOLDS, _Z = 10.0, 5, 1.959964


def area(old: Sequence[float], new: Sequence[float]) -> float:
    """How often an old one is above a new one; ties count half."""
    return sum((a > b) + 0.5 * (a == b) for a in old for b in new) / (len(old) * len(new))


def ends(auc: float, pairs: int) -> tuple[float, float]:
    """The lowest and the highest area that is less than 1.96 of its own standard errors away (Newcombe 2006, method 5),
    to 0.0001."""
    areas = np.linspace(0.0001, 0.9999, 9_999)
    spread = 1 + (pairs - 1) * ((1 - areas) / (2 - areas) + areas / (1 + areas))
    error = np.sqrt(areas * (1 - areas) * spread) / pairs
    upper = areas[np.abs(areas - auc) <= _Z * error]
    turned = 1 - areas[np.abs(areas - (1 - auc)) <= _Z * error]
    return (0.0 if auc == 0 else float(turned.min())), (1.0 if auc == 1 else float(upper.max()))


def difference_ends(
    ours: tuple[Sequence[float], Sequence[float]], blind: tuple[Sequence[float], Sequence[float]], draws: int = 4_000
) -> tuple[float, float, float]:
    """The 95 % interval of one area less another when pairs are drawn with replacement, and the deviation of the
    draws."""
    above = [np.array([[(a > b) + 0.5 * (a == b) for b in new] for a in old]) for old, new in (ours, blind)]
    apart, random = above[0] - above[1], np.random.default_rng(12)
    places = random.integers(len(apart), size=(draws, len(apart)))
    drawn = np.array([apart[np.ix_(some, some)].mean() for some in places])
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high), float(drawn.std())


def blind(old: Sequence[str], new: Sequence[str], seed: int) -> tuple[list[float], list[float]]:
    """How old each text looks to logistic regression on words and pairs of words that was fitted to other pairs."""
    folds = np.random.default_rng(seed).permutation(len(old)) % _FOLDS
    found: tuple[list[float], list[float]] = [0.0] * len(old), [0.0] * len(old)
    for fold in range(_FOLDS):
        read = [place for place in range(len(old)) if folds[place] != fold]
        counts = [grams(text) for text in (*(old[at] for at in read), *(new[at] for at in read))]
        documents = Counter(gram for one in counts for gram in one)
        weights = {gram: math.log((1 + len(counts)) / (1 + times)) + 1 for gram, times in documents.items()}
        slopes, intercept = fitted([vector(one, weights) for one in counts], len(read), sorted(weights))
        for scores, texts in zip(found, (old, new), strict=True):
            for place in (at for at in range(len(old)) if folds[at] == fold):
                here = vector(grams(texts[place]), weights)
                scores[place] = intercept + sum(value * slopes[gram] for gram, value in here.items())
    return found


def grams(text: str) -> Counter[str]:
    words = re.findall(r"\w+", text.lower())
    return Counter([*words, *(f"{one} {other}" for one, other in itertools.pairwise(words))])


def vector(counts: Counter[str], weights: dict[str, float]) -> dict[str, float]:
    """Of length 1: one and the logarithm of a word's times here, by how rare it is."""
    values = {gram: (1 + math.log(times)) * weights[gram] for gram, times in counts.items() if gram in weights}
    length = math.sqrt(sum(value**2 for value in values.values()))
    return {gram: value / length for gram, value in values.items()}


def fitted(vectors: Sequence[dict[str, float]], old: int, names: Sequence[str]) -> tuple[dict[str, float], float]:
    """The slopes and the intercept with the least w·w / 2 + 10 Σ log(1 + exp(-y (w·x + b))); the first `old` are 1."""
    places = {name: place for place, name in enumerate(names)}
    table = np.zeros((len(vectors), len(names)))
    for row, one in enumerate(vectors):
        for name, value in one.items():
            table[row, places[name]] = value
    signs = np.array([1.0] * old + [-1.0] * (len(vectors) - old))

    def loss(parameters: Array) -> tuple[float, Array]:
        margin = signs * (table @ parameters[:-1] + parameters[-1])
        pull = -_PENALTY * signs / (1 + np.exp(margin))
        slope = np.append(parameters[:-1] + table.T @ pull, pull.sum())
        return float(parameters[:-1] @ parameters[:-1] / 2 + _PENALTY * np.logaddexp(0, -margin).sum()), slope

    found: Any = minimize(loss, np.zeros(len(names) + 1), jac=True, method="L-BFGS-B", options={"gtol": 1e-8})
    return dict(zip(names, found.x[:-1].tolist(), strict=True)), float(found.x[-1])
