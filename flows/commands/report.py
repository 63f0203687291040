"""`newwiki report`: what was found on a snapshot, as a page to look at and to pass on."""

from pathlib import Path

import click

from flows.listing import listed
from flows.options import Output, common, open_database
from flows.printing import say
from flows.progress import reporter
from flows.request_options import asks
from newwiki.request import ReportRequest
from newwiki.settings import Settings


@listed(
    "look",
    "All of a snapshot's results as one HTML file.",
    example="newwiki report --snapshot latest --out report.html",
)
@click.command()
@asks(ReportRequest)
@click.option("--out", type=Output(path_type=Path, dir_okay=False), help="The file to write (report-SNAPSHOT.html).")
@common
def report(settings: Settings, quiet: bool, request: ReportRequest, out: Path | None) -> None:
    """One HTML file with the leaderboard, the paper's tables and figures, every run, and what the models wrote.

    It needs no network and no server. Says where it is and how large.
    """
    from flows.report.page import write

    path = write(open_database(settings), reporter(quiet), request, out)
    say(f"{path} ({path.stat().st_size / 1e6:.2f} MB)")
