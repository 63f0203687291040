"""Choose the texts that costly evaluators score."""

import hashlib
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass
from itertools import takewhile
from typing import Protocol

Key = tuple[int, int]  # page id and sample


class Chosen(Protocol):
    """Choose among the texts of a run, by page id and sample, and among the articles, by page id."""

    def of_texts(self, keys: Sequence[Key]) -> list[Key]: ...

    def of_articles(self, pages: Sequence[int]) -> list[int]: ...


@dataclass(frozen=True)
class TextBudget:
    """A budget of `count` texts of a run, and of `count` articles.

    The page id alone determines the order in which prompts are drawn. Each prompt contributes one text before any
    prompt contributes a second text. This has three effects:

    - The runs of all decoders have the same prompts scored, whatever the number of their texts.
    - The scored articles are those of these prompts.
    - A larger budget adds texts to those of a smaller budget.
    """

    count: int

    def of_texts(self, keys: Sequence[Key]) -> list[Key]:
        samples: dict[int, int] = {}
        turns = []
        for page_id, sample in sorted(keys):
            samples[page_id] = samples.get(page_id, 0) + 1
            turns.append((samples[page_id], _order(page_id), (page_id, sample)))
        return [key for *_, key in sorted(turns)[: self.count]]

    def of_articles(self, pages: Sequence[int]) -> list[int]:
        return sorted(pages, key=_order)[: self.count]


@dataclass(frozen=True)
class TheseTexts:
    """The texts and articles that another scoring has chosen."""

    texts: Collection[Key]
    pages: Collection[int]

    def of_texts(self, keys: Sequence[Key]) -> list[Key]:
        return [key for key in keys if key in self.texts]

    def of_articles(self, pages: Sequence[int]) -> list[int]:
        return [page for page in pages if page in self.pages]


def is_chosen(scored: Set[Key], texts: Collection[Key]) -> bool:
    """Return whether a budget chose the scored texts, rather than a person.

    Earlier versions drew texts instead of prompts. A run may have scores from an earlier version, from this version, or
    from both.
    """
    ours = _begun(TextBudget(len(texts)).of_texts(sorted(texts)), scored)
    earlier = _begun(sorted(texts, key=lambda key: hashlib.sha256(repr(key).encode()).digest()), scored)
    return scored == ours | earlier


def _begun(order: Sequence[Key], scored: Set[Key]) -> set[Key]:
    """Return the scored texts at the beginning of this order, up to the first unscored text."""
    return set(takewhile(lambda key: key in scored, order))


def _order(page_id: int) -> bytes:
    return hashlib.sha256(repr(page_id).encode()).digest()
