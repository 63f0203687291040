"""Match old and new articles that are alike in properties that could make an article easier to write."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from flows.experiments.leakage.result_tables import MatchedPair

CALIPER = 0.5  # standard deviations, for each of length and citations
_FORBIDDEN = 1e6

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class ArticleFacts:
    """The properties by which an article is matched; None means unknown."""

    page_id: int
    words: int
    citations: int | None
    topic: str | None


@dataclass(frozen=True)
class Matching:
    """The matched pairs, and the properties by which articles were matched (`by`).

    For each numeric property, `imbalance` is the difference between the means of the matched old and new articles, in
    standard deviations. A value below 0.1 is considered balanced.
    """

    pairs: Sequence[MatchedPair]
    by: Sequence[str]
    imbalance: dict[str, float]


def match(old: Sequence[ArticleFacts], new: Sequence[ArticleFacts]) -> Matching:
    """Match articles such that each is in at most one pair and the sum of the pairs' squared distances is smallest.

    The distance is Euclidean over the logarithms of words and of 1 + citations, each divided by its standard deviation.
    A pair differs by at most `CALIPER` in each of the two, and both articles have the same topic. A property that is
    unknown for any article is ignored. Sources: Rosenbaum 1989, Optimal matching for observational studies; Stuart
    2010, Matching methods for causal inference, section 3 (calipers, balance).
    """
    everyone = [*old, *new]
    if not old or not new:
        return Matching([], ["length"], {"length": 0.0})
    columns = {"length": np.log([max(article.words, 1) for article in everyone])}
    if all(article.citations is not None for article in everyone):
        columns["citations"] = np.log1p([article.citations or 0 for article in everyone])
    scaled = {name: values / (values.std() or 1.0) for name, values in columns.items()}
    apart = [np.abs(values[: len(old), None] - values[None, len(old) :]) for values in scaled.values()]
    cost: Array = np.sum([distances**2 for distances in apart], axis=0)
    allowed = np.all([distances <= CALIPER for distances in apart], axis=0)
    has_topics = any(article.topic for article in old) and any(article.topic for article in new)
    if has_topics:
        allowed &= np.array([[a.topic == b.topic for b in new] for a in old], bool).reshape(cost.shape)
    rows, places = linear_sum_assignment(np.where(allowed, cost, _FORBIDDEN))
    matched = allowed[rows, places]
    pairs = [
        MatchedPair(old_page_id=old[a].page_id, new_page_id=new[b].page_id, distance=float(np.sqrt(cost[a, b])))
        for a, b in zip(rows[matched], places[matched], strict=True)
    ]
    imbalance = {
        name: float(values[rows[matched]].mean() - values[len(old) + places[matched]].mean()) if pairs else 0.0
        for name, values in scaled.items()
    }
    return Matching(pairs, [*columns, *(["topic"] if has_topics else [])], imbalance)
