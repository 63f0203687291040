"""MediaWiki XML exports and dumps with full history: plain, gzip or bzip2, read as a stream in bounded memory."""

import bz2
import gzip
import re
import zlib
from collections.abc import Iterator, Set
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any
from xml.etree.ElementTree import ParseError

import mwxml

from newwiki.errors import TerminalError, UsageError
from newwiki.records import Page, Site, Window
from newwiki.sources.source import Batch, source

_OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open}
_BATCH = 50
# mwxml checks the elements that it meets by assertion
_UNREADABLE = (
    ParseError, mwxml.errors.MalformedXML, AssertionError, AttributeError, EOFError, OSError, ValueError, zlib.error,
)  # fmt: skip


@source("dump")
class DumpSource:
    """A file that `dumpBackup.php --full`, Special:Export or dumps.wikimedia.org (pages-meta-history) has written."""

    unit = "bytes"

    def __init__(self, place: str, contact: str | None = None) -> None:
        self._path = Path(place)
        if not self._path.is_file():
            raise UsageError(f"there is no file '{place}'; name a MediaWiki XML export with full history")
        self.name = f"dump {self._path.name}"

    def site(self) -> Site:
        with self._readable(), self._path.open("rb") as raw:
            info = mwxml.Dump.from_file(self._uncompressed(raw)).site_info
        if not info.dbname or not info.base:
            raise TerminalError(f"'{self._path}' does not name its wiki: <siteinfo> lacks <dbname> or <base>")
        return Site(info.dbname, self._language(), info.base)

    def pages(self, window: Window, cutoff: datetime, skip: Set[int]) -> Iterator[Batch]:
        size = self._path.stat().st_size
        with self._readable(), self._path.open("rb") as raw:
            dump = mwxml.Dump.from_file(self._uncompressed(raw))
            any_case = dump.site_info.case == "case-sensitive"
            batch: list[Page] = []
            complete = truncated = 0
            for element in dump:
                if element.namespace != 0 or element.id in skip:
                    continue
                page, revisions, whole = self._at_cutoff(element, cutoff)
                complete += whole and revisions > 1
                truncated += not whole
                if page and page.created_at in window:
                    batch.append(page if any_case else replace(page, title=_first_letter_up(page.title)))
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

    def _uncompressed(self, raw: IO[bytes]) -> IO[bytes]:
        start = raw.read(2)
        raw.seek(0)
        stream: IO[bytes] = _OPENERS[start](raw, "rb") if start in _OPENERS else raw
        return stream

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except _UNREADABLE as error:
            reason = str(error) or type(error).__name__
            raise TerminalError(
                f"'{self._path}' is not a readable MediaWiki XML export ({reason}); fetch or export the file again"
            ) from error

    def _at_cutoff(self, element: Any, cutoff: datetime) -> tuple[Page | None, int, bool]:
        """The page with its newest revision up to the cutoff, their number, and whether its history begins here."""
        newest: Any = None
        newest_key = (datetime.min.replace(tzinfo=UTC), 0)
        created: datetime | None = None
        summary = ""
        count, whole = 0, False
        for revision in element:
            moment = datetime.fromtimestamp(revision.timestamp.unix(), UTC)
            if created is None or moment < created:
                created, summary = moment, revision.comment or ""
            whole = whole or revision.parent_id in (None, "0", 0)
            if moment > cutoff:
                continue
            count += 1
            if (moment, revision.id) > newest_key:
                newest, newest_key = revision, (moment, revision.id)
        if newest is None or created is None:
            return None, count, whole
        content, hidden = newest.slots.contents["main"], newest.deleted.text
        if content.text is None and not hidden and int(content.bytes or 0) > 0:
            raise TerminalError(f"'{self._path}' holds no texts; take the dump with them (not the one named stub)")
        page = Page(
            element.id,
            element.title.replace("_", " "),
            created,
            newest.id,
            newest_key[0],
            count,
            None if hidden else content.text or "",
            "hidden" if hidden else None,
            summary,
        )
        return page, count, whole

    def _language(self) -> str:
        with self._readable(), self._path.open("rb") as raw:
            start = self._uncompressed(raw).read(4096)
        found = re.search(rb"<mediawiki[^>]*\sxml:lang=\"([^\"]+)\"", start)
        if not found:
            raise TerminalError(f"'{self._path}' does not name its language: <mediawiki> lacks xml:lang")
        return found.group(1).decode()


def _first_letter_up(title: str) -> str:
    """As a wiki with `<case>first-letter</case>`, which is MediaWiki's default, writes its titles."""
    first = title[:1].upper()
    return first + title[1:] if len(first) == 1 else title
