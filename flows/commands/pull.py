"""`newwiki pull`: take in what other machines have put into a shared folder."""

import click

from flows.listing import listed
from flows.options import common, open_database
from flows.progress import reporter
from newwiki.settings import Settings


@listed("share", "Take in from there what is missing here.", example="newwiki pull s3://bucket/newwiki")
@click.command()
@click.argument("url")
@common
def pull(settings: Settings, quiet: bool, url: str) -> None:
    """Take in snapshots, runs, scorings and judgements from URL that are missing here, each checked by its hash.

    What contradicts what is here is refused, and told.
    """
    from storage.pull import pull as go_over
    from storage.shared import SharedFolder

    progress = reporter(quiet)
    moved = go_over(open_database(settings), SharedFolder(url), progress.note)
    progress.note(f"taken in: {moved.told()}")
