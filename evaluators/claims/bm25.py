"""Score sentences by BM25: the words that are matched, their weights, and the best sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluators.counts import terms

Integers = NDArray[np.int64]
Weights = NDArray[np.float32]

# Raise it whenever the same sentences may get other passages.
BM25_VERSION = "1"
K1 = 1.5
B = 0.75
TOP = 5
PARAMETERS = {
    "bm25": BM25_VERSION,
    "method": "lucene",
    "k1": K1,
    "b": B,
    "words": "runs of letters and digits, casefolded",
    "top": TOP,
}

# The words that are matched, in sentences and claims alike: no word is left out and none is stemmed, so all languages
# and scripts are treated the same.
words = terms


def counted(word_ids: Integers, sentences: Integers) -> tuple[Integers, Integers, Integers]:
    """Count each word of each sentence: returns (word, sentence, count) sorted by word and then by sentence, from
    arrays with the word id and the sentence of each word in the texts."""
    pairs, counts = np.unique((word_ids << 32) | sentences, return_counts=True)
    return pairs >> 32, pairs & 0xFFFFFFFF, counts


def inverse_frequencies(frequencies: Integers, sentences: int) -> Weights:
    """Return for each word ln(1 + (N - n + 0.5) / (n + 0.5)), if it occurs in `frequencies` = n of N `sentences`."""
    different, places = np.unique(frequencies, return_inverse=True)
    values = [math.log(1 + (sentences - n + 0.5) / (n + 0.5)) for n in different.tolist()]
    return np.array(values, np.float32)[places]


def weights(inverse: Weights, counts: Integers, lengths: Integers, mean_length: float) -> Weights:
    """Return what each (word, sentence) adds to the score of the sentence for a claim that has the word: inverse
    frequency times tf / (tf + k1 (1 - b + b length / mean length)), at least 0.

    Source: Kamphuis et al. 2020, Which BM25 do you mean?, table 1, Lucene (accurate); bit-identical to the package
    bm25s for the same words with its method `lucene` and its k1 and b.
    """
    tf = counts.astype(np.float32)
    share = tf / (K1 * ((1 - B) + B * lengths / mean_length) + tf)
    return (inverse * share).astype(np.float32)


def best(scores: Weights, top: int) -> list[int]:
    """Return the positions of the `top` highest scores above 0, highest first; of equal scores the first one first."""
    above = np.flatnonzero(scores > 0)
    if len(above) > top:
        least = np.partition(scores[above], -top)[-top]
        above = above[scores[above] >= least]
    order = np.lexsort((above, -scores[above]))
    return [int(place) for place in above[order[:top]]]


class SmallIndex:
    """A BM25 index of a few sentences in memory, such as those of an article."""

    def __init__(self, sentences: Sequence[str]) -> None:
        split = [words(sentence) for sentence in sentences]
        self._ids: dict[str, int] = {}
        ids = [self._ids.setdefault(word, len(self._ids)) for sentence in split for word in sentence]
        lengths = np.array([len(sentence) for sentence in split], np.int64)
        word, self._places, counts = counted(np.array(ids, np.int64), np.repeat(np.arange(len(split)), lengths))
        frequencies = np.bincount(word, minlength=len(self._ids)).astype(np.int64)
        inverse = inverse_frequencies(frequencies, len(split))[word]
        self._weights = weights(inverse, counts, lengths[self._places], lengths.mean() if split else 1.0)
        self._starts = np.concatenate(([0], np.cumsum(frequencies))).tolist()
        self._sentences = len(split)

    def scores(self, claim: str) -> Weights:
        """Return for each sentence the sum of its weights over the words of the claim, repeated words included."""
        totals = np.zeros(self._sentences, np.float32)
        for word in words(claim):
            if (place := self._ids.get(word)) is not None:
                these = slice(self._starts[place], self._starts[place + 1])
                totals[self._places[these]] += self._weights[these]
        return totals
