"""Read any MediaWiki through its Action API: new pages from the logs, and their texts in batches.

Fifty pages (500 with a bot account) cost one request, and one more if some of them were edited, to see whether the
newest edit emptied the page. Only a page that passes every other test costs a request for its revision count. A page
that cannot be taken as it is today costs one for its history.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from datetime import datetime
from typing import Any

from newwiki.errors import TerminalError, TransientError
from newwiki.snapshot import Absence, Page, Requests, Site, Window
from newwiki.sources import settling
from newwiki.sources.api import WITH_SIZE, WITH_TEXT, Account, Api, fetch_revisions, is_hidden, joined, wikitext
from newwiki.sources.creations import list_created
from newwiki.sources.http_answers import in_words
from newwiki.sources.moves import redirect_target
from newwiki.sources.revision_order import counted
from newwiki.sources.source import Batch, Memory, source
from newwiki.sources.timestamps import moment, stamp


@source("api")
class ApiSource:
    """A wiki, by the address of its api.php. Raises TerminalError for a Wikimedia wiki without the operator's
    contact."""

    unit = "pages"

    def __init__(self, place: str, contact: str | None = None) -> None:
        self._api = Api(place, contact, account=Account.from_environment())
        self.name = f"api {place}"

    def tell(self, say: Callable[[str], None]) -> None:
        self._api.tell(say)

    def site(self) -> Site:
        (answer,) = self._api.query("site", meta="siteinfo", siprop="general|rightsinfo")
        general, rights = answer.get("general"), answer.get("rightsinfo") or {}
        if not general:
            raise TerminalError(f"there is no MediaWiki API at {self._api.url}: its answer does not describe a wiki")
        licence, url = (in_words(str(rights.get(name) or "")) or None for name in ("text", "url"))
        return Site(general["wikiid"], general["lang"], general["base"], licence, url)

    def pages(
        self,
        window: Window,
        cutoff: datetime,
        skip: Set[int],
        *,
        limit: int | None = None,
        memory: Memory | None = None,
    ) -> Iterator[Batch]:
        created = yield from list_created(self._api, window, cutoff, limit, memory, self._api.batch)
        todo, total = [page for page in created.pages if page.page_id not in skip], len(created.pages)
        position = total - len(todo)
        settled = [page for page in todo if page.absent]
        if settled:
            position += len(settled)
            yield Batch(settled, position, total)
        unread = [page for page in todo if not page.absent]
        for stubs in self._api.batches(unread):
            position += len(stubs)
            yield Batch(self.texts(stubs, cutoff, created.irregular), position, total)

    def count_revisions(self, page: Page, cutoff: datetime, at_most: int) -> int:
        return len(self._history(page, cutoff, at_most))

    def asked(self) -> list[Requests]:
        return self._api.asked()

    def texts(self, stubs: Sequence[Page], cutoff: datetime, irregular: Set[int] = frozenset()) -> list[Page]:
        """Return the pages as of the cutoff; `stubs` must fit into one request. The histories of `irregular` pages are
        requested in any case, because their newest revision may name another parent than the revision before it."""
        current = self._current([stub.page_id for stub in stubs])
        before = self._sizes(_parents(current.values(), cutoff))
        pages, doubtful = [], []
        for stub in stubs:
            answer = current[stub.page_id]
            if "missing" in answer:
                pages.append(_absent(stub, "missing"))
            elif stub.page_id not in irregular and _stands(answer["revisions"][0], before, cutoff):
                pages.append(_page(stub, answer["revisions"][0], None))
            else:
                doubtful.append(stub)
        return pages + self._earlier_texts(doubtful, cutoff)

    def _sizes(self, rev_ids: Iterable[int]) -> dict[int, int]:
        """Return the sizes in bytes of the revisions that still exist and are not hidden."""
        wanted = list(rev_ids)
        if not wanted:
            return {}
        revisions = fetch_revisions(self._api, "size", wanted, WITH_SIZE)
        return {rev_id: revision["size"] for rev_id, revision in revisions.items() if not is_hidden(revision)}

    def _earlier_texts(self, stubs: Sequence[Page], cutoff: datetime) -> list[Page]:
        """Return pages that cannot be taken as they are today, with the revision selected from their history."""
        histories = {stub.page_id: self._history(stub, cutoff, settling.HISTORY) for stub in stubs}
        places = {page_id: settling.settled(_stands_of(history)) for page_id, history in histories.items() if history}
        wanted = {histories[page_id][number]["revid"] for page_id, place in places.items() for number in (0, place)}
        texts: dict[int, dict[str, Any]] = {}
        for rev_ids in self._api.batches(sorted(wanted)):
            texts |= fetch_revisions(self._api, "text", rev_ids)
        return [self._as_it_stood(stub, histories[stub.page_id], places.get(stub.page_id, 0), texts) for stub in stubs]

    def _as_it_stood(
        self, stub: Page, history: list[dict[str, Any]], place: int, texts: dict[int, dict[str, Any]]
    ) -> Page:
        newest = texts.get(history[0]["revid"]) if history else None
        if newest is None:
            return _absent(stub, "missing")
        counted = len(history) if len(history) < settling.HISTORY else None
        if place == 0 or redirect_target(wikitext(newest) or ""):
            return _page(stub, newest, counted)
        taken = texts.get(history[place]["revid"])
        if taken is None:
            raise TransientError(f"'{stub.title}' changed at {self._api.url} while newwiki read it; try again")
        return replace(_page(stub, taken, counted), stepped_over=settling.stepped_over(_stands_of(history), place))

    def _history(self, page: Page, cutoff: datetime, at_most: int) -> list[dict[str, Any]]:
        """Return up to `at_most` revisions that count, newest first, from the cutoff back to the page's creation. More
        are requested only if some of them do not count."""
        revisions: list[dict[str, Any]] = []
        history: list[dict[str, Any]] = []
        for answer in self._api.query(
            "history", pageids=page.page_id, prop="revisions", rvprop="ids|timestamp|size|sha1", rvdir="older",
            rvlimit=at_most, rvstart=stamp(cutoff), rvend=stamp(page.created_at),
        ):  # fmt: skip
            revisions += answer["pages"][0].get("revisions", [])
            history = counted(revisions)[::-1][:at_most]
            if len(history) == at_most:
                break
        return history

    def _current(self, page_ids: Sequence[int]) -> dict[int, dict[str, Any]]:
        """Return pages by id with their newest revision. An answer over the server's size limit takes several
        rounds."""
        pages: dict[int, dict[str, Any]] = {}
        for answer in self._api.query("text", pageids=joined(page_ids), **WITH_TEXT):
            for page in answer.get("pages", []):
                merged = pages.setdefault(page["pageid"], page)
                if merged is not page and "revisions" in page:
                    merged["revisions"] = merged.get("revisions", []) + page["revisions"]
        for page in pages.values():
            if "missing" not in page and not page.get("revisions"):
                raise TransientError(
                    f"the wiki's API at {self._api.url} omitted the text of '{page['title']}'; try again"
                )
        return pages


def _parents(answers: Iterable[dict[str, Any]], cutoff: datetime) -> Iterator[int]:
    """Yield the parents of those revisions that may be selected, to check that no text was lost."""
    for answer in answers:
        if "missing" in answer:
            continue
        revision = answer["revisions"][0]
        if revision["parentid"] and not _is_after(revision, cutoff) and not redirect_target(wikitext(revision) or ""):
            yield revision["parentid"]


def _stands(revision: dict[str, Any], before: dict[int, int], cutoff: datetime) -> bool:
    """Tell whether a page can be taken as it is today: not edited since the cutoff, and not emptied just before."""
    if _is_after(revision, cutoff):
        return False
    if not revision["parentid"] or redirect_target(wikitext(revision) or ""):
        return True
    parent = revision["parentid"]
    return parent in before and not settling.has_shrunk(revision["size"], before[parent])


def _is_after(revision: dict[str, Any], cutoff: datetime) -> bool:
    return moment(revision["timestamp"]) > cutoff


def _stands_of(history: Iterable[dict[str, Any]]) -> list[settling.Stand]:
    return [settling.Stand(entry["revid"], entry["size"], is_hidden(entry)) for entry in history]


def _page(stub: Page, revision: dict[str, Any], revisions: int | None) -> Page:
    text = wikitext(revision)
    return replace(
        stub,
        rev_id=revision["revid"],
        revised_at=moment(revision["timestamp"]),
        revisions=revisions,
        wikitext=text,
        absent="hidden" if text is None else None,
    )


def _absent(stub: Page, why: Absence) -> Page:
    return replace(stub, absent=why)
