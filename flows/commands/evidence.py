"""`newwiki evidence`: build, show and verify an index of sentences that claims are checked against."""

from pathlib import Path

import click

from flows import tables
from flows.listing import exemplified, listed
from flows.options import Input, Output, common, form_option, open_database
from flows.printing import say
from flows.progress import reporter
from flows.request_options import asks
from newwiki.evidence_request import EvidenceRequest
from newwiki.settings import Settings


@listed(
    "make",
    "An index of sentences that claims are checked against.",
    example="newwiki evidence build --snapshot latest --out evidence",
)
@click.group()
def evidence() -> None:
    """Build, show and verify an index of sentences that claims are checked against."""


@exemplified("newwiki evidence build --snapshot latest --out evidence")
@evidence.command("build")
@asks(EvidenceRequest)
@click.option("--out", required=True, type=Output(path_type=Path), help="The folder to write, a new one.")
@common
@form_option
def build_evidence(settings: Settings, quiet: bool, form: str, out: Path, request: EvidenceRequest) -> None:
    """Build an index of the sentences of snapshots, a dump or Parquet files.

    The folder appears when it is complete. The same pages make the same index, whatever order they come in.
    """
    from flows.evidence.building import build, row_of

    _show(row_of(build(open_database(settings), request, out, reporter(quiet))), form)


@exemplified("newwiki evidence show evidence")
@evidence.command("show")
@click.argument("folder", type=Input(path_type=Path), metavar="FOLDER")
@common
@form_option
def show_evidence(settings: Settings, quiet: bool, form: str, folder: Path) -> None:
    """What an index holds: pages, sentences, size, hash, sources."""
    from evaluators.claims.index_files import read_manifest
    from flows.evidence.building import row_of

    _show(row_of(read_manifest(folder)), form)


@exemplified("newwiki evidence verify evidence")
@evidence.command("verify")
@click.argument("folder", type=Input(path_type=Path), metavar="FOLDER")
@common
def verify_evidence(settings: Settings, quiet: bool, folder: Path) -> None:
    """Read all of an index, and make anew what its sentences are found by: is it what its hash says?"""
    from flows.evidence.building import verify

    manifest = verify(folder, reporter(quiet))
    say(f"{folder}: as it was built, {manifest.sentences:,} sentences, {manifest.content_sha256}")


def _show(row: dict[str, object], form: str) -> None:
    if form == "table":
        tables.show(["", "evidence"], list(row.items()), form)
    else:
        tables.show(list(row), [list(row.values())], form)
