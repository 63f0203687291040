"""A snapshot's leaderboard as tables, one for each protocol, cut into pieces that fit a page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from flows.comparing.board import Column, number_of
from flows.comparing.ranked import ranked
from flows.presenting import page_tables
from flows.presenting.material import Material, Record
from flows.presenting.page_tables import AnchorTable, Row, anchor_table
from flows.site.contents import headline_of, in_order
from flows.site.protocol_groups import Group, groups
from newwiki.protocol import Settings
from storage.database import Database

_ROWS, _COLUMNS = 32, 12  # rows and columns of a piece
_RANKED = 40  # maximum number of runs whose pairs are compared


@dataclass(frozen=True)
class BoardTable:
    """The rows of runs, the best by `by` first, and the row of the articles.

    `letters` are by run id; runs that share a letter do not differ significantly by that metric. `first` is the place
    of the first row in the whole table.
    """

    group: Group
    columns: Sequence[Column]
    rows: Sequence[Row]
    reference: Row | None
    by: Column | None
    letters: Mapping[str, str]
    first: int = 1
    anchors: AnchorTable | None = None

    @property
    def letter_count(self) -> int:
        return len(set("".join(self.letters.values())))


def tables(database: Database, material: Material, settings: Mapping[str, Settings]) -> list[BoardTable]:
    """Return a table for each protocol, the largest first, with the columns that its runs have."""
    board_tables = []
    for group in groups(material.records, settings):
        columns = [column for column in in_order(material.board, material.metrics) if _has(group, column)]
        by = headline_of(material.board, columns, material.metrics)
        ordered = replace(group, records=_ordered(material, group, by))
        board_tables.append(
            BoardTable(
                ordered,
                columns,
                page_tables.rows(material, ordered.records, columns),
                _reference(material, columns),
                by,
                _letters(database, material, ordered, by),
                anchors=anchor_table(material.board, material.snapshot.snapshot_id, columns, by),
            )
        )
    return board_tables


def again(material: Material, table: BoardTable) -> BoardTable:
    """Return the same table with the numbers of another board: its rows in the same order, without letters."""
    by_run = {record["run_id"]: record for record in material.records}
    records = [by_run[record["run_id"]] for record in table.group.records if record["run_id"] in by_run]
    columns = [column for column in table.columns if column in material.board.columns]
    rows = page_tables.rows(material, records, columns)
    group = replace(table.group, records=records)
    return BoardTable(group, columns, rows, _reference(material, columns), table.by, {})


def pieces(table: BoardTable) -> Iterator[BoardTable]:
    """Cut a table into pieces that fit a page, row by row and then column by column."""
    for first in range(0, len(table.rows), _ROWS):
        for left in range(0, max(1, len(table.columns)), _COLUMNS):
            piece = slice(left, left + _COLUMNS)
            cut = [Row(row.record, row.cells[piece]) for row in table.rows[first : first + _ROWS]]
            reference = table.reference and Row(table.reference.record, table.reference.cells[piece])
            yield replace(table, columns=table.columns[piece], rows=cut, reference=reference, first=first + 1)


def _has(group: Group, column: Column) -> bool:
    numbers = [number_of(record, column.name) for record in group.records]
    return any(number.mean is not None or number.status is not None for number in numbers)


def _ordered(material: Material, group: Group, by: Column | None) -> list[Record]:
    run_ids = {record["run_id"] for record in group.records}
    return [record for record in page_tables.best_first(material, by) if record["run_id"] in run_ids]


def _reference(material: Material, columns: Sequence[Column]) -> Row | None:
    return page_tables.rows(material, [material.reference], columns)[0] if material.reference else None


def _letters(database: Database, material: Material, group: Group, by: Column | None) -> dict[str, str]:
    """Return the letters by run id; empty for a single run, and for too many runs to compare each pair."""
    scored = [record for record in group.records if by and record[by.name] is not None]
    if by is None or not 1 < len(scored) <= _RANKED:
        return {}
    scored_board = replace(material.board, records=tuple(dict(record) for record in scored))
    return {record["run_id"]: record["group"] for record in ranked(database, scored_board, by.name).records}
