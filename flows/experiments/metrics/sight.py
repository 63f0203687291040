"""What each metric sees, and which metrics together see most."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from evaluators.calibration import SEES_FROM
from flows.experiments.metrics.ladder import ARTICLE, HALF, OTHER, RUNGS
from flows.experiments.metrics.pairs import (
    ACROSS_LENGTHS,
    NEIGHBORS,
    RIGHT,
    WORTHLESS,
    WRONG,
    Array,
    Pair,
    Scored,
)
from flows.experiments.metrics.result_tables import Length, MetricPair, MetricRung, MetricSet, MetricSight

SIZES = (1, 2, 3)
"""The numbers of metrics for which the best set is searched."""
MOST_METRICS = 60
"""The largest number of metrics among which all sets are tried; of more, those with the best means are."""

SIGHTS: Mapping[str, tuple[Sequence[Pair], Callable[[Sequence[float]], float]]] = {
    "content": ([(ARTICLE, OTHER)], min),
    "order": ([(ARTICLE, "words_shuffled"), (ARTICLE, "sentences_shuffled")], max),
    "names": ([(ARTICLE, "names_exchanged")], min),
    "numbers": ([(ARTICLE, "numbers_changed")], min),
    "negation": ([(ARTICLE, "negated")], min),
    "repetition": ([(HALF, "first_sentence"), (HALF, "first_sentence_repeated")], min),
}
"""What a metric can see: the pairs of texts that show it, and whether it takes one of them (`max`) or all (`min`).
Content also takes means that fall from rung to rung of the ladder of replaced sentences."""
CONTENT = "content"
OF_CONTENT = frozenset({"names", "numbers", "negation"})
"""What only a metric that sees content can see. Another metric may prefer one of these texts for its form: negations
repeat a word, for example."""

Row = Mapping[Pair, MetricPair]


def rungs_of(scored: Sequence[Scored], words: Mapping[str, Sequence[int]]) -> list[MetricRung]:
    """Return the mean of each metric on each rung. `words` holds the number of words of each text of a rung."""
    return [
        MetricRung(
            metric=metric.metric,
            text=name,
            articles=int(np.isfinite(values).sum()),
            texts=len(words[name]),
            words=float(np.mean(words[name])) if words[name] else None,
            mean=_mean(values),
        )
        for metric in scored
        for name in RUNGS
        for values in [metric.of(name)]
    ]


def sights_of(scored: Sequence[Scored], pairs: Sequence[MetricPair]) -> list[MetricSight]:
    """Return what each metric sees. A metric without a better direction describes style, and sees nothing."""
    return [_sight(metric, _row(pairs, metric.metric)) for metric in scored]


def sets_of(pairs: Sequence[MetricPair]) -> list[MetricSet]:
    """Return, for each of `SIZES`, the metrics that together have the greatest mean over all tests, each test with the
    best of their shares. Of equal ones the first in alphabetical order is taken; a larger set that is no better than a
    smaller one is left out.

    The tests are those of `SIGHTS` and the neighbors of the ladder, as far as any metric has a share. A metric without
    one counts as chance (0.5). Metrics without a better direction take no part.
    """
    metrics = sorted({pair.metric for pair in pairs if pair.direction in ("higher", "lower")})
    if not metrics:
        return []
    table = np.array([list(_tests(_row(pairs, metric))) for metric in metrics], float)
    table = table[:, np.isfinite(table).any(axis=0)]
    if not table.size:
        return []
    shares = np.where(np.isfinite(table), table, 0.5)
    places = sorted(np.argsort(-shares.mean(axis=1), kind="stable")[:MOST_METRICS].tolist())
    found: list[MetricSet] = []
    for size in SIZES:
        best = max(
            itertools.combinations(places, size),
            key=lambda chosen: round(float(shares[list(chosen)].max(axis=0).mean()), 9),
            default=(),
        )
        share = float(shares[list(best)].max(axis=0).mean()) if best else 0.0
        if best and (not found or share > found[-1].share + 1e-9):
            found.append(
                MetricSet(
                    size=size, metrics=[metrics[place] for place in best], share=share, tests=int(shares.shape[1])
                )
            )
    return found


def shown_share(name: str, row: Row) -> float | None:
    """Return the share of articles by which a metric sees this; None without numbers."""
    pairs, of_all = SIGHTS[name]
    shares = [found.share for pair in pairs if (found := row[pair]).share is not None]
    return of_all(shares) if shares and (of_all is max or len(shares) == len(pairs)) else None


def _tests(row: Row) -> Iterator[float]:
    for name in SIGHTS:
        share = shown_share(name, row)
        yield np.nan if share is None else share
    for pair in NEIGHBORS:
        share = row[pair].share
        yield np.nan if share is None else share


def _row(pairs: Sequence[MetricPair], metric: str) -> Row:
    return {(pair.text, pair.beside): pair for pair in pairs if pair.metric == metric}


def _sight(metric: Scored, row: Row) -> MetricSight:
    content = row[ARTICLE, OTHER]
    sees = [name for name in SIGHTS if _is_seen(name, row)] if metric.direction != "none" else []
    if CONTENT in sees and not _falls(metric):
        sees.remove(CONTENT)
    if CONTENT not in sees:
        sees = [name for name in sees if name not in OF_CONTENT]
    gap = _between(metric, ARTICLE, OTHER)
    change = _between(metric, *ACROSS_LENGTHS)
    lengths: dict[str, Length] = {"higher": "rises", "lower": "falls"}
    return MetricSight(
        metric=metric.metric,
        evaluator_id=metric.evaluator_id,
        direction=metric.direction,
        articles=content.articles,
        sees=sees,
        prefers=[name for name in WORTHLESS if row[HALF, name].verdict == WRONG],
        length=lengths.get(row[ACROSS_LENGTHS].verdict, "cannot tell"),
        length_gap=change / abs(gap) if CONTENT in sees and gap and change is not None else None,
    )


def _is_seen(name: str, row: Row) -> bool:
    pairs, of_all = SIGHTS[name]
    seen = [(row[pair].share or 0.0) >= SEES_FROM and row[pair].verdict == RIGHT for pair in pairs]
    return any(seen) if of_all is max else all(seen)


def _falls(metric: Scored) -> bool:
    """Tell whether the means become worse from each rung of the ladder of replaced sentences to the next."""
    sign = -1.0 if metric.direction == "lower" else 1.0
    steps = [_between(metric, *pair) for pair in NEIGHBORS]
    return all(step is not None and sign * step > 0 for step in steps)


def _between(metric: Scored, first: str, second: str) -> float | None:
    """Return the mean difference of two rungs, over the articles that have both; None without such articles."""
    return _mean(metric.of(first) - metric.of(second))


def _mean(values: Array) -> float | None:
    present = values[np.isfinite(values)]
    return float(present.mean()) if len(present) else None
