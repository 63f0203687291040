"""The order in which old pages are looked at: by a hash of (seed, page id), so that any order of reading gives it.

The hash is the finaliser of SplitMix64 (Steele, Lea and Flood 2014), twice. It does not depend on how many pages
there are, so a wiki that grows meanwhile keeps the order of the pages that it had.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from newwiki.snapshot import Judged, Page, Selection

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SLICE = 100_000  # pages of one sort
_CHUNK = 1_000_000  # pages hashed at once
_ALL = 1 << 64
_Page = TypeVar("_Page", Judged, Page)


def ranks(page_ids: "Iterable[int] | NDArray[Any]", seed: int) -> "NDArray[Any]":
    """The rank of each page, in 0 … 2^64 - 1: smaller ones are looked at first."""
    import numpy as np

    ids = np.fromiter(page_ids, np.uint64) if not isinstance(page_ids, np.ndarray) else page_ids.astype(np.uint64)
    return _mix(_mix(ids) ^ _mix(np.array([seed % _ALL], np.uint64)))


def by_rank(largest: int, seed: int, after: int) -> Iterator[int]:
    """The page ids 1 … `largest` (at least 1) by their ranks, beginning beyond the rank `after` (-1: with the first).

    Sorts a slice at a time, as most walks end early.
    """
    import numpy as np

    width = -(-_ALL * _SLICE // max(largest, _SLICE))
    for low in range(after + 1, _ALL, width):
        found_ids, found_ranks = [], []
        for start in range(1, largest + 1, _CHUNK):
            ids = np.arange(start, min(start + _CHUNK, largest + 1), dtype=np.uint64)
            rank = ranks(ids, seed)
            inside = (rank >= np.uint64(low)) & (rank <= np.uint64(min(low + width, _ALL) - 1))
            found_ids.append(ids[inside])
            found_ranks.append(rank[inside])
        ids, rank = np.concatenate(found_ids), np.concatenate(found_ranks)
        yield from ids[np.lexsort((ids, rank))].tolist()


def last_rank(passed: Iterable[int], selection: Selection) -> int:
    """The rank at which the sample is full, once these pages have passed: 2^64 while it is not."""
    found = sorted(ranks(passed, selection.seed).tolist())
    return int(found[selection.sample - 1]) if len(found) >= selection.sample else _ALL


def considered(pages: list[Judged], selection: Selection) -> list[Judged]:
    """Of all pages judged, those that stand no later in the order than the one which filled the sample."""
    if not pages:
        return []
    last = last_rank((page.page_id for page in pages if page.verdict == "selected"), selection)
    return up_to_rank(pages, selection.seed, last)


def up_to_rank(pages: Sequence[_Page], seed: int, last: int) -> list[_Page]:
    """Those that stand no later in the order than the rank `last`."""
    order = ranks((page.page_id for page in pages), seed).tolist()
    return [page for page, rank in zip(pages, order, strict=True) if rank <= last]


def _mix(bits: "NDArray[Any]") -> "NDArray[Any]":
    import numpy as np

    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[Any] = bits ^ (bits >> np.uint64(31))
    return mixed
