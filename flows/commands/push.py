"""`newwiki push`: put what is done here into a folder that several machines share."""

import click

from flows.listing import listed
from flows.options import common, open_database
from flows.progress import reporter
from newwiki.settings import Settings


@listed("share", "Write what is here to a shared folder or bucket.", example="newwiki push s3://bucket/newwiki")
@click.command()
@click.argument("url")
@common
def push(settings: Settings, quiet: bool, url: str) -> None:
    """Write snapshots, complete runs, finished scorings and judgements to URL, as partitioned Parquet.

    URL is a path, or any that fsspec knows, such as s3://bucket/results. What is there already is not written again.
    """
    from storage.push import push as go_over
    from storage.shared import SharedFolder

    progress, database = reporter(quiet), open_database(settings)
    moved = go_over(database, SharedFolder(url).apart_from(database.path), progress.note)
    progress.note(f"pushed: {moved.told()}")
