"""Pages that a snapshot holds, at a later cutoff: through the API by their numbers, and in a dump among those created
in the same window.

Which revision stands is decided as in a refresh (`settling`), and so is where the page stood: one that had left the
main namespace is `moved`. A page that is not there any more is `missing`; to a dump so is one that began as a draft and
is a draft again.
"""

import math
from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from datetime import timedelta
from typing import Protocol

from newwiki.snapshot import Page, Requests, Site, Window
from newwiki.sources.creations import log
from newwiki.sources.dump import DumpSource
from newwiki.sources.mediawiki import ApiSource
from newwiki.sources.moves import Moves
from newwiki.sources.source import Batch, Memory
from newwiki.sources.timestamps import moment


class LaterSource(Protocol):
    """A wiki that can be asked for known pages. `name` says which, `unit` in what it counts how far it has come."""

    name: str
    unit: str

    def site(self) -> Site: ...

    def later(
        self, span: Window, window: Window, known: Mapping[int, Page], skip: Set[int], memory: Memory
    ) -> Iterator[Batch]:
        """The `known` pages, by page id, as they stood at the end of `span`, but those whose page id is in `skip`.

        They are known as they stood at its start, and were created in `window`. What is asked for to list their moves
        is kept in `memory`.
        """
        ...

    def asked(self) -> list[Requests]:
        """What it has asked its wiki for since this was last called."""
        ...


class LaterApi(ApiSource):
    """The wiki behind an api.php: a request for fifty pages, and one more for each that was edited after the cutoff."""

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
            away = [stub for stub in stubs if stub.absent]
            there = [stub for stub in stubs if not stub.absent]
            yield Batch(away + (self.texts(there, span.end) if there else []), position, len(known))


class LaterDump(DumpSource):
    """An XML export with full history, made after the cutoff, and read once and whole."""

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


def _placed(page: Page, moves: Moves) -> Page:
    """With the title that the last of its moves has left it."""
    place = moves.last_to.get(page.page_id)
    if place is None:
        return page
    return replace(page, title=place.title, absent="moved" if place.namespace else None)


def _days(time: timedelta) -> int:
    return math.ceil(time / timedelta(days=1))
