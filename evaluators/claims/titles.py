"""Derive the name of a page from its title, and find the pages that a claim names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from evaluators.claims import bm25

LONGEST = 16  # words of a name that can be found

_DISAMBIGUATION = re.compile(r"(?<=\S)\s*\([^()]*\)\s*$")


def bare(title: str) -> str:
    """Return the title without the parenthesis at its end: Mercury for "Mercury (planet)"."""
    return _DISAMBIGUATION.sub("", title)


def name_of(title: str) -> str:
    """Return the words of a title without its disambiguation, for matching; the title itself if it has no word, which
    then names only its own texts."""
    return " ".join(bm25.words(bare(title))) or title.strip()


def spans(claim: Sequence[str]) -> Iterator[str]:
    """Yield every run of words of a claim that may be a name."""
    for start in range(len(claim)):
        for end in range(start + 1, min(start + LONGEST, len(claim)) + 1):
            yield " ".join(claim[start:end])


def named_in(claim: Sequence[str], known: Mapping[str, Sequence[int]], stands: Callable[[int], bool]) -> list[int]:
    """Return the pages among the `known` ones by name that the claim names: from left to right, the longest name that
    begins at each word, continuing after it. A name of one word must pass `stands`."""
    pages_named: list[int] = []
    start = 0
    while start < len(claim):
        for end in range(min(start + LONGEST, len(claim)), start, -1):
            pages = known.get(" ".join(claim[start:end]), ())
            taken = [page for page in pages if end - start > 1 or stands(page)]
            if taken:
                pages_named += taken
                start = end
                break
        else:
            start += 1
    return pages_named


def stands_as_written(title: str, claim: str) -> bool:
    """Tell whether a one-word title occurs in the claim in its own case, so that not every "it" names the page "It". A
    title without capital letters may occur in any case."""
    word = bare(title).strip()
    return word.lower() == word.upper() or re.search(rf"(?<!\w){re.escape(word)}(?!\w)", claim) is not None
