"""The Action API of any MediaWiki: the list of new pages from its logs, and their texts in batches.

Fifty pages (with a bot's account 500) cost one request, and one more where some of them have been edited, to see
whether the newest edit emptied the page. Only a page that has passed every other test costs one for its revisions, and
one that is not to be taken as it is today.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from newwiki.errors import TerminalError, TransientError
from newwiki.records import Absence, Page, Requests, Site, Window
from newwiki.sources import redirects, settling
from newwiki.sources.account import Account
from newwiki.sources.answers import in_words
from newwiki.sources.api import Api
from newwiki.sources.creations import list_created, stamp
from newwiki.sources.source import Batch, Memory, source

_BATCH = 50  # pages or revisions a request: what the API allows everyone
_LARGE_BATCH = 500  # and accounts with `apihighlimits`
_Item = TypeVar("_Item")


@source("api")
class ApiSource:
    """A wiki by the address of its api.php. Raises TerminalError for a Wikimedia wiki without an operator's contact."""

    unit = "pages"

    def __init__(self, place: str, contact: str | None = None) -> None:
        self._api = Api(place, contact)
        self._account = Account.from_environment()
        self.name = f"api {place}"

    def tell(self, say: Callable[[str], None]) -> None:
        self._api.tell(say)

    def site(self) -> Site:
        (answer,) = self._api.query("site", meta="siteinfo", siprop="general|rightsinfo")
        general, rights = answer.get("general"), answer.get("rightsinfo") or {}
        if not general:
            raise TerminalError(f"there is no MediaWiki API at {self._api.url}: it does not describe its wiki")
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
        created = yield from list_created(self._api, window, cutoff, limit, memory, self._batch)
        todo = [page for page in created if page.page_id not in skip]
        position = len(created) - len(todo)
        settled = [page for page in todo if page.absent]
        if settled:
            position += len(settled)
            yield Batch(settled, position, len(created))
        unread = [page for page in todo if not page.absent]
        for stubs in _batches(unread, self._batch):
            position += len(stubs)
            yield Batch(self.texts(stubs, cutoff), position, len(created))

    def count_revisions(self, page: Page, cutoff: datetime, at_most: int) -> int:
        return len(self._history(page.page_id, cutoff, at_most))

    def asked(self) -> list[Requests]:
        return self._api.asked()

    @cached_property
    def _batch(self) -> int:
        """How many pages or revisions one request may name."""
        if not self._account:
            return _BATCH
        self._api.log_in(self._account)
        (answer,) = self._api.query("login", meta="userinfo", uiprop="rights")
        return _LARGE_BATCH if "apihighlimits" in answer["userinfo"]["rights"] else _BATCH

    def texts(self, stubs: Sequence[Page], cutoff: datetime) -> list[Page]:
        """The pages, at most as many as one request may name, with what they said at the cutoff."""
        current = self._merged("text", pageids=_joined(stub.page_id for stub in stubs))
        before = self._sizes(_parents(current.values(), cutoff))
        pages, doubtful = [], []
        for stub in stubs:
            answer = current[stub.page_id]
            if "missing" in answer:
                pages.append(_absent(stub, "missing"))
            elif _stands(answer["revisions"][0], before, cutoff):
                pages.append(_page(stub, answer["revisions"][0], None))
            else:
                doubtful.append(stub)
        return pages + self._earlier_texts(doubtful, cutoff)

    def _sizes(self, rev_ids: Iterable[int]) -> dict[int, int]:
        """The bytes of those revisions that are still there and not hidden."""
        wanted = list(rev_ids)
        if not wanted:
            return {}
        found = self._revisions("size", wanted, rvprop="ids|size|sha1")
        return {rev_id: revision["size"] for rev_id, revision in found.items() if "sha1hidden" not in revision}

    def _earlier_texts(self, stubs: Sequence[Page], cutoff: datetime) -> list[Page]:
        """Pages that are not to be taken as they are today: which revision stood at the cutoff, and what it said."""
        histories = {stub.page_id: self._history(stub.page_id, cutoff, settling.HISTORY) for stub in stubs}
        places = {page_id: settling.settled(_stands_of(found)) for page_id, found in histories.items() if found}
        wanted = {histories[page_id][number]["revid"] for page_id, place in places.items() for number in (0, place)}
        texts: dict[int, dict[str, Any]] = {}
        for rev_ids in _batches(sorted(wanted), self._batch):
            texts |= self._revisions("text", rev_ids)
        return [self._as_it_stood(stub, histories[stub.page_id], places.get(stub.page_id, 0), texts) for stub in stubs]

    def _as_it_stood(
        self, stub: Page, history: list[dict[str, Any]], place: int, texts: dict[int, dict[str, Any]]
    ) -> Page:
        newest = texts.get(history[0]["revid"]) if history else None
        if newest is None:
            return _absent(stub, "missing")
        counted = len(history) if len(history) < settling.HISTORY else None
        if place == 0 or redirects.target(_wikitext(newest) or ""):
            return _page(stub, newest, counted)
        taken = texts.get(history[place]["revid"])
        if taken is None:
            raise TransientError(f"'{stub.title}' changed at {self._api.url} while it was read; try again")
        return replace(_page(stub, taken, counted), stepped_over=settling.stepped_over(_stands_of(history), place))

    def _history(self, page_id: int, cutoff: datetime, at_most: int) -> list[dict[str, Any]]:
        """Up to `at_most` revisions, newest first, from the cutoff back. That there are more is not followed up."""
        answer = next(
            self._api.query(
                "history", pageids=page_id, prop="revisions", rvprop="ids|timestamp|size|sha1", rvdir="older",
                rvlimit=at_most, rvstart=stamp(cutoff),
            )
        )  # fmt: skip
        revisions: list[dict[str, Any]] = answer["pages"][0].get("revisions", [])
        return revisions

    def _revisions(self, kind: str, rev_ids: Sequence[int], **more: str) -> dict[int, dict[str, Any]]:
        """Those of the revisions that are still there, by their ids."""
        pages = self._merged(kind, revids=_joined(rev_ids), **more).values()
        return {revision["revid"]: revision for page in pages for revision in page.get("revisions", [])}

    def _merged(self, kind: str, **which: str) -> dict[int, dict[str, Any]]:
        """Pages by id with their revisions. An answer over the server's size limit comes in several rounds."""
        pages: dict[int, dict[str, Any]] = {}
        asked = {"prop": "revisions", "rvprop": "ids|timestamp|size|content", "rvslots": "main"} | which
        for answer in self._api.query(kind, **asked):
            for page in answer.get("pages", []):
                merged = pages.setdefault(page["pageid"], page)
                if merged is not page and "revisions" in page:
                    merged["revisions"] = merged.get("revisions", []) + page["revisions"]
        for page in pages.values():
            if "missing" not in page and not page.get("revisions"):
                raise TransientError(
                    f"the wiki's API at {self._api.url} left out the text of '{page['title']}'; try again"
                )
        return pages


