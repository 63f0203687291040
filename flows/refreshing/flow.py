"""The refresh as a Prefect flow: gather and publish (with retries), then topics, and the funnel as an artifact."""

from pathlib import Path
from typing import Any

from prefect import flow, task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.events import emit_event

from flows.progress import Console
from flows.refreshing import gather_and_publish as steps
from flows.refreshing.look_up_topics import look_up_if_reachable
from flows.refreshing.which_pages import api_of_new_pages, definition_of, source_of
from flows.settings_in_force import settings_in_force
from flows.workers.limits import only_one
from flows.workers.retrying import RETRIES
from newwiki.request import RefreshRequest
from newwiki.settings import Settings
from newwiki.snapshot import Snapshot
from storage.database import Database


@flow(name="newwiki-refresh", flow_run_name="refresh {request.window.label} from {request.place}")
def refresh(request: RefreshRequest, settings: Settings | None = None) -> Snapshot:
    """Publish the requested snapshot.

    Args:
        request: The window, the selection rules and the source.
        settings: The settings. By default, the settings in force on the machine that runs the flow.
    """
    settings = settings or settings_in_force(None)
    database, place = Database(Path(settings.db)), request.place
    with only_one("refresh", place if isinstance(place, str) else " ".join(place)):
        gathered = gather(database, request, settings)
        snapshot: Snapshot = publish(database, gathered, request)
    if not gathered.published:
        _announce(snapshot)
    if (api := api_of_new_pages(request)) and not gathered.published:
        look_up_topics(database, snapshot.snapshot_id, api, settings)
    _show_funnel(database, snapshot)
    return snapshot


@task(name="gather", cache_policy=NO_CACHE, **RETRIES)
def gather(database: Database, request: RefreshRequest, settings: Settings) -> steps.Gathered:
    return steps.gather(database, source_of(request, settings), definition_of(request), Console())


@task(name="publish", cache_policy=NO_CACHE, **RETRIES)
def publish(database: Database, gathered: steps.Gathered, request: RefreshRequest) -> Snapshot:
    return steps.publish(database, gathered, definition_of(request), Console())


@task(name="topics", cache_policy=NO_CACHE)
def look_up_topics(database: Database, snapshot_id: str, api: str, settings: Settings) -> None:
    look_up_if_reachable(database, snapshot_id, api, settings.contact or None, settings.wikidata, Console())


def _announce(snapshot: Snapshot) -> None:
    """Emit an event that can trigger Prefect automations."""
    about = {"wiki": snapshot.wiki, "articles": snapshot.articles, "content_sha256": snapshot.content_sha256}
    resource = {
        "prefect.resource.id": f"newwiki.snapshot.{snapshot.snapshot_id}",
        "prefect.resource.name": snapshot.snapshot_id,
    }
    emit_event("newwiki.snapshot.published", resource, payload=about)


def _show_funnel(database: Database, snapshot: Snapshot) -> None:
    table = database.records(dict[str, Any], "funnel", snapshot.snapshot_id)
    key = f"funnel-{snapshot.snapshot_id}".lower().replace("_", "-")
    create_table_artifact(table=table, key=key, description=f"Pages by verdict: {snapshot.snapshot_id}")
