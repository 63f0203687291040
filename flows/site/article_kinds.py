"""A snapshot's runs on parts of it: its short and its long articles, those with and without an infobox …"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from flows.comparing.board import Column, by_parts
from flows.report import paper_tables
from flows.report.material import Material
from flows.report.paper_tables import Cell, Row
from flows.site.board_tables import BoardTable
from newwiki.errors import TerminalError
from newwiki.records import Stratum
from storage import strata
from storage.database import Database
from storage.strata import StratumPart


@dataclass(frozen=True)
class KindTable:
    """Runs of one protocol by `column`, in the order of the leaderboard, with a cell for each part."""

    words: str
    column: Column
    rows: Sequence[Row]
    reference: Row | None


@dataclass(frozen=True)
class Kinds:
    """The parts by a stratum. There is no table where all articles are of one part, or where `lacking` says what is not
    known of them."""

    stratum: Stratum
    parts: Sequence[StratumPart] = ()
    tables: Sequence[KindTable] = ()
    lacking: str = ""


def kinds(database: Database, material: Material, tables: Sequence[BoardTable]) -> list[Kinds]:
    """One for each stratum; none where no metric of texts has a better direction."""
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
    of_parts = [replace(material, board=boards[part.value]) for part in parts]
    return Kinds(stratum, parts, [_table(of_parts, table, table.by) for table in tables if table.by])


def _table(of_parts: Sequence[Material], table: BoardTable, column: Column) -> KindTable:
    cells = [_cells(material, [row.record["run_id"] for row in table.rows], column) for material in of_parts]
    rows = [Row(row.record, [of_part.get(row.record["run_id"], Cell(None)) for of_part in cells]) for row in table.rows]
    reference = table.reference and _reference(of_parts, table.reference, column)
    return KindTable(table.group.words, column, rows, reference)


def _cells(material: Material, run_ids: Sequence[str], column: Column) -> dict[str, Cell]:
    """By run id, of those that have articles in the part."""
    records = [one for one in material.board.records if one["run_id"] in run_ids]
    if column not in material.board.columns:
        return {}
    made = paper_tables.cells(records, column, paper_tables.direction(material, records, column))
    return {record["run_id"]: cell for record, cell in zip(records, made, strict=True)}


def _reference(of_parts: Sequence[Material], reference: Row, column: Column) -> Row:
    run_id = reference.record["run_id"]
    cells = [_cells(material, [run_id], column) for material in of_parts]
    return Row(reference.record, [of_part.get(run_id, Cell(None)) for of_part in cells])
