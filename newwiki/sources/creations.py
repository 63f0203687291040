"""Which pages were created in a window, as the wiki's logs tell it.

The creation log tells which pages were begun in the window, and where, and the move log up to the cutoff where each of
them stood then. A page that was begun in the main namespace, or stood there at the cutoff, is one of the window's;
where it has gone since is nobody's business. The log of one namespace is silent on creations whose entry is hidden, so
the log of all is read: for each hidden entry the wiki is asked which page was begun in that very second.

Recent changes alone would be no list: they forget pages that were deleted, restored ones too. They only tell which
pages are redirects that nobody has edited since.
"""

import math
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from newwiki.snapshot import Page, Window
from newwiki.sources import redirects
from newwiki.sources.api import Api
from newwiki.sources.api_revisions import wikitext
from newwiki.sources.moves import Moves, Place
from newwiki.sources.source import Batch, Memory
from newwiki.sources.timestamps import moment, stamp

_ROUND = 500  # log entries, or recent changes, that the API gives everyone at once
_SECOND = timedelta(seconds=1)


def list_created(
    api: Api, window: Window, cutoff: datetime, limit: int | None, memory: Memory | None, texts_a_request: int
) -> Generator[Batch, None, list[Page]]:
    """The pages in the order of their creation, at most `limit` of them, with their titles at the cutoff; `moved` are
    those that had left the main namespace by then. Tells how far it has come meanwhile."""
    moves = Moves()
    for entries in log(api, "moves", window.start, cutoff, memory, letype="move"):
        moves.add(entries)
        yield _listing("moves", Window(window.start, cutoff), entries)
    found: dict[int, Page] = {}
    hidden: set[datetime] = set()
    for entries in log(api, "list", window.start, window.end - _SECOND, memory, letype="create"):
        hidden |= {_time(entry) for entry in entries if "actionhidden" in entry}
        named = [entry for entry in entries if "actionhidden" not in entry]
        found = {page.page_id: page for page in _pages(named, moves)} | found
        yield _listing("creations", window, entries)
        if limit and len(found) > limit and _moment(found, limit) < _moment(found, len(found)):
            window = Window(window.start, _moment(found, limit) + _SECOND)
            break
    if moments := sorted(at for at in hidden if at in window):
        found = (yield from _unnamed(api, moments, moves, cutoff, memory)) | found
    pages = sorted(found.values(), key=lambda page: (page.created_at, page.page_id))[:limit]
    if len(pages) <= texts_a_request:
        return pages
    known = _untouched_redirects(api, window, memory, texts_a_request)
    return [_as_redirect(page, known.get(page.page_id)) for page in pages]


def log(
    api: Api, kind: str, start: datetime, end: datetime | None, memory: Memory | None, **which: str | int
) -> Iterator[list[dict[str, Any]]]:
    """A log's entries from `start` to `end`, both counted in, the oldest first.

    An entry's `logpage` is the page itself; its `pageid` is whatever bears the title today.
    """
    if end:
        which["leend"] = stamp(end)
    for answer in api.query(
        kind, memory, list="logevents", ledir="newer", lelimit="max", lestart=stamp(start),
        leprop="ids|title|type|timestamp|comment|tags|details", **which,
    ):  # fmt: skip
        yield answer["logevents"]


def _pages(entries: Iterable[dict[str, Any]], moves: Moves) -> Iterator[Page]:
    """Those of the creation log's entries that concern the main namespace."""
    for entry in entries:
        begun = Place(entry["title"], entry["ns"])
        place = moves.last_to.get(entry["logpage"], begun)
        if 0 in (begun.namespace, place.namespace):
            yield _page(entry["logpage"], place, entry)


def _page(page_id: int, place: Place, creation: dict[str, Any]) -> Page:
    """`creation` is an entry of the log, or the first revision."""
    return Page(
        page_id, place.title, _time(creation), summary=creation.get("comment", ""), tags=tuple(creation["tags"]),
        absent="moved" if place.namespace else None,
    )  # fmt: skip


def _unnamed(
    api: Api, moments: list[datetime], moves: Moves, cutoff: datetime, memory: Memory | None
) -> Generator[Batch, None, dict[int, Page]]:
    """The pages that were begun at those seconds, by page id. What a move leaves was begun by nobody."""
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
        left = redirects.left_by_move(first.title, wikitext(revision) or "", revision.get("comment", ""))
        if 0 in (first.namespace, at_cutoff.namespace) and not left:
            pages[page_id] = _page(page_id, at_cutoff, revision)
    return pages


def _time(entry: dict[str, Any]) -> datetime:
    return moment(entry["timestamp"])


def _moment(found: dict[int, Page], place: int) -> datetime:
    """When the page was created that is the `place`-th, from 1."""
    return sorted(page.created_at for page in found.values())[place - 1]


def _listing(what: str, span: Window, entries: list[dict[str, Any]]) -> Batch:
    """How many days of the span are listed, the one that was reached counted in."""
    reached = _time(entries[-1]) if entries else span.end
    return Batch([], _days(reached - span.start), _days(span.end - span.start), what)


def _days(time: timedelta) -> int:
    return math.ceil(time / timedelta(days=1))


def _untouched_redirects(
    api: Api, window: Window, memory: Memory | None, texts_a_request: int
) -> dict[int, dict[str, Any]]:
    """Redirects with one revision, of which recent changes tell 500 a request: nobody need read their texts.

    A round pays for itself where it spares more than one request for texts; the first that does not is the last. So a
    window before the oldest recent change costs one request, and so does a wiki without redirects.
    """
    found: dict[int, dict[str, Any]] = {}
    for answer in api.query(
        "recent", memory, generator="recentchanges", grctype="new", grcnamespace=0, grcgeneraterevisions=1,
        grcdir="newer", grcstart=stamp(window.start), grcend=stamp(window.end - _SECOND),
        grclimit=_ROUND, prop="info",
    ):  # fmt: skip
        pages = {page["pageid"]: page for page in _untouched(answer.get("pages", []))}
        found |= pages
        if len(pages) <= texts_a_request:
            break
    return found


def _untouched(pages: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return (page for page in pages if page.get("redirect") and page.get("new") and page["ns"] == 0)


def _as_redirect(page: Page, info: dict[str, Any] | None) -> Page:
    """The page as recent changes know it; as it is where they do not, or where it was elsewhere at the cutoff."""
    if info is None or page.absent:
        return page
    return replace(page, rev_id=info["lastrevid"], revised_at=page.created_at, absent="redirect")
