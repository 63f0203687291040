"""Tell a model's thinking from its answer by the marks of its family (`thinking.toml`)."""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from newwiki.errors import UsageError
from newwiki.foreign_files import read_regular_text

# The reasons for which a completion has no answer
UNCLOSED = "thinking was not closed"
AGAIN = "thinking within the answer"
ALL_TAKEN = "the thinking took all tokens"
ONLY_THOUGHT = "thinking without an answer"


class Split(NamedTuple):
    """The thinking (None if there is none) and the answer of a text, and the reason if it has no answer."""

    thinking: str | None
    answer: str
    no_answer: str | None = None


@dataclass(frozen=True, kw_only=True)
class ThinkingMarks:
    """The marks of a family of models; `thinking.toml` describes each field."""

    name: str
    open: str
    close: str
    between: str = ""
    answer_open: str = ""
    answer_close: str = ""
    early_close: str = ""
    model_types: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()

    def split(self, text: str, *, opened: bool = False) -> Split:
        """Split what a model wrote. `opened` means that the prompt has opened the thinking already.

        A text with a closing mark and no opening one was opened by a prompt that is unknown here.
        """
        body = text.lstrip()
        thought, found, rest = body.removeprefix(self.open).partition(self.close)
        thinks = opened or body.startswith(self.open) or (bool(found) and self.open not in thought)
        if not thinks:
            return self._answer(None, text)
        if not found:
            return Split(thought.strip(), "", UNCLOSED)
        return self._answer(thought.strip(), rest.lstrip())

    def is_thinking(self, beginning: str) -> bool | None:
        """Tell whether a text that begins like this thinks; None if that is still open."""
        beginning = beginning.lstrip()
        if beginning.startswith(self.open):
            return True
        return None if self.open.startswith(beginning.rstrip("\ufffd")) else False

    def _answer(self, thinking: str | None, rest: str) -> Split:
        if self.answer_open and self.answer_open in rest:
            rest = rest.partition(self.answer_open)[2]
        if self.answer_close:
            rest = rest.partition(self.answer_close)[0]
        if self.open in rest or self.close in rest:
            return Split(thinking, "", AGAIN)
        return Split(thinking, rest)


def recognized(
    families: Sequence[ThinkingMarks], template: str, tokens: Collection[str], model_type: str
) -> ThinkingMarks | None:
    """Return the first family whose marks the chat template, or the added tokens of the tokenizer, hold. None if there
    is none, for a model that does not think."""
    for marks in families:
        if marks.model_types and model_type not in marks.model_types:
            continue
        if marks.answer_open and not _has(marks.answer_open, template, tokens):
            continue
        if all(_has(mark, template, tokens) for mark in (marks.open, marks.close)):
            return marks
    return None


def split_unknown(text: str, families: Sequence[ThinkingMarks] | None = None) -> Split:
    """Split a text of an unknown model: by the first of the families (None: the known ones) whose marks it has."""
    for marks in known_families() if families is None else families:
        if text.lstrip().startswith(marks.open) or (marks.close.startswith("</") and marks.close in text):
            return marks.split(text)
    return Split(None, text)


@cache
def known_families() -> tuple[ThinkingMarks, ...]:
    text = (files("newwiki.models") / "thinking.toml").read_text("utf-8")
    return tuple(ThinkingMarks(name=name, **_as_tuples(table)) for name, table in tomllib.loads(text).items())


def read_families(file: Path) -> tuple[ThinkingMarks, ...]:
    """Read further families from a file in the form of `thinking.toml`, which come before the known ones. Raises
    UsageError."""
    allowed = {field.name for field in fields(ThinkingMarks)} - {"name"}
    try:
        tables = tomllib.loads(read_regular_text(file))
    except OSError as error:
        raise UsageError(f"'{file}' cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"'{file}' is not TOML: {error}") from None
    own = []
    for name, table in tables.items():
        if not isinstance(table, dict) or not {"open", "close"} <= table.keys() <= allowed:
            raise UsageError(
                f"'{file}': [{name}] must be a table with open and close, and perhaps {', '.join(sorted(allowed))}"
            )
        if not all(_is_valid(value, field) for field, value in table.items()):
            raise UsageError(f"'{file}': [{name}] has an empty mark, or a value that is no text or list of texts")
        own.append(ThinkingMarks(name=name, **_as_tuples(table)))
    return (*own, *known_families())


def _is_valid(value: object, field: str) -> bool:
    if field in ("model_types", "switches"):
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, str) and bool(value)


def _as_tuples(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}


def _has(mark: str, template: str, tokens: Collection[str]) -> bool:
    """Tell whether the template holds the mark, or the tokenizer all tokens that it consists of."""
    if mark in template or mark in tokens:
        return True
    pieces = mark
    for token in sorted((token for token in tokens if token in mark), key=len, reverse=True):
        pieces = pieces.replace(token, " ")
    return pieces != mark and all(piece.isalpha() for piece in pieces.split())
