"""The verdicts higher, lower and cannot tell, after one correction for all tests that a headline speaks of."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from evaluators import statistics

CANNOT_TELL = "cannot tell"
_NAMED = 3  # decoders that are always named
Row = TypeVar("Row", bound=Any)
Means = Mapping[int, float]  # by page id
Range = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class PairedDifference:
    """The columns of a row about a difference that are computed before `judged`: the mean over prompts with its 95 %
    interval, the number of prompts, and p of no difference."""

    prompts: int
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    verdict: str


def paired_differences(
    pairs: Sequence[tuple[Means, Means]], pages: Sequence[int], seed: int, *, ranges: Sequence[Range] | None = None
) -> list[PairedDifference]:
    """Return one difference for each pair of prompt means, the first less the second, over the prompts that have both.

    `pages` are the prompts of all pairs together. `ranges` are those of the differences, which no interval leaves.
    """
    table = np.array([[one.get(page, np.nan) - other.get(page, np.nan) for page in pages] for one, other in pairs]).T
    found, p = statistics.differences_estimate(table), statistics.p_values(table, seed)
    intervals = [found.at(place) for place in range(len(pairs))]
    if ranges:
        intervals = [one.within(*of_one) for one, of_one in zip(intervals, ranges, strict=True)]
    return [
        PairedDifference(
            prompts=one.clusters,
            difference=one.mean,
            low=one.low,
            high=one.high,
            p=statistics.number_or_none(of_one),
            p_holm=None,
            verdict=statistics.TOO_FEW if one.is_of_too_few else CANNOT_TELL,
        )
        for one, of_one in zip(intervals, p, strict=True)
    ]


def judged(rows: Sequence[Row]) -> list[Row]:
    """The rows of one family with `p_holm` and `verdict`, by their `difference` and `p`.

    Holm's correction is over all rows but those whose verdict is `TOO_FEW`, which keep it.
    """
    p = [None if row.verdict == statistics.TOO_FEW else row.p for row in rows]
    return [
        replace(row, p_holm=statistics.number_or_none(p_holm), verdict=_verdict(row, float(p_holm)))
        for row, p_holm in zip(rows, statistics.holm(p), strict=True)
    ]


def untold(found: Iterable[tuple[str, str, str]]) -> list[str]:
    """The sentences of what cannot be told, of (about, metric, compared with): metrics of which the same cannot be told
    are one sentence."""
    metrics: dict[tuple[str, str], list[str]] = {}
    for about, metric, compared in found:
        metrics.setdefault((about, compared), []).append(metric)
    return [
        f"{about}: whether {', '.join(names)} differ{'s' * (len(names) == 1)} {compared}"
        for (about, compared), names in metrics.items()
    ]


def decoders_words(names: Sequence[str], compared: int) -> str:
    """The decoders of which something cannot be told, by their number where it is all of more than three."""
    return "; ".join(names) if len(names) < compared or compared <= _NAMED else f"any of {compared} other decoders"


def _verdict(row: Row, p_holm: float) -> str:
    if row.verdict == statistics.TOO_FEW:
        return statistics.TOO_FEW
    if row.difference is not None and p_holm <= statistics.LEVEL:
        return "higher" if row.difference > 0 else "lower"
    return CANNOT_TELL
