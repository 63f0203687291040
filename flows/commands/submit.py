"""`newwiki submit`: runs as one signed file, which others can check and take in."""

from pathlib import Path

import click

from flows.listing import listed
from flows.options import Output, common, open_database
from flows.progress import reporter
from flows.request_options import asks
from newwiki.bundle_requests import SubmitRequest
from newwiki.settings import Settings


@listed("share", "Runs as one signed file.", example="newwiki submit gpt2/greedy --key newwiki-key --out gpt2.newwiki")
@click.command()
@asks(SubmitRequest)
@click.option(
    "--out", type=Output(dir_okay=False, path_type=Path), required=True, metavar="FILE.newwiki", help="The bundle."
)
@common
def submit(settings: Settings, quiet: bool, out: Path, request: SubmitRequest) -> None:
    """Write complete runs with their snapshot, texts and scores into one file, and sign it.

    RUN is named as for `newwiki compare`. `newwiki check` says what a bundle is worth.
    """
    from flows.bundles.submit import submit as write

    progress = reporter(quiet)
    bundle = write(open_database(settings), request, out, progress.note)
    runs = "1 run" if len(bundle.runs) == 1 else f"{len(bundle.runs)} runs"
    progress.note(f"{out}: {runs}, signed by {bundle.signer}")
