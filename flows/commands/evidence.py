"""`newwiki evidence`: builds, shows and verifies an index of sentences that claims are checked against."""

from pathlib import Path

import click

from flows.jobs.job import Answer, Here, job, rows_answer
from flows.listing import Argument, CommandGroup, exemplified, listed
from flows.options import Input, common, form_option
from flows.presenting import tables
from flows.printing import say
from flows.progress import reporter
from newwiki.evidence_request import EvidenceRequest
from newwiki.fields import field
from newwiki.settings import Settings


@listed(
    "make",
    "Build an index of sentences to check claims against.",
    examples=("newwiki evidence build --snapshot latest --out evidence",),
)
@click.group(cls=CommandGroup)
def evidence() -> None:
    """Build, show and verify an index of sentences that claims are checked against."""


@job(
    EvidenceRequest,
    summary="Build an index of sentences.",
    examples=("newwiki evidence build --snapshot latest --out evidence",),
    result="Returns a row with the contents of the index: its hash, pages, sentences, words, bytes and sources.",
)
def build_evidence(
    request: EvidenceRequest, here: Here, *, out: Path = field(help="New folder to write the index to.", writes="path")
) -> Answer:
    """Build an index of the sentences of snapshots, a dump or Parquet files.

    The folder appears when the index is complete. The same pages in any order give the same index.
    """
    from flows.evidence.building import build, row_of

    row = row_of(build(here.database, request, out, here.progress))
    return rows_answer(here, list(row), [list(row.values())], show=lambda form: _show(row, form))


evidence.add_command(build_evidence, "build")


@exemplified("newwiki evidence show evidence")
@evidence.command("show")
@click.argument("folder", cls=Argument, description="Folder of an index.", type=Input(path_type=Path), metavar="FOLDER")
@common
@form_option
def show_evidence(settings: Settings, quiet: bool, form: str, folder: Path) -> None:
    """Show the contents of an index: pages, sentences, size, hash and sources."""
    from evaluators.claims.index_files import read_manifest
    from flows.evidence.building import row_of

    _show(row_of(read_manifest(folder)), form)


@exemplified("newwiki evidence verify evidence")
@evidence.command("verify")
@click.argument("folder", cls=Argument, description="Folder of an index.", type=Input(path_type=Path), metavar="FOLDER")
@common
def verify_evidence(settings: Settings, quiet: bool, folder: Path) -> None:
    """Read a whole index, recompute its search structures, and compare both with its hash."""
    from flows.evidence.building import verify

    manifest = verify(folder, reporter(quiet))
    say(f"{folder}: unchanged since it was built, {manifest.sentences:,} sentences, {manifest.content_sha256}")


def _show(row: dict[str, object], form: str) -> None:
    if form == "table":
        tables.show(["", "evidence"], list(row.items()), form)
    else:
        tables.show(list(row), [list(row.values())], form)
