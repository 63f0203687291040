"""Measure how many facts of the article's infobox a text states."""

import re
import unicodedata
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from evaluators.analysis import Analysis
from newwiki.records import Metric, Unscorable
from newwiki.registry import evaluator, maker
from newwiki.settings import Settings
from newwiki.text.structure import STRUCTURE_VERSION

# Words in the names of parameters that define the infobox's layout, or rename another parameter
_LAYOUT = (
    "alt", "class", "code", "homepage", "lat", "latd", "latm", "latns", "lats", "logo", "lon", "long", "longd",
    "longew", "longm", "longs", "map", "offset", "px", "rank", "ref", "refs", "res", "signature", "size", "style",
    "timezone", "url", "utc", "website", "zone",
)  # fmt: skip
_LAYOUT_BEGINS = ("bild", "caption", "colo", "coord", "footnote", "image", "img", "légende", "mapsize", "pushpin")
_NAMES_ANOTHER = ("label", "title", "type")  # at the end of a longer name: leader_title
MOST_WORDS = 6  # words of a name
_NUMBER = re.compile(r"[1-9]\d{0,2}(?:[,.'’\u00a0\u202f ]\d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)?")
_DIVIDERS = re.compile("[,.'’\u00a0\u202f ]")
_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"[,;()/\[\]\"“”„«»•·–—]|\s-\s")


@evaluator(
    metrics=[
        Metric(
            "fact_recall",
            unit="ratio",
            minimum=0.0,
            maximum=1.0,
            direction="higher",
            definition="share of the names and numbers of the article's infoboxes, but for those that the prompt "
            "states, that the text states",
            source="New-Wiki Eval",
        )
    ],
    version="1",
    needs={"facts"},
    parameters={"left_out": [*_LAYOUT, *_LAYOUT_BEGINS, *_NAMES_ANOTHER], "most_words_of_a_name": MOST_WORDS},
)
def fact_recall(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Compute the facts that the text states over those that the prompt does not, from 0 to 1; higher states more.

    The values of an infobox are cut at commas, brackets and the like. A piece without digits that does not begin with a
    small letter is a name of up to six words; it is stated if these words follow each other. Of the other pieces,
    numbers with two digits or more count: only the years if there is a year (1000 to 2100), which leaves out days and
    months, else all of them, without their units. Accents, case and thousands separators make no difference: 1,234 is
    1234. Parameters that define the infobox's layout are left out (their names contain image, caption, size, …). An
    empty text states nothing, which is 0. The article itself, scored like any text, shows what can be reached, because
    not everything in an infobox is in the prose.

    Pitfalls: a long text states more by chance, above all years; the check is whether a value occurs in the text, not
    whether the text says it about the same thing; a surname alone is not the name; NULL if the article has no infobox,
    or the snapshot was published before its structure was stored.
    """
    facts = reference.part("facts")
    if facts is None:
        return Unscorable("no structure")
    wanted = facts_of(tuple((parameter, value) for parameter, value in facts))
    if not wanted:
        return Unscorable("no infobox" if not facts else "no facts in the infobox")
    prompt, text = Statements.of(analysis.prompt), Statements.of(analysis.text)
    remaining = [fact for fact in wanted if not prompt.state(fact)]
    if not remaining:
        return Unscorable("the prompt states all facts")
    return sum(map(text.state, remaining)) / len(remaining)


@dataclass(frozen=True)
class Statements:
    """The numbers of a text, and its words between spaces, without accents and in lower case."""

    numbers: Set[str]
    words: str

    @classmethod
    def of(cls, text: str) -> "Statements":
        return cls(frozenset(numbers(text)), f" {' '.join(words(text))} ")

    def state(self, fact: str) -> bool:
        """Tell whether the number occurs, or the words of the name follow each other."""
        return fact in self.numbers or f" {fact} " in self.words


def numbers(text: str) -> list[str]:
    """Return the numbers in a uniform notation: `1,234` as 1234, `0,50` as 0.5."""
    return [_plain_number(match[0]) for match in _NUMBER.finditer(text)]


def words(text: str) -> list[str]:
    """Return runs of letters and digits, without accents and case."""
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return _WORD.findall(bare.casefold())


@lru_cache(maxsize=32)  # the completions of one article follow each other
def facts_of(parameters: tuple[tuple[str, str], ...]) -> frozenset[str]:
    """Return the names and numbers in the parameters of an article's infoboxes, each in the form of `Statements`."""
    return frozenset(
        fact
        for parameter, value in parameters
        if not _is_layout(parameter.lower())
        for item in value.split("; ")
        for fact in _facts_of_item(item)
    )


def _is_layout(parameter: str) -> bool:
    parts = re.findall(r"[^\W\d_]+", parameter)
    return (
        any(part in _LAYOUT or part.startswith(_LAYOUT_BEGINS) for part in parts)
        or (parameter not in _NAMES_ANOTHER and any(part.endswith(_NAMES_ANOTHER) for part in parts))
    )  # fmt: skip


def _facts_of_item(item: str) -> list[str]:
    written = numbers(item)
    years = [number for number in written if re.fullmatch(r"1\d{3}|20\d{2}|2100", number)]
    counted = years or [number for number in written if sum(map(str.isdigit, number)) > 1]
    names = (words(piece) for piece in _PIECE.split(item) if _is_name(piece.strip()))
    return [*counted, *(" ".join(name) for name in names if 0 < len(name) <= MOST_WORDS)]


def _is_name(piece: str) -> bool:
    return len(piece) > 2 and not piece[0].islower() and not any(map(str.isdigit, piece))


def _plain_number(written: str) -> str:
    *_, last = _DIVIDERS.finditer(f" {written}")
    decimals = written[last.end() - 1 :] if last[0] in ".," else ""
    if len(decimals) == 3 and not written.startswith("0"):  # the last group of thousands
        decimals = ""
    whole = _DIVIDERS.sub("", written[: len(written) - len(decimals)])
    return f"{whole}.{decimals.rstrip('0')}" if decimals.rstrip("0") else whole


class _Stored:
    """Returns no facts for texts: those of articles are stored with their snapshot, and texts have none."""

    parts = frozenset({"facts"})
    model = ""
    model_sha256: str | None = None
    packages: tuple[str, ...] = ()
    parameters: Mapping[str, object] = MappingProxyType({"structure": STRUCTURE_VERSION})
    dtype: str | None = None
    backend: str | None = None

    def make(self, prompts: Sequence[str], texts: Sequence[str], parts: Set[str]) -> Mapping[str, Sequence[Any]]:
        return {"facts": [None] * len(texts)}


@maker("facts")
def _stored(settings: Settings) -> _Stored:
    return _Stored()
