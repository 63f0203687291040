"""Which revision stands for a page: the one at the cutoff, unless somebody had just emptied it.

A revision that is blank, or has less than half the bytes of the one before, is stepped over, and the newest earlier one
that is neither is taken. A page that was turned into a redirect is no such case: it stays a redirect.
"""

from collections.abc import Sequence
from dataclasses import dataclass

HISTORY = 50  # revisions that are looked at, back from the cutoff


@dataclass(frozen=True)
class Stand:
    """A revision by its size, in bytes; nobody can compare with one whose text is hidden."""

    rev_id: int
    size: int
    hidden: bool = False


def has_shrunk(size: int, before: int) -> bool:
    """Whether a revision of `size` bytes is blank, or has lost more than half of the one before."""
    return size == 0 or 2 * size < before


def settled(history: Sequence[Stand]) -> int:
    """The place of the revision to take in a history that runs from the newest to the oldest.

    It is 0, the revision at the cutoff itself, where that one is hidden, and where none of them is fit.
    """
    if history[0].hidden:
        return 0
    return newest_fit(history) or 0


def newest_fit(history: Sequence[Stand]) -> int | None:
    """The place of the newest revision that can be seen and has not shrunk, or None where there is none."""
    visible = [place for place, stand in enumerate(history) if not stand.hidden]
    for place, before in zip(visible, [*visible[1:], None], strict=True):
        if not has_shrunk(history[place].size, history[before].size if before is not None else 0):
            return place
    return None


def stepped_over(history: Sequence[Stand], place: int) -> str:
    """In words, for whoever wonders why the revision at the cutoff is not the one in the snapshot."""
    left, taken = history[0], history[place]
    return (
        f"revision {left.rev_id} at the cutoff ({left.size} bytes) stepped over "
        f"for revision {taken.rev_id} ({taken.size} bytes)"
    )
