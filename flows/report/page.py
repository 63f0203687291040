"""The report on a snapshot: one HTML file without requests to any network, written whole or not at all."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from evaluators.statistics import FEWEST
from flows import pieces
from flows.comparing.board import Column, number_of
from flows.presenting import page_tables
from flows.presenting.charts import PageSigns
from flows.presenting.material import Material, gather
from flows.presenting.page_tables import paper_columns
from flows.presenting.snapshot_title import snapshot_title
from flows.progress import Progress
from flows.report import figures, models
from flows.report.by_stratum import cuts
from flows.report.example_texts import column_for, example_column, examples
from flows.report.experiments import sections
from flows.report.groups import Groups, best_run_sentence, groups
from flows.report.later_editions import SHOWN, later_editions
from flows.report.marked_text import VERDICTS
from flows.report.metrics import BINS, HEIGHT, WIDTH, distributions, matrix
from flows.report.models import spreads
from flows.report.months import LINKING, months
from flows.report.templating import assets, environment, require_folder, write_page
from flows.report.trade_off import trade_off
from flows.report.training_curves import training
from newwiki.comparison_requests import ReportRequest
from newwiki.errors import TerminalError
from newwiki.file_names import file_name
from newwiki.paper_metrics import PAPER
from newwiki.protocol import PROTOCOL
from storage.database import Database
from storage.outputs import safe


@dataclass(frozen=True)
class PageSection:
    """A part of the page with its id; it is rendered if one of the names in `shows` has content."""

    id: str
    words: str
    template: str
    shows: tuple[str, ...]


SECTIONS = (
    PageSection("leaderboard", "Leaderboard", "leaderboard.html", ("leaderboard",)),
    PageSection("quality-and-diversity", "Quality and diversity", "trade_off.html", ("trade_off",)),
    PageSection("models", "Models", "models.html", ("table_3", "spreads")),
    PageSection("decoding", "Decoding", "decoding.html", ("swept",)),
    PageSection("training", "Training", "training.html", ("training",)),
    PageSection("months", "Over the months", "months.html", ("months",)),
    PageSection("strata", "By kind of article", "strata.html", ("cut",)),
    PageSection("old-and-new", "Old and new", "old_and_new.html", ("old_and_new",)),
    PageSection("experiments", "Experiments", "experiments.html", ("experiments",)),
    PageSection("later", "Later editions", "later_editions.html", ("editions",)),
    PageSection("metrics", "Metrics", "metrics.html", ("matrix",)),
    PageSection("snapshot", "Snapshot", "snapshot.html", ("funnel",)),
    PageSection("runs", "Runs", "runs.html", ("leaderboard",)),
)


def write(database: Database, progress: Progress, request: ReportRequest, path: Path | None = None) -> Path:
    """Write the report on a snapshot, by default to `report-SNAPSHOT.html`, and return the path.

    Raises TerminalError if no run has scores, and UsageError if the file cannot be written.
    """
    if path:
        safe(path, database.path)
        require_folder(path)
    html, snapshot_id = render(database, progress, request)
    return write_page(html, safe(path or Path(f"report-{file_name(snapshot_id)}.html"), database.path))


def render(database: Database, progress: Progress, request: ReportRequest) -> tuple[str, str]:
    """Return the page and the id of its snapshot."""
    with database.read():
        material = gather(database, request.snapshot, after_cutoff=request.after_cutoff)
        if request.anchors == "no":
            material = replace(material, board=material.board.without_anchors)
        snapshot_id = material.snapshot.snapshot_id
        if not material.records:
            raise TerminalError(
                f"no run on {snapshot_id} is scored yet; score one with "
                f"`newwiki evaluate MODEL --decoder greedy --snapshot {snapshot_id}`"
            )
        column = column_for(material, request.texts_by)
        column_of_examples = example_column(material, column)
        alike = models.alike(material)
        cut_column = column if column in material.text_columns else next(iter(material.text_columns), None)
        heads = paper_columns(material.board.columns)
        signs = _signs(material, column)
        answers = sections(database, snapshot_id, signs)
        cut = cuts(database, material, cut_column, request.by, signs) if cut_column else []
        stored: dict[str, Any] = {
            "funnel": database.rows("funnel", snapshot_id),
            "topics": database.rows("topic_counts", snapshot_id),
            "requests": database.rows("requests", snapshot_id),
            "groups": groups(database, material, column),
            "matrix": matrix(database, material),
            "distributions": distributions(database, material),
            "examples": examples(database, material, column_of_examples, progress) if column_of_examples else {},
            "cut": [stratum for stratum in cut if stratum.rows],
            "uncut": [stratum for stratum in cut if not stratum.rows],
            "old_and_new": models.old_and_new(database, material),
            "months": months(database, material, column, answers, signs),
            "experiments": [answer for answer in answers if answer.answer.name != LINKING],
            "editions": later_editions(database, snapshot_id),
            "sees": _sees(database, material),
        }
    reference = [material.reference] if material.reference else []
    columns = page_tables.in_order(material, column)
    run_rows = page_tables.rows(material, page_tables.best_first(material, column), columns)
    article_rows = page_tables.rows(material, reference, columns)
    run_rows, article_rows = page_tables.together(run_rows, article_rows)
    paper = [head.column for head in heads]
    table_3, below_table_3 = page_tables.together(
        page_tables.rows(material, alike, paper), page_tables.rows(material, reference, paper)
    )
    sweeps = [figures.sweep(material, parameter, signs) for parameter in figures.SWEPT]
    constant = _constant(material)
    beside = _beside(material, stored["groups"], constant)
    shown: dict[str, Any] = {
        "columns": columns,
        "leaderboard": run_rows,
        "reference": article_rows,
        "anchors": page_tables.anchor_table(material.board, snapshot_id, columns, column),
        "constant": constant,
        "blocks": page_tables.blocks(
            [_head(material, metric_column) for metric_column in columns], [*run_rows, *article_rows], beside
        ),
        "table_3": table_3 if paper else [],
        "below_table_3": below_table_3,
        "sweeps": sweeps,
        "swept": [sweep for sweep in sweeps if sweep.panels],
        "spreads": spreads(material, alike, signs),
        "trade_off": trade_off(material, column_of_examples, signs),
        "training": training(material, signs),
    }
    shown |= stored
    page = environment().get_template("report.html").render(
        title=snapshot_title(material.snapshot),
        best_run=best_run_sentence(material, stored["groups"]),
        sections=[section for section in SECTIONS if any(shown[name] for name in section.shows)],
        material=material,
        heads=heads,
        number_of=number_of,
        apart_from_protocol=any(name in PROTOCOL for name in material.apart_in),
        unscored=[entry for run_id, entry in material.entries.items() if not _has(material, run_id)],
        order_column=column,
        example_column=column_of_examples,
        strata_column=cut_column,
        box=(WIDTH, HEIGHT, BINS),
        verdicts=VERDICTS,
        things_shown=SHOWN,
        fewest=FEWEST,
        paper=PAPER,
        written_at=datetime.now(UTC),
        version=version("newwiki-eval"),
        **shown,
        **assets(),
    )  # fmt: skip
    return page, snapshot_id


def _signs(material: Material, column: Column | None) -> PageSigns:
    """Assign colors in the leaderboard's order. Experiments name a model by its whole path or hub id."""
    names = [material.names[record["run_id"]] for record in page_tables.best_first(material, column)]
    return PageSigns(names, {entry.run.model: material.names[run_id] for run_id, entry in material.entries.items()})


