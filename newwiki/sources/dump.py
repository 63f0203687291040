"""Read MediaWiki XML exports and dumps with full history, in one or many files, as streams in bounded memory."""

import heapq
import sys
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from newwiki.errors import TerminalError, UsageError
from newwiki.snapshot import Page, Requests, Site, Window
from newwiki.sources.history import Histories, NoTexts, OutOfOrder, Read
from newwiki.sources.parts import DumpPart, find_parts, require_all
from newwiki.sources.source import Batch, Memory, source
from newwiki.sources.unpacking import DAMAGED, PIECE, Pipe, Reading, unpacked
from newwiki.sources.xml_export import Export, Pages, SiteInfo

STDIN = "-"
_PAGES = 50  # pages per batch
_SILENCE = 16 << 20  # bytes of an export between two progress reports


@dataclass
class Tally:
    """Counts a dump's pages across several readers, each of which reads some of the parts."""

    whole: int = 0
    cut_off: int = 0
    parts: dict[int, str] = field(default_factory=dict)  # of the pages created in the window

    def add(self, part: str, page_ids: Sequence[int], whole: int, cut_off: int) -> None:
        """Add one reader's pages. Raises TerminalError for a page that occurs twice."""
        self.whole += whole
        self.cut_off += cut_off
        for page_id in page_ids:
            if page_id in self.parts:
                places = f"in both '{self.parts[page_id]}' and '{part}'"
                where = places if self.parts[page_id] != part else f"twice in '{part}'"
                raise TerminalError(f"page {page_id} occurs {where}; pass each page only once")
            self.parts[page_id] = part

    def require_histories(self, name: str) -> None:
        """Raise TerminalError if no page has both its first revision and a later one."""
        if self.cut_off and not self.whole:
            raise TerminalError(
                f"{name} holds only the current revision of each page, which does not tell when a page was created; "
                "take a dump with full history (pages-meta-history, or dumpBackup.php --full)"
            )


@source("dump")
class DumpSource:
    """An export with full history, as `dumpBackup.php --full`, Special:Export or dumps.wikimedia.org
    (pages-meta-history) writes it: files, folders, patterns, or `-` for standard input."""

    unit = "bytes"

    def __init__(self, place: str | Sequence[str], contact: str | None = None) -> None:
        places = (place,) if isinstance(place, str) else tuple(place)
        if STDIN in places and len(places) > 1:
            raise UsageError("'-' is standard input and cannot be combined; name the other parts, or pipe all of them")
        self._pipe: Pipe | None = None
        self.parts = () if STDIN in places else find_parts(places)
        first = self.parts[0].path.name if self.parts else "standard input"
        self.name = f"dump {first}" if len(self.parts) < 2 else f"{len(self.parts)} parts of dump {first}"
        self.size = sum(part.size for part in self.parts)

    def site(self) -> Site:
        """Return the wiki as the first part describes it. Raises TerminalError if that part is not an export, or lacks
        the description."""
        return self._site

    @cached_property
    def _site(self) -> Site:
        return site_of(self.head, named(self._each_part()[0]))

    @cached_property
    def head(self) -> SiteInfo:
        """The header of the first part. Raises TerminalError if that part is not an export."""
        part = self._each_part()[0]
        with _readable(part), self._opened(part) as reading:
            export, pieces = Export(None), [b""]
            while not export.has_site and (piece := reading.read(PIECE)):
                export.feed(piece)
                pieces.append(piece)
            if not export.has_site:
                export.close()
            if isinstance(reading, Pipe):
                reading.put_back(b"".join(pieces))
        return export.site

    def require_all(self) -> None:
        """Raise TerminalError if parts of the dump are missing."""
        require_all(self.parts)

    def pages(
        self,
        window: Window,
        cutoff: datetime,
        skip: Set[int],
        *,
        limit: int | None = None,
        memory: Memory | None = None,
    ) -> Iterator[Batch]:
        """Yield the pages created in the window. With `limit`, all parts are read before the first page is yielded,
        because a dump is sorted by page id."""
        self.require_all()
        if limit is None:
            yield from self._created(window, cutoff, skip)
            return
        first: list[Page] = []
        for batch in self._created(window, cutoff, frozenset()):
            first = heapq.nsmallest(limit, first + batch.pages, key=lambda page: (page.created_at, page.page_id))
            yield replace(batch, pages=[])
        yield replace(batch, pages=[page for page in first if page.page_id not in skip])

    def _created(self, window: Window, cutoff: datetime, skip: Set[int]) -> Iterator[Batch]:
        tally, before, position = Tally(), 0, 0
        pages: list[Page] = []
        for part in self._each_part():
            with _readable(part), self._opened(part) as reading:
                for read in histories(reading, part, self._site, window, cutoff, skip):
                    tally.add(named(part), read.page_ids, read.whole, read.cut_off)
                    pages += read.pages
                    position = before + reading.position
                    while len(pages) >= _PAGES:
                        yield Batch(pages[:_PAGES], position, self.size or position)
                        pages = pages[_PAGES:]
                    if not read.pages and position != self.size:
                        yield Batch([], position, self.size or position)
            before = position
        tally.require_histories(self.name if len(self.parts) > 1 else f"'{named(self._each_part()[0])}'")
        yield Batch(pages, position, position)

    def count_revisions(self, page: Page, cutoff: datetime, at_most: int) -> int:
        assert page.revisions is not None, "a dump's pages come with their revisions counted"
        return min(page.revisions, at_most)

    def asked(self) -> list[Requests]:
        return []

    def listen(self, listener: Pages) -> Iterator[int]:
        """Send every page to the listener, pausing after each piece to yield how many bytes of the dump were read."""
        before = 0
        for part in self._each_part():
            with _readable(part), self._opened(part) as reading:
                export = Export(listener)
                while piece := reading.read(PIECE):
                    export.feed(piece)
                    yield before + reading.position
                export.close()
                before += reading.position

    def _each_part(self) -> Sequence[DumpPart | None]:
        """Return the parts; None stands for standard input."""
        return self.parts or (None,)

    @contextmanager
    def _opened(self, part: DumpPart | None) -> Iterator[Reading]:
        if part:
            with unpacked(part.path, part.checksum) as reading:
                yield reading
        else:
            self._pipe = self._pipe or Pipe(sys.stdin.buffer)
            yield self._pipe


