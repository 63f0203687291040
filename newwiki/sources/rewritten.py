"""Find the pages whose histories a wiki rewrote by merging, restoring or importing, and when they were created.

The creation log names such a page as it was at first, or not at all. The logs of merges, restorations and imports name
the pages whose revisions must be read to apply `newwiki.sources.revision_order`:

- a page of the window that was restored or merged into another, and the page that it was merged into;
- a page of the window into which another page was merged;
- a restored page with a new page id, under a title that a page of the window had;
- a page that the creation log does not name and into which revisions were imported: the import created it.

These logs cost a few requests, the targets of merges one request for fifty, and each page that may belong to the window
one. `importDump.php`, a script for the operators of a wiki, leaves no entry: a page that it created can be found
in a dump only.
"""

from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from newwiki.snapshot import Page, Window
from newwiki.sources.api import Api, fetch_revisions, joined, wikitext
from newwiki.sources.moves import left_by_move, linked_titles, place_at_cutoff, prefixes, unchanging_revisions
from newwiki.sources.revision_order import counted, is_irregular
from newwiki.sources.source import Batch
from newwiki.sources.timestamps import moment, stamp

_KIND = "rewritten"


@dataclass(frozen=True)
class _Merge:
    source: int  # a page id
    target: str  # a title


@dataclass
class Rewritten:
    """The pages that the logs name, by page id."""

    restored: dict[int, str] = field(default_factory=dict)  # with the title
    imported: set[int] = field(default_factory=set)
    _merges: list[_Merge] = field(default_factory=list)
    _targets: dict[str, int] = field(default_factory=dict)  # the page that has the title today, or had it

    @classmethod
    def since(cls, api: Api, start: datetime) -> "Rewritten":
        """Read the logs from `start` to the present, because what is done after the cutoff rewrites the past too."""
        found = cls()
        for entry in _log(api, start, leaction="delete/restore"):
            found.restored[entry["logpage"]] = entry["title"]
        found.imported = {entry["logpage"] for entry in _log(api, start, letype="import")}
        merges = [entry for entry in _log(api, start, letype="merge") if "dest_title" in entry.get("params", {})]
        found._merges = [_Merge(entry["logpage"], entry["params"]["dest_title"]) for entry in merges]
        found._targets = _targets(api, {entry["params"]["dest_title"]: entry["timestamp"] for entry in merges})
        return found

    def among(self, created: Mapping[int, str], titles: Mapping[str, set[int]]) -> set[int]:
        """Return the pages to examine. `created` holds the title of each page in the creation log of the window;
        `titles` holds the pages that had a title."""
        found = {page_id for page_id in self.restored if page_id in created}
        for page_id, title in self.restored.items():
            if page_id not in created and any(other in created for other in titles.get(title, ())):
                found.add(page_id)
        oldest = min(created, default=0)
        found |= {page_id for page_id in self.imported if page_id not in created and page_id >= oldest}
        for merge in self._merges:
            targets = titles.get(merge.target, set()) | {self._targets.get(merge.target, 0)} - {0}
            if merge.source in created:
                found |= {merge.source} | targets
            else:
                found |= {page_id for page_id in targets if page_id in created}
        return found


@dataclass
class Examined:
    """Those of the examined pages that belong to the window, by page id; the ids of those that no longer exist
    (`gone`); and the ids of those whose revisions name other parents than the revisions before them (`irregular`)."""

    pages: dict[int, Page] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)
    irregular: set[int] = field(default_factory=set)


def examine(api: Api, page_ids: Iterable[int], window: Window, cutoff: datetime) -> Generator[Batch, None, Examined]:
    """Read all revisions of the pages. Yields empty batches that report progress."""
    examined = Examined()
    asked = sorted(page_ids)
    names = _namespaces(api) if asked else {}
    for place, page_id in enumerate(asked, 1):
        today, revisions = _history(api, page_id)
        history = counted(revisions)
        if "missing" in today:
            examined.gone.add(page_id)
        elif page := _page(api, today, history, window, cutoff, names):
            examined.pages[page_id] = page
        if is_irregular(history):
            examined.irregular.add(page_id)
        yield Batch([], place, len(asked), "rewritten histories")
    return examined


def _page(
    api: Api, today: dict[str, Any], history: list[dict[str, Any]], window: Window, cutoff: datetime,
    names: Mapping[str, int],
) -> Page | None:  # fmt: skip
    """Return the page without its text, by the same rules as `newwiki.sources.history` in a dump."""
    first = history[0] if history else None
    if first is None or first["parentid"] or moment(first["timestamp"]) not in window:
        return None
    place = place_at_cutoff(today["title"], unchanging_revisions(history), cutoff, names)
    summary = first.get("comment", "")
    if place is None or _is_left_by_move(api, place.begun_as, first, summary):
        return None
    return Page(
        today["pageid"], place.title, moment(first["timestamp"]), summary=summary, tags=tuple(first["tags"]),
        absent="moved" if place.is_elsewhere else None,
    )  # fmt: skip


def _is_left_by_move(api: Api, begun_as: str, first: dict[str, Any], summary: str) -> bool:
    if len(set(linked_titles(summary))) < 2:
        return False
    revision = fetch_revisions(api, "texts", [first["revid"]]).get(first["revid"], {})
    return left_by_move(begun_as, wikitext(revision) or "", summary)


def _history(api: Api, page_id: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the page as it is named today, and all its revisions, oldest first."""
    page: dict[str, Any] = {}
    revisions: list[dict[str, Any]] = []
    for answer in api.query(
        "history", pageids=page_id, prop="revisions", rvprop="ids|timestamp|comment|tags|size|sha1", rvdir="newer",
        rvlimit="max",
    ):  # fmt: skip
        (page,) = answer["pages"]
        revisions += page.get("revisions", [])
    return page, revisions


def _log(api: Api, start: datetime, **which: str) -> list[dict[str, Any]]:
    """Return the entries of a log whose action is not hidden, oldest first."""
    return [
        entry
        for answer in api.query(
            _KIND, list="logevents", ledir="newer", lelimit="max", lestart=stamp(start),
            leprop="ids|title|type|timestamp|details", **which,
        )
        for entry in answer["logevents"]
        if "actionhidden" not in entry
    ]  # fmt: skip


def _targets(api: Api, merged_at: Mapping[str, str]) -> dict[str, int]:
    """Return the page ids of the titles, which had these pages at those times, as far as they can be found."""
    targets: dict[str, int] = {}
    for titles in api.batches(sorted(merged_at)):
        for answer in api.query(_KIND, titles=joined(titles), prop="info"):
            for page in answer.get("pages", []):
                if "missing" not in page and not page.get("redirect"):
                    targets[page["title"]] = page["pageid"]
    for title in merged_at.keys() - targets.keys():
        # The page was deleted, or moved since
        answer = next(
            api.query(
                _KIND, list="logevents", letype="move", letitle=title, ledir="newer", lelimit=1,
                lestart=merged_at[title], leprop="ids|timestamp",
            )
        )  # fmt: skip
        targets.update((title, entry["logpage"]) for entry in answer["logevents"] if "logpage" in entry)
    return targets


def _namespaces(api: Api) -> dict[str, int]:
    """Return the numbers of the wiki's namespaces by name."""
    (answer,) = api.query("site", meta="siteinfo", siprop="namespaces")
    return prefixes({int(number): names["name"] for number, names in answer["namespaces"].items()})
