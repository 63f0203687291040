"""Decide from a page's revisions alone when the page was created and which of its revisions count.

A wiki can rewrite a history: import revisions, merge two histories, delete a page and restore part of it. The creation
log does not change then, and a dump has no logs. Revision ids tell what happened, because a wiki numbers revisions in
the order in which it stores them and never renumbers them:

- **Creation.** A page is created when the revision with the smallest id was saved. Older revisions that were imported
  into the page later have larger ids. Merged revisions keep their ids, so a page is as old as the oldest history that
  was merged into it.
- **Lost beginning.** If that revision names a parent, the beginning was deleted or merged into another page. Nobody can
  tell when the page was created, so it is not a candidate.
- **Order.** A revision counts only if no revision with a smaller id has a later time. The others were imported into a
  history that was already there. All revisions that count are therefore at least as young as the creation.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, Generic, TypeVar

from newwiki.sources.timestamps import moment

_T = TypeVar("_T")


class OrderedHistory(Generic[_T]):
    """The revisions that count among those added so far, oldest first. They can be added in any order."""

    def __init__(self) -> None:
        self._ids: list[int] = []
        self._times: list[datetime] = []
        self.revisions: list[_T] = []

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, rev_id: int, at: datetime, revision: _T) -> Sequence[_T]:
        """Add a revision. Returns those that do not count because of it, which may be the revision itself."""
        if not self._ids or (rev_id > self._ids[-1] and at >= self._times[-1]):
            self._ids.append(rev_id)
            self._times.append(at)
            self.revisions.append(revision)
            return ()
        start = end = bisect_left(self._ids, rev_id)
        if start and self._times[start - 1] > at:
            return [revision]
        if start < len(self._ids):
            end = bisect_left(self._times, at, start)
        replaced = self.revisions[start:end]
        self._ids[start:end], self._times[start:end], self.revisions[start:end] = [rev_id], [at], [revision]
        return replaced


def counted(revisions: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the revisions of an API answer that count, oldest first."""
    history = OrderedHistory[dict[str, Any]]()
    for revision in revisions:
        history.add(revision["revid"], moment(revision["timestamp"]), revision)
    return history.revisions


def is_irregular(history: Iterable[dict[str, Any]]) -> bool:
    """Tell whether a revision names another parent than the revision before it, as after a merge or a restoration."""
    return any(later["parentid"] != earlier["revid"] for earlier, later in pairwise(history))
