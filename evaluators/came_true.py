"""Find what a text says that its article did not say at first but says in a later edition: entities and infobox values.

Everything is compared as words without accents, case and punctuation marks (`fact_recall.Statements`). What the first
edition says anywhere, in title, prose or infobox, is not an addition, so no prompt contains one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluators.fact_recall import MOST_WORDS, Statements, facts_of, numbers, words
from newwiki.registry import Evaluator

Kind = Literal["entity", "infobox"]
Facts = Sequence[tuple[str, str]] | None  # (parameter, value) pairs; None if they were not read

NO_STRUCTURE = "no structure"


@dataclass(frozen=True)
class Edition:
    """An article as of a cutoff: its whole text, the entity mentions in it, and its infoboxes."""

    text: str
    mentions: Sequence[str]
    facts: Facts


@dataclass(frozen=True)
class CameTrue:
    """The result for one text and kind: what came true, how many `additions` the article has, and by `chance` how many
    of the text's items are among the additions of another article, averaged over all others; None if there is no other.
    With a `status` other than `ok` nothing is known."""

    kind: Kind
    terms: tuple[str, ...] = ()
    additions: int | None = None
    chance: float | None = None
    status: str = "ok"


class Additions:
    """What each article of a snapshot says only in its later edition, by page id."""

    def __init__(self) -> None:
        self._first: dict[int, Statements] = {}
        self._of: dict[Kind, dict[int, frozenset[str] | None]] = {"entity": {}, "infobox": {}}
        self._in: dict[Kind, Counter[str]] = {"entity": Counter(), "infobox": Counter()}
        self._articles: Counter[Kind] = Counter()  # articles with known additions

    def add(self, page_id: int, first: Edition, later: Edition) -> None:
        stated = self._first[page_id] = Statements.of(first.text)
        self._enter("entity", page_id, {term for term in terms(later.mentions) if not stated.state(term)})
        if first.facts is None or later.facts is None:
            self._of["infobox"][page_id] = None
        else:
            new = facts_of(_tuple(later.facts)) - facts_of(_tuple(first.facts))
            self._enter("infobox", page_id, {fact for fact in new if not stated.state(fact)})

    def said(self, page_id: int, text: str, mentions: Iterable[str]) -> list[CameTrue]:
        """Return what came true of a text about this article, by kind. `mentions` are the text's own."""
        stated = terms(mentions), stated_in(text, self._in["infobox"])
        return [
            self._judged(kind, page_id, {item for item in items if not self._first[page_id].state(item)})
            for kind, items in zip(self._of, stated, strict=True)
        ]

    def _enter(self, kind: Kind, page_id: int, items: set[str]) -> None:
        self._of[kind][page_id] = frozenset(items)
        self._in[kind].update(items)
        self._articles[kind] += 1

    def _judged(self, kind: Kind, page_id: int, items: set[str]) -> CameTrue:
        own = self._of[kind][page_id]
        if own is None:
            return CameTrue(kind, status=NO_STRUCTURE)
        others = self._articles[kind] - 1
        true = items & own
        elsewhere = sum(self._in[kind][item] for item in items) - len(true)
        return CameTrue(kind, tuple(sorted(true)), len(own), elsewhere / others if others else None)


def terms(mentions: Iterable[str]) -> set[str]:
    """Return entity mentions in the form in which they are compared, without duplicates."""
    return {" ".join(parts) for mention in mentions if (parts := words(mention))}


def stated_in(text: str, facts: Mapping[str, int]) -> set[str]:
    """Return the facts that `Statements.of(text)` states, in time that depends only on the length of the text."""
    read = words(text)
    runs = (" ".join(read[start : start + length]) for length in range(1, MOST_WORDS + 1) for start in range(len(read)))
    return {item for item in (*numbers(text), *runs) if item in facts}


def _tuple(facts: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((parameter, value) for parameter, value in facts)


# Identifies the check in fingerprints; it is never called for a score.
CAME_TRUE = Evaluator(
    name="came_true", function=Additions.said, metrics=(), version="1", needs=frozenset({"entities", "facts"})
)
