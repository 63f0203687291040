"""Test whether old articles can be distinguished from new ones, by a model's likelihood and without any model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluators.statistics import LEVEL
from evaluators.two_groups import area_interval
from flows.experiments.leakage.result_tables import Membership

_RESAMPLES = 1_000
_FOLDS = 5

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Separation:
    """How well scores separate the old articles of `pairs` matched pairs from the new ones.

    `auc` is the probability that an old article's score is above a new one's; it is 0.5 if the scores are
    uninformative. `low` and `high` are its 95 % interval, and `drawn` are its bootstrap draws.
    """

    pairs: int
    auc: float
    low: float
    high: float
    drawn: Array


def separation(old: Array, new: Array, seed: int) -> Separation:
    """Compute the area under the ROC curve of these scores; `drawn` is the area for pairs resampled with replacement.

    Ties count half. The interval is that of `evaluators.two_groups`, which has a width even if the scores separate all
    articles. Source: Hanley & McNeil 1982, The meaning and use of the area under a ROC curve.
    """
    above = (old[:, None] > new[None, :]) + 0.5 * (old[:, None] == new[None, :])
    pairs = len(old)
    weights = np.random.default_rng(seed).multinomial(pairs, [1 / pairs] * pairs, size=_RESAMPLES).astype(float)
    drawn = ((weights @ above) * weights).sum(axis=1) / pairs**2
    auc = float(above.mean())
    return Separation(pairs, auc, *area_interval(auc, pairs, pairs), drawn)


def blind_scores(old: Sequence[str], new: Sequence[str], seed: int) -> tuple[Array, Array]:
    """Return how old each text looks to a classifier that was fitted to other pairs.

    The classifier is a logistic regression on the texts' words and word pairs, including dates, weighted by tf-idf.
    Cross-validation ensures that no pair is scored by a classifier that was fitted to it.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    folds = np.random.default_rng(seed).permutation(len(old)) % _FOLDS
    scores = np.zeros((2, len(old)))
    for fold in range(min(_FOLDS, len(old))):
        read, judged = np.flatnonzero(folds != fold).tolist(), np.flatnonzero(folds == fold).tolist()
        classifier = make_pipeline(
            TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"(?u)\b\w+\b", max_features=20_000, sublinear_tf=True),
            LogisticRegression(C=10.0, max_iter=1_000),
        )
        texts = [*(old[place] for place in read), *(new[place] for place in read)]
        classifier.fit(texts, [1] * len(read) + [0] * len(read))
        for row, kind_texts in enumerate((old, new)):
            scores[row, judged] = classifier.decision_function([kind_texts[place] for place in judged])
    return scores[0], scores[1]


def set_beside(model: str, score: str, own: Separation, blind: Separation) -> Membership:
    """Compare a model's separation with the blind baseline's; both use the same draws, so the difference is paired."""
    low, high = np.quantile(own.drawn - blind.drawn, [LEVEL / 2, 1 - LEVEL / 2])
    return Membership(
        model=model,
        score=score,
        pairs=own.pairs,
        auc=own.auc,
        low=own.low,
        high=own.high,
        blind_auc=blind.auc,
        blind_low=blind.low,
        blind_high=blind.high,
        difference_low=float(low),
        difference_high=float(high),
    )
