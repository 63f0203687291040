"""`newwiki push`: put what is done here into a folder, or a DuckLake, that several machines share."""

import click

from flows.options import Output, common, open_database
from flows.progress import reporter
from newwiki.errors import UsageError
from newwiki.settings import Settings


@click.command()
@click.argument("url")
@click.option(
    "--data-path", type=Output(), metavar="URL", help="Where a new DuckLake keeps its files (CATALOGUE.files)."
)
@common
def push(settings: Settings, quiet: bool, url: str, data_path: str | None) -> None:
    """Write snapshots, complete runs and finished scorings to URL, as partitioned Parquet.

    URL is a path, or any that fsspec knows, such as s3://bucket/results; or ducklake:CATALOGUE, a DuckLake as DuckDB
    attaches it. What is there already is not written again.
    """
    from storage import lake
    from storage.outputs import safe_catalogue
    from storage.push import push as go_over
    from storage.shared import SharedFolder

    progress, database = reporter(quiet), open_database(settings)
    if url.startswith(lake.SCHEME):
        safe_catalogue(url.removeprefix(lake.SCHEME), database.path)
        with lake.opened(url, data_path) as attached:
            moved = lake.push(database, attached, progress.note)
    elif data_path:
        raise UsageError("--data-path is of a DuckLake; name one as ducklake:CATALOGUE")
    else:
        moved = go_over(database, SharedFolder(url).apart_from(database.path), progress.note)
    progress.note(f"pushed: {moved.told()}")
