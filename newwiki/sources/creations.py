"""List the pages created in a window from the wiki's logs.

The creation log names the pages created in the window and where they were created. The move log, read up to the cutoff,
tells where each of them was then. A page belongs to the window if it was created in the main namespace or was there at
the cutoff; later moves do not matter. Pages whose histories were merged, restored or imported are listed as their
revisions say (`newwiki.sources.rewritten`).

The log of a single namespace omits creations whose entry is hidden, so the log of all namespaces is read, and for each
hidden entry the wiki is asked which pages were created in that second.

Recent changes alone would not do: they forget pages that were deleted, even if they were restored. They serve only to
find redirects that nobody has edited since.
"""

import math
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from newwiki.snapshot import Page, Window
from newwiki.sources.api import Api, wikitext
from newwiki.sources.moves import Moves, Place, left_by_move
from newwiki.sources.rewritten import Rewritten, examine
from newwiki.sources.source import Batch, Memory
from newwiki.sources.timestamps import moment, stamp

_ROUND = 500  # log entries or recent changes per request: the API's limit for everyone
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class Created:
    """The pages of a window in the order of their creation, and the ids of those whose revisions may name other
    parents than the revisions before them (`irregular`)."""

    pages: list[Page]
    irregular: frozenset[int] = frozenset()


def list_created(
    api: Api, window: Window, cutoff: datetime, limit: int | None, memory: Memory | None, texts_per_request: int
) -> Generator[Batch, None, Created]:
    """Return the pages, at most `limit`, with their titles at the cutoff. Pages that had left the main namespace by
    then are `moved`. Yields empty batches that report progress."""
    moves = Moves()
    for entries in log(api, "moves", window.start, cutoff, memory, letype="move"):
        moves.add(entries)
        yield _listing("moves", Window(window.start, cutoff), entries)
    rewritten = Rewritten.since(api, window.start)
    pages_by_id: dict[int, Page] = {}
    titles: dict[int, str] = {}
    hidden: set[datetime] = set()
    for entries in log(api, "list", window.start, window.end - _SECOND, memory, letype="create"):
        hidden |= {_time(entry) for entry in entries if "actionhidden" in entry}
        named = [entry for entry in entries if "actionhidden" not in entry]
        for entry in named:
            titles[entry["logpage"]] = entry["title"]
            moves.titles[entry["title"]].add(entry["logpage"])
        pages_by_id = {page.page_id: page for page in _pages(named, moves)} | pages_by_id
        yield _listing("creations", window, entries)
        certain = pages_by_id.keys() - rewritten.among(titles, moves.titles) if limit else set()
        begun = sorted(pages_by_id[page_id].created_at for page_id in certain)
        if limit and len(begun) > limit and begun[limit - 1] < begun[-1]:
            window = Window(window.start, begun[limit - 1] + _SECOND)
            break
    doubtful = rewritten.among(titles, moves.titles)
    examined = yield from examine(api, doubtful, window, cutoff)
    kept = {page_id: page for page_id, page in pages_by_id.items() if page_id not in doubtful - examined.gone}
    pages_by_id = kept | examined.pages
    if moments := sorted(at for at in hidden if at in window):
        unnamed = yield from _unnamed(api, moments, moves, cutoff, memory)
        pages_by_id = {page_id: page for page_id, page in unnamed.items() if page_id not in doubtful} | pages_by_id
    pages = sorted(pages_by_id.values(), key=lambda page: (page.created_at, page.page_id))[:limit]
    if len(pages) > texts_per_request:
        known = _untouched_redirects(api, window, memory, texts_per_request)
        known = {page_id: info for page_id, info in known.items() if page_id not in doubtful}
        pages = [_as_redirect(page, known.get(page.page_id)) for page in pages]
    return Created(pages, frozenset(examined.irregular))


def log(
    api: Api, kind: str, start: datetime, end: datetime | None, memory: Memory | None, **which: str | int
) -> Iterator[list[dict[str, Any]]]:
    """Yield a log's entries from `start` to `end`, both included, oldest first.

    An entry's `logpage` is the page itself; its `pageid` is the page that has the title today.
    """
    if end:
        which["leend"] = stamp(end)
    for answer in api.query(
        kind, memory, list="logevents", ledir="newer", lelimit="max", lestart=stamp(start),
        leprop="ids|title|type|timestamp|comment|tags|details", **which,
    ):  # fmt: skip
        yield answer["logevents"]


