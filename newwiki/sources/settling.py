"""Select the revision of a page: the one at the cutoff, unless somebody had just emptied the page.

A revision that is blank, or has less than half the bytes of the previous one, is stepped over in favor of the newest
earlier revision that is neither. A page that was turned into a redirect is not stepped over: it stays a redirect.
"""

from collections.abc import Sequence
from dataclasses import dataclass

HISTORY = 50  # revisions examined, back from the cutoff


@dataclass(frozen=True)
class Stand:
    """A revision and its size in bytes; a revision with hidden text cannot be compared."""

    rev_id: int
    size: int
    hidden: bool = False


def has_shrunk(size: int, before: int) -> bool:
    """Tell whether a revision of `size` bytes is blank, or has lost more than half of the previous one."""
    return size == 0 or 2 * size < before


def settled(history: Sequence[Stand]) -> int:
    """Return the position of the revision to select, in a history ordered from newest to oldest.

    It is 0, the revision at the cutoff, if that revision is hidden or if no revision is fit.
    """
    if history[0].hidden:
        return 0
    return newest_fit(history) or 0


def newest_fit(history: Sequence[Stand]) -> int | None:
    """Return the position of the newest visible revision that has not shrunk, or None."""
    visible = [place for place, stand in enumerate(history) if not stand.hidden]
    for place, before in zip(visible, [*visible[1:], None], strict=True):
        if not has_shrunk(history[place].size, history[before].size if before is not None else 0):
            return place
    return None


def stepped_over(history: Sequence[Stand], place: int) -> str:
    """Explain why the revision at the cutoff is not the one in the snapshot."""
    left, taken = history[0], history[place]
    return (
        f"revision {left.rev_id} at the cutoff ({left.size} bytes) stepped over "
        f"for revision {taken.rev_id} ({taken.size} bytes)"
    )
