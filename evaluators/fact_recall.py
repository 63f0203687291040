"""How much of what the article's infobox says a text says too."""

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

# Words in the name of a parameter that says how the infobox looks, or what another parameter is called there
_LAYOUT = (
    "alt", "class", "code", "homepage", "lat", "latd", "latm", "latns", "lats", "logo", "lon", "long", "longd",
    "longew", "longm", "longs", "map", "offset", "px", "rank", "ref", "refs", "res", "signature", "size", "style",
    "timezone", "url", "utc", "website", "zone",
)  # fmt: skip
_LAYOUT_BEGINS = ("bild", "caption", "colo", "coord", "footnote", "image", "img", "légende", "mapsize", "pushpin")
_NAMES_ANOTHER = ("label", "title", "type")  # at the end of a longer name: leader_title
MOST_WORDS = 6  # of a name
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
    """The facts that the text states over those that the prompt does not, from 0 to 1, higher tells more.

    The values of an infobox are cut at commas, brackets and the like. A piece without digits whose first sign is no
    small letter is a name of up to six words, and is stated where these words follow each other. Of the others the
    numbers count that have two digits or more: years where there is a year (1000 to 2100), with which days and months
    go unasked, else all of them without their units. Accents and case make no difference, nor do separators of
    thousands: 1,234 is 1234. Parameters that say how the infobox looks are left out (their names hold image, caption,
    size, …). An empty text states nothing, which is 0. The article itself, scored like any text, shows what can be
    reached: not all that an infobox says is said in the prose.

    Pitfalls: a long text states more by chance, years above all; it is asked whether a value stands in the text and not
    whether it is said of the same thing; a surname alone is not the name; NULL where the article has no infobox, or the
    snapshot was published before its structure was kept.
    """
    facts = reference.part("facts")
    if facts is None:
        return Unscorable("no structure")
    wanted = facts_of(tuple((parameter, value) for parameter, value in facts))
    if not wanted:
        return Unscorable("no infobox" if not facts else "no facts in the infobox")
    prompt, text = Statements.of(analysis.prompt), Statements.of(analysis.text)
    asked = [fact for fact in wanted if not prompt.state(fact)]
    if not asked:
        return Unscorable("the prompt states all facts")
    return sum(map(text.state, asked)) / len(asked)


@dataclass(frozen=True)
class Statements:
    """The numbers of a text, and its words between spaces, without accents and in small letters."""

    numbers: Set[str]
    words: str

    @classmethod
    def of(cls, text: str) -> "Statements":
        return cls(frozenset(numbers(text)), f" {' '.join(words(text))} ")

    def state(self, fact: str) -> bool:
        """Whether a number stands there, or the words of a name follow each other."""
        return fact in self.numbers or f" {fact} " in self.words


def numbers(text: str) -> list[str]:
    """As they are written everywhere: `1,234` is 1234, `0,50` is 0.5."""
    return [_plain_number(found[0]) for found in _NUMBER.finditer(text)]


def words(text: str) -> list[str]:
    """Runs of letters and digits, without accents and case."""
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return _WORD.findall(bare.casefold())


@lru_cache(maxsize=32)  # the completions of one article come one after another
def facts_of(parameters: tuple[tuple[str, str], ...]) -> frozenset[str]:
    """The names and numbers that the parameters of an article's infoboxes state, each as `Statements` has it."""
    return frozenset(
        fact
        for parameter, value in parameters
        if not _is_layout(parameter.lower())
        for item in value.split("; ")
        for fact in _of_item(item)
    )


def _is_layout(parameter: str) -> bool:
    parts = re.findall(r"[^\W\d_]+", parameter)
    return (
        any(part in _LAYOUT or part.startswith(_LAYOUT_BEGINS) for part in parts)
        or (parameter not in _NAMES_ANOTHER and any(part.endswith(_NAMES_ANOTHER) for part in parts))
    )  # fmt: skip


def _of_item(item: str) -> list[str]:
    found = numbers(item)
    years = [number for number in found if re.fullmatch(r"1\d{3}|20\d{2}|2100", number)]
    told = years or [number for number in found if sum(map(str.isdigit, number)) > 1]
    names = (words(piece) for piece in _PIECE.split(item) if _is_name(piece.strip()))
    return [*told, *(" ".join(name) for name in names if 0 < len(name) <= MOST_WORDS)]


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
    """Gives no text a fact: those of articles are stored with their snapshot, and texts have none."""

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
