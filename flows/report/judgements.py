"""The page with the judgements on two runs."""

from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from flows.judging.findings import Findings
from flows.judging.pairing import Pairing
from flows.judging.show import tables, whose
from flows.report.templating import assets, environment, write_page
from storage.database import Database
from storage.outputs import safe


def write_judgements(database: Database, pairing: Pairing, findings: Findings, path: Path) -> Path:
    """Write the page and return its path. Raises UsageError if the file cannot be written."""
    html = environment().get_template("judgements.html").render(
        pairing=pairing,
        whose=whose(pairing),
        tables=tables(findings, pairing),
        notes=findings.notes,
        written_at=datetime.now(UTC),
        version=version("newwiki-eval"),
        **assets(),
    )  # fmt: skip
    return write_page(html, safe(path, database.path))
