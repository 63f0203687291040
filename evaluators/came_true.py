"""What a text says that its article did not say at first and says in a later edition: entities, and infobox values.

Everything is compared in words without accents, case and punctuation marks (`fact_recall.Statements`). What the first
edition says anywhere, in title, prose or infobox, is no addition, so no prompt holds one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluators.fact_recall import MOST_WORDS, Statements, facts_of, numbers, words
from newwiki.registry import Evaluator

Kind = Literal["entity", "infobox"]
Facts = Sequence[tuple[str, str]] | None  # parameter and value; None where they were not read

NO_STRUCTURE = "no structure"


@dataclass(frozen=True)
class Edition:
    """An article as it stood at a cutoff: all its text, the mentions of entities in it, and its infoboxes."""

    text: str
    mentions: Sequence[str]
    facts: Facts


@dataclass(frozen=True)
class CameTrue:
    """Of one text and kind: what came true, how many `additions` the article has, and by `chance` how many of a text's
    things are among the additions of another article, the mean over all others; None where there is no other. With a
    `status` other than `ok` nothing is known."""

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
        self._articles: Counter[Kind] = Counter()  # whose additions are known

    def add(self, page_id: int, first: Edition, later: Edition) -> None:
        said = self._first[page_id] = Statements.of(first.text)
        self._enter("entity", page_id, {one for one in terms(later.mentions) if not said.state(one)})
        if first.facts is None or later.facts is None:
            self._of["infobox"][page_id] = None
        else:
            new = facts_of(_tuple(later.facts)) - facts_of(_tuple(first.facts))
            self._enter("infobox", page_id, {one for one in new if not said.state(one)})

    def said(self, page_id: int, text: str, mentions: Iterable[str]) -> list[CameTrue]:
        """What came true of a text on this article, by kind. `mentions` are the text's own."""
        stated = terms(mentions), stated_in(text, self._in["infobox"])
        return [
            self._judged(kind, page_id, {one for one in found if not self._first[page_id].state(one)})
            for kind, found in zip(self._of, stated, strict=True)
        ]

    def _enter(self, kind: Kind, page_id: int, found: set[str]) -> None:
        self._of[kind][page_id] = frozenset(found)
        self._in[kind].update(found)
        self._articles[kind] += 1

    def _judged(self, kind: Kind, page_id: int, found: set[str]) -> CameTrue:
        own = self._of[kind][page_id]
        if own is None:
            return CameTrue(kind, status=NO_STRUCTURE)
        others = self._articles[kind] - 1
        true = found & own
        elsewhere = sum(self._in[kind][one] for one in found) - len(true)
        return CameTrue(kind, tuple(sorted(true)), len(own), elsewhere / others if others else None)


def terms(mentions: Iterable[str]) -> set[str]:
    """Mentions of entities as they are compared, each once."""
    return {" ".join(found) for mention in mentions if (found := words(mention))}


def stated_in(text: str, facts: Mapping[str, int]) -> set[str]:
    """Those of the facts that `Statements.of(text)` would say it states, in time that grows with the text alone."""
    read = words(text)
    runs = (" ".join(read[start : start + length]) for length in range(1, MOST_WORDS + 1) for start in range(len(read)))
    return {one for one in (*numbers(text), *runs) if one in facts}


def _tuple(facts: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((parameter, value) for parameter, value in facts)


# Who looks, as its fingerprint names it: nobody asks it for a score.
CAME_TRUE = Evaluator(
    name="came_true", function=Additions.said, metrics=(), version="1", needs=frozenset({"entities", "facts"})
)
