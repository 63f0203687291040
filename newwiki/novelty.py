"""Which texts are nearly those of earlier pages: MinHash finds the pairs worth a look, the exact Jaccard index decides.

A text is the set of its word 5-grams, in lower case and without punctuation. The similarity of two texts is the Jaccard
index of their sets: 5-grams in both over 5-grams in either (Broder 1997, On the resemblance and containment of
documents). What is found depends neither on the order of the texts nor on what they are compared in one go with.
"""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

NEAR_DUPLICATE = 0.7
WORTH_REPORTING = 0.1
_WORDS = 5
# What decides which pages are dropped, for the content hash: a change here that drops others gets another version.
PARAMETERS = {"version": 1, "words": _WORDS, "near_duplicate": NEAR_DUPLICATE}

_PERMUTATIONS = 128
# Of two texts at 0.1 fewer than 4 of 128 values agree in one case of 1,200, of two at 0.7 never.
_WORTH_A_LOOK = 4
_WORD = re.compile(r"\w+")
_ODD = 0x9E3779B97F4A7C15  # Knuth's multiplicative hashing, at 64 bits


@dataclass(frozen=True)
class Sketch:
    """A text's 5-grams as sorted 64-bit hashes, and their MinHash signature."""

    grams: npt.NDArray[np.uint64]
    signature: npt.NDArray[np.uint32]


class Sketcher:
    """Makes sketches. It remembers the hashes of words, so one of them serves many texts best."""

    def __init__(self) -> None:
        from datasketch import MinHash

        self._new = MinHash
        self._permutations = MinHash(_PERMUTATIONS, seed=1, scheme="affine32").permutations
        self._hashes: dict[str, int] = {}

    def sketch(self, text: str) -> Sketch:
        """Of a text of fewer than five words the whole is its one gram; texts without a word are like nothing."""
        words = np.array([self._hash(word) for word in _WORD.findall(text.lower())], np.uint64)
        width = min(_WORDS, len(words))
        grams = np.zeros(len(words) - width + 1 if width else 0, np.uint64)
        for place in range(width):
            grams = (grams ^ words[place : place + len(grams)]) * np.uint64(_ODD)
            grams ^= grams >> np.uint64(29)
        grams = np.unique(grams)
        minhash = self._new(_PERMUTATIONS, scheme="affine32", permutations=self._permutations, hashfunc=int)
        minhash.update_batch((grams >> np.uint64(32)).tolist())
        return Sketch(grams, minhash.hashvalues)

    def _hash(self, word: str) -> int:
        if word not in self._hashes:
            self._hashes[word] = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
        return self._hashes[word]


def jaccard(one: Sketch, other: Sketch) -> float:
    """Grams in both over grams in either, 0 … 1; 0 where neither has any."""
    both = len(np.intersect1d(one.grams, other.grams, assume_unique=True))
    either = len(one.grams) + len(other.grams) - both
    return both / either if either else 0.0


def similar(
    sketch: Sketch, others: Sequence[Sketch], signatures: npt.NDArray[np.uint32]
) -> Iterable[tuple[int, float]]:
    """(place, similarity) of those of the others that are worth reporting; `signatures` are `stacked(others)`."""
    agreeing = np.count_nonzero(signatures == sketch.signature, axis=1)
    for place in np.flatnonzero(agreeing >= _WORTH_A_LOOK):
        similarity = jaccard(sketch, others[int(place)])
        if similarity >= WORTH_REPORTING:
            yield int(place), similarity


def stacked(sketches: Sequence[Sketch]) -> npt.NDArray[np.uint32]:
    """The signatures of the sketches, a row each."""
    return np.array([sketch.signature for sketch in sketches], np.uint32).reshape(-1, _PERMUTATIONS)
