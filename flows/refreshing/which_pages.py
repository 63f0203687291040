"""Turn a refresh request into a snapshot definition and a source, and run the refresh."""

from datetime import UTC

from flows.progress import Progress
from flows.refreshing.gather_and_publish import SnapshotDefinition, gather, publish
from flows.refreshing.look_up_topics import look_up_if_reachable
from newwiki.registry import sources
from newwiki.request import RefreshRequest
from newwiki.settings import Settings
from newwiki.snapshot import Snapshot
from newwiki.sources.source import Source
from storage.database import Database


def definition_of(request: RefreshRequest) -> SnapshotDefinition:
    """Return the snapshot definition. Raises UsageError unless the request names one past window and one source."""
    cutoff = request.cutoff and request.cutoff.replace(tzinfo=UTC)
    defined = SnapshotDefinition(request.window, request.selection, cutoff, request.kind, request.novel_against)
    _ = request.place
    return defined


def source_of(request: RefreshRequest, settings: Settings) -> Source:
    """Open the source of the request. Raises TerminalError if the source is unreadable."""
    name = "dump" if request.dump else "api"
    opened: Source = sources.get(name if request.kind == "new" else f"old-{name}")(
        request.place, settings.contact or None
    )
    return opened


def refresh_from(database: Database, request: RefreshRequest, settings: Settings, progress: Progress) -> Snapshot:
    """Run the full refresh. For an API source, also look up the topics of the articles if Wikidata is reachable."""
    wanted = definition_of(request)
    gathered = gather(database, source_of(request, settings), wanted, progress)
    snapshot = publish(database, gathered, wanted, progress)
    if (api := api_of_new_pages(request)) and not gathered.published:
        look_up_if_reachable(database, snapshot.snapshot_id, api, settings.contact or None, settings.wikidata, progress)
    return snapshot


def api_of_new_pages(request: RefreshRequest) -> str | None:
    """Return the API address for the topic lookup, or None for dumps and for old pages."""
    return str(request.place) if request.kind == "new" and not request.dump else None
