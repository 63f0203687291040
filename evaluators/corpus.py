"""Hold all kept texts of a run for set metrics, and draw samples that make runs comparable."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from newwiki.errors import TerminalError
from newwiki.records import SetScore, Unscorable
from newwiki.text import words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Key = tuple[int, int]  # page id and sample
Words = tuple[str, ...]

DRAWS = 5
# Part of the fingerprint of every set metric: raise it whenever words or draws may change for the same texts.
CORPUS_VERSION = "2"


@dataclass(frozen=True)
class Draw:
    """One kept text of each page, and the corresponding reference articles."""

    keys: Sequence[Key]
    texts: Sequence[Words]
    references: Sequence[Words]


@dataclass(frozen=True, eq=False)
class Corpus:
    """The words of a run's kept texts by page id and sample, those of the reference articles by page id, and the parts
    that models made of the drawn texts and of all articles."""

    texts: Mapping[Key, Words]
    references: Mapping[int, Words]
    parts: Mapping[Key, Mapping[str, Any]] = field(default_factory=dict)
    reference_parts: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)

    @cached_property
    def draws(self) -> list[Draw]:
        return [
            Draw(keys, [self.texts[key] for key in keys], [self.references[page_id] for page_id, _ in keys])
            for keys in draw_keys(self.texts)
        ]

    def mean_over_draws(self, function: Callable[[Draw], float | Unscorable]) -> SetScore | Unscorable:
        """Return mean and standard deviation of the function over draws, or the reason why one draw has no value."""
        if not self.texts:
            return Unscorable("no texts")
        values: list[float] = []
        for draw in self.draws:
            value = function(draw)
            if isinstance(value, Unscorable):
                return value
            values.append(value)
        return SetScore(fmean(values), stdev(values) if len(values) > 1 else None)

    def embedded(self, keys: Iterable[Key]) -> NDArray[np.float32]:
        """Return a unit row for each of these drawn texts, without those in which a model found nothing."""
        return _rows(self.parts[key] for key in keys)

    def embedded_references(self, page_ids: Iterable[int]) -> NDArray[np.float32]:
        return _rows(self.reference_parts[page_id] for page_id in page_ids)


def split_words(text: str) -> Words:
    """Split by `newwiki.text.words`; a text without letters and digits (marks, symbols, emoji) has no words."""
    return tuple(map(sys.intern, words.split_words(text))) if any(map(str.isalnum, text)) else ()


def draw_keys(keys: Iterable[Key]) -> list[list[Key]]:
    """Draw one text of each page, up to `DRAWS` times. Each page supplies its texts in an order by hash, repeatedly.

    All draws have as many texts as there are pages. So a run that keeps ten texts per prompt can be compared with one
    that keeps one, and with the articles: counts over sets grow with the set.
    """
    by_page: dict[int, list[Key]] = {}
    for key in sorted(keys, key=lambda key: sha256(repr(key).encode()).digest()):
        by_page.setdefault(key[0], []).append(key)
    most = max(map(len, by_page.values()), default=0)
    return [
        [page_keys[draw % len(page_keys)] for _, page_keys in sorted(by_page.items())]
        for draw in range(min(most, DRAWS))
    ]


def _rows(parts: Iterable[Mapping[str, Any]]) -> NDArray[np.float32]:
    import numpy as np

    try:
        rows = [np.asarray(text_parts["embedding"], dtype=np.float32) for text_parts in parts]
    except KeyError:
        raise TerminalError(
            'the texts were analyzed without embeddings; declare needs={"embedding"} in the set evaluator'
        ) from None
    stacked = np.stack(rows) if rows else np.empty((0, 0), dtype=np.float32)
    return stacked[~np.isnan(stacked).any(axis=1)]
