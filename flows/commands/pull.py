"""`newwiki pull`: imports results from a shared folder."""

import click

from flows.listing import Argument, GroupedCommand, listed
from flows.options import common, open_database
from flows.progress import reporter
from newwiki.settings import Settings


@listed(
    "share", "Import missing results from a shared folder or bucket.", examples=("newwiki pull s3://bucket/newwiki",)
)
@click.command(cls=GroupedCommand)
@click.argument(
    "url",
    cls=Argument,
    description="Shared folder: a path, or an address that fsspec supports, such as s3://bucket/results.",
)
@common
def pull(settings: Settings, quiet: bool, url: str) -> None:
    """Import snapshots, runs, scorings and judgements from URL that are missing in the database.

    Each part is checked like a submitted bundle: its hashes, ids, words, lengths and ranges are recomputed. A part that
    is inconsistent, or that contradicts the database, is refused by name; all other parts are imported.
    """
    from flows.admitting.gate import admit
    from storage.pull import pull as go_over
    from storage.shared import SharedFolder

    progress = reporter(quiet)
    moved = go_over(open_database(settings), admit(SharedFolder(url), "pull"), progress.note)
    progress.note(f"imported: {moved.words()}")