def _pages(entries: Iterable[dict[str, Any]], moves: Moves) -> Iterator[Page]:
    """Yield the pages of those creation-log entries that concern the main namespace."""
    for entry in entries:
        begun = Place(entry["title"], entry["ns"])
        place = moves.last_to.get(entry["logpage"], begun)
        if 0 in (begun.namespace, place.namespace):
            yield _page(entry["logpage"], place, entry)


def _page(page_id: int, place: Place, creation: dict[str, Any]) -> Page:
    """Build a page; `creation` is an entry of the log, or the first revision."""
    return Page(
        page_id, place.title, _time(creation), summary=creation.get("comment", ""), tags=tuple(creation["tags"]),
        absent="moved" if place.namespace else None,
    )  # fmt: skip


def _unnamed(
    api: Api, moments: list[datetime], moves: Moves, cutoff: datetime, memory: Memory | None
) -> Generator[Batch, None, dict[int, Page]]:
    """Return the pages created in those seconds, by page id, without the redirects that moves leave behind."""
    begun: dict[int, tuple[Place, dict[str, Any]]] = {}
    for place, second in enumerate(moments, 1):
        for answer in api.query(
            "hidden", memory, list="allrevisions", arvdir="newer", arvstart=stamp(second), arvend=stamp(second),
            arvlimit="max", arvprop="ids|timestamp|comment|tags|content", arvslots="main",
        ):  # fmt: skip
            for page in answer["allrevisions"]:
                for revision in (revision for revision in page["revisions"] if not revision["parentid"]):
                    begun[page["pageid"]] = (Place(page["title"], page["ns"]), revision)
        yield Batch([], place, len(moments), "hidden creations")
    later = Moves()
    for entries in log(api, "moves", cutoff + _SECOND, None, None, letype="move"):
        later.add(entries)
    pages: dict[int, Page] = {}
    for page_id, (today, revision) in begun.items():
        at_cutoff = moves.last_to.get(page_id) or later.first_from.get(page_id) or today
        first = moves.first_from.get(page_id) or at_cutoff
        left = left_by_move(first.title, wikitext(revision) or "", revision.get("comment", ""))
        if 0 in (first.namespace, at_cutoff.namespace) and not left:
            pages[page_id] = _page(page_id, at_cutoff, revision)
    return pages


def _time(entry: dict[str, Any]) -> datetime:
    return moment(entry["timestamp"])


def _listing(what: str, span: Window, entries: list[dict[str, Any]]) -> Batch:
    """Report how many days of the span have been listed, including the last day reached."""
    reached = _time(entries[-1]) if entries else span.end
    return Batch([], _days(reached - span.start), _days(span.end - span.start), what)


def _days(time: timedelta) -> int:
    return math.ceil(time / timedelta(days=1))


def _untouched_redirects(
    api: Api, window: Window, memory: Memory | None, texts_per_request: int
) -> dict[int, dict[str, Any]]:
    """Return redirects with a single revision, which recent changes list 500 per request, so their texts need no
    reading.

    A round pays off if it saves more than one request for texts; the first round that does not is the last. So a window
    before the oldest recent change costs one request, and so does a wiki without redirects.
    """
    redirect_info: dict[int, dict[str, Any]] = {}
    for answer in api.query(
        "recent", memory, generator="recentchanges", grctype="new", grcnamespace=0, grcgeneraterevisions=1,
        grcdir="newer", grcstart=stamp(window.start), grcend=stamp(window.end - _SECOND),
        grclimit=_ROUND, prop="info",
    ):  # fmt: skip
        pages = {page["pageid"]: page for page in _untouched(answer.get("pages", []))}
        redirect_info |= pages
        if len(pages) <= texts_per_request:
            break
    return redirect_info


def _untouched(pages: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return (page for page in pages if page.get("redirect") and page.get("new") and page["ns"] == 0)


def _as_redirect(page: Page, info: dict[str, Any] | None) -> Page:
    """Mark the page as a redirect if recent changes list it as one and it was in the main namespace at the cutoff."""
    if info is None or page.absent:
        return page
    return replace(page, rev_id=info["lastrevid"], revised_at=page.created_at, absent="redirect")
