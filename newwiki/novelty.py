"""Which texts are nearly those of earlier pages, by the exact Jaccard index of every pair that shares anything.

A text is the set of its word 5-grams, in lower case and without punctuation. The similarity of two texts is the Jaccard
index of their sets: 5-grams in both over 5-grams in either (Broder 1997, On the resemblance and containment of
documents). What is found depends neither on the order of the texts nor on what they are compared in one go with.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

NEAR_DUPLICATE = 0.7
WORTH_REPORTING = 0.1
_WORDS = 5
# What decides which pages are dropped, for the content hash: a change here that drops others gets another version.
# Version 1 dropped pages like those of any older snapshot that the database happened to hold.
PARAMETERS = {"version": 2, "words": _WORDS, "near_duplicate": NEAR_DUPLICATE}

_AT_ONCE = 1_000_000  # places that are counted at once: some 30 MB
Sketch = npt.NDArray[np.uint64]
_WORD = re.compile(r"\w+")
_ODD = 0x9E3779B97F4A7C15  # Knuth's multiplicative hashing, at 64 bits


class Sketcher:
    """Makes sketches. It remembers the hashes of words, so one of them serves many texts best."""

    def __init__(self) -> None:
        self._hashes: dict[str, int] = {}

    def sketch(self, text: str) -> Sketch:
        """A text's 5-grams as 64-bit hashes, sorted, each once.

        Of a text of fewer than five words the whole is its one gram; texts without a word are like nothing.
        """
        words = np.array([self._hash(word) for word in _WORD.findall(text.lower())], np.uint64)
        width = min(_WORDS, len(words))
        grams = np.zeros(len(words) - width + 1 if width else 0, np.uint64)
        for place in range(width):
            grams = (grams ^ words[place : place + len(grams)]) * np.uint64(_ODD)
            grams ^= grams >> np.uint64(29)
        return np.unique(grams)

    def _hash(self, word: str) -> int:
        if word not in self._hashes:
            self._hashes[word] = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
        return self._hashes[word]


def jaccard(one: Sketch, other: Sketch) -> float:
    """Grams in both over grams in either, 0 … 1; 0 where neither has any."""
    both = len(np.intersect1d(one, other, assume_unique=True))
    either = len(one) + len(other) - both
    return both / either if either else 0.0


class Index:
    """Sketches by their grams. Grams that the same sketches have count as one with a weight: articles that share
    sentences, or a whole boilerplate, cost what they differ in."""

    def __init__(self, sketches: Sequence[Sketch]) -> None:
        self._sizes = np.array([len(sketch) for sketch in sketches], np.int64)
        grams = np.concatenate([np.empty(0, np.uint64), *sketches])
        order = np.argsort(grams, kind="stable")
        self._grams, self._start, self._count = np.unique(grams[order], return_index=True, return_counts=True)
        self._places = np.repeat(np.arange(len(sketches)), self._sizes)[order]
        self._alike = self._first_alike(len(sketches)) if len(grams) else np.empty(0, np.int64)

    def similar(self, sketch: Sketch, before: int | None = None) -> Iterable[tuple[int, float]]:
        """(place, Jaccard index) of those that are worth reporting, with `before` among the first so many only."""
        both = self._shared(sketch)[:before]
        either = len(sketch) + self._sizes[:before] - both
        similarity = both / np.maximum(either, 1)
        for place in np.flatnonzero(similarity >= WORTH_REPORTING):
            yield int(place), float(similarity[place])

    def _first_alike(self, sketches: int) -> npt.NDArray[np.int64]:
        """For each gram the first that the same sketches have. A sum of random numbers finds it, and is not trusted."""
        numbers = np.random.default_rng(0).integers(0, 2**64, sketches, np.uint64)
        sums = np.add.reduceat(numbers[self._places], self._start)
        _, first, group = np.unique(sums, return_index=True, return_inverse=True)
        alike = first[group]
        owner = np.repeat(alike, self._count)
        within = np.arange(len(self._places)) - np.repeat(self._start, self._count)
        same = self._places[np.minimum(self._start[owner] + within, len(self._places) - 1)] == self._places
        wrong = np.logical_or(~np.logical_and.reduceat(same, self._start), self._count[alike] != self._count)
        return np.where(wrong, np.arange(len(alike)), alike)

    def _shared(self, sketch: Sketch) -> npt.NDArray[np.int64]:
        """How many grams each has in common with this one."""
        both = np.zeros(len(self._sizes), np.int64)
        place = np.searchsorted(self._grams, sketch)
        known = place < len(self._grams)
        known[known] = self._grams[place[known]] == sketch[known]
        grams, weight = np.unique(self._alike[place[known]], return_counts=True)
        start, count = self._start[grams], self._count[grams]
        chunk = np.cumsum(count) // _AT_ONCE
        for number in np.unique(chunk):
            these = chunk == number
            ends = np.cumsum(count[these])
            found = np.arange(ends[-1]) + np.repeat(start[these] - (ends - count[these]), count[these])
            weights = np.repeat(weight[these], count[these])
            both += np.bincount(self._places[found], weights, len(both)).astype(np.int64)
        return both
