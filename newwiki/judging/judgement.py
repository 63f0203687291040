"""Pairs of texts, the judges' answers about them, and the parser of answers."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from newwiki.errors import UsageError
from newwiki.models.thinking import split_unknown
from newwiki.names import require_name
from newwiki.visible import visible

Run = Literal["a", "b"]
Answer = Literal["first", "second", "tie", "unreadable"]
JudgeKind = Literal["person", "model"]

_LONGEST_NAME = 80
_TO_BE_READ: dict[str, Answer] = {"a": "first", "b": "second", "tie": "tie"}
_READABLE = re.compile(
    r"(?:\\boxed|(?:(?:the|my|final) )*(?:answer|choice)(?: is)?|text|continuation|option)?\W*(a|b|tie)\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """The texts of two runs for one prompt. `run_a` is the id that sorts first, so a pair is the same whichever run is
    named first."""

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
    """One answer to one question about one pair. `judge` is a person's name or the id of a model's evaluator, `first`
    the run whose text came first, `said` a model's raw answer. `origin` is the id of the database in which the answer
    was given, '' for this one: a name from another origin is another judge."""

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
        """1 if run a's text is preferred, 0 if run b's is, 0.5 for a tie; None for an unreadable answer."""
        if self.answer == "unreadable":
            return None
        if self.answer == "tie":
            return 0.5
        return float((self.answer == "first") == (self.first == "a"))


def judge_name(text: str) -> str:
    """Normalize the name of a person or a batch. Raises UsageError for an empty name, for control characters, and for a
    /, which only names of a batch's annotators have."""
    if "/" in text:
        raise UsageError(
            f"'{visible(text)}' is not a valid judge name, because / precedes an annotator's name; remove it"
        )
    return _name(text)


def annotator_name(batch: str, text: str) -> str:
    """Return the judge name of an annotator of a batch; the batch's own name if it has none. Raises UsageError."""
    return _name(f"{batch}/{text}") if text else batch


def require_judge_name(name: str) -> None:
    """Raise UsageError for a name that no person, batch or annotator can be stored under."""
    if _name(name) != name:
        raise UsageError(f"'{visible(name)}' is not a valid judge name: it has spaces that would be removed")


def _name(text: str) -> str:
    name = " ".join(text.split())
    if not name or len(name) > _LONGEST_NAME or visible(name) != name:
        raise UsageError(f"'{visible(text)}' is not a valid judge name; use 1 to {_LONGEST_NAME} printable characters")
    return require_name(name, "the judge's name")


def read_answer(text: str) -> Answer:
    """Parse a model's answer: after its thinking, if there is any, its first non-empty line must be one of the words A,
    B and tie, with or without an introduction (`Answer: **A**`), and no other line may give another answer. Everything
    else is `unreadable`, without guessing."""
    lines = [line.strip() for line in split_unknown(text).answer.splitlines() if line.strip()]
    matches = [_READABLE.fullmatch(re.sub(r"^[^\w\\]+", "", line)) for line in lines]
    answers = {match[1].lower() for match in matches if match}
    return _TO_BE_READ[answers.pop()] if matches and matches[0] and len(answers) == 1 else "unreadable"
