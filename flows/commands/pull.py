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
    """Take in snapshots, runs, scorings and judgements from URL that are missing here.

    Each part is checked as a submitted bundle is: its hashes, ids, words, lengths and ranges are computed again. A part
    that cannot be what it says, or that contradicts what is here, is refused by name, and all others are taken in.
    """
    from flows.admitting.gate import admit
    from storage.pull import pull as go_over
    from storage.shared import SharedFolder

    progress = reporter(quiet)
    moved = go_over(open_database(settings), admit(SharedFolder(url), "pull"), progress.note)
    progress.note(f"taken in: {moved.told()}")
