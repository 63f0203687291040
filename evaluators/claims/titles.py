"""By which name a page is spoken of, and the pages that a claim names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from evaluators.claims import bm25

LONGEST = 16  # words of a title that is looked for

_DISAMBIGUATION = re.compile(r"(?<=\S)\s*\([^()]*\)\s*$")


def bare(title: str) -> str:
    """The title without the parenthesis at its end that tells it from others: Mercury of "Mercury (planet)"."""
    return _DISAMBIGUATION.sub("", title)


def name_of(title: str) -> str:
    """The words of a title without its disambiguation, by which it is matched; the title itself where it has no word,
    which then is the name of its own texts alone."""
    return " ".join(bm25.words(bare(title))) or title.strip()


def spans(claim: Sequence[str]) -> Iterator[str]:
    """Every run of words of a claim that may be a title's."""
    for start in range(len(claim)):
        for end in range(start + 1, min(start + LONGEST, len(claim)) + 1):
            yield " ".join(claim[start:end])


def named_in(claim: Sequence[str], known: Mapping[str, Sequence[int]], stands: Callable[[int], bool]) -> list[int]:
    """The pages whose names stand in the claim, of the `known` pages by name: from left to right, at each word the
    longest name that begins there, after which the reading goes on behind it. A name of one word must pass `stands`."""
    found: list[int] = []
    start = 0
    while start < len(claim):
        for end in range(min(start + LONGEST, len(claim)), start, -1):
            pages = known.get(" ".join(claim[start:end]), ())
            taken = [page for page in pages if end - start > 1 or stands(page)]
            if taken:
                found += taken
                start = end
                break
        else:
            start += 1
    return found


def stands_as_written(title: str, claim: str) -> bool:
    """Whether a title of one word stands in the claim with its own capital and small letters, so that not every "it"
    names the page "It". What has no capital letters stands wherever it is a word."""
    word = bare(title).strip()
    return word.lower() == word.upper() or re.search(rf"(?<!\w){re.escape(word)}(?!\w)", claim) is not None
