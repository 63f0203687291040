"""Pages that are old: a seeded random walk over page ids until the sample is full, through the API and a dump alike.

A wiki deals page ids out from 1 on. The walk looks at them in the order of `newwiki.ranking`, so that both sources
consider the same pages: through the API the ids are asked for in that order, and in a dump, whose order is its own, a
page is left out as soon as enough of those before it have passed. Pages that are no longer there, no longer in the main
namespace, or not of the window, get no row, because a dump does not know the first and nobody asked for the others.

Through the API it costs two requests for fifty ids, and one for each page of the main namespace: when it was created
and how often it was revised is asked one page at a time. A page that was edited after the cutoff costs one more, and
their texts one more for fifty ids.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from newwiki.errors import TerminalError
from newwiki.ranking import by_rank, last_rank, ranks
from newwiki.records import Page, Requests, Selection, Site, Window
from newwiki.sources.api import Api
from newwiki.sources.dump import DumpSource
from newwiki.sources.mediawiki import ApiSource
from newwiki.sources.revisions import Revision, fetch_batch
from newwiki.sources.source import Batch, Memory, Source, source

_BATCH = 50  # what the API allows everyone


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
class OldApi:
    """The Action API of any MediaWiki that keeps a page creation log."""

    unit = "pages"

    def __init__(self, place: str, contact: str | None = None) -> None:
        self._api = Api(place, contact)
        self._new = ApiSource(place, contact)
        self.name = self._new.name

    def site(self) -> Site:
        return self._new.site()

    def pages(
        self,
        window: Window,
        cutoff: datetime,
        skip: Set[int],
        *,
        limit: int | None = None,
        memory: Memory | None = None,
    ) -> Iterator[Batch]:
        return self._new.pages(window, cutoff, skip, limit=limit, memory=memory)

    def count_revisions(self, page: Page, cutoff: datetime, at_most: int) -> int:
        return self._new.count_revisions(page, cutoff, at_most)

    def asked(self) -> list[Requests]:
        return self._new.asked() + self._api.asked()

    def old_pages(
        self, window: Window, cutoff: datetime, selection: Selection, passed: Callable[[], Set[int]], skip: Set[int]
    ) -> Iterator[Batch]:
        after = max(ranks(skip, selection.seed).tolist(), default=-1)
        walk = by_rank(self._largest(), selection.seed, after)
        while (full := len(passed())) < selection.sample and (page_ids := list(islice(walk, _BATCH))):
            yield Batch(self._old(page_ids, window, cutoff, selection.min_revisions), full, selection.sample)
        yield Batch([], min(full, selection.sample), selection.sample)

    def _largest(self) -> int:
        """The largest page id: that of the newest creations, or beyond, up to fifty ids that no page has."""
        newest = next(self._api.query("list", list="logevents", letype="create", lelimit="max", leprop="ids"))
        largest = max((entry.get("logpage", 0) for entry in newest["logevents"]), default=0)
        if not largest:
            raise TerminalError(f"the wiki at {self._api.url} keeps no page creation log; take its dump with --dump")
        while there := self._there(range(largest + 1, largest + 1 + _BATCH)):
            largest = max(there)
        return largest

    def _there(self, page_ids: Iterable[int]) -> dict[int, dict[str, Any]]:
        found: dict[int, dict[str, Any]] = {}
        for answer in self._api.query("pages", pageids="|".join(map(str, page_ids)), prop="info"):
            found |= {page["pageid"]: page for page in answer["pages"] if "missing" not in page}
        return found

    def _old(self, page_ids: Sequence[int], window: Window, cutoff: datetime, at_most: int) -> list[Page]:
        there = self._there(page_ids)
        articles = [there[page_id] for page_id in page_ids if page_id in there and there[page_id]["ns"] == 0]
        begun = [page for page in (self._beginning(article, cutoff, at_most) for article in articles) if page]
        return self._at_cutoff([(page, there[page.page_id]) for page in begun if page.created_at in window], cutoff)

    def _beginning(self, article: dict[str, Any], cutoff: datetime, at_most: int) -> Page | None:
        """The page with its first edit and its revisions up to the cutoff; None if it has none."""
        first = self._history(article["pageid"], "newer", at_most, rvend=_stamp(cutoff))
        if not first:
            return None
        return Page(
            article["pageid"],
            article["title"],
            datetime.fromisoformat(first[0]["timestamp"]),
            revisions=len(first),
            summary=first[0].get("comment", ""),
            tags=tuple(first[0]["tags"]),
        )

    def _at_cutoff(self, pages: list[tuple[Page, dict[str, Any]]], cutoff: datetime) -> list[Page]:
        """The pages with their texts: today's, or, where that is younger than the cutoff, that of then."""
        current = self._revisions(article["lastrevid"] for _, article in pages)
        then = {page.page_id: current.get(article["lastrevid"]) for page, article in pages}
        changed = [page_id for page_id, revision in then.items() if revision is None or revision.revised_at > cutoff]
        histories = {page_id: self._history(page_id, "older", 1, rvstart=_stamp(cutoff)) for page_id in changed}
        earlier = self._revisions(history[0]["revid"] for history in histories.values() if history)
        then |= {
            page_id: earlier.get(history[0]["revid"]) if history else None for page_id, history in histories.items()
        }
        return [_with_text(page, then[page.page_id]) for page, _ in pages]

    def _revisions(self, rev_ids: Iterable[int]) -> dict[int, Revision]:
        wanted = list(rev_ids)
        return {revision.rev_id: revision for revision in fetch_batch(self._api, wanted)} if wanted else {}

    def _history(self, page_id: int, direction: str, at_most: int, **bounds: str) -> list[dict[str, Any]]:
        """Up to `at_most` revisions. That there are more is not followed up."""
        answer = next(
            self._api.query(
                "revisions", pageids=page_id, prop="revisions", rvprop="ids|timestamp|comment|tags", rvdir=direction,
                rvlimit=at_most, **bounds,
            )
        )  # fmt: skip
        revisions: list[dict[str, Any]] = answer["pages"][0].get("revisions", [])
        return revisions


@source("old-dump")
class OldDump(DumpSource):
    """An XML export with full history, read once and whole."""

    def old_pages(
        self, window: Window, cutoff: datetime, selection: Selection, passed: Callable[[], Set[int]], skip: Set[int]
    ) -> Iterator[Batch]:
        for batch in self.pages(window, cutoff, skip):
            last = last_rank(passed(), selection)
            order = ranks((page.page_id for page in batch.pages), selection.seed).tolist()
            yield replace(batch, pages=[page for page, rank in zip(batch.pages, order, strict=True) if rank <= last])


def _with_text(page: Page, revision: Revision | None) -> Page:
    if revision is None:
        return replace(page, absent="missing", revisions=None)
    return replace(
        page,
        rev_id=revision.rev_id,
        revised_at=revision.revised_at,
        wikitext=revision.wikitext,
        absent="hidden" if revision.wikitext is None else None,
    )


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
