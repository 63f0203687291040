"""Which pages become a snapshot, and from where: what a person says, as a request, and the refresh that does it."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

from flows.progress import Progress
from flows.refreshing.gather_and_publish import RefreshRequest, gather, publish
from flows.refreshing.look_up_topics import look_up_if_reachable
from newwiki.errors import UsageError
from newwiki.records import OLD_SELECTION, Selection, Snapshot, Window
from newwiki.registry import sources
from newwiki.settings import Settings
from storage.database import Database

Place = str | Sequence[str]  # an address, a file, or the files, folders and patterns that are one dump


def refresh_request(
    *,
    month: str | None = None,
    first: date | None = None,
    last: date | None = None,
    kind: str = "new",
    before: date | None = None,
    min_revisions: int = 10,
    min_words: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    cutoff: datetime | None = None,
    limit: int | None = None,
    novel_against: Sequence[str] = (),
) -> RefreshRequest:
    """Raises UsageError unless the dates name one window. None in a number is the default of the kind of pages."""
    window = _window(month, first, last) if kind == "new" and not before else _old(kind, before, month, first, last)
    usual = OLD_SELECTION if kind == "old" else Selection()
    selection = Selection(min_revisions, min_words or usual.min_words, sample or usual.sample, seed, limit)
    return RefreshRequest(window, selection, cutoff.replace(tzinfo=UTC) if cutoff else None, kind, tuple(novel_against))


def source_of(api: str | None, wiki: str | None, dump: str | Sequence[str], kind: str) -> tuple[str, Place]:
    """A source's name and its place, of which exactly one is to be given. Raises UsageError."""
    if sum(map(bool, (api, wiki, dump))) != 1:
        raise UsageError("from where? Give one of --api URL, --wiki enwiki, --dump FILE")
    prefix = "old-" if kind == "old" else ""
    if dump:
        return f"{prefix}dump", dump if isinstance(dump, str) or len(dump) > 1 else dump[0]
    if api:
        return f"{prefix}api", api
    place = wiki or ""
    language = place.removesuffix("wiki").replace("_", "-")
    if not place.endswith("wiki") or not language:
        raise UsageError(f"'{place}' is not the name of a Wikipedia; write it as enwiki, or give --api URL")
    return f"{prefix}api", f"https://{language}.wikipedia.org/w/api.php"


def refresh_from(
    database: Database, source: str, place: Place, request: RefreshRequest, settings: Settings, progress: Progress
) -> Snapshot:
    """The whole refresh, and through an API what the articles are about, where Wikidata can be reached."""
    contact = settings.contact or None
    gathered = gather(database, sources.get(source)(place, contact), request, progress)
    snapshot = publish(database, gathered, request, progress)
    if isinstance(place, str) and source == "api" and not gathered.published:
        look_up_if_reachable(database, snapshot.snapshot_id, place, contact, settings.wikidata, progress)
    return snapshot


def _window(month: str | None, first: date | None, last: date | None) -> Window:
    if month and not first and not last:
        return Window.month(month)
    if first and last and not month:
        return Window.days(_day(first), _day(last))
    raise UsageError("which pages? Give --month 2026-10, or --from and --to")


def _old(kind: str, before: date | None, *others: object) -> Window:
    if kind != "old" or before is None or any(others):
        raise UsageError("which old pages? Give --kind old and --before 2020-01-01, and no other dates")
    return Window.before(_day(before))


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment
