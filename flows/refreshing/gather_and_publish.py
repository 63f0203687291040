"""Create a snapshot from a wiki: judge every page of the window, draw a sample, and publish it in one transaction."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import groupby

from flows.progress import Progress, Silent
from flows.refreshing.near_duplicates import drop_near_duplicates
from flows.refreshing.waiting_pages import judge_waiting
from newwiki.errors import TerminalError, TransientError, UsageError
from newwiki.names import require_name
from newwiki.novelty import Sketch
from newwiki.ranking import considered, last_rank
from newwiki.selection import draw, judge, judge_or_wait
from newwiki.snapshot import Judged, Nearest, Page, Selection, Site, Snapshot, TemplateSource, WaitingPage, Window
from newwiki.sources.dump import DumpSource
from newwiki.sources.old import OldSource
from newwiki.sources.parallel_reading import is_worth_it, judged_parts
from newwiki.sources.reading_worker import Wanted
from newwiki.sources.source import Batch, Source, Waiting
from newwiki.text.language import load_language
from storage import snapshots
from storage.database import Database
from storage.staging import Staging


@dataclass(frozen=True)
class SnapshotDefinition:
    """The definition of a snapshot: the pages created in `window`, as of `cutoff` (None for the current time).

    `kind` is `new` for all pages of the window, or `old` for a random walk over page ids until the sample is full. Near
    duplicates of articles in the published snapshots `novel_against` are dropped.
    """

    window: Window
    selection: Selection = field(default_factory=Selection)
    cutoff: datetime | None = None
    kind: str = "new"
    novel_against: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        now = datetime.now(UTC)
        if self.window.end > now:
            raise UsageError(
                f"the window {self.window.label} is not over: it ends {self.window.end:%Y-%m-%d}; choose an earlier one"
            )
        if self.cutoff and not self.window.end <= self.cutoff <= now:
            raise UsageError(f"the cutoff {self.cutoff:%Y-%m-%d} must lie between the window's end and now")


@dataclass(frozen=True)
class Gathered:
    """A refresh with all pages judged, or with `published` set if the snapshot already exists.

    `against` maps the ids of the snapshots in `novel_against` to their content hashes. `sketches` holds the known
    sketches of selected pages by page id.
    """

    snapshot_id: str
    site: Site
    staging: Staging | None
    published: Snapshot | None = None
    against: Mapping[str, str] = field(default_factory=dict)
    sketches: Mapping[int, Sketch] = field(default_factory=dict)


def gather(database: Database, source: Source, wanted: SnapshotDefinition, progress: Progress) -> Gathered:
    """Judge every page of the window, and resume an interrupted refresh.

    Raises TerminalError and discards the partial result if the source is unreadable. Raises UsageError if the database
    lacks a snapshot in `novel_against`.
    """
    against = _content_of(database, wanted.novel_against)
    if isinstance(source, Waiting):
        source.tell(progress.note)
    site = source.site()
    require_name(site.wiki, "the wiki's name")
    name = snapshots.snapshot_id(site, wanted.window, wanted.selection, wanted.cutoff, against)
    now = datetime.now(UTC).replace(microsecond=0)
    published = snapshots.find(database, name)
    if published:
        Staging.discard_leftover(database.path, name)
        return Gathered(name, site, None, published, against)
    staging = Staging.open(database.path, name, wanted.cutoff or now)
    done = staging.done()
    if done:
        progress.note(f"going on with an interrupted refresh: {len(done):,} pages are judged already")
    count, sketches = len(done), dict[int, Sketch]()
    try:
        with staging.held():
            batches = _judged(source, site, wanted, staging, done)
            for listed, stretch in groupby(batches, key=lambda batch: batch.listed):
                title, unit = (f"listing {listed} for {name}", "days") if listed else (f"reading {name}", source.unit)
                with progress.stretch(f"{title} from {source.name}", unit) as bar:
                    for batch in stretch:
                        staging.add(batch.pages, source.asked(), batch.waiting, batch.templates)
                        if wanted.kind == "old" and not isinstance(source, DumpSource):
                            _judge_waiting(source, site, wanted, staging, Silent())
                        sketches |= batch.sketches
                        count += len(batch.pages)
                        bar.update(batch.position, batch.total, "" if listed else f"{count:,} pages judged")
            _judge_waiting(source, site, wanted, staging, progress)
    except TerminalError:
        staging.discard()
        raise
    except TransientError:
        staging.add([], source.asked())
        raise
    return Gathered(name, site, staging, None, against, sketches)


def publish(database: Database, gathered: Gathered, wanted: SnapshotDefinition, progress: Progress) -> Snapshot:
    """Draw the sample and publish the snapshot. Raises TerminalError if no page was selected."""
    if gathered.published:
        return gathered.published
    assert gathered.staging
    pages = gathered.staging.pages()
    if wanted.kind == "old":
        pages = considered(pages, wanted.selection)
    pages, nearest = drop_near_duplicates(
        database,
        gathered.snapshot_id,
        gathered.site,
        wanted.window,
        pages,
        gathered.against.keys(),
        gathered.sketches,
        progress=progress,
    )
    drawn = draw((page.title for page in pages if page.verdict == "selected"), wanted.selection)
    pages = [_sampled(page, drawn) for page in pages]
    if not drawn:
        gathered.staging.discard()
        raise TerminalError(f"nothing to publish for {gathered.snapshot_id}: {_why(pages)}")
    with progress.stretch(f"publishing {gathered.snapshot_id}", "pages") as bar:
        bar.update(0, len(pages))
        snapshot = snapshots.publish(
            database,
            gathered.snapshot_id,
            gathered.site,
            wanted.window,
            gathered.staging.cutoff,
            snapshots.parameters_json(wanted.window, wanted.selection, wanted.kind, gathered.against),
            pages,
            gathered.staging.requests(),
            [nearest.get(page.page_id, Nearest(page.page_id)) for page in pages if page.verdict == "selected"],
            gathered.staging.templates_read(pages),
        )
        bar.update(len(pages), len(pages))
    gathered.staging.discard()
    return snapshot


def refresh(database: Database, source: Source, wanted: SnapshotDefinition, progress: Progress) -> Snapshot:
    """Gather and publish a snapshot. Returns an existing snapshot without changes."""
    return publish(database, gather(database, source, wanted, progress), wanted, progress)


@dataclass(frozen=True)
class _JudgedBatch:
    """Pages with their verdicts, and the position of the source as in `Batch`."""

    pages: Sequence[Judged]
    position: int
    total: int
    listed: str = ""
    sketches: Mapping[int, Sketch] = field(default_factory=dict)
    waiting: Sequence[WaitingPage] = ()
    templates: Sequence[TemplateSource] = ()


def _judged(
    source: Source, site: Site, wanted: SnapshotDefinition, staging: Staging, done: set[int]
) -> Iterator[_JudgedBatch]:
    """Yield the remaining pages of the window with their verdicts.

    Reads the parts of a dump in parallel, and every other source in its own order.
    """
    selection = wanted.selection
    if isinstance(source, DumpSource) and selection.limit is None and is_worth_it(source.parts):
        source.require_all()
        is_old = wanted.kind == "old"
        reading = Wanted(site, wanted.window, staging.cutoff, selection, frozenset(done), is_old)
        full = partial(_rank_when_full, staging, selection) if is_old else None
        for part, position in judged_parts(source.parts, reading, source.name, full):
            yield _JudgedBatch(part.judged, position, source.size, "", part.sketches, part.waiting, part.templates)
        return
    language = load_language(site.language)
    for batch in _batches(source, wanted, staging, done):
        count = _counting(source, staging, selection)
        pages = [judge_or_wait(page, selection, language, count) for page in batch.pages]
        judged = [page for page in pages if isinstance(page, Judged)]
        waiting = [page for page in pages if isinstance(page, WaitingPage)]
        yield _JudgedBatch(
            judged, batch.position, batch.total, batch.listed, waiting=waiting, templates=batch.templates
        )


def _judge_waiting(
    source: Source, site: Site, wanted: SnapshotDefinition, staging: Staging, progress: Progress
) -> None:
    language, count = load_language(site.language), _counting(source, staging, wanted.selection)
    judge_waiting(
        staging,
        source,
        language,
        lambda page, templates: judge(page, wanted.selection, language, count, templates),
        progress,
    )


def _counting(source: Source, staging: Staging, selection: Selection) -> Callable[[Page], int]:
    return lambda page: source.count_revisions(page, staging.cutoff, selection.min_revisions)


def _rank_when_full(staging: Staging, selection: Selection) -> int:
    return last_rank(staging.passed(), selection)


def _batches(source: Source, wanted: SnapshotDefinition, staging: Staging, done: set[int]) -> Iterator[Batch]:
    if wanted.kind != "old":
        return source.pages(wanted.window, staging.cutoff, done, limit=wanted.selection.limit, memory=staging)
    if not isinstance(source, OldSource):
        raise UsageError(f"{source.name} lists new pages only; for old ones open it as old-api or old-dump")
    return source.old_pages(wanted.window, staging.cutoff, wanted.selection, staging.passed, done)


def _content_of(database: Database, names: Iterable[str]) -> dict[str, str]:
    """Return the content hash of each snapshot by snapshot id."""
    resolved = [snapshots.resolve(database, name) for name in names]
    return {snapshot.snapshot_id: snapshot.content_sha256 for snapshot in resolved}


def _sampled(page: Judged, drawn: set[str]) -> Judged:
    if page.verdict == "selected" and page.title not in drawn:
        return replace(page, verdict="not_sampled", first_sentence=None, completion=None, headings=None, structure=None)
    return page


def _why(pages: list[Judged]) -> str:
    if not pages:
        return "no page of the main namespace was created in that window"
    counts = Counter(page.verdict for page in pages)
    return f"of {len(pages)} pages, " + ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
