"""The n-grams of many texts as numbers, so that thousands of texts are counted in seconds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Grams:
    """How often each n-gram is in each text that has it, by rows (`text`, `gram`, `count`) in order of text and n-gram.

    The n-grams are numbered from 0, whatever text they are in. `prefix` names the (n-1)-gram that each begins with, by
    its number among those; 0 for words.
    """

    text: Numbers
    gram: Numbers
    count: Numbers
    prefix: Numbers

    @property
    def different(self) -> int:
        return len(self.prefix)


def count_grams(texts: Sequence[Sequence[str]], longest: int) -> Iterator[Grams]:
    """The words of the texts, then their bigrams, and so on; no n-gram goes from one text to the next."""
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
