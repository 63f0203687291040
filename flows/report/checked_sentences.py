"""The sentences of a text with the verdicts on what they claim, and the evidence of each."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

Claims = Mapping[str, Sequence[Mapping[str, Any]]]  # of a text, by the name of the evaluator
Key = tuple[str, int, int]  # run, page, sample

# Of each label and of what was not checked: its class in the pages, its sign, its words
VERDICTS = {
    "supported": ("supported", "✓", "supported"),
    "refuted": ("refuted", "✗", "refuted"),
    "not enough info": ("unknown", "?", "not enough info"),
    "not checked": ("unchecked", "–", "not checked"),
}


def by_text(rows: Sequence[Mapping[str, Any]]) -> Mapping[Key, Claims]:
    """What the query `shown_claims` has found, in its order."""
    found: dict[Key, dict[str, list[Mapping[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        found[row["run_id"], row["page_id"], row["sample"]][row["evaluator"]].append(row)
    return found


def checked(text: str, claims: Sequence[Mapping[str, Any]], length: int, inner: Callable[[int, int], Markup]) -> Markup:
    """The first `length` characters, each sentence in a <span class="claim"> with its sign in front and its evidence
    behind; `inner` gives the characters from one place up to another."""
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
    """A whole text in which nothing else is marked."""
    return checked(text, claims, len(text), lambda start, end: escape(text[start:end]))


def _evidence(claim: Mapping[str, Any], text: str) -> Markup:
    told = []
    if not claim["checkable"]:
        return Markup("The sentence is too long for the pair scorer.")
    if claim["claim"] != text[claim["start_char"] : claim["end_char"]]:
        told.append(Markup("Checked as <q>{}</q>.").format(claim["claim"]))
    if claim["evidence"] is None:
        return Markup(" ").join([*told, "No evidence was found."])
    cut = " (its beginning)" if claim["evidence_cut"] else ""
    told.append(
        Markup("<cite>{}</cite>, sentence {}{}: <q>{}</q>").format(
            claim["evidence_title"], claim["evidence_sentence"] + 1, cut, claim["evidence"]
        )
    )
    shares = [f"{name.replace('_', ' ')} {claim[name]:.2f}" for name in ("supported", "refuted", "not_enough_info")]
    told.append(Markup("<small>{}</small>").format(", ".join(shares)))
    return Markup(" ").join(told)
