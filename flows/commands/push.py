"""`newwiki push`: put what is done here into a folder that several machines share."""

import click

from flows.options import common, open_database
from flows.progress import reporter
from newwiki.settings import Settings


@click.command()
@click.argument("url")
@common
def push(settings: Settings, quiet: bool, url: str) -> None:
    """Write snapshots, complete runs and finished scorings to URL, as partitioned Parquet.

    URL is a path, or any that fsspec knows, such as s3://bucket/results. What is there already is not written again.
    """
    from storage.push import push as go_over
    from storage.shared import SharedFolder

    progress = reporter(quiet)
    moved = go_over(open_database(settings), SharedFolder(url), progress.note)
    progress.note(f"pushed: {moved.told()}")
