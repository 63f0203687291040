"""`newwiki sync`: exports results to a folder that several machines share, and imports them from it."""

import click

from flows.listing import Argument, CommandGroup, exemplified, listed
from flows.options import common, open_database
from flows.progress import reporter
from newwiki.settings import Settings

_url = click.argument(
    "url",
    cls=Argument,
    description="Shared folder: a path, or an address that fsspec supports, such as s3://bucket/results.",
)


@listed(
    "share",
    "Exchange results through a shared folder or bucket.",
    examples=("newwiki sync push s3://bucket/newwiki", "newwiki sync pull s3://bucket/newwiki"),
)
@click.group(cls=CommandGroup)
def sync() -> None:
    """Exchange results with other machines through a shared folder or bucket."""


@exemplified("newwiki sync push s3://bucket/newwiki")
@sync.command("push")
@_url
@common
def push(settings: Settings, quiet: bool, url: str) -> None:
    """Write snapshots, complete runs, finished scorings and judgements to URL, as partitioned Parquet.

    Existing parts are not written again. Hidden runs are left out. Runs that are deleted here stay in the folder.
    """
    from storage.push import push as go_over
    from storage.shared import SharedFolder

    progress, database = reporter(quiet), open_database(settings)
    moved = go_over(database, SharedFolder(url).apart_from(database.path), progress.note)
    progress.note(f"pushed: {moved.words()}")


@exemplified("newwiki sync pull s3://bucket/newwiki")
@sync.command("pull")
@_url
@common
def pull(settings: Settings, quiet: bool, url: str) -> None:
    """Import snapshots, runs, scorings and judgements from URL that are missing in the database.

    Each part is checked like a submitted bundle: its hashes, ids, words, lengths and ranges are recomputed. A part that
    is inconsistent, or that contradicts the database, is refused by name; all other parts are imported. Runs that were
    deleted here and are in the folder are imported again.
    """
    from flows.admitting.gate import admit
    from storage.pull import pull as go_over
    from storage.shared import SharedFolder

    progress = reporter(quiet)
    moved = go_over(open_database(settings), admit(SharedFolder(url), "pull"), progress.note)
    progress.note(f"imported: {moved.words()}")
