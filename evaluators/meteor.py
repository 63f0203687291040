"""Compute METEOR with exact words and stems, for each text with many references.

Synonyms, the third kind of match in METEOR, need WordNet's data, which no package includes: hence the name
`meteor_exact_stem`, whose values are lower than METEOR's. Stems are those of Porter 1980 as implemented in nltk.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from evaluators.corpus import Words

if TYPE_CHECKING:
    from nltk.stem.porter import PorterStemmer

_ALPHA, _BETA, _GAMMA = 0.9, 3.0, 0.5


class References:
    """Texts to compare others with; an index gives the number of stems that each shares with a text."""

    def __init__(self, texts: Sequence[Words]) -> None:
        self._texts = [_stemmed(text) for text in texts]
        self._lengths = np.array([len(text) for text in texts])
        places: dict[tuple[str, int], list[int]] = {}
        for place, (_, stems) in enumerate(self._texts):
            for stem in _numbered(stems):
                places.setdefault(stem, []).append(place)
        self._places = {stem: np.array(found) for stem, found in places.items()}

    def meteor_exact_stem(self, texts: Sequence[Words]) -> float:
        """Return the mean over texts of the METEOR with the best-matching reference, from 0 to 1.

        With m the matched words, first as they are and then by stem, in lower case, P = m / words of the text, R = m /
        words of the reference, and c the number of chunks of consecutive matches: P R / (α P + (1 − α) R) (1 − γ (c /
        m)^β), α = 0.9, β = 3, γ = 0.5. Among equal words, matching follows nltk, from the end. Sources: Lavie and
        Agarwal 2007, METEOR: an automatic metric for MT evaluation with high levels of correlation with human
        judgments, section 2; He et al. 2021, section 5.1, includes synonyms.
        """
        return fmean(self.of_each(texts))

    def of_each(self, texts: Sequence[Words]) -> list[float]:
        """Return the METEOR of each text with its best-matching reference (see `meteor_exact_stem`)."""
        return [self._best(text) for text in texts]

    def _best(self, text: Words) -> float:
        written = _stemmed(text)
        found = [self._places[stem] for stem in _numbered(written[1]) if stem in self._places]
        if not found:
            return 0.0
        matches = np.bincount(np.concatenate(found), minlength=len(self._texts))
        means = matches / (_ALPHA * self._lengths + (1 - _ALPHA) * len(text))
        # The score of a reference is at most that of all its matches in one chunk.
        most = means * (1 - _GAMMA / np.maximum(matches, 1) ** _BETA)
        best = 0.0
        for place in np.argsort(-most, kind="stable"):
            if most[place] <= best:
                break
            chunks = _chunks(written, self._texts[place])
            best = max(best, float(means[place] * (1 - _GAMMA * (chunks / matches[place]) ** _BETA)))
        return best


def _stemmed(text: Words) -> tuple[list[str], list[str]]:
    """Return the text's words in lower case, and their stems."""
    words = [word.lower() for word in text]
    return words, [_stem(word) for word in words]


@lru_cache(maxsize=1 << 18)
def _stem(word: str) -> str:
    return str(_stemmer().stem(word))


@lru_cache
def _stemmer() -> "PorterStemmer":
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


def _numbered(stems: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Pair each stem with its count so far, so that the pairs two texts share are as many as the words that match."""
    seen: dict[str, int] = {}
    for stem in stems:
        seen[stem] = seen.get(stem, 0) + 1
        yield stem, seen[stem]


def _chunks(text: tuple[list[str], list[str]], reference: tuple[list[str], list[str]]) -> int:
    """Return the number of runs of matches that are consecutive in both texts."""
    matches: dict[int, int] = {}  # position in the text → position in the reference
    matched: set[int] = set()
    for words, reference_words in zip(text, reference, strict=True):
        open_places: dict[str, list[int]] = {}
        for place, word in enumerate(reference_words):
            if place not in matched:
                open_places.setdefault(word, []).append(place)
        for place in reversed(range(len(words))):
            if place not in matches and (places := open_places.get(words[place])):
                matches[place] = places.pop()
                matched.add(matches[place])
    return sum(matches.get(place - 1) != other - 1 for place, other in matches.items())
