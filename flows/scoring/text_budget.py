"""Which texts costly evaluators score."""

import hashlib
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass
from itertools import takewhile
from typing import Protocol

Key = tuple[int, int]  # page id and sample


class Chosen(Protocol):
    """Chooses among a run's texts, by page id and sample, and among the articles, by page id."""

    def of_texts(self, keys: Sequence[Key]) -> list[Key]: ...

    def of_articles(self, pages: Sequence[int]) -> list[int]: ...


@dataclass(frozen=True)
class TextBudget:
    """So many texts of a run, and so many articles.

    Prompts are drawn, in an order that depends on their page ids alone: one text of each, and only where every prompt
    has one a second of each, and so on. So the runs of all decoders have the same prompts scored, whatever the number
    of their texts, the articles are those of these prompts, and a larger budget adds to a smaller one.
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
    """The texts and articles that somebody else has scored."""

    texts: Collection[Key]
    pages: Collection[int]

    def of_texts(self, keys: Sequence[Key]) -> list[Key]:
        return [key for key in keys if key in self.texts]

    def of_articles(self, pages: Sequence[int]) -> list[int]:
        return [page for page in pages if page in self.pages]


def is_chosen(scored: Set[Key], texts: Collection[Key]) -> bool:
    """Whether these are the texts of a run that budgets choose, and not such as somebody picked. Earlier versions drew
    texts and not prompts; scores of theirs may be there alone, or beside those of this one."""
    ours = _begun(TextBudget(len(texts)).of_texts(sorted(texts)), scored)
    earlier = _begun(sorted(texts, key=lambda key: hashlib.sha256(repr(key).encode()).digest()), scored)
    return scored == ours | earlier


def _begun(order: Sequence[Key], scored: Set[Key]) -> set[Key]:
    """The texts from the beginning of this order on that are scored."""
    return set(takewhile(lambda key: key in scored, order))


def _order(page_id: int) -> bytes:
    return hashlib.sha256(repr(page_id).encode()).digest()
