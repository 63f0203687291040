"""`newwiki push`: exports results to a folder that several machines share."""

import click

from flows.listing import Argument, GroupedCommand, listed
from flows.options import common, open_database
from flows.progress import reporter
from newwiki.settings import Settings


@listed("share", "Export results to a shared folder or bucket.", examples=("newwiki push s3://bucket/newwiki",))
@click.command(cls=GroupedCommand)
@click.argument(
    "url",
    cls=Argument,
    description="Shared folder: a path, or an address that fsspec supports, such as s3://bucket/results.",
)
@common
def push(settings: Settings, quiet: bool, url: str) -> None:
    """Write snapshots, complete runs, finished scorings and judgements to URL, as partitioned Parquet.

    Existing parts are not written again.
    """
    from storage.push import push as go_over
    from storage.shared import SharedFolder

    progress, database = reporter(quiet), open_database(settings)
    moved = go_over(database, SharedFolder(url).apart_from(database.path), progress.note)
    progress.note(f"pushed: {moved.words()}")
