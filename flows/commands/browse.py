"""`newwiki browse`: a local page to read what was written and to ask the database."""

import click

from flows.listing import listed
from flows.options import common, open_database
from newwiki.settings import Settings


@listed("look", "Read texts and scores in a browser.", example="newwiki browse --port 8080")
@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="Where to listen; 0: a free port."
)
@click.option("--open/--no-open", "open_browser", default=True, show_default=True, help="Open it in a browser.")
@common
def browse(settings: Settings, quiet: bool, port: int, open_browser: bool) -> None:
    """Read snapshots, runs and what they wrote in a browser, and ask in SQL with plots.

    The page is on this machine's own address, for nobody else to see, and can only read. It shows the database as it
    is, runs that are being written too. Every view is an address of its own. Ctrl-C ends it.
    """
    from flows.report.browser.app import serve

    serve(open_database(settings), port, open_browser=open_browser)
