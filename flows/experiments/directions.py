"""The verdicts higher, lower and cannot tell, after one correction for all tests that a headline speaks of."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from evaluators import statistics

CANNOT_TELL = "cannot tell"
Row = TypeVar("Row", bound=Any)


def judged(rows: Sequence[Row]) -> list[Row]:
    """The rows of one family with `p_holm` and `verdict`, by their `difference` and `p`.

    Holm's correction is over all rows but those whose verdict is `TOO_FEW`, which keep it.
    """
    p = [None if row.verdict == statistics.TOO_FEW else row.p for row in rows]
    return [
        replace(row, p_holm=statistics.number_or_none(p_holm), verdict=_verdict(row, float(p_holm)))
        for row, p_holm in zip(rows, statistics.holm(p), strict=True)
    ]


def _verdict(row: Row, p_holm: float) -> str:
    if row.verdict == statistics.TOO_FEW:
        return statistics.TOO_FEW
    if row.difference is not None and p_holm <= statistics.LEVEL:
        return "higher" if row.difference > 0 else "lower"
    return CANNOT_TELL
