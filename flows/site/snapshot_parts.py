"""Read the contents of a snapshot's pages in one read: tables, strata, articles created later, and texts."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from markupsafe import Markup

from flows.comparing.board import Column, after_days, by_parts
from flows.comparing.headline import text_column
from flows.presenting import page_tables
from flows.presenting.material import Material
from flows.presenting.numbers import digits, percent
from flows.presenting.numbers import interval as interval_words
from flows.presenting.page_tables import Cell, Row
from flows.site.board_tables import BoardTable, again, tables
from flows.site.contents import Contents
from newwiki.errors import TerminalError
from newwiki.records import Stratum
from newwiki.snapshot import Snapshot
from newwiki.visible import in_json
from storage import strata
from storage.database import Database
from storage.strata import StratumPart


@dataclass(frozen=True)
class SnapshotParts:
    """The contents of a snapshot's pages.

    `texts` has for each requested run the texts with the lowest, the middle and the highest score by the metric of its
    own table.
    """

    snapshot: Snapshot
    material: Material
    tables: Sequence[BoardTable]
    later: Sequence["LaterArticles"]
    funnel: Sequence[tuple[Any, ...]]
    topics: Sequence[tuple[Any, ...]]
    kinds: Sequence["Kinds"]
    texts: Mapping[str, Sequence[Mapping[str, Any]]]


def parts_of(database: Database, contents: Contents, snapshot: Snapshot, with_texts: Sequence[str]) -> SnapshotParts:
    """Return the contents of a snapshot's pages; `with_texts` holds the ids of the runs whose texts are shown."""
    material = contents.boards[snapshot.snapshot_id]
    names = {run.run_id: contents.model_of(run.run_id).name for run in contents.on(snapshot.snapshot_id)}
    board_tables = tables(database, material, contents.settings)
    return SnapshotParts(
        snapshot,
        material,
        board_tables,
        later_articles(database, material, names),
        database.rows("funnel", snapshot.snapshot_id),
        database.rows("topic_counts", snapshot.snapshot_id),
        kinds(database, material, board_tables),
        _texts(database, material, board_tables, with_texts),
    )


def _texts(
    database: Database, material: Material, board_tables: Sequence[BoardTable], with_texts: Sequence[str]
) -> dict[str, list[Mapping[str, Any]]]:
    """Return each run's texts by the metric of its own table, or the next one if no text has its numbers."""
    directions = {name: known.direction for name, known in material.metrics.items()}
    texts: dict[str, list[Mapping[str, Any]]] = {}
    for table in board_tables:
        run_ids = [record["run_id"] for record in table.group.records if record["run_id"] in with_texts]
        new = [run_id for run_id in run_ids if run_id not in texts]
        column = text_column(material.board, table.by, table.columns, directions)
        if column and new:
            metric = (column.metric, column.evaluator_id)
            rows = database.records(
                dict[str, Any], "report_examples", new, *metric, material.snapshot.snapshot_id, [], []
            )
            for row in rows:
                example = {"metric": column.metric, "rank": _rank(row["place"], row["scored"])}
                texts.setdefault(row["run_id"], []).append(row | example)
    return texts


def _rank(place: int, scored: int) -> str:
    if scored == 1:
        return "only"
    return "lowest" if place == 1 else "highest" if place == scored else "median"


@dataclass(frozen=True)
class KindTable:
    """The scores in `column` of the runs of one protocol: a row per run, in leaderboard order, and a cell per part."""

    words: str
    column: Column
    rows: Sequence[Row]
    reference: Row | None


@dataclass(frozen=True)
class Kinds:
    """The parts of a snapshot by a stratum.

    There is no table if all articles belong to one part, or if `lacking` gives a reason.
    """

    stratum: Stratum
    parts: Sequence[StratumPart] = ()
    tables: Sequence[KindTable] = ()
    lacking: str = ""


def kinds(database: Database, material: Material, tables: Sequence[BoardTable]) -> list[Kinds]:
    """Return the parts by each stratum; the list is empty if no metric of texts has a better direction."""
    shown = [table for table in tables if table.by]
    return [_kinds(database, material, shown, stratum) for stratum in strata.STRATA] if shown else []


def _kinds(database: Database, material: Material, tables: Sequence[BoardTable], stratum: Stratum) -> Kinds:
    try:
        parts = strata.parts(database, stratum, [material.snapshot.snapshot_id])
    except TerminalError as error:
        return Kinds(stratum, lacking=str(error))
    if len(parts) < 2:
        return Kinds(stratum, parts)
    boards = by_parts(database, material.board, stratum, [part.value for part in parts])
    materials = [replace(material, board=boards[part.value]) for part in parts]
    return Kinds(stratum, parts, [_kind_table(materials, table, table.by) for table in tables if table.by])


