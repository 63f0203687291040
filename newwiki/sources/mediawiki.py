"""The Action API of any MediaWiki: the creation log for the list, batches of fifty for the texts.

Fifty pages cost one request. Only a page that has passed every other test costs one more, for its revisions.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from newwiki.errors import TerminalError, TransientError
from newwiki.records import Absence, Page, Site, Window
from newwiki.sources.api import Api
from newwiki.sources.source import Batch, source

_BATCH = 50  # what the API allows everyone


@source("api")
class ApiSource:
    """A wiki by the address of its api.php. Raises TerminalError for a Wikimedia wiki without an operator's contact."""

    unit = "pages"

    def __init__(self, place: str, contact: str | None = None) -> None:
        self._api = Api(place, contact)
        self.name = f"api {place}"

    def site(self) -> Site:
        (answer,) = self._api.query(meta="siteinfo", siprop="general")
        general = answer.get("general")
        if not general:
            raise TerminalError(f"there is no MediaWiki API at {self._api.url}: it does not describe its wiki")
        return Site(general["wikiid"], general["lang"], general["base"])

    def pages(self, window: Window, cutoff: datetime, skip: Set[int]) -> Iterator[Batch]:
        created = self._created(window)
        todo = [page for page in created if page.page_id not in skip]
        position = len(created) - len(todo)
        for start in range(0, len(todo), _BATCH):
            stubs = todo[start : start + _BATCH]
            position += len(stubs)
            yield Batch(self._texts(stubs, cutoff), position, len(created))

    def count_revisions(self, page: Page, cutoff: datetime, at_most: int) -> int:
        return len(self._history(page.page_id, cutoff, at_most))

    def _created(self, window: Window) -> list[Page]:
        """The creation log, whose `logpage` is the page itself (its `pageid` is whatever bears the title today).

        MediaWiki leaves out entries whose action is hidden, as it does not tell their namespace.
        """
        found: dict[int, Page] = {}
        last_second = window.end - timedelta(seconds=1)
        for answer in self._api.query(
            list="logevents", letype="create", lenamespace=0, ledir="newer", lelimit="max",
            lestart=_stamp(window.start), leend=_stamp(last_second), leprop="ids|title|timestamp|comment|tags",
        ):  # fmt: skip
            for entry in answer.get("logevents", []):
                created_at = datetime.fromisoformat(entry["timestamp"])
                page = Page(
                    entry["logpage"],
                    entry["title"],
                    created_at,
                    summary=entry.get("comment", ""),
                    tags=tuple(entry["tags"]),
                )
                found.setdefault(page.page_id, page)
        return list(found.values())

    def _texts(self, stubs: Sequence[Page], cutoff: datetime) -> list[Page]:
        current = self._merged({"pageids": _joined(stub.page_id for stub in stubs)})
        pages, changed_since = [], []
        for stub in stubs:
            answer = current[stub.page_id]
            if "missing" in answer:
                pages.append(_absent(stub, "missing"))
            elif answer["ns"] != 0:
                pages.append(_absent(stub, "moved"))
            elif datetime.fromisoformat(answer["revisions"][0]["timestamp"]) > cutoff:
                changed_since.append((stub, answer["title"]))
            else:
                pages.append(_page(stub, answer["title"], answer["revisions"][0], None))
        return pages + self._earlier_texts(changed_since, cutoff)

    def _earlier_texts(self, changed: list[tuple[Page, str]], cutoff: datetime) -> list[Page]:
        """Pages edited after the cutoff: which revision stood then, and what it said."""
        histories = {stub.page_id: self._history(stub.page_id, cutoff, _BATCH) for stub, _ in changed}
        wanted = {history[0]["revid"]: page_id for page_id, history in histories.items() if history}
        texts: dict[int, dict[str, Any]] = {}
        if wanted:
            for answer in self._merged({"revids": _joined(wanted)}).values():
                texts |= {revision["revid"]: revision for revision in answer.get("revisions", [])}
        pages = []
        for stub, title in changed:
            history = histories[stub.page_id]
            revision = texts.get(history[0]["revid"]) if history else None
            counted = len(history) if len(history) < _BATCH else None
            pages.append(_page(stub, title, revision, counted) if revision else _absent(stub, "missing"))
        return pages

    def _history(self, page_id: int, cutoff: datetime, at_most: int) -> list[dict[str, Any]]:
        """Up to `at_most` revisions, newest first, from the cutoff back. That there are more is not followed up."""
        answer = next(
            self._api.query(
                pageids=page_id, prop="revisions", rvprop="ids|timestamp", rvdir="older",
                rvlimit=at_most, rvstart=_stamp(cutoff),
            )
        )  # fmt: skip
        revisions: list[dict[str, Any]] = answer["pages"][0].get("revisions", [])
        return revisions

    def _merged(self, which: dict[str, str]) -> dict[int, dict[str, Any]]:
        """Pages by id with their revisions' texts. An answer over the server's size limit comes in several rounds."""
        pages: dict[int, dict[str, Any]] = {}
        for answer in self._api.query(**which, prop="revisions", rvprop="ids|timestamp|content", rvslots="main"):
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


def _page(stub: Page, title: str, revision: dict[str, Any], revisions: int | None) -> Page:
    slot = revision["slots"]["main"] if "slots" in revision else {}
    hidden = "texthidden" in slot or "texthidden" in revision or "content" not in slot
    return replace(
        stub,
        title=title,
        rev_id=revision["revid"],
        revised_at=datetime.fromisoformat(revision["timestamp"]),
        revisions=revisions,
        wikitext=None if hidden else slot["content"],
        absent="hidden" if hidden else None,
    )


def _absent(stub: Page, why: Absence) -> Page:
    return replace(stub, absent=why)


def _joined(numbers: Iterable[int]) -> str:
    return "|".join(map(str, numbers))


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
