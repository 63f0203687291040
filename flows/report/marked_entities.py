"""Entities in a text as the evaluator saw them, so that a reader sees what was counted."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from evaluators.entities import load_tagger
from evaluators.tagger import Tagger
from flows.report.material import Material, Record
from newwiki.errors import NewWikiError
from newwiki.records import Fingerprint

_FINDER = re.compile(r"rules-v\d+|(?:spacy|gliner):.+")
_VERSION = re.compile(r"-[^-]*$")


class Finders:
    """The entity finders that scored the runs, each loaded once; in the place of one that is not at hand, why."""

    def __init__(self) -> None:
        self._loaded: dict[tuple[str | None, str | None], Tagger | str] = {}
        self._found: dict[tuple[str, str], Sequence[str]] = {}

    def of_run(self, material: Material, record: Record) -> Tagger | str:
        """The finder that scored this run, or why there is none."""
        scored = (column for column in material.board.columns if record[column.name] is not None)
        return self.among(material.evaluators[column.evaluator_id] for column in scored)

    def among(self, evaluators: Iterable[Fingerprint]) -> Tagger | str:
        """The first finder of those that scored a run, or why there is none."""
        for evaluator in evaluators:
            if _FINDER.fullmatch(evaluator.model or ""):
                return self._load(evaluator)
        return "this run was not scored by a metric of entities"

    def find(self, finder: Tagger, text: str) -> Sequence[str]:
        """The text's mentions in order."""
        key = (finder.model, text)
        if key not in self._found:
            (self._found[key],) = finder.tag([text])
        return self._found[key]

    def _load(self, evaluator: Fingerprint) -> Tagger | str:
        key = (evaluator.model, evaluator.model_sha256)
        if key not in self._loaded:
            self._loaded[key] = _finder(evaluator)
        return self._loaded[key]


@dataclass(frozen=True)
class Mark:
    """A mention of an entity from character `start` up to `end`, and whether the other text has it in `both`."""

    start: int
    end: int
    both: bool


def marks(text: str, mentions: Sequence[str], elsewhere: Sequence[str], length: int) -> Sequence[Mark]:
    """Of the mentions in the first `length` characters, those that are `elsewhere` too in both."""
    there = {_compared(mention) for mention in elsewhere}
    found = []
    for start, mention in _places(text, mentions):
        if start + len(mention) > length:
            break
        found.append(Mark(start, start + len(mention), _compared(mention) in there))
    return found


def marked(text: str, found: Sequence[Mark], first: int, last: int) -> Markup:
    """The characters from `first` up to `last`, marks as <mark>, of the class `both` where they are."""
    parts, end = [], first
    for mark in found:
        start, stop = max(mark.start, first), min(mark.end, last)
        if start < stop:
            kind = Markup(' class="both"') if mark.both else ""
            parts.append(escape(text[end:start]) + Markup("<mark{}>{}</mark>").format(kind, text[start:stop]))
            end = stop
    return Markup("").join([*parts, escape(text[end:last])])


def _places(text: str, mentions: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Where each stands after the one before it: as words of their own ("one" is not in "stone"), or else anywhere."""
    position = 0
    for mention in filter(None, mentions):
        own_words = re.compile(rf"(?<!\w){re.escape(mention)}(?!\w)").search(text, position)
        start = own_words.start() if own_words else text.find(mention, position)
        if start >= 0:
            yield start, mention
            position = start + len(mention)


def _compared(mention: str) -> str:
    """As `entity_overlap` compares them."""
    return " ".join(mention.casefold().split())


def _finder(evaluator: Fingerprint) -> Tagger | str:
    name = evaluator.model or ""
    try:
        finder = load_tagger(_VERSION.sub("", name) if name.startswith("spacy:") else name)
    except NewWikiError as error:
        return f"{name}, which scored this run, is not at hand: {error}"
    if (finder.model, finder.model_sha256) != (evaluator.model, evaluator.model_sha256):
        return f"{name}, which scored this run, is not at hand: here it is {finder.model} with other weights"
    return finder
