"""`newwiki check`: what a bundle is worth."""

from pathlib import Path

import click

from flows.listing import listed
from flows.options import Output, common, form_option, scoring_options
from flows.progress import reporter
from flows.request_options import asks
from newwiki.bundle_requests import CheckRequest
from newwiki.settings import Settings


@listed("share", "What a signed file of runs is worth.", example="newwiki check gpt2.newwiki --spot 20 --model gpt2")
@click.command()
@asks(CheckRequest)
@click.option(
    "--receipt",
    type=Output(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a receipt of what was confirmed, signed by --sign, which `newwiki site` can count.",
)
@scoring_options
@common
@form_option
def check(settings: Settings, quiet: bool, form: str, receipt: Path | None, request: CheckRequest) -> None:
    """Check a BUNDLE of `newwiki submit`: signature, hashes, scores computed again.

    With --spot, completions of every run are drawn at random and replayed with your copy of the checkpoint: their
    tokens must be those that the decoder chooses. The check ends with the first fault, in a line that says what and
    where.
    """
    from flows.bundles.check import check_with_receipt as look
    from flows.tables import show

    progress = reporter(quiet)
    found = look(request, settings, progress, receipt)
    show(
        ("what", "checked", "of", "result"), [(one.what, one.checked, one.of, one.result) for one in found.lines], form
    )
    for sentence in found.sentences:
        progress.note(sentence)
