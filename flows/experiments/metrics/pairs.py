"""Compare two texts of the ladder by each metric, over articles."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluators import statistics
from evaluators.bounded_intervals import bounded_interval
from evaluators.judging.preference import sign_test
from evaluators.power import prompts_needed
from flows.experiments.metrics.ladder import (
    ARTICLE,
    FIRST_SENTENCE,
    HALF,
    OF_LENGTH,
    OTHER,
    REPEATED,
    REPLACED,
    REPLACEMENT,
    RUNGS,
)
from flows.experiments.metrics.result_tables import MetricPair, MetricStratum, Verdict

CANNOT_TELL: Verdict = "cannot tell"
TOO_FEW: Verdict = "too few articles"
NO_NUMBERS: Verdict = "no numbers"
RIGHT: Verdict = "right"
WRONG: Verdict = "wrong"

MOST_PROMPTS = 1_000_000
"""A larger number of prompts is not stored: nobody has them."""
_ROUNDING = 1e-9
"""Two numbers that differ by less than this share of them, or of 1, are equal."""

Array = NDArray[np.float64]
Pair = tuple[str, str]

_WORSE = (*REPLACED, FIRST_SENTENCE, REPEATED, "words_shuffled", "sentences_shuffled", "names_exchanged",
          "numbers_changed", "negated", "later_part", "headings")  # fmt: skip
NEIGHBORS: Sequence[Pair] = tuple(itertools.pairwise(REPLACEMENT))
"""Each rung of the ladder of replaced sentences with the next one."""
WORTHLESS = (FIRST_SENTENCE, REPEATED, "words_shuffled", OTHER)
"""The texts that no metric should prefer to one of which half is true."""
ACROSS_LENGTHS: Pair = ("words_320", "words_40")
OF_LENGTHS: Sequence[Pair] = (*((long, short) for short, long in itertools.pairwise(OF_LENGTH)),
                              ACROSS_LENGTHS)  # fmt: skip
PAIRS: Sequence[Pair] = tuple(
    dict.fromkeys(
        [
            *((ARTICLE, name) for name in _WORSE),
            *NEIGHBORS,
            *((HALF, name) for name in WORTHLESS),
            ("replaced_25", "words_shuffled"),
            *OF_LENGTHS,
        ]
    )
)
"""The pairs of texts, the better one first. The texts of `OF_LENGTHS` differ in their length alone."""


@dataclass(frozen=True)
class Scored:
    """The numbers of a metric: articles × rungs in the order of `RUNGS`, NaN where there is none."""

    metric: str
    evaluator_id: str
    direction: str
    values: Array

    def of(self, rung: str) -> Array:
        return np.asarray(self.values[:, list(RUNGS).index(rung)])


def pairs_of(scored: Sequence[Scored]) -> list[MetricPair]:
    """Return each metric's pairs of texts with their verdicts, corrected for all pairs of the metric (Holm)."""
    return [row for metric in scored for row in _judged([_pair(metric, pair) for pair in PAIRS])]


def _judged(rows: Sequence[MetricPair]) -> list[MetricPair]:
    corrected = statistics.holm([None if row.verdict in (TOO_FEW, NO_NUMBERS) else row.p for row in rows])
    return [
        replace(row, p_holm=statistics.number_or_none(p), verdict=_verdict(row, float(p)))
        for row, p in zip(rows, corrected, strict=True)
    ]


def parts_of(scored: Sequence[Scored], stratum: str, parts: Mapping[str, NDArray[np.bool_]]) -> list[MetricStratum]:
    """Return, for each part of the articles, how often the article's beginning beats another article's."""
    rows = []
    for metric in scored:
        values = {name: np.where(chosen, _wins(metric, (ARTICLE, OTHER)), np.nan) for name, chosen in parts.items()}
        for name, wins in values.items():
            found = _share(wins)
            rows.append(
                MetricStratum(
                    metric=metric.metric,
                    stratum=stratum,
                    value=name,
                    articles=found.clusters,
                    share=found.mean,
                    low=found.low,
                    high=found.high,
                    no_interval=_of_articles(found.lacking),
                )
            )
    return rows


def _pair(metric: Scored, pair: Pair) -> MetricPair:
    wins = _wins(metric, pair)
    found = _share(wins)
    count = found.clusters
    return MetricPair(
        metric=metric.metric,
        evaluator_id=metric.evaluator_id,
        direction=_direction(metric, pair),
        text=pair[0],
        beside=pair[1],
        articles=count,
        share=found.mean,
        low=found.low,
        high=found.high,
        no_interval=_of_articles(found.lacking),
        p=sign_test(int((wins > 0.5).sum()), int((wins < 0.5).sum())) if count else None,
        p_holm=None,
        verdict=NO_NUMBERS if not count else TOO_FEW if count < statistics.FEWEST else CANNOT_TELL,
        prompts=_prompts(metric.of(pair[0]) - metric.of(pair[1])),
    )


def _direction(metric: Scored, pair: Pair) -> str:
    return "none" if pair in OF_LENGTHS else metric.direction


def _wins(metric: Scored, pair: Pair) -> Array:
    """Return for each article 1 if the first text has the better number, 0 if the second has, 0.5 for a tie; NaN
    without two numbers."""
    first, second = metric.of(pair[0]), metric.of(pair[1])
    apart = first - second if _direction(metric, pair) != "lower" else second - first
    apart = np.where(np.abs(apart) <= _ROUNDING * np.fmax(1.0, np.abs(first)), 0.0, apart)
    return np.asarray((np.sign(apart) + 1) / 2)


def _share(wins: Array) -> statistics.MeanInterval:
    return bounded_interval(statistics.differences_estimate(wins[:, None]), 0.0, 1.0).at()


def _of_articles(reason: str | None) -> str | None:
    """Return why there is no interval, for articles; `evaluators.statistics` calls its units prompts."""
    return TOO_FEW if reason == statistics.TOO_FEW else reason


def _prompts(differences: Array) -> int | None:
    [effect] = statistics.effect_size(differences[:, None])
    needed = prompts_needed(float(effect)) if math.isfinite(effect) else math.inf
    return int(needed) if needed <= MOST_PROMPTS else None


def _verdict(row: MetricPair, p_holm: float) -> Verdict:
    if row.verdict != CANNOT_TELL or row.share is None or not p_holm <= statistics.LEVEL:
        return row.verdict
    if row.direction == "none":
        return "higher" if row.share > 0.5 else "lower"
    return RIGHT if row.share > 0.5 else WRONG
