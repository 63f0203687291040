"""Pages that are old: a seeded random walk over page ids until the sample is full, through the API and a dump alike.

A wiki deals page ids out from 1 on. The walk looks at them in the order of `newwiki.ranking`, so that both sources
consider the same pages: through the API the ids are asked for in that order, and in a dump, whose order is its own, a
page is left out as soon as enough of those before it have passed. Pages that are no longer there, that were not in the
main namespace at the cutoff, not of the window, or left by a move, get no row, because a dump does not know the first
and nobody asked for the others.

Through the API it costs four requests for fifty ids (what is there, what has been moved since the cutoff, the texts,
and the sizes before them), and one for each page of the main namespace: when it was created and how often it was
revised is asked one page at a time. A page that was edited after the cutoff costs one more, and their texts one more
for fifty ids.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from typing import Any, Protocol, runtime_checkable

from newwiki.errors import TerminalError
from newwiki.ranking import by_rank, last_rank, ranks, up_to_rank
from newwiki.snapshot import Page, Selection, Window
from newwiki.sources import redirects
from newwiki.sources.api import joined
from newwiki.sources.api_revisions import fetch_revisions, wikitext
from newwiki.sources.creations import log
from newwiki.sources.dump import DumpSource
from newwiki.sources.mediawiki import ApiSource
from newwiki.sources.moves import Moves, Place, Unchanging, titles_back
from newwiki.sources.source import Batch, Source, source
from newwiki.sources.timestamps import moment, stamp


@runtime_checkable
class OldSource(Source, Protocol):
    """A source that can walk at random."""

    def old_pages(
        self, window: Window, cutoff: datetime, selection: Selection, passed: Callable[[], Set[int]], skip: Set[int]
    ) -> Iterator[Batch]:
        """The pages to judge, but those whose page id is in `skip`, until enough have passed.

        `passed` is asked before each batch for the page ids that have.
        """
        ...


@source("old-api")
class OldApi(ApiSource):
    """The Action API of any MediaWiki that keeps a page creation log."""

    def __init__(self, place: str, contact: str | None = None) -> None:
        super().__init__(place, contact)
        self._moves, self._moved_by = Moves(), datetime.now(UTC)

    def old_pages(
        self, window: Window, cutoff: datetime, selection: Selection, passed: Callable[[], Set[int]], skip: Set[int]
    ) -> Iterator[Batch]:
        after = max(ranks(skip, selection.seed).tolist(), default=-1)
        walk = by_rank(self._largest(), selection.seed, after)
        self._moves, self._moved_by = Moves(), cutoff + timedelta(seconds=1)
        while (full := len(passed())) < selection.sample and (page_ids := list(islice(walk, self._api.batch))):
            yield Batch(self._old(page_ids, window, cutoff, selection.min_revisions), full, selection.sample)
        yield Batch([], min(full, selection.sample), selection.sample)

    def _largest(self) -> int:
        """The largest page id: that of the newest creations, or beyond, up to a batch of ids that no page has."""
        newest = next(self._api.query("list", list="logevents", letype="create", lelimit="max", leprop="ids"))
        largest = max((entry.get("logpage", 0) for entry in newest["logevents"]), default=0)
        if not largest:
            raise TerminalError(f"the wiki at {self._api.url} keeps no page creation log; take its dump with --dump")
        while there := self._there(range(largest + 1, largest + 1 + self._api.batch)):
            largest = max(there)
        return largest

    def _there(self, page_ids: Iterable[int]) -> dict[int, dict[str, Any]]:
        found: dict[int, dict[str, Any]] = {}
        for answer in self._api.query("pages", pageids=joined(page_ids), prop="info"):
            found |= {page["pageid"]: page for page in answer["pages"] if "missing" not in page}
        return found

    def _old(self, page_ids: Sequence[int], window: Window, cutoff: datetime, at_most: int) -> list[Page]:
        there = self._there(page_ids)
        places = self._places({page_id: there[page_id] for page_id in page_ids if page_id in there})
        articles = {page_id: place.title for page_id, place in places.items() if place.namespace == 0}
        begun = [self._beginning(page_id, title, cutoff, at_most) for page_id, title in articles.items()]
        pages = {page.page_id: page for page in begun if page and page.created_at in window}
        if not pages:
            return []
        texts = self.texts(list(pages.values()), cutoff)
        return [replace(page, revisions=pages[page.page_id].revisions) for page in texts]

    def _places(self, there: dict[int, dict[str, Any]]) -> dict[int, Place]:
        """Where the pages stood at the cutoff: where they are, or where their first move since began."""
        for entries in log(self._api, "moves", self._moved_by, None, None, letype="move"):
            self._moves.add(entries)
            self._moved_by = moment(entries[-1]["timestamp"]) if entries else self._moved_by
        return {
            page_id: self._moves.first_from.get(page_id, Place(page["title"], page["ns"]))
            for page_id, page in there.items()
        }

    def _beginning(self, page_id: int, title: str, cutoff: datetime, at_most: int) -> Page | None:
        """The page with its first edit and its revisions up to the cutoff; None if it has none, or is what a move has
        left."""
        history: list[dict[str, Any]] = next(self._histories(page_id, cutoff, at_most))["pages"][0].get("revisions", [])
        if not history or self._is_left_by_move(page_id, title, history[0], cutoff):
            return None
        return Page(
            page_id,
            title,
            moment(history[0]["timestamp"]),
            revisions=len(history),
            summary=history[0].get("comment", ""),
            tags=tuple(history[0]["tags"]),
        )

    def _is_left_by_move(self, page_id: int, title: str, begun: dict[str, Any], cutoff: datetime) -> bool:
        """The text of the first revision is asked for only where its summary links two titles, and the whole history
        only where that is a redirect, and the page did not begin under this title."""
        summary = begun.get("comment", "")
        if len(set(redirects.links(summary))) < 2:
            return False
        found = fetch_revisions(self._api, "texts", [begun["revid"]])
        text = wikitext(found.get(begun["revid"], {})) or ""
        if not redirects.target(text) or redirects.left_by_move(title, text, summary):
            return bool(redirects.target(text))
        whole = [
            revision
            for answer in self._histories(page_id, cutoff, "max")
            for revision in answer["pages"][0].get("revisions", [])
        ]
        unchanging = [
            Unchanging(moment(later["timestamp"]), later["revid"], later.get("comment", ""))
            for earlier, later in pairwise(whole)
            if later.get("sha1") == earlier.get("sha1")
        ]
        return redirects.left_by_move(titles_back(title, unchanging, cutoff)[1], text, summary)

    def _histories(self, page_id: int, cutoff: datetime, at_most: int | str) -> Iterator[dict[str, Any]]:
        """The page's revisions until the cutoff, the oldest first, in rounds of `at_most`."""
        return self._api.query(
            "revisions", pageids=page_id, prop="revisions", rvprop="ids|timestamp|comment|tags|sha1", rvdir="newer",
            rvlimit=at_most, rvend=stamp(cutoff),
        )  # fmt: skip


@source("old-dump")
class OldDump(DumpSource):
    """An XML export with full history, read once and whole."""

    def old_pages(
        self, window: Window, cutoff: datetime, selection: Selection, passed: Callable[[], Set[int]], skip: Set[int]
    ) -> Iterator[Batch]:
        for batch in self.pages(window, cutoff, skip):
            last = last_rank(passed(), selection)
            pages = [page for page in batch.pages if page.absent != "moved"]
            yield replace(batch, pages=up_to_rank(pages, selection.seed, last))
