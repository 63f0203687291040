"""The refresh as a Prefect flow: two tasks, retried when the wiki fails for now, and the funnel as an artifact."""

from pathlib import Path

from prefect import flow, task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.events import emit_event

from flows.progress import Console
from flows.refreshing import gather_and_publish as steps
from flows.refreshing.look_up_topics import look_up_if_reachable
from flows.refreshing.which_pages import Place
from flows.workers.limits import only_one
from flows.workers.retrying import RETRIES
from newwiki.records import Snapshot
from newwiki.registry import sources
from newwiki.settings import Settings
from storage.database import Database


@flow(name="newwiki-refresh", flow_run_name="refresh {request.window.label} from {place}")
def refresh(
    db: str,
    source: str,
    place: Place,
    request: steps.RefreshRequest,
    *,
    contact: str | None = None,
    wikidata: str = Settings.wikidata,
) -> Snapshot:
    """Publishes what is requested from a source: `api` with an address, or `dump` with files."""
    database = Database(Path(db))
    with only_one("refresh", place if isinstance(place, str) else " ".join(place)):
        gathered = gather(database, source, place, contact, request)
        snapshot: Snapshot = publish(database, gathered, request)
    if not gathered.published:
        _announce(snapshot)
    if isinstance(place, str) and source == "api" and not gathered.published:
        look_up_topics(database, snapshot.snapshot_id, place, contact, wikidata)
    _show_funnel(database, snapshot)
    return snapshot


@task(name="gather", cache_policy=NO_CACHE, **RETRIES)
def gather(
    database: Database, source: str, place: Place, contact: str | None, request: steps.RefreshRequest
) -> steps.Gathered:
    opened = sources.get(source)(place, contact)
    return steps.gather(database, opened, request, Console())


@task(name="publish", cache_policy=NO_CACHE, **RETRIES)
def publish(database: Database, gathered: steps.Gathered, request: steps.RefreshRequest) -> Snapshot:
    return steps.publish(database, gathered, request, Console())


@task(name="topics", cache_policy=NO_CACHE)
def look_up_topics(database: Database, snapshot_id: str, place: str, contact: str | None, wikidata: str) -> None:
    look_up_if_reachable(database, snapshot_id, place, contact, wikidata, Console())


def _announce(snapshot: Snapshot) -> None:
    """An event, which automations of Prefect can begin with."""
    about = {"wiki": snapshot.wiki, "articles": snapshot.articles, "content_sha256": snapshot.content_sha256}
    resource = {
        "prefect.resource.id": f"newwiki.snapshot.{snapshot.snapshot_id}",
        "prefect.resource.name": snapshot.snapshot_id,
    }
    emit_event("newwiki.snapshot.published", resource, payload=about)


def _show_funnel(database: Database, snapshot: Snapshot) -> None:
    columns = ("verdict", "pages", "share", "example")
    table = [dict(zip(columns, row, strict=True)) for row in database.rows("funnel", snapshot.snapshot_id)]
    key = f"funnel-{snapshot.snapshot_id}".lower().replace("_", "-")
    create_table_artifact(table=table, key=key, description=f"What became of every page: {snapshot.snapshot_id}")
