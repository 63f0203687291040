"""The section over the months: the same model with the same request on several months' articles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from flows.comparing.board import ANOTHER, Column
from flows.comparing.shown_levels import LevelNote, level_notes
from flows.presenting.charts import ARTICLES_SIGN, MOST_SERIES, Key, PageSigns, Sign, lines, svg
from flows.presenting.material import Material, Record, gather
from flows.presenting.numbers import varies
from flows.presenting.page_tables import Cell, Row, best_first, blocks, cells, in_order, together
from flows.report.experiments import Section
from newwiki.errors import TerminalError
from storage.database import Database

LINKING = "linking"  # the experiment that puts months on one scale
ARTICLES = "Wikipedia"
_DRAWN = 9  # maximum number of metrics drawn


@dataclass(frozen=True)
class MonthPanel:
    column: Column
    image: Markup


@dataclass(frozen=True)
class Months:
    """The runs of the report's snapshot over the months.

    - `linked` are answers that put the months on one scale.
    - `names` are the snapshots with numbers.
    - `rows` has a row for each run that was also evaluated on other months, the articles' last. A row has a cell by
      `column` for each snapshot.
    - Snapshots in one of the `blocks` fit next to each other on the page.
    - Runs with a key are drawn.
    - `left_out` are other months' snapshots, with the reason.
    - `levels` are the levels of the drawn numbers.
    """

    linked: Sequence[Section]
    names: Sequence[str]
    column: Column | None
    rows: Sequence[Row]
    blocks: Sequence[range]
    keys: Sequence[Key]
    panels: Sequence[MonthPanel]
    left_out: Sequence[str]
    levels: Sequence[LevelNote]


@dataclass(frozen=True)
class _Series:
    """A run of the report's snapshot, or the articles, with the matching run of each month."""

    label: str
    record: Record
    by_month: Mapping[str, tuple[Material, Record]]

    def cell(self, month: str, column: Column) -> Cell:
        """Return the month's number by the column's evaluator, whatever the month's name for the column is."""
        if month not in self.by_month:
            return Cell(None)
        material, record = self.by_month[month]
        same = [candidate for candidate in material.board.columns if candidate.metric == column.metric]
        match = next((candidate for candidate in same if candidate.evaluator_id == column.evaluator_id), None)
        if match is None:
            return Cell(None, apart=ANOTHER if same else "")
        return cells([record], match, "none")[0]


def months(
    database: Database,
    material: Material,
    column: Column | None,
    experiments: Sequence[Section],
    page: PageSigns,
) -> Months | None:
    """Compare the runs over the months; return None if no request was run on two months."""
    linked = [section for section in experiments if section.answer.name == LINKING]
    shown, left_out = _monthly_materials(database, material) if material.snapshot.kind == "new" else ({}, [])
    series = _series(shown, material, column)
    names = [name for name in shown if any(name in line.by_month for line in series)]
    if len(names) < 2:
        return Months(linked, [], column, [], [], [], [], [], []) if linked else None
    articles = _articles(shown, material)
    drawn = [*series[: MOST_SERIES - len(articles)], *articles]
    signs = [
        ARTICLES_SIGN if line in articles else page.of(material.names[line.record["run_id"]], line.label)
        for line in drawn
    ]
    keys = [Key(sign, line.label) for sign, line in zip(signs, drawn, strict=True)]
    panels = [panel for metric in in_order(material)[:_DRAWN] if (panel := _panel(drawn, signs, metric, names))]
    rows = [Row(line.record, [line.cell(name, column) for name in names]) for line in [*series, *articles] if column]
    [rows] = together(rows)
    levels = level_notes(
        (line.by_month[name][1]["run_id"], f"{line.label}, {name}", line.cell(name, panel.column).level)
        for line in drawn
        for name in line.by_month
        for panel in panels
        if line.label != ARTICLES
    )
    return Months(linked, names, column, rows, blocks(names, rows), keys, panels, left_out, levels)


def _monthly_materials(database: Database, material: Material) -> tuple[dict[str, Material], list[str]]:
    """Return the wiki's monthly snapshots with runs, the earliest first, and a reason for each that is left out."""
    shown: dict[str, Material] = {}
    left_out = []
    prefer = {column.evaluator_id for column in material.board.columns}
    for (name,) in database.rows("months_of_wiki", material.snapshot.wiki):
        if name == material.snapshot.snapshot_id:
            shown[name] = material
            continue
        try:
            shown[name] = gather(database, name, after_cutoff=material.after_cutoff, prefer=prefer)
        except TerminalError as refusal:
            left_out.append(f"{name}: {refusal}")
    return shown, left_out


def _series(shown: Mapping[str, Material], material: Material, column: Column | None) -> list[_Series]:
    """Return the series of two or more months: the longest first, and of equally long ones the best."""
    records_by_month = {
        name: {_request_key(month, entry): entry for entry in _fewest_first(month)} for name, month in shown.items()
    }
    several = []
    for record in best_first(material, column):
        key = _request_key(material, record)
        by_month = {name: (shown[name], records[key]) for name, records in records_by_month.items() if key in records}
        by_month |= {material.snapshot.snapshot_id: (material, record)} if by_month else {}
        if len(by_month) > 1:
            several.append(_Series(material.label(record), record, by_month))
    return sorted(several, key=lambda line: -len(line.by_month))


def _fewest_first(material: Material) -> list[Record]:
    """Sort the runs so that the one on most prompts stands for runs with the same request."""
    return sorted(material.records, key=lambda record: int(record["prompts"]))


def _request_key(material: Material, record: Record) -> tuple[object, ...]:
    run = (entry := material.entries[record["run_id"]]).run
    weights = run.model if run.model_sha256 == "unknown" else run.model_sha256
    return weights, record["decoder"], run.seed, entry.request


def _articles(shown: Mapping[str, Material], material: Material) -> list[_Series]:
    by_month = {name: (month, month.reference) for name, month in shown.items() if month.reference}
    return [_Series(ARTICLES, material.reference, by_month)] if material.reference else []


def _panel(drawn: Sequence[_Series], signs: Sequence[Sign], column: Column, names: Sequence[str]) -> MonthPanel | None:
    """Draw a metric, with the articles only if their numbers vary; compared with themselves they are equal."""
    values: list[dict[str, Any]] = [
        {
            "x": name,
            "who": str(number),
            "mean": cell.mean,
            "low": cell.mean if cell.low is None else cell.low,
            "high": cell.mean if cell.high is None else cell.high,
        }
        for number, line in enumerate(drawn)
        for name in names
        if (cell := line.cell(name, column)).mean is not None and (line.label != ARTICLES or varies(cell.sd))
    ]
    if len({value["x"] for value in values}) < 2:
        return None
    means = "; ".join(f"{drawn[int(value['who'])].label}, {value['x']}: {value['mean']:.4g}" for value in values)
    order = [_short(name, names) for name in names]
    shortened = [value | {"x": _short(value["x"], names)} for value in values]
    return MonthPanel(
        column, svg(lines(shortened, order, None, signs), f"{column.name} over the months, means: {means}")
    )


def _short(name: str, names: Sequence[str]) -> str:
    """Return the name without the wiki, which is the same in all names."""
    short = {month: month.partition("-")[2] or month for month in names}
    return short[name] if len({*short.values()}) == len(names) else name