def _kind_table(materials: Sequence[Material], table: BoardTable, column: Column) -> KindTable:
    cells = [_part_cells(material, [row.record["run_id"] for row in table.rows], column) for material in materials]
    rows = [
        Row(row.record, [part_cells.get(row.record["run_id"], Cell(None)) for part_cells in cells])
        for row in table.rows
    ]
    reference = table.reference and _reference(materials, table.reference, column)
    return KindTable(table.group.words, column, rows, reference)


def _part_cells(material: Material, run_ids: Sequence[str], column: Column) -> dict[str, Cell]:
    """Return a column's cells by run id, for the runs with articles in the part."""
    records = [record for record in material.board.records if record["run_id"] in run_ids]
    if column not in material.board.columns:
        return {}
    cells = page_tables.cells(records, column, page_tables.direction(material, records, column))
    return {record["run_id"]: cell for record, cell in zip(records, cells, strict=True)}


def _reference(materials: Sequence[Material], reference: Row, column: Column) -> Row:
    run_id = reference.record["run_id"]
    cells = [_part_cells(material, [run_id], column) for material in materials]
    return Row(reference.record, [part_cells.get(run_id, Cell(None)) for part_cells in cells])


_STEPS = 8  # the chosen days divide the articles into this many parts of similar size


@dataclass(frozen=True)
class LaterArticles:
    """The leaderboard on the articles that were created after `day`; `articles` is their number.

    `cutoff_of` names the models with this knowledge cutoff.
    """

    day: date
    articles: int
    material: Material
    cutoff_of: Sequence[str]


def later_articles(database: Database, material: Material, names: Mapping[str, str]) -> list[LaterArticles]:
    """Return the board after each chosen day, the earliest first; `names` are the runs' models by run id."""
    created = database.rows("days_created", material.snapshot.snapshot_id)
    cutoffs: dict[date, dict[str, None]] = {}
    for record in material.records:
        if record["knowledge_cutoff"]:
            cutoffs.setdefault(record["knowledge_cutoff"], {})[names[record["run_id"]]] = None
    days = chosen_days(created, cutoffs)
    boards = after_days(database, material.board, days) if days and material.records else {}
    return [
        LaterArticles(day, _left(created, day), replace(material, board=board), [*cutoffs.get(day, {})])
        for day, board in boards.items()
    ]


def chosen_days(created: Sequence[tuple[date, int]], cutoffs: Iterable[date]) -> list[date]:
    """Return the days after which about 7/8, 6/8 … of the articles were created.

    Also return the `cutoffs` between the first and the last article.
    """
    total = sum(count for _, count in created)
    left = {day: _left(created, day) for day, _ in created}
    inner = [day for day, count in left.items() if count]
    steps = {
        min(inner, key=lambda day: (abs(left[day] - total * part / _STEPS), day)) for part in range(1, _STEPS) if inner
    }
    return sorted(steps | {day for day in cutoffs if 0 < _left(created, day) < total})


def _left(created: Sequence[tuple[date, int]], after: date) -> int:
    return sum(count for day, count in created if day > after)


def numbers(table: BoardTable, later: Sequence[LaterArticles]) -> Markup:
    """Return the table's cells after each day as JSON that can be embedded in a page.

    Each day has its rows in order, each with its prompts, the share that its model can have seen, and its cells.
    """
    days = {day.day.isoformat(): {"articles": day.articles, "rows": _later_rows(table, day)} for day in later}
    return Markup(in_json(json.dumps(days, separators=(",", ":"), ensure_ascii=False)).replace("<", "\\u003c"))


def _later_rows(table: BoardTable, later: LaterArticles) -> list[Any]:
    after = again(later.material, table)
    by_run = {row.record["run_id"]: row for row in [*after.rows, *filter(None, [after.reference])]}
    later_rows: list[Any] = []
    for row in [*table.rows, *filter(None, [table.reference])]:
        later_row = by_run.get(row.record["run_id"])
        if later_row is None:
            later_rows.append(None)
            continue
        cells = dict(zip((column.name for column in after.columns), later_row.cells, strict=True))
        seen = later_row.record["seen_share"]
        later_rows.append(
            [
                later_row.record["prompts"],
                percent(seen),
                [_later_cell(cells.get(column.name)) for column in table.columns],
            ]
        )
    return later_rows


def _later_cell(cell: Cell | None) -> list[Any] | int:
    """Return the values of a cell, or 0 for an empty cell.

    The values are the number for sorting, the number as text, its interval or the reason for its absence, the position
    and width of the interval, whether the number is the best, and a remark on
    missing scores and on the level of verification.
    """
    if cell is None or (cell.mean is None and not cell.apart):
        return 0
    if cell.mean is None:
        return ["", "–", "", 0, 0, 0, cell.apart]
    interval = cell.no_interval or ""
    if cell.low is not None and cell.high is not None:
        interval = interval_words(cell.low, cell.high, lambda end: digits(end, cell.mean))
    mean = float(f"{cell.mean:.6g}")
    return [mean, digits(cell.mean), interval, cell.left, cell.width, int(cell.best), cell.apart]
