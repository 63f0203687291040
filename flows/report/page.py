"""The report: one HTML file that asks nothing of any network, written whole or not at all."""

import base64
import hashlib
import os
import re
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import jinja2
from markupsafe import Markup

from flows.catalogue import span
from flows.progress import Progress
from flows.report import figures, paper_tables
from flows.report.by_stratum import cuts
from flows.report.correlation import matrix
from flows.report.distributions import BINS, HEIGHT, WIDTH, distributions
from flows.report.example_texts import column_for, examples
from flows.report.later_editions import SHOWN, later_editions
from flows.report.material import Record, gather
from flows.report.paper import PAPER, paper_columns
from flows.report.training_curves import training
from flows.tables import digits
from newwiki.decoding.grammar import short_form
from newwiki.errors import TerminalError, UsageError
from newwiki.protocol import PROTOCOL, value_in_words
from newwiki.records import Metric
from newwiki.request import ReportRequest
from storage.database import Database
from storage.outputs import safe, unfinished

_TEMPLATES = files("flows.report") / "templates"


def write(database: Database, progress: Progress, request: ReportRequest, path: Path | None = None) -> Path:
    """Writes the report on a snapshot, to `report-SNAPSHOT.html` if no path is given, and gives the path.

    Raises TerminalError where nothing is scored yet, UsageError where the file cannot be written.
    """
    if path:
        safe(path, database.path)
    html, snapshot_id = render(database, progress, request)
    target = safe(path or Path(f"report-{snapshot_id}.html"), database.path)
    part, _ = unfinished(target)
    try:
        part.write_text(html, "utf-8")
        os.replace(part, target)
    except OSError as error:
        raise UsageError(
            f"the report cannot be written to '{target}': {error.strerror}; name a file by --out"
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return target


def render(database: Database, progress: Progress, request: ReportRequest) -> tuple[str, str]:
    """The page, and the id of the snapshot that it is on."""
    with database.read():
        material = gather(database, request.snapshot)
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
            "editions": later_editions(database, snapshot_id),
        }
    reference = [material.reference] if material.reference else []
    columns = paper_tables.in_order(material)
    page = _environment().get_template("report.html").render(
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
        unscored=[entry for run_id, entry in material.entries.items() if not _has(material.records, run_id)],
        example_column=column,
        strata_column=cut_column,
        box=(WIDTH, HEIGHT, BINS),
        things_shown=SHOWN,
        paper=PAPER,
        written_at=datetime.now(UTC),
        version=version("newwiki-eval"),
        **stored,
        **_assets(),
    )  # fmt: skip
    return page, snapshot_id


def _has(records: list[Record], run_id: str) -> bool:
    return any(record["run_id"] == run_id for record in records)


def _assets() -> dict[str, Markup]:
    """The style and the script as they stand in the page, and the script's hash, without which no script runs there."""
    style, script = ((_TEMPLATES / name).read_text("utf-8") for name in ("report.css", "report.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return {"style": Markup(style), "script": Markup(script), "script_sha256": Markup(digest)}


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: (_TEMPLATES / name).read_text("utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "digits": _digits,
        "breakable": _breakable,
        "short_form": short_form,
        "span": _span,
        "apart": paper_tables.apart,
        "setting": value_in_words,
        "count": "{:,}".format,
        "date": "{:%Y-%m-%d}".format,
        "time": "{:%Y-%m-%d %H:%M} UTC".format,
    }
    return environment


def _digits(number: float, like: float | None = None) -> str:
    """As people read it, with as many decimals as the number that it stands beside; with a true minus."""
    text = digits(number) if like is None else f"{number:.{len(digits(like).partition('.')[2])}f}"
    return text.replace("-", "−" if float(text) else "")


def _breakable(name: str, after: str = ",:") -> Markup:
    """A line may end after these marks, as the name of a decoder or a metric has no spaces."""
    return Markup("<wbr>").join(re.split(f"(?<=[{after}])", name))


def _span(metric: Metric) -> str:
    return span(metric.minimum, metric.maximum)
