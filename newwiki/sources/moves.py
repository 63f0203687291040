"""Find a page's title and namespace at the cutoff, whatever moves happened since.

Through the API, the move log names the page itself. A dump has only the titles of its own date. But each move leaves a
revision that changes nothing, whose summary links the old and the new title in every language; so the moves can be
undone from today's title. A dump lacks this information where the wiki hid such a summary, and where MediaWiki wrote
none, as in its first years.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from typing import Any

from newwiki.sources.api import is_hidden
from newwiki.sources.timestamps import moment


@dataclass(frozen=True)
class Place:
    """A full title and the number of its namespace; 0 is the main namespace."""

    title: str
    namespace: int


@dataclass
class Moves:
    """The moves of each page, by page id: where its first move began, and where its last move ended. `titles` holds the
    ids of the pages that had a title before or after a move."""

    first_from: dict[int, Place] = field(default_factory=dict)
    last_to: dict[int, Place] = field(default_factory=dict)
    titles: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    def add(self, entries: Iterable[dict[str, Any]]) -> None:
        """Add entries, oldest first. An entry whose action is hidden names no page and is ignored."""
        for entry in entries:
            if "actionhidden" not in entry:
                target = entry["params"]
                self.first_from.setdefault(entry["logpage"], Place(entry["title"], entry["ns"]))
                self.last_to[entry["logpage"]] = Place(target["target_title"], target["target_ns"])
                for title in (entry["title"], target["target_title"]):
                    self.titles[title].add(entry["logpage"])


@dataclass(frozen=True)
class Unchanging:
    """A revision with the same text as the one before it, as a move leaves it."""

    at: datetime
    rev_id: int
    summary: str


def unchanging_revisions(history: Sequence[dict[str, Any]]) -> list[Unchanging]:
    """Return the unchanging revisions of an API answer that lists a page's revisions, oldest first, with their sizes
    and SHA-1. Beside a hidden or an empty text every revision is one, as in a dump."""
    return [
        Unchanging(moment(later["timestamp"]), later["revid"], later.get("comment", ""))
        for earlier, later in pairwise(history)
        if earlier.get("sha1") == later.get("sha1")
        or any(is_hidden(one) or not one["size"] for one in (earlier, later))
    ]


@dataclass(frozen=True)
class PlaceAtCutoff:
    """A page's title at the cutoff, whether that is outside the main namespace, and the title it was created under."""

    title: str
    is_elsewhere: bool
    begun_as: str


def place_at_cutoff(
    title: str, unchanging: Iterable[Unchanging], cutoff: datetime, prefixes: Mapping[str, int]
) -> PlaceAtCutoff | None:
    """Return where the page with this title today was at the cutoff. None if it was neither created in the main
    namespace nor there at the cutoff."""
    at_cutoff, begun_as = titles_back(title, unchanging, cutoff)
    is_elsewhere = namespace(at_cutoff, prefixes) != 0
    if is_elsewhere and namespace(begun_as, prefixes):
        return None
    return PlaceAtCutoff(at_cutoff, is_elsewhere, begun_as)


def titles_back(title: str, unchanging: Iterable[Unchanging], cutoff: datetime) -> tuple[str, str]:
    """Return a page's title at the cutoff and the title it was created under, from its title today."""
    newest_first = sorted(unchanging, key=lambda revision: (revision.at, revision.rev_id), reverse=True)
    at_cutoff = _back(title, (revision for revision in newest_first if revision.at > cutoff))
    return at_cutoff, _back(at_cutoff, (revision for revision in newest_first if revision.at <= cutoff))


def _back(title: str, newest_first: Iterator[Unchanging]) -> str:
    for revision in newest_first:
        linked = linked_titles(revision.summary)[:2]
        if title in linked and len(set(linked)) == 2:
            title = next(other for other in linked if other != title)
    return title


def namespace(title: str, prefixes: Mapping[str, int]) -> int:
    """Return the number of a title's namespace; `prefixes` maps lower-case namespace names to numbers."""
    prefix, colon, _ = title.partition(":")
    return prefixes.get(_folded(prefix), 0) if colon else 0


def prefixes(names: Mapping[int, str]) -> dict[str, int]:
    """Return the wiki's namespace names in the form that `namespace` looks up."""
    return {_folded(name): number for number, name in names.items() if name}


def _folded(prefix: str) -> str:
    return re.sub(r"[ _]+", " ", prefix).strip().lower()


_REDIRECT = re.compile(r"\s*#\s*[^\s\[\]:#]+\s*:?\s*\[\[:?\s*([^\[\]|#]+)")
_LINK = re.compile(r"\[\[:?\s*([^\[\]|#]+)")


def redirect_target(wikitext: str) -> str | None:
    """Return the title that a redirect leads to, or None if the page is not a redirect."""
    match = _REDIRECT.match(wikitext)
    return _title(match.group(1)) if match else None


def left_by_move(title: str, wikitext: str, summary: str) -> bool:
    """Tell whether a page began as the redirect that a move leaves at the old title. No log lists it as created, so it
    is not a new page.

    MediaWiki's summary links, in every language, the old title and the new one that the redirect leads to.
    """
    new = redirect_target(wikitext)
    return new is not None and {title, new} <= set(linked_titles(summary)) and title != new


def linked_titles(summary: str) -> list[str]:
    """Return the titles that a summary links, in order."""
    return [_title(link) for link in _LINK.findall(summary)]


def _title(link: str) -> str:
    return link.replace("_", " ").strip()
