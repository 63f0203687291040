"""Compare the marked articles with the others: by the models' likelihood, and by every metric of every run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluators import statistics
from evaluators.statistics import number_or_none
from evaluators.two_groups import area, area_interval, lacking_of, mean_difference
from flows.experiments.authorship.result_tables import (
    AuthorshipDifference,
    AuthorshipSeparation,
    DifferenceVerdict,
    SeparationVerdict,
)

ALL_MODELS = "all models"
TOLD_APART: SeparationVerdict = "told apart"
CANNOT_TELL: SeparationVerdict = "cannot tell"
TOO_FEW: SeparationVerdict = "too few articles"
MOVED: DifferenceVerdict = "moved"
NONE_SHOWN: DifferenceVerdict = "no difference shown"
NO_INTERVAL: DifferenceVerdict = "no interval"

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class ReadRun:
    """A run and its scores: `values` are metrics × articles, NaN for a missing score."""

    run_id: str
    model: str
    decoder: str
    values: Array


def separations(
    readings: Sequence[ReadRun], evaluator_id: str, is_marked: Flags, words: Array
) -> list[AuthorshipSeparation]:
    """Return one row per model, and one for all models together if there are several; the latter come first.

    `readings` have bits per byte as their only metric. An article with fewer bits per byte is likelier. The score of
    all models is the mean of each model's bits per byte in standard deviations, on articles that all models read. It
    decides the answer; the other rows are corrected together with it.
    """
    bits = np.array([reading.values[0] for reading in readings])
    rows = [
        _separation(reading.model, reading.run_id, evaluator_id, own, is_marked, words)
        for reading, own in zip(readings, bits, strict=True)
    ]
    if len(readings) > 1:
        common = np.where(np.isfinite(bits).all(axis=0), bits, np.nan)
        rows.insert(0, _separation(ALL_MODELS, None, evaluator_id, _together(common), is_marked, words))
    found = [row for row in rows if row is not None]
    tested = sum(_is_enough(row) for row in found)
    return [_judged(row, tested) for row in found]


def _together(bits: Array) -> Array:
    """Return the mean over models of each model's numbers in standard deviations; a constant model counts nothing."""
    with np.errstate(invalid="ignore", divide="ignore"):
        present = bits[:, np.isfinite(bits[0])]
        mean, spread = present.mean(axis=1, keepdims=True), present.std(axis=1, keepdims=True)
        return np.asarray(np.where(spread > 0, (bits - mean) / spread, 0.0 * bits).mean(axis=0))


def _separation(
    model: str, run_id: str | None, evaluator_id: str, bits: Array, is_marked: Flags, words: Array
) -> AuthorshipSeparation | None:
    """Return the row without its verdict; None if one of the groups is empty."""
    marked, others = (group & np.isfinite(bits) for group in (is_marked, ~is_marked))
    sizes = int(marked.sum()), int(others.sum())
    if not all(sizes):
        return None
    auc, length = area(-bits[marked], -bits[others]), area(words[marked], words[others])
    low, high = area_interval(auc, *sizes)
    length_low, length_high = area_interval(length, *sizes)
    return AuthorshipSeparation(
        model=model,
        run_id=run_id,
        evaluator_id=evaluator_id,
        articles=sum(sizes),
        marked=sizes[0],
        auc=auc,
        low=low,
        high=high,
        length_auc=length,
        length_low=length_low,
        length_high=length_high,
        verdict=CANNOT_TELL,
    )


def _is_enough(row: AuthorshipSeparation) -> bool:
    return min(row.marked, row.articles - row.marked) >= statistics.FEWEST


def _judged(row: AuthorshipSeparation, tested: int) -> AuthorshipSeparation:
    if not _is_enough(row):
        return replace(row, verdict=TOO_FEW)
    low, high = area_interval(row.auc, row.marked, row.articles - row.marked, statistics.LEVEL / tested)
    return row if low <= 0.5 <= high else replace(row, verdict=TOLD_APART)


def differences(runs: Sequence[ReadRun], evaluators: Mapping[str, str], is_marked: Flags) -> list[AuthorshipDifference]:
    """Return one row for each run and metric that has any score. The metrics of the runs are those of `evaluators`."""
    rows = [row for run in runs for row in _differences(run, evaluators, is_marked, statistics.LEVEL)]
    tested = sum(row.no_interval is None for row in rows)
    if not tested:
        return rows
    corrected = [row for run in runs for row in _differences(run, evaluators, is_marked, statistics.LEVEL / tested)]
    return [replace(row, verdict=_verdict(narrower)) for row, narrower in zip(rows, corrected, strict=True)]


def _verdict(row: AuthorshipDifference) -> DifferenceVerdict:
    """Return the verdict of a row whose interval has the corrected level."""
    if row.difference_low is None or row.difference_high is None:
        return NO_INTERVAL
    return NONE_SHOWN if row.difference_low <= 0 <= row.difference_high else MOVED


def _differences(
    run: ReadRun, evaluators: Mapping[str, str], is_marked: Flags, level: float
) -> list[AuthorshipDifference]:
    """Return the rows of a run with intervals of this level, without their verdicts."""
    values = run.values.T
    a, b, low, high = mean_difference(values[is_marked], values[~is_marked], level)
    lacking = lacking_of(a, b)
    rows = []
    for place, (metric, evaluator_id) in enumerate(evaluators.items()):
        marked, others = int(a.clusters[place]), int(b.clusters[place])
        if not marked + others:
            continue
        share = marked / (marked + others)
        difference = float(a.mean[place] - b.mean[place])
        ends = (float(low[place]), float(high[place])) if lacking[place] is None else (np.nan, np.nan)
        rows.append(
            AuthorshipDifference(
                run_id=run.run_id,
                model=run.model,
                decoder=run.decoder,
                metric=metric,
                evaluator_id=evaluator_id,
                articles=marked + others,
                marked=marked,
                mean_with=float(np.nanmean(values[:, place])),
                mean_without=number_or_none(b.mean[place]),
                shift=number_or_none(share * difference),
                shift_low=number_or_none(share * ends[0]),
                shift_high=number_or_none(share * ends[1]),
                difference=number_or_none(difference),
                difference_low=number_or_none(ends[0]),
                difference_high=number_or_none(ends[1]),
                no_interval=TOO_FEW if lacking[place] == statistics.TOO_FEW else lacking[place],
                verdict=NO_INTERVAL,
            )
        )
    return rows
