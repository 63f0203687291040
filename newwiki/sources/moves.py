"""Where a page stood at the cutoff: its title and its namespace, whatever has been done to it since.

Through the API the move log tells, which names the page itself. A dump has the titles of its own day alone. But each
move leaves a revision that changes nothing, whose summary links, in every language, the old title and the new one; so
from today's title the moves can be gone back over. A dump is silent where a wiki has hidden such a summary, and where
it wrote none, as MediaWiki did not in its first years.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from newwiki.sources.redirects import links


@dataclass(frozen=True)
class Place:
    """A title with its prefix, and the number of its namespace; 0 is the main one."""

    title: str
    namespace: int


@dataclass
class Moves:
    """What entries of the move log say of each page, by page id: where its first move began, and its last one ended."""

    first_from: dict[int, Place] = field(default_factory=dict)
    last_to: dict[int, Place] = field(default_factory=dict)

    def add(self, entries: Iterable[dict[str, Any]]) -> None:
        """More entries, the oldest first. One whose action is hidden names no page."""
        for entry in entries:
            if "actionhidden" not in entry:
                target = entry["params"]
                self.first_from.setdefault(entry["logpage"], Place(entry["title"], entry["ns"]))
                self.last_to[entry["logpage"]] = Place(target["target_title"], target["target_ns"])


@dataclass(frozen=True)
class Unchanging:
    """A revision with the text of the one before it, as a move leaves it."""

    at: datetime
    rev_id: int
    summary: str


def titles_back(title: str, unchanging: Iterable[Unchanging], cutoff: datetime) -> tuple[str, str]:
    """A page's title at the cutoff, and the one under which it was created, from its title today."""
    newest_first = sorted(unchanging, key=lambda revision: (revision.at, revision.rev_id), reverse=True)
    at_cutoff = _back(title, (revision for revision in newest_first if revision.at > cutoff))
    return at_cutoff, _back(at_cutoff, (revision for revision in newest_first if revision.at <= cutoff))


def _back(title: str, newest_first: Iterator[Unchanging]) -> str:
    for revision in newest_first:
        linked = links(revision.summary)[:2]
        if title in linked and len(set(linked)) == 2:
            title = next(other for other in linked if other != title)
    return title


def namespace(title: str, prefixes: Mapping[str, int]) -> int:
    """The number of a title's namespace; `prefixes` are their names in lower case."""
    prefix, colon, _ = title.partition(":")
    return prefixes.get(_folded(prefix), 0) if colon else 0


def prefixes(names: Mapping[int, str]) -> dict[str, int]:
    """The names of a wiki's namespaces as `namespace` looks them up."""
    return {_folded(name): number for number, name in names.items() if name}


def _folded(prefix: str) -> str:
    return re.sub(r"[ _]+", " ", prefix).strip().lower()
