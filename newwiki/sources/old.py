"""Sample old pages: a seeded random walk over page ids until the sample is full, through the API or a dump.

A wiki assigns page ids from 1 upwards. The walk visits them in the order of `newwiki.ranking`, so both sources consider
the same pages: the API is asked for the ids in that order; a dump has an order of its own, so a page is skipped as soon
as enough pages before it have passed. Some pages get no row: those that no longer exist, which a dump does not know;
those outside the main namespace at the cutoff; those outside the window; and those that a move left behind.

Through the API, fifty ids cost four requests (existing pages, moves since the cutoff, texts, previous sizes). Each page
of the main namespace costs one more, because its creation and its revision count are available one page at a time. A
page edited after the cutoff costs one more, and the texts of such pages one more per fifty ids.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from newwiki.errors import TerminalError
from newwiki.ranking import by_rank, last_rank, ranks, up_to_rank
from newwiki.snapshot import Page, Selection, Window
from newwiki.sources.api import fetch_revisions, joined, wikitext
from newwiki.sources.creations import log
from newwiki.sources.dump import DumpSource
from newwiki.sources.mediawiki import ApiSource
from newwiki.sources.moves import (
    Moves,
    Place,
    left_by_move,
    linked_titles,
    redirect_target,
    titles_back,
    unchanging_revisions,
)  # fmt: skip
from newwiki.sources.revision_order import counted, is_irregular
from newwiki.sources.source import Batch, Source, source
from newwiki.sources.timestamps import moment


@runtime_checkable
class OldSource(Source, Protocol):
    """A source that supports the random walk."""

    def old_pages(
        self, window: Window, cutoff: datetime, selection: Selection, passed: Callable[[], Set[int]], skip: Set[int]
    ) -> Iterator[Batch]:
        """Yield the pages to judge, without those in `skip`, until enough have passed.

        `passed` is called before each batch and returns the ids of the pages that have passed.
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
        """Return the largest page id: that of the newest creations, or beyond, until a batch of ids has no page."""
        newest = next(self._api.query("list", list="logevents", letype="create", lelimit="max", leprop="ids"))
        largest = max((entry.get("logpage", 0) for entry in newest["logevents"]), default=0)
        if not largest:
            raise TerminalError(f"the wiki at {self._api.url} keeps no page creation log; use its dump with --dump")
        while existing := self._existing(range(largest + 1, largest + 1 + self._api.batch)):
            largest = max(existing)
        return largest

    def _existing(self, page_ids: Iterable[int]) -> dict[int, dict[str, Any]]:
        pages: dict[int, dict[str, Any]] = {}
        for answer in self._api.query("pages", pageids=joined(page_ids), prop="info"):
            pages |= {page["pageid"]: page for page in answer["pages"] if "missing" not in page}
        return pages

    def _old(self, page_ids: Sequence[int], window: Window, cutoff: datetime, at_most: int) -> list[Page]:
        existing = self._existing(page_ids)
        places = self._places({page_id: existing[page_id] for page_id in page_ids if page_id in existing})
        articles = {page_id: place.title for page_id, place in places.items() if place.namespace == 0}
        irregular: set[int] = set()
        begun = [self._beginning(page_id, title, cutoff, at_most, irregular) for page_id, title in articles.items()]
        pages = {page.page_id: page for page in begun if page and page.created_at in window}
        if not pages:
            return []
        texts = self.texts(list(pages.values()), cutoff, irregular)
        return [replace(page, revisions=pages[page.page_id].revisions) for page in texts]

    def _places(self, existing: dict[int, dict[str, Any]]) -> dict[int, Place]:
        """Return where the pages were at the cutoff: where they are, or where their first move since then began."""
        for entries in log(self._api, "moves", self._moved_by, None, None, letype="move"):
            self._moves.add(entries)
            self._moved_by = moment(entries[-1]["timestamp"]) if entries else self._moved_by
        return {
            page_id: self._moves.first_from.get(page_id, Place(page["title"], page["ns"]))
            for page_id, page in existing.items()
        }

    def _beginning(self, page_id: int, title: str, cutoff: datetime, at_most: int, irregular: set[int]) -> Page | None:
        """Return the page with its first edit and its number of revisions up to the cutoff. None if it has none, if its
        beginning is lost, or if a move left it behind. Reads the oldest revisions that one request gives (500),
        and adds the page to `irregular` if they name other parents than the revisions before them."""
        answer = next(self._histories(page_id))
        revisions: list[dict[str, Any]] = answer["pages"][0].get("revisions", [])
        history = counted(revision for revision in revisions if moment(revision["timestamp"]) <= cutoff)
        if not history or history[0]["parentid"] or history[0]["revid"] != min(each["revid"] for each in revisions):
            return None
        if self._is_left_by_move(page_id, title, history[0], cutoff):
            return None
        if is_irregular(history):
            irregular.add(page_id)
        return Page(
            page_id,
            title,
            moment(history[0]["timestamp"]),
            revisions=min(len(history), at_most),
            summary=history[0].get("comment", ""),
            tags=tuple(history[0]["tags"]),
        )

    def _is_left_by_move(self, page_id: int, title: str, begun: dict[str, Any], cutoff: datetime) -> bool:
        """Tell whether a move left the page behind. The first revision's text is requested only if its summary links
        two titles, and the full history only if that text is a redirect and the page had another title at first."""
        summary = begun.get("comment", "")
        if len(set(linked_titles(summary))) < 2:
            return False
        revisions = fetch_revisions(self._api, "texts", [begun["revid"]])
        text = wikitext(revisions.get(begun["revid"], {})) or ""
        if not redirect_target(text) or left_by_move(title, text, summary):
            return bool(redirect_target(text))
        whole = [
            revision
            for answer in self._histories(page_id)
            for revision in answer["pages"][0].get("revisions", [])
            if moment(revision["timestamp"]) <= cutoff
        ]
        return left_by_move(titles_back(title, unchanging_revisions(counted(whole)), cutoff)[1], text, summary)

    def _histories(self, page_id: int) -> Iterator[dict[str, Any]]:
        """Yield the page's revisions, oldest first."""
        return self._api.query(
            "revisions", pageids=page_id, prop="revisions", rvprop="ids|timestamp|comment|tags|size|sha1",
            rvdir="newer", rvlimit="max",
        )  # fmt: skip


@source("old-dump")
class OldDump(DumpSource):
    """An XML export with full history, read completely once."""

    def old_pages(
        self, window: Window, cutoff: datetime, selection: Selection, passed: Callable[[], Set[int]], skip: Set[int]
    ) -> Iterator[Batch]:
        for batch in self.pages(window, cutoff, skip):
            last = last_rank(passed(), selection)
            pages = [page for page in batch.pages if page.absent != "moved"]
            yield replace(batch, pages=up_to_rank(pages, selection.seed, last))