def read_part(
    part: DumpPart, site: Site, window: Window, cutoff: datetime, skip: Set[int]
) -> Iterator[tuple[Read, int]]:
    """Yield what was read from a part, and how many bytes of the file that took."""
    with _readable(part), unpacked(part.path, part.checksum) as reading:
        for read in histories(reading, part, site, window, cutoff, skip):
            yield read, reading.position


def histories(
    reading: Reading, part: DumpPart | None, site: Site, window: Window, cutoff: datetime, skip: Set[int]
) -> Iterator[Read]:
    """Yield the pages of one file in batches. Raises TerminalError if the file belongs to another wiki."""
    listener = Histories(window, cutoff, skip)
    export = Export(listener)
    listener.site = export.site
    silent, checked = 0, False
    while piece := reading.read(PIECE):
        export.feed(piece)
        if export.has_site and not checked:
            checked = True
            if (own := site_of(export.site, named(part))) != site:
                raise TerminalError(
                    f"'{named(part)}' belongs to {own.wiki}, and other parts to {site.wiki}; pass the parts of one dump"
                )
        silent += len(piece)
        if listener.waiting >= _PAGES or silent >= _SILENCE:
            yield listener.take()
            silent = 0
    export.close()
    yield listener.take()


def site_of(info: SiteInfo, name: str) -> Site:
    """Return the wiki an export belongs to. Raises TerminalError if the header does not name it."""
    if not info.dbname or not info.base:
        raise TerminalError(f"'{name}' does not name its wiki: <siteinfo> lacks <dbname> or <base>")
    if not info.language:
        raise TerminalError(f"'{name}' does not name its language: <mediawiki> lacks xml:lang")
    return Site(info.dbname, info.language, info.base)


def named(part: DumpPart | None) -> str:
    return str(part.path) if part else "standard input"


@contextmanager
def _readable(part: DumpPart | None) -> Iterator[None]:
    name = named(part)
    try:
        yield
    except NoTexts as error:
        raise TerminalError(f"'{name}' holds no texts; use the dump with texts (not the one named stub)") from error
    except OutOfOrder as error:
        raise TerminalError(
            f"'{name}' does not list the revisions of '{error}' in the order of their ids, as dumps do, so its history "
            "cannot be read in one pass; export the wiki again with dumpBackup.php --full"
        ) from error
    except DAMAGED as error:
        reason = str(error) or type(error).__name__
        raise TerminalError(
            f"'{name}' is not a readable MediaWiki XML export ({reason}); download or export the file again"
        ) from error
