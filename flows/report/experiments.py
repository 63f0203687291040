"""The answers of experiments, as a section of their snapshot's report and as pages of their own."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from flows.experiments.experiment import Figure, Table, named
from flows.report.templating import assets, environment, write_page
from storage import experiments
from storage.database import Database
from storage.experiments import StoredExperiment
from storage.outputs import safe


@dataclass(frozen=True)
class Section:
    """An answer as a page shows it."""

    title: str
    source: str
    answer: StoredExperiment
    tables: Sequence[Table]
    figures: Sequence[Figure]


def sections(database: Database, snapshot_id: str) -> list[Section]:
    """The newest answer to each question on a snapshot."""
    return [_section(database, one) for one in experiments.on_snapshot(database, snapshot_id)]


def write_answer(database: Database, experiment_id: str, path: Path) -> Path:
    """Writes an answer as a page, and gives the path. Raises UsageError where it cannot be written."""
    with database.read():
        section = _section(database, experiments.stored(database, experiment_id))
    html = environment().get_template("experiment.html").render(
        experiments=[section],
        written_at=datetime.now(UTC),
        version=version("newwiki-eval"),
        **assets(),
    )  # fmt: skip
    return write_page(html, safe(path, database.path))


def _section(database: Database, answer: StoredExperiment) -> Section:
    one = named(answer.name)
    shown = one.show(database, answer.experiment_id)
    return Section(one.title, one.source, answer, shown.tables, shown.figures())
