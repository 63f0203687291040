"""Choose the metric by which pages order runs, if nobody names one."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from flows.comparing.after_cutoff import is_reference
from flows.comparing.board import Board, Column
from newwiki.columns import READING
from newwiki.registry import reading_metrics

FALLBACK = "sbert"


def headline(board: Board, columns: Sequence[Column], directions: Mapping[str, str]) -> Column | None:
    """Return the column of these that orders the runs, None without a metric that has a better direction.

    It is bits per byte if all runs have read the articles and do not all have the same number, as the decoders of one
    model have. Otherwise it is the metric that orders most anchors rightly
    among those that see content and calibrate every run; without anchors, S-BERT, or else the first metric with a
    better direction.
    """
    directed = [column for column in columns if directions[column.metric] != "none"]
    runs = [record for record in board.records if not is_reference(record)]
    for column in directed:
        values = {record[column.name] for record in runs}
        if column.metric == READING and len(values) > 1 and None not in values:
            return column
    orders = _orders(board)
    seers = [column for column in directed if column.metric in orders]
    if seers:
        return max(seers, key=lambda column: orders[column.metric])
    return next((column for column in directed if column.metric == FALLBACK), next(iter(directed), None))


def text_column(
    board: Board, ordering: Column | None, columns: Sequence[Column], directions: Mapping[str, str]
) -> Column | None:
    """Return the column by which texts are chosen and drawn.

    It is the one that orders the runs. If its numbers come from models that read the articles, no text has one; then it
    is the one that would order the runs without such numbers.
    """
    read = reading_metrics()
    if ordering is None or ordering.metric not in read:
        return ordering
    return headline(board, [column for column in columns if column.metric not in read], directions)


def reason(board: Board, column: Column | None) -> str:
    """Return a sentence on the choice of a column; empty if the anchors did not choose it."""
    orders = _orders(board)
    if column is None or column.metric not in orders:
        return ""
    share = f"{orders[column.metric]:.0%}"
    return f"Runs are ordered by {column.metric}, which orders {share} of the pairs of anchors rightly."


def _orders(board: Board) -> dict[str, float]:
    """Return the share of rightly ordered anchors by metric, over the board's snapshots, for metrics that see content
    on all of them and calibrate every run."""
    anchors, numbers = board.calibrations.anchors, board.calibrations.numbers
    runs = {(run_id, part) for run_id, part, _ in numbers}
    seers = set.intersection(*(set(found.seers) for found in anchors)) if anchors else set()
    calibrating = {metric for metric in seers if all((*run, metric) in numbers for run in runs)}
    return {metric: fmean(found.sights[metric].orders for found in anchors) for metric in sorted(calibrating)}
