"""`newwiki browse`: a local page to read texts and scores and to query the database."""

import click

from flows.listing import GroupedCommand, listed
from flows.options import common, open_database
from newwiki.settings import Settings


@listed("look", "Read texts and scores in a browser.", examples=("newwiki browse --port 8080",))
@click.command(cls=GroupedCommand)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    help="Port of the local page; 0 is a free port.",
)
@click.option(
    "--open/--no-open", "open_browser", default=True, show_default=True, help="Open the local page in a browser."
)
@common
def browse(settings: Settings, quiet: bool, port: int, open_browser: bool) -> None:
    """Read snapshots, runs and their texts in a browser, and query them in SQL with plots.

    The page is served on this machine's own address only, and it only reads. It shows the current database, including
    runs in progress. Every view has its own address. Stop the server with Ctrl-C.
    """
    from flows.report.browser.app import serve

    serve(open_database(settings), port, open_browser=open_browser)
