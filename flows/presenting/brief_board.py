"""A board in few columns, for places that show tables of text: Prefect's artifacts, Markdown, and job summaries."""

from collections.abc import Mapping
from typing import Any

from flows.comparing.after_cutoff import is_reference
from flows.comparing.board import PART, Board, Column, number_of
from flows.comparing.headline import headline
from flows.comparing.notes import with_seed
from flows.presenting.numbers import digits, estimate
from flows.presenting.page_tables import ordered_by
from newwiki.decoding.grammar import short_form
from newwiki.levels import VERIFIED
from storage.database import Database

MOST = 6  # columns of metrics
_ABOUT = ("snapshot_id", PART, "group", "seen_share")  # fields of a row that are columns if they differ


def brief(database: Database, board: Board, most: int | None = MOST) -> tuple[list[str], list[list[str]]]:
    """Return the heads and rows of the board: a run, and each mean with its 95 % interval.

    The best run by the metric that orders the runs comes first, unless the board is ranked; the articles come last.
    Only the first `most` metrics are shown, or all if it is None.
    """
    directions = dict(database.rows("directions", [column.metric for column in board.columns]))
    by = headline(board, board.columns, directions)
    columns = ordered_by(board.columns, directions, by)
    columns = columns[:most] if most else [*board.columns]
    about = [name for name in _ABOUT if len({record.get(name) for record in _runs(board)}) > 1]
    records = _runs(board) if "group" in board.about else _best_first(board, by, directions)
    records += [record for record in board.records if is_reference(record)]
    rows = [
        [
            _name(record),
            *(str(record.get(name) or "") for name in about),
            *(_cell(record, column) for column in columns),
        ]
        for record in records
    ]
    return ["run", *about, *(column.name for column in columns)], rows


def _runs(board: Board) -> list[dict[str, Any]]:
    return [record for record in board.records if not is_reference(record)]


def _best_first(board: Board, by: Column | None, directions: Mapping[str, str]) -> list[dict[str, Any]]:
    if by is None:
        return _runs(board)
    sign = 1 if directions[by.metric] == "lower" else -1
    return sorted(_runs(board), key=lambda record: (record[by.name] is None, sign * (record[by.name] or 0)))


def _name(record: Mapping[str, Any]) -> str:
    decoder = short_form(record["decoder"])
    return f"{record['model']} {with_seed(decoder, record['seed']) if record.get('seed') else decoder}"


def _cell(record: Mapping[str, Any], column: Column) -> str:
    """Return a mean with its interval or the reason for its absence, then the number of texts and the level."""
    number = number_of(record, column.name)
    if number.mean is None:
        return number.status or ""
    remarks = [None if number.status == "ok" else number.status, None if number.level == VERIFIED else number.level]
    return "; ".join(
        filter(None, [estimate(number.mean, number.low, number.high, digits, number.no_interval), *remarks])
    )
