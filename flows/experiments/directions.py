"""The verdicts "higher", "lower" and "cannot tell", after one correction for all tests behind a headline."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from evaluators import statistics

CANNOT_TELL = "cannot tell"
_NAMED = 3  # decoders that are always listed by name
Row = TypeVar("Row", bound=Any)
Means = Mapping[int, float]  # mean by page id
Range = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class PairedDifference:
    """The columns of a difference row that are computed before `judged` assigns verdicts.

    They are the mean over prompts with its 95 % interval, the number of prompts, and the p-value under no difference.
    """

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
    """Return one difference for each pair of prompt means: the first minus the second, over the prompts that have both.

    `pages` are the prompts of all pairs together. `ranges` are the possible ranges of the differences; intervals are
    clipped to them.
    """
    table = np.array(
        [[first.get(page, np.nan) - second.get(page, np.nan) for page in pages] for first, second in pairs]
    ).T
    estimate, p = statistics.differences_estimate(table), statistics.p_values(table, seed)
    intervals = [estimate.at(place) for place in range(len(pairs))]
    if ranges:
        intervals = [interval.within(*bounds) for interval, bounds in zip(intervals, ranges, strict=True)]
    return [
        PairedDifference(
            prompts=interval.clusters,
            difference=interval.mean,
            low=interval.low,
            high=interval.high,
            p=statistics.number_or_none(p_value),
            p_holm=None,
            verdict=statistics.TOO_FEW if interval.is_of_too_few else CANNOT_TELL,
        )
        for interval, p_value in zip(intervals, p, strict=True)
    ]


def judged(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of one family with `p_holm` and `verdict` computed from `difference` and `p`.

    Holm's correction covers all rows except those whose verdict is `TOO_FEW`, which keep that verdict.
    """
    p = [None if row.verdict == statistics.TOO_FEW else row.p for row in rows]
    return [
        replace(row, p_holm=statistics.number_or_none(p_holm), verdict=_verdict(row, float(p_holm)))
        for row, p_holm in zip(rows, statistics.holm(p), strict=True)
    ]


def untold(undecided: Iterable[tuple[str, str, str]]) -> list[str]:
    """Return the sentences about undecided differences, from triples of (about, metric, compared with).

    Metrics that share the other two fields are joined into one sentence.
    """
    metrics: dict[tuple[str, str], list[str]] = {}
    for about, metric, compared in undecided:
        metrics.setdefault((about, compared), []).append(metric)
    return [
        f"{about}: whether {', '.join(names)} differ{'s' * (len(names) == 1)} {compared}"
        for (about, compared), names in metrics.items()
    ]


def decoders_words(names: Sequence[str], compared: int) -> str:
    """Name the undecided decoders, or give only their number if all of more than three are undecided."""
    return "; ".join(names) if len(names) < compared or compared <= _NAMED else f"any of {compared} other decoders"


def _verdict(row: Row, p_holm: float) -> str:
    if row.verdict == statistics.TOO_FEW:
        return statistics.TOO_FEW
    if row.difference is not None and p_holm <= statistics.LEVEL:
        return "higher" if row.difference > 0 else "lower"
    return CANNOT_TELL
