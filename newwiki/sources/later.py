"""Read the pages of an existing snapshot again at a later cutoff: by page id through the API, or from a dump.

The revision is selected as in a refresh (`settling`), and so is the page's place: a page that has left the main
namespace is `moved`, and a page that no longer exists is `missing`. A dump also reports a page as `missing` if it began
as a draft and is a draft again, or if a merge or a restoration has changed its creation since.
"""

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol

from newwiki.snapshot import Deletion, Page, Requests, Site, TemplateSource, Window
from newwiki.sources.creations import log
from newwiki.sources.deletions import deletion
from newwiki.sources.dump import DumpSource
from newwiki.sources.mediawiki import ApiSource
from newwiki.sources.moves import Moves
from newwiki.sources.source import Batch, Memory
from newwiki.sources.timestamps import moment
from newwiki.text.language import Language


class LaterSource(Protocol):
    """A wiki that can be asked for known pages. `name` identifies it; progress is counted in `unit`."""

    name: str
    unit: str

    def site(self) -> Site: ...

    def later(
        self, span: Window, window: Window, known: Mapping[int, Page], skip: Set[int], memory: Memory
    ) -> Iterator[Batch]:
        """Yield the `known` pages, by page id, as of the end of `span`, without those in `skip`.

        The pages are known as of the start of `span` and were created in `window`. The answers that list their moves
        are kept in `memory`.
        """
        ...

    def templates(self, titles: Sequence[str], cutoff: datetime) -> Iterator[list[TemplateSource]]:
        """Yield these templates as of the cutoff (`newwiki.sources.source.Source`)."""
        ...

    def deletions(
        self, missing: Sequence[tuple[int, str]], since: datetime, language: Language, memory: Memory
    ) -> Iterator[Deletion]:
        """Yield what the deletion log says of pages that existed at `since` and are `missing` (page ids and titles)."""
        ...

    def asked(self) -> list[Requests]:
        """Return the requests made since the last call."""
        ...


class LaterApi(ApiSource):
    """A wiki behind an api.php: one request for fifty pages, and one more for each page edited after the cutoff."""

    def later(
        self, span: Window, window: Window, known: Mapping[int, Page], skip: Set[int], memory: Memory
    ) -> Iterator[Batch]:
        moves = Moves()
        for entries in log(self._api, "moves", span.start, span.end, memory, letype="move"):
            moves.add(entries)
            reached = moment(entries[-1]["timestamp"]) if entries else span.end
            yield Batch([], _days(reached - span.start), _days(span.end - span.start), "moves")
        todo = [_placed(page, moves) for page_id, page in sorted(known.items()) if page_id not in skip]
        position = len(known) - len(todo)
        for stubs in self._api.batches(todo):
            position += len(stubs)
            moved = [stub for stub in stubs if stub.absent]
            present = [stub for stub in stubs if not stub.absent]
            yield Batch(moved + (self.texts(present, span.end) if present else []), position, len(known))

    def deletions(
        self, missing: Sequence[tuple[int, str]], since: datetime, language: Language, memory: Memory
    ) -> Iterator[Deletion]:
        """Yield what the deletion log says, with one request a page: the log can be asked for one title at a time."""
        for page_id, title in missing:
            yield deletion(self._api, page_id, title, since, language, memory)


class LaterDump(DumpSource):
    """An XML export with full history, made after the cutoff and read completely once."""

    def later(
        self, span: Window, window: Window, known: Mapping[int, Page], skip: Set[int], memory: Memory
    ) -> Iterator[Batch]:
        left = known.keys() - skip
        position = 0
        for batch in self.pages(window, span.end, skip):
            pages = [page for page in batch.pages if page.page_id in left]
            left -= {page.page_id for page in pages}
            position = batch.position
            yield replace(batch, pages=pages)
        yield Batch([replace(known[page_id], absent="missing") for page_id in sorted(left)], position, position)

    def deletions(
        self, missing: Sequence[tuple[int, str]], since: datetime, language: Language, memory: Memory
    ) -> Iterator[Deletion]:
        for page_id, _ in missing:
            yield Deletion(page_id=page_id, status="a dump of pages has no deletion log")


def _placed(page: Page, moves: Moves) -> Page:
    """Return the page with the title that its last move gave it."""
    place = moves.last_to.get(page.page_id)
    if place is None:
        return page
    return replace(page, title=place.title, absent="moved" if place.namespace else None)


def _days(time: timedelta) -> int:
    return math.ceil(time / timedelta(days=1))
