"""Mark texts: entities as their evaluator found them, and sentences with the verdicts on their claims."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from evaluators.entities import load_tagger
from evaluators.tagger import Tagger
from flows.presenting.material import Material, Record
from newwiki.errors import NewWikiError
from newwiki.records import Fingerprint

_FINDER = re.compile(r"rules-v\d+|(?:spacy|gliner):.+")
_VERSION = re.compile(r"-[^-]*$")


class Finders:
    """The entity finders that scored the runs, each loaded once; a missing finder is replaced by the reason."""

    def __init__(self) -> None:
        self._loaded: dict[tuple[str | None, str | None], Tagger | str] = {}
        self._mentions: dict[tuple[str, str], Sequence[str]] = {}

    def of_run(self, material: Material, record: Record) -> Tagger | str:
        """Return the finder that scored this run, or the reason why there is none."""
        scored = (column for column in material.board.columns if record[column.name] is not None)
        return self.among(material.evaluators[column.evaluator_id] for column in scored)

    def among(self, evaluators: Iterable[Fingerprint]) -> Tagger | str:
        """Return the first finder among the evaluators, or the reason why there is none."""
        for evaluator in evaluators:
            if _FINDER.fullmatch(evaluator.model or ""):
                return self._load(evaluator)
        return "no entity metric has scored this run"

    def find(self, finder: Tagger, text: str) -> Sequence[str]:
        """Return the mentions of a text in their order."""
        key = (finder.model, text)
        if key not in self._mentions:
            (self._mentions[key],) = finder.tag([text])
        return self._mentions[key]

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
    """Return a mark for each mention in the first `length` characters."""
    compared = {_compared(mention) for mention in elsewhere}
    marks_found = []
    for start, mention in _places(text, mentions):
        if start + len(mention) > length:
            break
        marks_found.append(Mark(start, start + len(mention), _compared(mention) in compared))
    return marks_found


def marked(text: str, text_marks: Sequence[Mark], first: int, last: int) -> Markup:
    """Return the characters from `first` up to `last` with <mark> elements, of class `both` for shared mentions."""
    parts, end = [], first
    for mark in text_marks:
        start, stop = max(mark.start, first), min(mark.end, last)
        if start < stop:
            kind = Markup(' class="both"') if mark.both else ""
            parts.append(escape(text[end:start]) + Markup("<mark{}>{}</mark>").format(kind, text[start:stop]))
            end = stop
    return Markup("").join([*parts, escape(text[end:last])])


def _places(text: str, mentions: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the place of each mention, after the one before: as whole words ("one" is not in "stone"), or anywhere."""
    position = 0
    for mention in filter(None, mentions):
        own_words = re.compile(rf"(?<!\w){re.escape(mention)}(?!\w)").search(text, position)
        start = own_words.start() if own_words else text.find(mention, position)
        if start >= 0:
            yield start, mention
            position = start + len(mention)


def _compared(mention: str) -> str:
    """Normalize a mention as `entity_overlap` does."""
    return " ".join(mention.casefold().split())


def _finder(evaluator: Fingerprint) -> Tagger | str:
    name = evaluator.model or ""
    try:
        finder = load_tagger(_VERSION.sub("", name) if name.startswith("spacy:") else name)
    except NewWikiError as error:
        return f"{name}, which scored this run, is not available: {error}"
    if (finder.model, finder.model_sha256) != (evaluator.model, evaluator.model_sha256):
        return f"{name}, which scored this run, is not available: {finder.model} has different weights here"
    return finder


Claims = Mapping[str, Sequence[Mapping[str, Any]]]  # claims of a text, by the name of the evaluator
Key = tuple[str, int, int]  # run, page, sample

# For each label, and for unchecked sentences: the class in the pages, the sign, and the words
VERDICTS = {
    "supported": ("supported", "✓", "supported"),
    "refuted": ("refuted", "✗", "refuted"),
    "not enough info": ("unknown", "?", "not enough info"),
    "not checked": ("unchecked", "–", "not checked"),
}


def by_text(rows: Sequence[Mapping[str, Any]]) -> Mapping[Key, Claims]:
    """Group the rows of the query `shown_claims` by text and evaluator, in their order."""
    grouped: dict[Key, dict[str, list[Mapping[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        grouped[row["run_id"], row["page_id"], row["sample"]][row["evaluator"]].append(row)
    return grouped


def checked(text: str, claims: Sequence[Mapping[str, Any]], length: int, inner: Callable[[int, int], Markup]) -> Markup:
    """Return the first `length` characters, with each sentence in a <span class="claim">.

    The sentence's sign precedes it and its evidence follows it. `inner` gives the characters from one place up to
    another.
    """
    parts, end = [], 0
    for claim in claims:
        start, stop = claim["start_char"], min(claim["end_char"], length)
        if start >= stop:
            break
        kind, sign, words = VERDICTS[claim["label"] if claim["checkable"] else "not checked"]
        parts += [
            inner(end, start),
            Markup('<span class="claim {}" tabindex="0"><span class="verdict">{}</span>').format(kind, sign),
            inner(start, stop),
            Markup('<span class="evidence" dir="auto"><b>{}</b> {}</span></span>').format(
                words.capitalize() + ".", _evidence(claim, text)
            ),
        ]
        end = stop
    return Markup("").join([*parts, inner(end, length)])


def checked_alone(text: str, claims: Sequence[Mapping[str, Any]]) -> Markup:
    """Return a whole text with verdicts and no other marks."""
    return checked(text, claims, len(text), lambda start, end: escape(text[start:end]))


def _evidence(claim: Mapping[str, Any], text: str) -> Markup:
    parts = []
    if not claim["checkable"]:
        return Markup("The sentence is too long for the pair scorer.")
    if claim["claim"] != text[claim["start_char"] : claim["end_char"]]:
        parts.append(Markup("Checked as <q>{}</q>.").format(claim["claim"]))
    if claim["evidence"] is None:
        return Markup(" ").join([*parts, "No evidence was found."])
    cut = " (beginning)" if claim["evidence_cut"] else ""
    parts.append(
        Markup("<cite>{}</cite>, sentence {}{}: <q>{}</q>").format(
            claim["evidence_title"], claim["evidence_sentence"] + 1, cut, claim["evidence"]
        )
    )
    shares = [f"{name.replace('_', ' ')} {claim[name]:.2f}" for name in ("supported", "refuted", "not_enough_info")]
    parts.append(Markup("<small>{}</small>").format(", ".join(shares)))
    return Markup(" ").join(parts)
