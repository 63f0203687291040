"""Represent n-grams as numbers, so that thousands of texts are counted and compared in seconds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Grams:
    """The count of each n-gram in each text, as rows (`text`, `gram`, `count`) in order of text and n-gram.

    The n-grams are numbered from 0 across all texts. `prefix` holds the (n-1)-gram that each begins with, by its number
    among those; 0 for words.
    """

    text: Numbers
    gram: Numbers
    count: Numbers
    prefix: Numbers

    @property
    def different(self) -> int:
        return len(self.prefix)


def count_grams(texts: Sequence[Sequence[str]], longest: int) -> Iterator[Grams]:
    """Yield the words of the texts, then their bigrams, and so on; no n-gram spans two texts."""
    numbers: dict[str, int] = {}
    words = np.array([numbers.setdefault(word, len(numbers)) for text in texts for word in text], dtype=np.int64)
    owners = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    starts, grams = np.arange(len(words)), words
    prefix = np.zeros(len(numbers), dtype=np.int64)
    for n in range(1, longest + 1):
        if n > 1:
            inside = starts + n - 1 < len(words)
            inside[inside] = owners[starts[inside]] == owners[starts[inside] + n - 1]
            starts, grams = starts[inside], grams[inside]
            different, grams = np.unique(grams * len(numbers) + words[starts + n - 1], return_inverse=True)
            prefix = different // max(len(numbers), 1)
        rows, counts = np.unique(owners[starts] * len(prefix) + grams, return_counts=True)
        text, gram = np.divmod(rows, max(len(prefix), 1))
        yield Grams(text, gram, counts, prefix)


class KnownGrams:
    """The count of each n-gram of one text, for n from 1 to `longest`, for comparison with many other texts.

    An n-gram is encoded as the rank of the part before its last token, and that token's number.
    """

    def __init__(self, tokens: Sequence[str], longest: int) -> None:
        self.length = len(tokens)
        self._numbers = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
        self._codes: list[Numbers] = []
        self._counts: list[Numbers] = []
        numbers = self._numbered(tokens)
        before = np.zeros_like(numbers)
        for n in range(1, longest + 1):
            codes, ranks, counts = np.unique(self._joined(before, numbers, n), return_inverse=True, return_counts=True)
            self._codes.append(codes)
            self._counts.append(counts)
            before = ranks

    def shared(self, tokens: Sequence[str]) -> list[int]:
        """Return for each n how many n-grams of these tokens also occur here, each at most as often as here."""
        numbers = self._numbered(tokens)
        before = np.zeros_like(numbers)
        shared = []
        for n, (here, counts) in enumerate(zip(self._codes, self._counts, strict=True), start=1):
            codes = self._joined(before, numbers, n)
            ranks = np.searchsorted(here, codes)
            ranks[ranks == len(here)] = 0
            found = (here[ranks] == codes) if len(here) else np.zeros(len(codes), dtype=bool)
            shared.append(int(np.minimum(np.bincount(ranks[found], minlength=len(here)), counts).sum()))
            before = np.where(found, ranks, -1)
        return shared

    def _numbered(self, tokens: Sequence[str]) -> Numbers:
        return np.array([self._numbers.get(token, -1) for token in tokens], dtype=np.int64)

    def _joined(self, before: Numbers, numbers: Numbers, n: int) -> Numbers:
        last = numbers[n - 1 :]
        before = before[: len(last)]
        return np.where((before < 0) | (last < 0), -1, before * len(self._numbers) + last)
