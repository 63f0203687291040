"""Order old pages by a hash of (seed, page id), which gives the same order however they are read.

The hash is the finalizer of SplitMix64 (Steele, Lea and Flood 2014), twice. It does not depend on the number of pages,
so a wiki that grows meanwhile keeps the order of its existing pages.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from newwiki.snapshot import Judged, Page, Selection

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SLICE = 100_000  # pages per sort
_CHUNK = 1_000_000  # pages hashed at once
_ALL = 1 << 64
_Page = TypeVar("_Page", Judged, Page)


def ranks(page_ids: "Iterable[int] | NDArray[Any]", seed: int) -> "NDArray[Any]":
    """Return the rank of each page, in 0 … 2^64 - 1: smaller ranks come first."""
    import numpy as np

    ids = np.fromiter(page_ids, np.uint64) if not isinstance(page_ids, np.ndarray) else page_ids.astype(np.uint64)
    return _mix(_mix(ids) ^ _mix(np.array([seed % _ALL], np.uint64)))


def by_rank(largest: int, seed: int, after: int) -> Iterator[int]:
    """Yield the page ids 1 … `largest` (at least 1) in order of rank, starting after the rank `after` (-1: with the
    first).

    Sorts one slice at a time, because most walks end early.
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
    """Return the rank at which the sample is full, given the pages that have passed: 2^64 if it is not full."""
    ordered = sorted(ranks(passed, selection.seed).tolist())
    return int(ordered[selection.sample - 1]) if len(ordered) >= selection.sample else _ALL


def considered(pages: list[Judged], selection: Selection) -> list[Judged]:
    """Return the judged pages that rank no later than the one that filled the sample."""
    if not pages:
        return []
    last = last_rank((page.page_id for page in pages if page.verdict == "selected"), selection)
    return up_to_rank(pages, selection.seed, last)


def up_to_rank(pages: Sequence[_Page], seed: int, last: int) -> list[_Page]:
    """Return the pages that rank no later than `last`."""
    order = ranks((page.page_id for page in pages), seed).tolist()
    return [page for page, rank in zip(pages, order, strict=True) if rank <= last]


def _mix(bits: "NDArray[Any]") -> "NDArray[Any]":
    import numpy as np

    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: NDArray[Any] = bits ^ (bits >> np.uint64(31))
    return mixed
