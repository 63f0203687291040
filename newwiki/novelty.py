"""Find texts that nearly repeat earlier pages, by the exact Jaccard index of every pair that shares anything.

A text is the set of its word 5-grams, in lower case and without punctuation. The similarity of two texts is the Jaccard
index of their sets: 5-grams in both over 5-grams in either (Broder 1997, On the resemblance and containment of
documents). The result depends neither on the order of the texts nor on the other texts in the index.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from newwiki.snapshot import Article, Judged

NEAR_DUPLICATE = 0.7
WORTH_REPORTING = 0.1
_WORDS = 5
# The parameters that decide which pages are dropped, for the content hash: raise the version if other pages would be
# dropped. Version 1 dropped pages similar to those of any older snapshot that the database happened to hold.
PARAMETERS = {"version": 2, "words": _WORDS, "near_duplicate": NEAR_DUPLICATE}

_AT_ONCE = 1_000_000  # positions counted at once, some 30 MB
Sketch = npt.NDArray[np.uint64]
_Numbers = npt.NDArray[np.integer[Any]]
_WORD = re.compile(r"\w+")
_ODD = 0x9E3779B97F4A7C15  # Knuth's multiplicative hashing, at 64 bits


def compared_text(page: Judged | Article) -> str:
    """Return the part of an article that is compared."""
    return f"{page.first_sentence} {page.completion}"


class _WordHashes(dict[str, int]):
    """64-bit hashes of words, computed on first use."""

    def __missing__(self, word: str) -> int:
        made = self[word] = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
        return made


class Sketcher:
    """Makes sketches. It caches the hashes of words, so use one sketcher for many texts."""

    def __init__(self) -> None:
        self._hashes = _WordHashes()

    def sketch(self, text: str) -> Sketch:
        """Return a text's 5-grams as 64-bit hashes, sorted, without duplicates.

        A text of fewer than five words is a single gram; a text without words resembles nothing.
        """
        tokens = _WORD.findall(text.lower())
        words = np.fromiter(map(self._hashes.__getitem__, tokens), np.uint64, len(tokens))
        width = min(_WORDS, len(words))
        grams = np.zeros(len(words) - width + 1 if width else 0, np.uint64)
        for place in range(width):
            grams = (grams ^ words[place : place + len(grams)]) * np.uint64(_ODD)
            grams ^= grams >> np.uint64(29)
        grams.sort()
        return grams[_firsts(grams)]


def jaccard(a: Sketch, b: Sketch) -> float:
    """Return grams in both over grams in either, 0 … 1; 0 if neither has any."""
    both = len(np.intersect1d(a, b, assume_unique=True))
    either = len(a) + len(b) - both
    return both / either if either else 0.0


class Index:
    """Sketches indexed by their grams. Grams of the same set of sketches count as one with a weight, so articles that
    share sentences, or a whole boilerplate, cost only as much as their differences."""

    def __init__(self, sketches: Sequence[Sketch]) -> None:
        self._sizes = np.array([len(sketch) for sketch in sketches], np.int64)
        grams = np.concatenate([np.empty(0, np.uint64), *sketches])
        self._order = np.argsort(grams, kind="stable")
        grams = grams[self._order]
        self._start = np.flatnonzero(_firsts(grams))
        self._grams, self._count = grams[self._start], np.diff(self._start, append=len(grams))
        self._places = np.repeat(np.arange(len(sketches)), self._sizes)[self._order]
        self._alike = self._first_alike(len(sketches)) if len(grams) else np.empty(0, np.int64)

    def similar(self, sketch: Sketch) -> Iterable[tuple[int, float]]:
        """Yield (position, Jaccard index) of the sketches that are worth reporting."""
        place = np.searchsorted(self._grams, sketch)
        known = place < len(self._grams)
        known[known] = self._grams[place[known]] == sketch[known]
        grams, weight = np.unique(self._alike[place[known]], return_counts=True)
        both = self._shared(self._start[grams], self._count[grams], weight, len(self._sizes))
        return self._worth_reporting(both, len(sketch))

    def each_with_earlier(self) -> Iterator[Iterable[tuple[int, float]]]:
        """Yield for each sketch the similar ones before it: the same as `similar`, in half the time."""
        gram = np.empty(len(self._order), np.int32)  # the grams of each sketch, one sketch after the other
        gram[self._order] = np.repeat(np.arange(len(self._count), dtype=np.int32), self._count)
        earlier = np.empty(len(self._order), np.int32)  # how many earlier sketches have the same gram
        earlier[self._order] = np.arange(len(self._order)) - np.repeat(self._start, self._count)
        ends = np.cumsum(self._sizes)
        for place, (start, end) in enumerate(zip((ends - self._sizes).tolist(), ends.tolist(), strict=True)):
            had = np.flatnonzero(earlier[start:end]) + start
            grams, first, weight = np.unique(self._alike[gram[had]], return_index=True, return_counts=True)
            both = self._shared(self._start[grams], earlier[had[first]], weight, place)
            yield self._worth_reporting(both, end - start)

    def _first_alike(self, sketches: int) -> npt.NDArray[np.int64]:
        """Return for each gram the first gram of the same sketches. A sum of random numbers finds it; the result is
        then checked."""
        numbers = np.random.default_rng(0).integers(0, 2**64, sketches, np.uint64)
        sums = np.add.reduceat(numbers[self._places], self._start)
        _, first, group = np.unique(sums, return_index=True, return_inverse=True)
        alike = first[group]
        owner = np.repeat(alike, self._count)
        within = np.arange(len(self._places)) - np.repeat(self._start, self._count)
        same = self._places[np.minimum(self._start[owner] + within, len(self._places) - 1)] == self._places
        wrong = np.logical_or(~np.logical_and.reduceat(same, self._start), self._count[alike] != self._count)
        return np.where(wrong, np.arange(len(alike)), alike)

    def _shared(self, start: _Numbers, count: _Numbers, weight: _Numbers, first: int) -> npt.NDArray[np.int64]:
        """Count the grams that each of the `first` sketches shares with a sketch: for each of its grams, `count`
        positions from `start` on."""
        both = np.zeros(first, np.int64)
        if not len(start):
            return both
        chunk = np.cumsum(count, dtype=np.int64) // _AT_ONCE
        for number in range(int(chunk[0]), int(chunk[-1]) + 1):
            these = chunk == number
            ends = np.cumsum(count[these])
            positions = np.arange(ends[-1] if len(ends) else 0) + np.repeat(
                start[these] - (ends - count[these]), count[these]
            )
            weights = np.repeat(weight[these], count[these])
            both += np.bincount(self._places[positions], weights, first).astype(np.int64)
        return both

    def _worth_reporting(self, both: npt.NDArray[np.int64], size: int) -> Iterable[tuple[int, float]]:
        similarity = both / np.maximum(size + self._sizes[: len(both)] - both, 1)
        for place in np.flatnonzero(similarity >= WORTH_REPORTING):
            yield int(place), float(similarity[place])


def _firsts(in_order: _Numbers) -> npt.NDArray[np.bool_]:
    """Tell which numbers differ from the previous one."""
    return np.concatenate([[True], in_order[1:] != in_order[:-1]]) if len(in_order) else np.empty(0, np.bool_)
