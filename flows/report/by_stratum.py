"""The section on parts of a snapshot: short and long articles, articles with and without an infobox …"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from flows.comparing.board import PART, Column, board
from flows.comparing.shown_levels import LevelNote
from flows.presenting import page_tables
from flows.presenting.charts import ARTICLES_SIGN, MOST_SERIES, Key, PageSigns, arms, svg
from flows.presenting.material import Material, Record
from flows.presenting.numbers import varies
from flows.presenting.page_tables import Cell, Row, blocks, together
from newwiki.errors import TerminalError
from newwiki.records import Stratum
from storage import strata
from storage.database import Database
from storage.strata import StratumPart


@dataclass(frozen=True)
class Cut:
    """A column of the leaderboard split by a stratum.

    `rows` has a row for each run, the articles' last, with a cell for each of `parts`. The parts in one of `blocks` fit
    next to each other on the page. Runs with a key are drawn. There are no rows if all articles belong to one part, or
    if `lacking` gives a reason.
    """

    stratum: str
    parts: Sequence[StratumPart] = ()
    rows: Sequence[Row] = ()
    lacking: str = ""
    blocks: Sequence[range] = ()
    keys: Sequence[Key] = ()
    image: Markup | None = None
    levels: Sequence[LevelNote] = ()


def cuts(database: Database, material: Material, column: Column, by: Stratum | None, page: PageSigns) -> list[Cut]:
    """Cut the column by one stratum, or by each of them."""
    return [_cut(database, material, column, stratum, page) for stratum in ([by] if by else strata.STRATA)]


def _cut(database: Database, material: Material, column: Column, stratum: Stratum, page: PageSigns) -> Cut:
    snapshot_id = material.snapshot.snapshot_id
    try:
        parts = strata.parts(database, stratum, [snapshot_id])
    except TerminalError as error:
        return Cut(stratum, lacking=str(error))
    if len(parts) < 2:
        return Cut(stratum, parts)
    shown = board(
        database,
        snapshot_id,
        by_evaluator=material.has_evaluators_apart,
        by=stratum,
        after_cutoff=material.after_cutoff,
    )
    order = [record["run_id"] for record in page_tables.best_first(material, column)]
    by_part: list[dict[str, Record]] = [
        {record["run_id"]: record for record in shown.records if record[PART] == part.value} for part in parts
    ]
    whole: dict[str, Record] = {record["run_id"]: record for record in material.board.records}
    reference = [material.reference["run_id"]] if material.reference else []
    rows = [row for run_ids in (order, reference) for row in _rows(material, whole, by_part, column, run_ids)]
    [rows] = together(rows)
    fitting = blocks([part.value for part in parts], rows)
    return Cut(stratum, parts, rows, "", fitting, *_drawn(material, column, stratum, parts, rows, page))


def _drawn(
    material: Material,
    column: Column,
    stratum: Stratum,
    parts: Sequence[StratumPart],
    rows: Sequence[Row],
    page: PageSigns,
) -> tuple[Sequence[Key], Markup | None, Sequence[LevelNote]]:
    """Draw the best runs, and the articles if their numbers vary."""
    run_rows = [row for row in rows if row.record is not material.reference]
    articles = [row for row in rows if row.record is material.reference and any(varies(cell.sd) for cell in row.cells)]
    shown = [*run_rows[: MOST_SERIES - len(articles)], *articles]
    signs = [
        ARTICLES_SIGN if row in articles else page.of(material.names[row.record["run_id"]], material.label(row.record))
        for row in shown
    ]
    labels = ["Wikipedia" if row in articles else material.label(row.record) for row in shown]
    values: list[dict[str, Any]] = [
        {
            "x": part.value,
            "who": str(number),
            "mean": cell.mean,
            "low": cell.mean if cell.low is None else cell.low,
            "high": cell.mean if cell.high is None else cell.high,
        }
        for number, row in enumerate(shown)
        for part, cell in zip(parts, row.cells, strict=True)
        if cell.mean is not None
    ]
    if not values:
        return (), None, ()
    keys = [Key(sign, text) for sign, text in zip(signs, labels, strict=True)]
    means = "; ".join(f"{labels[int(value['who'])]}, {value['x']}: {value['mean']:.4g}" for value in values)
    chart = arms(values, [part.value for part in parts], signs, column.name)
    levels = material.level_notes([row.record for row in shown], [column])
    return keys, svg(chart, f"{column.name} by {stratum}, means: {means}"), levels


def _rows(
    material: Material,
    whole: dict[str, Record],
    by_part: Sequence[dict[str, Record]],
    column: Column,
    run_ids: Sequence[str],
) -> list[Row]:
    columns = []
    for records in by_part:
        scored = [run_id for run_id in run_ids if run_id in records]
        listed = [records[run_id] for run_id in scored]
        shown = page_tables.cells(listed, column, page_tables.direction(material, listed, column))
        columns.append(dict(zip(scored, shown, strict=True)))
    return [Row(whole[run_id], [cells.get(run_id, Cell(None)) for cells in columns]) for run_id in run_ids]
