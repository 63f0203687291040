"""The refresh as a Prefect flow: two tasks, retried when the wiki fails for now, and the funnel as an artifact."""

from pathlib import Path

from prefect import flow, task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE

from flows.progress import Console
from flows.retrying import RETRIES
from flows.steps import refresh as steps
from newwiki.records import Snapshot
from newwiki.registry import sources
from storage.database import Database


@flow(name="newwiki-refresh", flow_run_name="refresh {request.window.label} from {place}")
def refresh(db: str, source: str, place: str, request: steps.RefreshRequest, *, contact: str | None = None) -> Snapshot:
    """Publishes what is requested from a source: `api` with an address, or `dump` with a file."""
    database = Database(Path(db))
    snapshot: Snapshot = publish(database, gather(database, source, place, contact, request), request)
    _show_funnel(database, snapshot)
    return snapshot


@task(name="gather", cache_policy=NO_CACHE, **RETRIES)
def gather(
    database: Database, source: str, place: str, contact: str | None, request: steps.RefreshRequest
) -> steps.Gathered:
    opened = sources.get(source)(place, contact)
    return steps.gather(database, opened, request, Console())


@task(name="publish", cache_policy=NO_CACHE, **RETRIES)
def publish(database: Database, gathered: steps.Gathered, request: steps.RefreshRequest) -> Snapshot:
    return steps.publish(database, gathered, request, Console())


def _show_funnel(database: Database, snapshot: Snapshot) -> None:
    columns = ("verdict", "pages", "share", "example")
    table = [dict(zip(columns, row, strict=True)) for row in database.rows("funnel", snapshot.snapshot_id)]
    key = f"funnel-{snapshot.snapshot_id}".lower().replace("_", "-")
    create_table_artifact(table=table, key=key, description=f"What became of every page: {snapshot.snapshot_id}")
