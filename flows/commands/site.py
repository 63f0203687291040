"""`newwiki site`: a leaderboard as static pages, which anyone can host."""

from pathlib import Path

import click

from flows.listing import listed
from flows.options import Output, common, scoring_options
from flows.printing import say
from flows.progress import reporter
from flows.request_options import asks
from newwiki.settings import Settings
from newwiki.site_request import SiteRequest


@listed(
    "share",
    "A leaderboard as pages that anyone can host.",
    example=("newwiki site --out board", "newwiki site bundles --key trusted --out board"),
)
@click.command()
@asks(SiteRequest)
@click.option(
    "--out",
    type=Output(file_okay=False, path_type=Path),
    required=True,
    metavar="DIR",
    help="A folder of its own; a site that is there is replaced.",
)
@scoring_options
@common
def site(settings: Settings, quiet: bool, out: Path, request: SiteRequest) -> None:
    """Write static pages of all snapshots, models and months, which need no server, with every table as files.

    SOURCE is a database, a folder that `newwiki push` writes, or bundles of `newwiki submit`; several are put together,
    and two that contradict each other are refused.
    """
    from flows.site.build import build

    made = build(request, settings, reporter(quiet), out)
    page = made.folder / "index.html"
    say(f"{page} ({made.pages} pages, {made.tables} tables, {made.size / 1e6:.1f} MB)")