def _parents(answers: Iterable[dict[str, Any]], cutoff: datetime) -> Iterator[int]:
    """The revisions before those that may stand, where anything can have been lost since."""
    for answer in answers:
        if "missing" in answer:
            continue
        revision = answer["revisions"][0]
        if revision["parentid"] and not _is_after(revision, cutoff) and not redirects.target(_wikitext(revision) or ""):
            yield revision["parentid"]


def _stands(revision: dict[str, Any], before: dict[int, int], cutoff: datetime) -> bool:
    """Whether a page is to be taken as it is today: not edited since the cutoff, and not emptied just before."""
    if _is_after(revision, cutoff):
        return False
    if not revision["parentid"] or redirects.target(_wikitext(revision) or ""):
        return True
    parent = revision["parentid"]
    return parent in before and not settling.has_shrunk(revision["size"], before[parent])


def _is_after(revision: dict[str, Any], cutoff: datetime) -> bool:
    return datetime.fromisoformat(revision["timestamp"]) > cutoff


def _stands_of(history: Iterable[dict[str, Any]]) -> list[settling.Stand]:
    return [settling.Stand(entry["revid"], entry["size"], "sha1hidden" in entry) for entry in history]


def _page(stub: Page, revision: dict[str, Any], revisions: int | None) -> Page:
    wikitext = _wikitext(revision)
    return replace(
        stub,
        rev_id=revision["revid"],
        revised_at=datetime.fromisoformat(revision["timestamp"]),
        revisions=revisions,
        wikitext=wikitext,
        absent="hidden" if wikitext is None else None,
    )


def _wikitext(revision: dict[str, Any]) -> str | None:
    """None where it is hidden."""
    slot = revision["slots"]["main"] if "slots" in revision else {}
    hidden = "texthidden" in slot or "texthidden" in revision or "content" not in slot
    return None if hidden else slot["content"]


def _absent(stub: Page, why: Absence) -> Page:
    return replace(stub, absent=why)


def _batches(items: Sequence[_Item], size: int) -> Iterator[Sequence[_Item]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def _joined(numbers: Iterable[int]) -> str:
    return "|".join(map(str, numbers))
