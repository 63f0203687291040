"""Relate a model's numbers to the age of the articles: the curve of each metric, and whether and when it changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from evaluators import statistics
from evaluators.change_point import (
    ANYWHERE,
    NO_CHANGE,
    UNFINISHED,
    ChangePoint,
    MonthlyMeans,
    change_point,
    monthly_means,
)
from flows.experiments.cutoff.result_tables import CutoffFinding, CutoffMonth

Array = NDArray[np.float64]

FOUND = "found"
DECISIVE = "bits_per_byte"
# The direction in which having read a text moves numbers that are in themselves neither good nor bad
_SEEN = {"min_k_percent": "higher", "copied_span": "higher", "copied_5grams": "higher"}
# The bits of the prompt and the bits by token carry less of the same information
_LEFT_OUT = frozenset({"bits_per_token", "prompt_bits_per_byte"})


@dataclass(frozen=True)
class Rows:
    """A row for each article of each snapshot.

    A row has the page, the first and the last month of the article's period as numbers (`month_number`), and its words.
    `values` and `control` are metrics × rows, NaN for missing values.
    """

    pages: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    words: Array
    values: Array
    control: Array | None


def month_number(day: date) -> int:
    return day.year * 12 + day.month - 1


def month_of(number: int) -> date:
    """Return the first day of the month with this number."""
    return date(number // 12, number % 12 + 1, 1)


def seen_direction(metric: str, directions: Mapping[str, str]) -> str | None:
    """Return the direction of the metric on text that was read (`lower` or `higher`), or None if it has none."""
    direction = _SEEN.get(metric, directions.get(metric))
    return direction if direction in ("lower", "higher") and metric not in _LEFT_OUT else None


def findings(
    who: tuple[str, str], control: str | None, rows: Rows, metrics: Mapping[str, tuple[str, str]], stated: date | None,
    seed: int,
) -> tuple[list[CutoffFinding], list[CutoffMonth]]:  # fmt: skip
    """Return one finding for each metric of a (model, decoder), and the curves.

    `metrics` maps each metric's name to its evaluator's id and to the direction of text that was read. The findings are
    not yet corrected for all models (`judged` does that).

    The test uses the model's numbers minus the control's on the same articles, if there is a control. It also removes
    the effect of the articles' length in words (`evaluators.change_point`).
    """
    tested, curve = [], []
    for place, (metric, (evaluator_id, direction)) in enumerate(metrics.items()):
        values, beside = rows.values[place], rows.control[place] if rows.control is not None else None
        means = monthly_means(rows.last, rows.pages, values, beside, rows.words)
        if not len(means.months) and not np.isfinite(values).any():
            continue
        change = change_point(means, seen_is_lower=direction == "lower", seed=seed)
        tested.append(_finding(who, metric, evaluator_id, control, change, means, stated))
        curve += _months(who, metric, rows, values, beside)
    return tested, curve


def _finding(
    who: tuple[str, str], metric: str, evaluator_id: str, control: str | None, change: ChangePoint, means: MonthlyMeans,
    stated: date | None,
) -> CutoffFinding:  # fmt: skip
    month, low, high = (
        None if number is None else month_of(number) for number in (change.month, change.low, change.high)
    )
    return CutoffFinding(
        model=who[0],
        decoder=who[1],
        metric=metric,
        evaluator_id=evaluator_id,
        control=control,
        months=change.months,
        left_out=len(means.left_out),
        articles=change.articles,
        month=month,
        low=low,
        high=high,
        change=statistics.number_or_none(change.change),
        width=change.width,
        p=statistics.number_or_none(change.p),
        p_holm=statistics.number_or_none(change.p),
        verdict=change.why or FOUND,
        stated=stated.replace(day=1) if stated else None,
        agrees=_agrees(change, month_number(stated), int(means.months[0])) if stated and len(means.months) else None,
    )


def judged(uncorrected: Sequence[CutoffFinding], control: str | None) -> list[CutoffFinding]:
    """Return the findings of all models of an answer after Holm's correction.

    The correction covers all models because the headline speaks of all. For bits per byte, p is corrected for the
    number of models; for the other metrics, for the number of models and metrics. The control is a separate family,
    because the headline does not speak of it.
    """
    families: dict[tuple[bool, bool], list[int]] = {}
    for place, finding in enumerate(uncorrected):
        families.setdefault((finding.metric == DECISIVE, finding.model == control), []).append(place)
    corrected = np.full(len(uncorrected), np.nan)
    for places in families.values():
        corrected[places] = statistics.holm([uncorrected[place].p for place in places])
    return [
        _judged(finding, float(p)) if np.isfinite(p) else finding
        for finding, p in zip(uncorrected, corrected, strict=True)
    ]


def _agrees(change: ChangePoint, stated: int, first: int) -> bool | None:
    if change.high is not None and stated > change.high:
        return False
    if change.low is not None and stated < change.low:
        return False
    return True if change.month is not None and stated >= first else None


def _judged(finding: CutoffFinding, p: float) -> CutoffFinding:
    if finding.verdict not in (FOUND, ANYWHERE, UNFINISHED) or p <= statistics.LEVEL:
        return replace(finding, p_holm=p)
    return replace(finding, p_holm=p, verdict=NO_CHANGE, month=None, low=None, high=None, agrees=None)


def _months(who: tuple[str, str], metric: str, rows: Rows, values: Array, control: Array | None) -> list[CutoffMonth]:
    months = []
    present = np.isfinite(values) & (np.isfinite(control) if control is not None else True)
    for last in np.unique(rows.last[present]):
        here = present & (rows.last == last)
        estimate = statistics.estimate(*statistics.by_cluster(values[here], rows.pages[here]))
        own, other = estimate.at(), statistics.NOTHING
        if control is not None:
            other = statistics.estimate(*statistics.by_cluster(control[here], rows.pages[here])).at()
        months.append(
            CutoffMonth(
                model=who[0],
                decoder=who[1],
                metric=metric,
                first_month=month_of(int(rows.first[here].min())),
                month=month_of(int(last)),
                articles=len(np.unique(rows.pages[here])),
                mean=float(estimate.mean[0]),
                low=own.low,
                high=own.high,
                control_mean=other.mean,
                control_low=other.low,
                control_high=other.high,
            )
        )
    return months
