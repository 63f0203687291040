"""Which pages were created in a window, as the wiki's logs tell it.

The creation log of the main namespace lists them, and the move log those that were begun elsewhere (as a draft, in a
user's pages) and moved in. Of a page that was begun within the window, all moves lie after the window's start, so the
first of them tells in which namespace's creation log it stands. Recent changes alone would be no list: they forget
pages that were deleted, restored ones too. They only tell which pages are redirects that nobody has edited since.
"""

import math
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from newwiki.records import Page, Window
from newwiki.sources.api import Api
from newwiki.sources.source import Batch, Memory

_ROUND = 500  # log entries, or recent changes, that the API gives everyone at once


def list_created(
    api: Api, window: Window, limit: int | None, memory: Memory | None, texts_a_request: int
) -> Generator[Batch, None, list[Page]]:
    """The pages in the order of their creation, at most `limit` of them. Tells how far it has come meanwhile."""
    found: dict[int, Page] = {}
    for entries in _log(api, "list", window.start, window.end, memory, letype="create", lenamespace=0):
        found = {page.page_id: page for page in map(_page, entries)} | found
        yield _listing("creations", window, entries)
        if limit and len(found) > limit and _moment(found, limit) < _moment(found, len(found)):
            window = Window(window.start, _moment(found, limit) + timedelta(seconds=1))
            break
    origins: dict[int, int] = {}
    arrived: set[int] = set()
    until_now = Window(window.start, datetime.now(UTC))
    for entries in _log(api, "moves", window.start, None, memory, letype="move"):
        for entry in (entry for entry in entries if "actionhidden" not in entry):
            origins.setdefault(entry["logpage"], entry["ns"])
            if entry["ns"] != 0 and entry["params"]["target_ns"] == 0:
                arrived.add(entry["logpage"])
        yield _listing("moves", until_now, entries)
    for namespace in sorted({origins[page_id] for page_id in arrived} - {0}):
        for entries in _log(api, "list", window.start, window.end, memory, letype="create", lenamespace=namespace):
            found = {page.page_id: page for page in map(_page, entries) if page.page_id in arrived} | found
            yield _listing("creations elsewhere", window, entries)
    pages = sorted(found.values(), key=lambda page: (page.created_at, page.page_id))[:limit]
    if len(pages) <= texts_a_request:
        return pages
    redirects = _untouched_redirects(api, window, memory, texts_a_request)
    return [_as_redirect(page, redirects[page.page_id]) if page.page_id in redirects else page for page in pages]


def _moment(found: dict[int, Page], place: int) -> datetime:
    """When the page was created that is the `place`-th, from 1."""
    return sorted(page.created_at for page in found.values())[place - 1]


def _log(
    api: Api, kind: str, start: datetime, end: datetime | None, memory: Memory | None, **which: str | int
) -> Iterator[list[dict[str, Any]]]:
    """A log's entries from `start` until before `end`, the oldest first.

    An entry's `logpage` is the page itself; its `pageid` is whatever bears the title today. MediaWiki leaves out of a
    namespace's entries those whose action is hidden, as it does not tell their namespace.
    """
    if end:
        which["leend"] = stamp(end - timedelta(seconds=1))
    for answer in api.query(
        kind, memory, list="logevents", ledir="newer", lelimit="max", lestart=stamp(start),
        leprop="ids|title|type|timestamp|comment|tags|details", **which,
    ):  # fmt: skip
        yield answer.get("logevents", [])


def _page(entry: dict[str, Any]) -> Page:
    created_at = datetime.fromisoformat(entry["timestamp"])
    return Page(
        entry["logpage"], entry["title"], created_at, summary=entry.get("comment", ""), tags=tuple(entry["tags"])
    )


def _listing(what: str, span: Window, entries: list[dict[str, Any]]) -> Batch:
    """How many days of the span are listed, the one that was reached counted in."""
    reached = datetime.fromisoformat(entries[-1]["timestamp"]) if entries else span.end
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
        grcdir="newer", grcstart=stamp(window.start), grcend=stamp(window.end - timedelta(seconds=1)),
        grclimit=_ROUND, prop="info",
    ):  # fmt: skip
        pages = {page["pageid"]: page for page in _untouched(answer.get("pages", []))}
        found |= pages
        if len(pages) <= texts_a_request:
            break
    return found


def _untouched(pages: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    return (page for page in pages if page.get("redirect") and page.get("new") and page["ns"] == 0)


def _as_redirect(page: Page, info: dict[str, Any]) -> Page:
    return replace(page, title=info["title"], rev_id=info["lastrevid"], revised_at=page.created_at, absent="redirect")


def stamp(moment: datetime) -> str:
    """A time as the API reads it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