def _constant(material: Material) -> tuple[int, int] | None:
    """Return the number of texts and prompts of each run, if it is the same for all."""
    counts = {(record["completions"], record["prompts"]) for record in material.records}
    return counts.pop() if len(counts) == 1 else None


def _sees(database: Database, material: Material) -> dict[str, str]:
    """Return what the columns' metrics see, by the newest answers of `newwiki experiment metrics`; the others lack."""
    sights, evaluators = pieces.sights(database), material.evaluators
    known = {
        column.metric: sights.get((column.metric, evaluator.name, evaluator.version))
        for column in material.board.columns
        for evaluator in [evaluators[column.evaluator_id]]
    }
    return {metric: words for metric, words in known.items() if words}


def _head(material: Material, column: Column) -> str:
    """Return the head of a column with its arrow."""
    return f"{column.name}·↑" if material.direction(column) != "none" else column.name


def _beside(material: Material, shown_groups: Groups | None, constant: object) -> float:
    """Return the width in letters of the leaderboard's columns other than the metrics."""
    words: list[tuple[str, list[str]]] = []
    if shown_groups and shown_groups.of:
        words.append(("group", [" " * round(1.4 * len(shown_groups.letters))]))
    if material.knows_cutoffs:
        words += [("knowledge cutoff", ["2026-01-01"]), ("seen share", ["100.0%"])]
    if not constant:
        words.append(("texts", ["100,000 prompts"]))
    return sum(page_tables.width_of(head, cells) for head, cells in words)


def _has(material: Material, run_id: str) -> bool:
    return run_id in material.board.left_out or any(record["run_id"] == run_id for record in material.records)
