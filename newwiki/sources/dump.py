"""MediaWiki XML exports and dumps with full history: plain, gzip or bzip2, read as a stream in bounded memory."""

import bz2
import gzip
import heapq
import re
import zlib
from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any
from xml.etree.ElementTree import ParseError

import mwxml

from newwiki.errors import TerminalError
from newwiki.records import Page, Requests, Site, Window
from newwiki.sources import redirects, settling
from newwiki.sources.source import Batch, Memory, source

_OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open}
_BATCH = 50
# mwxml checks the elements that it meets by assertion
_UNREADABLE = (ParseError, mwxml.errors.MalformedXML, AssertionError, EOFError, OSError, UnicodeDecodeError, ValueError)


@source("dump")
class DumpSource:
    """A file that `dumpBackup.php --full`, Special:Export or dumps.wikimedia.org (pages-meta-history) has written."""

    unit = "bytes"

    def __init__(self, place: str, contact: str | None = None) -> None:
        self._path = Path(place)
        self.name = f"dump {self._path.name}"

    def site(self) -> Site:
        with self._path.open("rb") as raw:
            info = self._dump(raw).site_info
        if not info.dbname or not info.base:
            raise TerminalError(f"'{self._path}' does not name its wiki: <siteinfo> lacks <dbname> or <base>")
        return Site(info.dbname, self._language(), info.base)

    def pages(
        self,
        window: Window,
        cutoff: datetime,
        skip: Set[int],
        *,
        limit: int | None = None,
        memory: Memory | None = None,
    ) -> Iterator[Batch]:
        """With `limit` the whole file is read before the first page is given, since it is in the order of page ids."""
        if limit is None:
            yield from self._created(window, cutoff, skip)
            return
        first: list[Page] = []
        for batch in self._created(window, cutoff, frozenset()):
            first = heapq.nsmallest(limit, first + batch.pages, key=lambda page: (page.created_at, page.page_id))
            yield replace(batch, pages=[])
        yield replace(batch, pages=[page for page in first if page.page_id not in skip])

    def _created(self, window: Window, cutoff: datetime, skip: Set[int]) -> Iterator[Batch]:
        size = self._path.stat().st_size
        with self._path.open("rb") as raw:
            batch: list[Page] = []
            complete = truncated = 0
            for element in self._stream(self._dump(raw)):
                if element.namespace != 0 or element.id in skip:
                    continue
                page, revisions, whole = self._at_cutoff(element, window, cutoff)
                complete += whole and revisions > 1
                truncated += not whole
                if page and page.created_at in window:
                    batch.append(page)
                if len(batch) == _BATCH:
                    yield Batch(batch, raw.tell(), size)
                    batch = []
            if truncated and not complete:
                raise TerminalError(
                    f"'{self._path}' holds only the current revision of each page, so nobody can tell when a page was "
                    "created; take a dump with full history (pages-meta-history, or dumpBackup.php --full)"
                )
            yield Batch(batch, size, size)

    def count_revisions(self, page: Page, cutoff: datetime, at_most: int) -> int:
        assert page.revisions is not None, "a dump's pages come with their revisions counted"
        return min(page.revisions, at_most)

    def asked(self) -> list[Requests]:
        return []

    def _dump(self, raw: IO[bytes]) -> Any:
        try:
            return mwxml.Dump.from_file(self._uncompressed(raw))
        except _UNREADABLE as error:
            raise self._broken(error) from error

    def _uncompressed(self, raw: IO[bytes]) -> IO[bytes]:
        start = raw.read(2)
        raw.seek(0)
        stream: IO[bytes] = _OPENERS[start](raw, "rb") if start in _OPENERS else raw
        return stream

    def _stream(self, elements: Iterable[Any]) -> Iterator[Any]:
        try:
            yield from elements
        except _UNREADABLE as error:
            raise self._broken(error) from error

    def _broken(self, error: Exception) -> TerminalError:
        reason = str(error) or type(error).__name__
        return TerminalError(
            f"'{self._path}' is not a readable MediaWiki XML export ({reason}); fetch or export the file again"
        )

    def _at_cutoff(self, element: Any, window: Window, cutoff: datetime) -> tuple[Page | None, int, bool]:
        """The page as it stood at the cutoff, the number of its revisions, and whether its history begins here.

        There is no page where all revisions came later, or where the first one is what a move has left.
        """
        newest: list[tuple[datetime, int, int, settling.Stand, bytes]] = []  # a heap, the oldest of them first
        title = element.title.replace("_", " ")
        created: datetime | None = None
        summary, left_by_move = "", False
        count, whole = 0, False
        for revision in self._stream(element):
            moment = datetime.fromtimestamp(revision.timestamp.unix(), UTC)
            text = "" if revision.deleted.text else revision.slots.contents["main"].text or ""
            if created is None or moment < created:
                created, summary = moment, revision.comment or ""
                left_by_move = redirects.left_by_move(title, text, summary)
            whole = whole or revision.parent_id in (None, "0", 0)
            if moment > cutoff:
                continue
            count += 1
            if created >= window.start:
                raw = text.encode()
                stand = settling.Stand(revision.id, len(raw), bool(revision.deleted.text))
                heapq.heappush(newest, (moment, revision.id, count, stand, zlib.compress(raw, 1)))
                if len(newest) > settling.HISTORY:
                    heapq.heappop(newest)
        if not newest or created is None or left_by_move:
            return None, count, whole
        history = sorted(newest, reverse=True)
        stands = [stand for *_, stand, _ in history]
        place = settling.settled(stands)
        texts = [zlib.decompress(packed).decode() for *_, packed in (history[0], history[place])]
        if redirects.target(texts[0]):
            place, texts[1] = 0, texts[0]
        hidden = stands[place].hidden
        page = Page(
            element.id,
            title,
            created,
            stands[place].rev_id,
            history[place][0],
            count,
            None if hidden else texts[1],
            "hidden" if hidden else None,
            summary,
            stepped_over=settling.stepped_over(stands, place) if place else "",
        )
        return page, count, whole

    def _language(self) -> str:
        with self._path.open("rb") as raw:
            start = self._uncompressed(raw).read(4096)
        found = re.search(rb"<mediawiki[^>]*\sxml:lang=\"([^\"]+)\"", start)
        if not found:
            raise TerminalError(f"'{self._path}' does not name its language: <mediawiki> lacks xml:lang")
        return found.group(1).decode()
