"""Pairs of texts, the answers of judges to them, and how an answer is read."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from newwiki.errors import UsageError
from newwiki.names import require_name
from newwiki.visible import visible

Run = Literal["a", "b"]
Answer = Literal["first", "second", "tie", "unreadable"]
JudgeKind = Literal["person", "model"]

_LONGEST_NAME = 80
_TO_BE_READ: dict[str, Answer] = {"a": "first", "b": "second", "tie": "tie"}
_READABLE = re.compile(r"(?:answer|text|continuation|option)?\W*(a|b|tie)\W*", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A text of each of two runs on one prompt. `run_a` is the id that comes first in the alphabet, so that a pair is
    the same whichever run is named first."""

    run_a: str
    run_b: str
    page_id: int
    title: str
    first_sentence: str
    sample_a: int
    sample_b: int
    text_a: str
    text_b: str

    def in_order(self, first: Run) -> tuple[str, str]:
        return (self.text_a, self.text_b) if first == "a" else (self.text_b, self.text_a)


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """One answer to one question on one pair. `judge` is a person's name or the id of a model's evaluator, `first` the
    run whose text was in the first place, `said` a model's answer as it came. `origin` is the id of the database in
    which the answer was given, '' for this one: a name from another origin is another judge."""

    run_a: str
    run_b: str
    page_id: int
    sample_a: int
    sample_b: int
    judge: str
    judge_kind: JudgeKind
    rubric_sha256: str
    criterion: str
    first: Run
    answer: Answer
    said: str | None
    judged_at: datetime
    origin: str = ""

    @property
    def value(self) -> float | None:
        """1 where run a's text is preferred, 0 where run b's is, 0.5 for neither; None for what cannot be read."""
        if self.answer == "unreadable":
            return None
        if self.answer == "tie":
            return 0.5
        return float((self.answer == "first") == (self.first == "a"))


def judge_name(text: str) -> str:
    """A person's name, or a batch's, as it is stored. Raises UsageError for one that is none, that holds what a
    terminal obeys, or that has a /: only names of annotators of a batch have one."""
    if "/" in text:
        raise UsageError(f"'{visible(text)}' is no name of a judge, as / stands before an annotator's; leave it out")
    return _name(text)


def annotator_name(batch: str, text: str) -> str:
    """An annotator of a batch as a judge: the batch's own name where they have none. Raises UsageError."""
    return _name(f"{batch}/{text}") if text else batch


def require_judge_name(name: str) -> None:
    """Raises UsageError for a name that no person, batch or annotator can have been stored under."""
    if _name(name) != name:
        raise UsageError(f"'{visible(name)}' is no name of a judge: it has spaces that are left out when it is stored")


def _name(text: str) -> str:
    name = " ".join(text.split())
    if not name or len(name) > _LONGEST_NAME or visible(name) != name:
        raise UsageError(f"'{visible(text)}' is no name of a judge; give one of 1 to {_LONGEST_NAME} letters")
    return require_name(name, "the judge's name")


def read_answer(text: str) -> Answer:
    """A model's answer, if its first line that has anything is one word of A, B and tie, with or without what
    announces it (`Answer: **A**`). Everything else is `unreadable`: what is meant is not guessed."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = _READABLE.fullmatch(re.sub(r"^[^\w]+", "", lines[0])) if lines else None
    return _TO_BE_READ[found[1].lower()] if found else "unreadable"
