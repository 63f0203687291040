"""`newwiki report`: what was found on a snapshot, as a page to look at and to pass on."""

from pathlib import Path

import click

from flows.options import Output, common, open_database
from flows.progress import reporter
from newwiki.settings import Settings
from newwiki.visible import visible


@click.command()
@click.option("--snapshot", default="latest", show_default=True, metavar="ID", help="The snapshot that was run on.")
@click.option("--out", type=Output(path_type=Path, dir_okay=False), help="The file to write (report-SNAPSHOT.html).")
@click.option("--by", metavar="METRIC", help="What worst, median and best texts are chosen by (sbert where there is).")
@common
def report(settings: Settings, quiet: bool, snapshot: str, out: Path | None, by: str | None) -> None:
    """One HTML file with the leaderboard, the paper's tables and figures, every run, and what the models wrote.

    It needs no network and no server. Says where it is and how large.
    """
    from flows.report.page import write

    path = write(open_database(settings), reporter(quiet), snapshot, out, by)
    click.echo(visible(f"{path} ({path.stat().st_size / 1e6:.2f} MB)"))
