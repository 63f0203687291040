"""The report: one HTML file that asks nothing of any network, written whole or not at all."""

from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from flows.progress import Progress
from flows.report import figures, paper_tables
from flows.report.by_stratum import cuts
from flows.report.checked_sentences import VERDICTS
from flows.report.correlation import matrix
from flows.report.distributions import BINS, HEIGHT, WIDTH, distributions
from flows.report.example_texts import column_for, examples
from flows.report.experiments import sections
from flows.report.later_editions import SHOWN, later_editions
from flows.report.material import Material, gather
from flows.report.paper import paper_columns
from flows.report.templating import assets, environment, write_page
from flows.report.training_curves import training
from newwiki.errors import TerminalError
from newwiki.paper_metrics import PAPER
from newwiki.protocol import PROTOCOL
from newwiki.request import ReportRequest
from storage.database import Database
from storage.outputs import safe


def write(database: Database, progress: Progress, request: ReportRequest, path: Path | None = None) -> Path:
    """Writes the report on a snapshot, to `report-SNAPSHOT.html` if no path is given, and gives the path.

    Raises TerminalError where nothing is scored yet, UsageError where the file cannot be written.
    """
    if path:
        safe(path, database.path)
    html, snapshot_id = render(database, progress, request)
    return write_page(html, safe(path or Path(f"report-{snapshot_id}.html"), database.path))


def render(database: Database, progress: Progress, request: ReportRequest) -> tuple[str, str]:
    """The page, and the id of the snapshot that it is on."""
    with database.read():
        material = gather(database, request.snapshot, after_cutoff=request.after_cutoff)
        snapshot_id = material.snapshot.snapshot_id
        if not material.records:
            raise TerminalError(
                f"no run on {snapshot_id} is scored yet; score one with "
                f"`newwiki evaluate MODEL --decoder greedy --snapshot {snapshot_id}`"
            )
        column = column_for(material, request.texts_by)
        alike = paper_tables.alike(material)
        cut_column = column if column in material.text_columns else next(iter(material.text_columns), None)
        heads = paper_columns(material.board.columns)
        stored = {
            "funnel": database.rows("funnel", snapshot_id),
            "topics": database.rows("topic_counts", snapshot_id),
            "requests": database.rows("requests", snapshot_id),
            "matrix": matrix(database, material),
            "distributions": distributions(database, material),
            "examples": examples(database, material, column, progress) if column else {},
            "cuts": cuts(database, material, cut_column, request.by) if cut_column else [],
            "old_and_new": paper_tables.old_and_new(database, material),
            "experiments": sections(database, snapshot_id),
            "editions": later_editions(database, snapshot_id),
        }
    reference = [material.reference] if material.reference else []
    columns = paper_tables.in_order(material)
    page = environment().get_template("report.html").render(
        material=material,
        columns=columns,
        leaderboard=paper_tables.rows(material, paper_tables.best_first(material, column), columns),
        reference=paper_tables.rows(material, reference, columns),
        heads=heads,
        alike=paper_tables.rows(material, alike, [head.column for head in heads]),
        alike_reference=paper_tables.rows(material, reference, [head.column for head in heads]),
        sweeps=[figures.sweep(material, parameter) for parameter in figures.SWEPT],
        spreads=figures.spreads(material, alike),
        training=training(material),
        apart_from_protocol=any(name in PROTOCOL for name in material.apart_in),
        unscored=[entry for run_id, entry in material.entries.items() if not _has(material, run_id)],
        example_column=column,
        strata_column=cut_column,
        box=(WIDTH, HEIGHT, BINS),
        verdicts=VERDICTS,
        things_shown=SHOWN,
        paper=PAPER,
        written_at=datetime.now(UTC),
        version=version("newwiki-eval"),
        **stored,
        **assets(),
    )  # fmt: skip
    return page, snapshot_id


def _has(material: Material, run_id: str) -> bool:
    return run_id in material.board.left_out or any(record["run_id"] == run_id for record in material.records)
