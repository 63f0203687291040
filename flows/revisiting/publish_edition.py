"""Publish an edition of a snapshot: a new snapshot with the same articles at a later cutoff."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from flows.progress import Progress
from flows.refreshing.look_up_topics import usual_address
from flows.refreshing.waiting_pages import judge_waiting
from newwiki.errors import TerminalError, TransientError, UsageError
from newwiki.request import RevisitRequest
from newwiki.selection import judge, judge_or_wait
from newwiki.settings import Settings
from newwiki.snapshot import Deletion, Judged, Origin, Page, Selection, Snapshot, WaitingPage, Window
from newwiki.sources.later import LaterApi, LaterDump, LaterSource
from newwiki.sources.source import Waiting
from newwiki.text.language import Language, load_language
from newwiki.text.prose import EXTRACTOR_VERSION
from storage import editions, snapshot_templates, snapshots
from storage.database import Database
from storage.staging import Staging


@dataclass(frozen=True)
class Revisit:
    """A request for the articles of `first` as of `cutoff`, which must be later than the first cutoff."""

    first: Snapshot
    cutoff: datetime

    def __post_init__(self) -> None:
        now = datetime.now(UTC)
        if not self.first.cutoff < self.cutoff <= now:
            raise UsageError(
                f"the cutoff {self.cutoff:%Y-%m-%d %H:%M} must lie after that of {self.first.snapshot_id} "
                f"({self.first.cutoff:%Y-%m-%d %H:%M}) and not after now; name another with --cutoff"
            )

    @property
    def edition(self) -> str:
        return editions.edition_id(self.first, self.cutoff)


def asked_for(database: Database, request: RevisitRequest) -> Revisit:
    """Return the validated request.

    The default cutoff is the start of today (UTC), or the cutoff of an interrupted revisit of this snapshot. Raises
    UsageError if the snapshot is itself an edition, if the cutoff is not later, or if a dump lacks a cutoff.
    """
    first = editions.require_first(snapshots.resolve(database, request.snapshot))
    if request.cutoff:
        return Revisit(first, request.cutoff.replace(tzinfo=UTC))
    if request.dump:
        raise UsageError("as of when? A dump is as old as it is: give --cutoff, the day on which it was begun")
    begun = [name.rpartition("@")[2] for name in Staging.leftovers(database.path, f"{first.snapshot_id}@")]
    days = [datetime.fromisoformat(day).replace(tzinfo=UTC) for day in begun if "T" not in day]
    unpublished = [day for day in days if not snapshots.find(database, editions.edition_id(first, day))]
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return Revisit(first, max(unpublished, default=today))


def source_of(database: Database, request: RevisitRequest, wanted: Revisit, settings: Settings) -> LaterSource:
    """Return the source: an API, a dump, or by default the wiki that the permanent links of the first edition lead to.

    Raises UsageError if both an API and a dump are given.
    """
    if request.api and request.dump:
        raise UsageError("from where? Give --api URL or --dump FILE, not both")
    if request.dump:
        return LaterDump(request.dump)
    return LaterApi(request.api or usual_address(database, wanted.first.snapshot_id), settings.contact or None)


def publish_edition(
    database: Database, open_source: Callable[[], LaterSource], wanted: Revisit, progress: Progress
) -> Snapshot:
    """Publish the edition, and resume an interrupted revisit. Returns an existing edition without changes.

    Raises TerminalError if the first edition comes from another extractor version or another wiki, or if no article is
    left.
    """
    if published := _published(database, wanted):
        Staging.discard_leftover(database.path, wanted.edition)
        return published
    _require_extractor(wanted.first)
    source = open_source()
    if isinstance(source, Waiting):
        source.tell(progress.note)
    site = source.site()
    if site.wiki != wanted.first.wiki:
        raise TerminalError(
            f"{wanted.first.snapshot_id} is of {wanted.first.wiki}, and {source.name} is {site.wiki}; name the right "
            "one"
        )
    staging = Staging.open(database.path, wanted.edition, wanted.cutoff)
    language = load_language(site.language)
    try:
        _gather(database, source, wanted, language, staging, progress)
        deletions = _deletions(source, wanted, language, staging, progress)
    except TerminalError:
        staging.discard()
        raise
    except TransientError:
        staging.add([], source.asked())
        raise
    pages = staging.pages()
    if not any(page.verdict == "selected" for page in pages):
        staging.discard()
        raise TerminalError(f"nothing to publish: no article of {wanted.first.snapshot_id} is left in {source.name}")
    window = Window(wanted.first.window_start, wanted.first.window_end)
    edition = snapshots.publish(
        database,
        wanted.edition,
        site,
        window,
        wanted.cutoff,
        editions.parameters_json(wanted.first),
        pages,
        staging.requests(),
        templates=staging.templates_read(pages),
        deletions=deletions,
    )
    staging.discard()
    return edition


def _published(database: Database, wanted: Revisit) -> Snapshot | None:
    edition = snapshots.find(database, wanted.edition)
    revisited_snapshot = editions.revisited(edition) if edition else None
    if edition and (revisited_snapshot is None or revisited_snapshot["content_sha256"] != wanted.first.content_sha256):
        raise TerminalError(
            f"'{database.path}' holds a snapshot of the name {wanted.edition} that is no edition of this "
            f"{wanted.first.snapshot_id}; revisit it in another database"
        )
    return edition


def _require_extractor(first: Snapshot) -> None:
    """Raise TerminalError for another extractor version.

    Its different extraction of the same wikitext would look like a change of the article.
    """
    if first.extractor_version != EXTRACTOR_VERSION:
        raise TerminalError(
            f"{first.snapshot_id} was made by extractor {first.extractor_version}, and this newwiki has extractor "
            f"{EXTRACTOR_VERSION}, so what it reads differently would look like a change of the article: revisit it "
            "with a newwiki-eval that has the same"
        )


def _gather(
    database: Database,
    source: LaterSource,
    wanted: Revisit,
    language: Language,
    staging: Staging,
    progress: Progress,
) -> None:
    first = wanted.first
    known = editions.pages(database, first.snapshot_id)
    parameters = json.loads(first.parameters)
    selection, rules = _selection(parameters), parameters.get("rules", 1)
    done = staging.done()
    if done:
        progress.note(f"going on with an interrupted revisit: {len(done):,} articles are looked at already")
    window = Window(first.window_start, first.window_end)
    span = Window(first.cutoff, wanted.cutoff)
    stubs = {page_id: replace(page, revisions=None) for page_id, (page, _) in known.items()}
    rev_ids = {article.page_id: article.rev_id for article in snapshots.articles(database, first.snapshot_id)}
    pinned = snapshot_templates.stored(database, first.snapshot_id)
    texts = {template.title: template.wikitext or "" for template in pinned}
    staging.add([], templates=pinned)
    with staging.held():
        judged_batches = source.later(span, window, stubs, done, staging)
        for listed, batches in groupby(judged_batches, key=lambda batch: batch.listed):
            title, unit = (f"listing {listed}", "days") if listed else (f"revisiting {first.snapshot_id}", source.unit)
            with progress.stretch(f"{title} from {source.name}", unit) as bar:
                for batch in batches:
                    pages = [_as_counted(page, known[page.page_id][0]) for page in batch.pages]
                    found = [
                        judge(page, selection, language, _counted, texts, rules)
                        if page.rev_id == rev_ids.get(page.page_id)
                        else judge_or_wait(page, selection, language, _counted, rules)
                        for page in pages
                    ]
                    judged = [_of_origin(page, known) for page in found if isinstance(page, Judged)]
                    waiting = [page for page in found if isinstance(page, WaitingPage)]
                    staging.add(judged, source.asked(), waiting, batch.templates)
                    bar.update(batch.position, batch.total)
        judge_waiting(
            staging,
            source,
            language,
            lambda page, templates: _of_origin(judge(page, selection, language, _counted, templates, rules), known),
            progress,
        )


def _deletions(
    source: LaterSource, wanted: Revisit, language: Language, staging: Staging, progress: Progress
) -> list[Deletion]:
    """Return what the wiki's deletion log says of the pages that no longer exist; its answers are kept in `staging`."""
    missing = [(page.page_id, page.title) for page in staging.pages() if page.verdict == "missing"]
    if not missing:
        return []
    found: list[Deletion] = []
    with progress.stretch(f"reading why articles were deleted from {source.name}", "articles") as bar:
        for deletion in source.deletions(missing, wanted.first.cutoff, language, staging):
            found.append(deletion)
            bar.update(len(found), len(missing))
    staging.add([], source.asked())
    return found


def _as_counted(page: Page, first: Page) -> Page:
    """Return the page with a revision count of at least that of the first edition, because it cannot decrease."""
    counted = max(page.revisions or 0, first.revisions or 0)
    return replace(page, created_at=first.created_at, revisions=counted)


def _counted(page: Page) -> int:
    assert page.revisions is not None
    return page.revisions


def _of_origin(page: Judged, known: Mapping[int, tuple[Page, Origin]]) -> Judged:
    return replace(page, origin=known[page.page_id][1])


def _selection(parameters: dict[str, Any]) -> Selection:
    return Selection(**{field.name: parameters[field.name] for field in fields(Selection) if field.name in parameters})
