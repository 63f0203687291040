"""Tables of a wiki's runs over its months by one metric: on one scale if months are linked, else by month."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.comparing.board import Column, number_of
from flows.site.contents import Contents, Trend
from flows.site.protocol_groups import groups
from flows.site.trend_chart import Point
from newwiki.levels import LEVELS, VERIFIED
from newwiki.snapshot import Snapshot

_CELLS = 480  # cells on a page

Key = tuple[str, str, str, str]  # model, weights, decoder, protocol


@dataclass(frozen=True)
class MonthCell:
    """A run's number on the articles of its own month, and its number on the common scale (`linked`).

    `low` and `high` are the interval of the number that is shown. `why` is the reason for a missing number, and `level`
    the number's level if it is not fully verified.
    """

    run_id: str
    own: float | None
    linked: float | None
    low: float | None
    high: float | None
    why: str
    level: str | None = None


@dataclass(frozen=True)
class MonthRow:
    """A model under a decoder, or the articles; `cells` are by snapshot."""

    key: Key
    decoder_short: str
    cells: Mapping[str, MonthCell]

    @property
    def is_reference(self) -> bool:
        return self.key[2] == "reference"


@dataclass(frozen=True)
class MonthTable:
    """The rows of one protocol by a metric of one evaluator.

    `scale` is the snapshot whose scale the rows use, or None if there is no common scale.
    """

    wiki: str
    column: Column
    words: str
    scale: str | None
    months: Sequence[Snapshot]
    rows: Sequence[MonthRow]
    reference: MonthRow | None


Months = Mapping[tuple[str, Column], Sequence[MonthTable]]


def every(contents: Contents) -> Months:
    """Return the tables of each wiki and column."""
    return {(wiki, column): tables(contents, wiki, column) for wiki in contents.wikis for column in contents.columns}


def tables(contents: Contents, wiki: str, column: Column) -> list[MonthTable]:
    """Return a table for each protocol, the largest first; its months are the newest first."""
    months = contents.months(wiki)[::-1]
    names = {month.snapshot_id for month in months}
    trends = [
        trend
        for trend in contents.trends
        if (trend.wiki, trend.metric, trend.evaluator_id) == (wiki, column.metric, column.evaluator_id)
    ]
    is_linked = any(trend.linked is not None and trend.snapshot_id != trend.to_snapshot for trend in trends)
    scale = trends[0].to_snapshot if is_linked else None
    by_run = {trend.run_id: trend for trend in trends} if is_linked else {}
    records = [
        record for record in contents.whole.records if record["snapshot_id"] in names and _has_number(record, column)
    ]
    run_records = [record for record in records if record["run_id"] in contents.runs]
    month_tables = []
    for group in groups(run_records, contents.settings):
        rows = _rows(contents, group.records, group.words, column, by_run, scale)
        own = [record for record in records if record["run_id"] not in contents.runs]
        reference = _rows(contents, own, "", column, by_run, scale)
        rows.sort(key=lambda row: _rank(row, months, contents.direction(column)))
        month_tables.append(MonthTable(wiki, column, group.words, scale, months, rows, next(iter(reference), None)))
    return month_tables


def pieces(table: MonthTable) -> Iterator[MonthTable]:
    """Cut a table into pieces that fit a page."""
    each = max(1, _CELLS // len(table.months))
    for first in range(0, len(table.rows), each):
        yield MonthTable(
            table.wiki, table.column, table.words, table.scale, table.months, table.rows[first : first + each],
            table.reference,
        )  # fmt: skip


def points_of(row: MonthRow, table: MonthTable, *, own: bool = False) -> list[Point]:
    """Return the row's numbers in the order of the months; `own` selects those on each month's own articles."""
    places = {month.snapshot_id: place for place, month in enumerate(table.months[::-1])}
    points = []
    for name, cell in row.cells.items():
        value = cell.own if own or table.scale is None else cell.linked
        if value is not None:
            ends = (None, None) if own else (cell.low, cell.high)
            points.append(Point(places[name], value, *ends))
    return sorted(points, key=lambda point: point.place)


def label(contents: Contents, row: MonthRow) -> str:
    """Return the run's name, with the lowest level of its numbers if not all are fully verified."""
    name = "Wikipedia" if row.is_reference else contents.models[row.key[:2]].name
    return " · ".join([name, *decoder_label(contents, row)])


def decoder_label(contents: Contents, row: MonthRow) -> list[str]:
    """Return the row's decoder, with the lowest level if not all numbers are fully verified."""
    levels = {contents.lowest_levels.get(cell.run_id) for cell in row.cells.values()}
    return [row.decoder_short, *[level for level in LEVELS if level in levels][:1]]


def month_names(table: MonthTable) -> list[str]:
    """Return the months, the oldest first."""
    return [f"{month.window_start:%Y-%m}" for month in table.months[::-1]]


def records_of(table: MonthTable) -> Iterator[dict[str, Any]]:
    """Yield a record for each number, for programs."""
    for row in [*table.rows, *filter(None, [table.reference])]:
        for snapshot_id, cell in row.cells.items():
            yield {
                "model": row.key[0],
                "model_sha256": row.key[1] or None,
                "decoder": row.key[2],
                "protocol": table.words or None,
                "metric": table.column.metric,
                "evaluator_id": table.column.evaluator_id,
                "snapshot_id": snapshot_id,
                "run_id": cell.run_id,
                "mean": cell.own,
                "to_snapshot": table.scale,
                "linked": cell.linked,
                "low": cell.low,
                "high": cell.high,
                "lacking": cell.why or None,
                "level": cell.level,
            }


def _has_number(record: Mapping[str, Any], column: Column) -> bool:
    number = number_of(record, column.name)
    return number.mean is not None or number.status is not None


def _rows(
    contents: Contents, records: Sequence[Mapping[str, Any]], words: str, column: Column, by_run: Mapping[str, Trend],
    scale: str | None,
) -> list[MonthRow]:  # fmt: skip
    """Return the rows. Runs with different seeds have separate rows, and so do two runs of one month and protocol."""
    cells_by_row: dict[tuple[Key, str, int], dict[str, MonthCell]] = {}
    for record in records:
        run = contents.runs.get(record["run_id"])
        key = (record["model"], run.model_sha256 if run else "", record["decoder"], words)
        short = run.decoder_short if run else "the articles themselves"
        number = 0
        while record["snapshot_id"] in cells_by_row.setdefault((key, short, number), {}):
            number += 1
        cell = _cell(record, column, by_run.get(record["run_id"]), scale)
        cells_by_row[key, short, number][record["snapshot_id"]] = cell
    return [MonthRow(key, short, cells) for (key, short, _), cells in cells_by_row.items()]


def _cell(record: Mapping[str, Any], column: Column, trend: Trend | None, scale: str | None) -> MonthCell:
    number, run_id = number_of(record, column.name), record["run_id"]
    level = number.level
    shown_level = [level] if level not in (None, VERIFIED) else []

    def why(*lacking: str | None) -> str:
        return "; ".join([*filter(None, lacking), *shown_level])

    if scale is None:
        lacking = number.no_interval or ("" if number.status in ("ok", None) else number.status)
        return MonthCell(run_id, number.mean, None, number.low, number.high, why(lacking), level)
    if trend is None:
        return MonthCell(run_id, number.mean, None, None, None, why("scored after the months were linked"), level)
    return MonthCell(run_id, trend.mean, trend.linked, trend.low, trend.high, why(trend.no_link), level)


def _rank(row: MonthRow, months: Sequence[Snapshot], direction: str) -> tuple[Any, ...]:
    """Return a sort key that puts the best run of the newest month first, then those of older months."""
    sign = 1 if direction == "lower" else -1
    numbers = [row.cells.get(month.snapshot_id) for month in months]
    values = [cell.own if cell.linked is None else cell.linked for cell in numbers if cell]
    first = next((place for place, cell in enumerate(numbers) if cell), len(months))
    known = [value for value in values if value is not None]
    return first, not known, sign * known[0] if known else 0, row.key
