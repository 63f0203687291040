"""Read the TOML file of a scorer: which classifier or regressor reads a text, and how its outputs become a score."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, PlainValidator, PrivateAttr, ValidationError, model_validator

from evaluators.analysis import Analysis
from newwiki.errors import UsageError
from newwiki.records import Direction, Unscorable
from newwiki.settings import read_toml
from newwiki.toml_tables import Table, keys_in_words, what_is_wrong


def _name(text: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", text):
        raise ValueError("must be lower-case letters, digits and underscores, beginning with a letter")
    return text


def _words(text: str) -> str:
    if not text.strip():
        raise ValueError("must contain a word")
    return text


def _number(value: Any) -> int | float:
    """Keep the number as it was written, because a fingerprint distinguishes 1 from 1.0."""
    if type(value) not in (int, float) or not abs(value) < float("inf"):
        raise ValueError("must be a number")
    number: int | float = value
    return number


Words = Annotated[str, AfterValidator(_words)]
Number = Annotated[float, PlainValidator(_number)]


class Scorer(Table):
    """One metric, the model behind it, and how its outputs become a number.

    `model` is a folder (relative to the file) or a hub id, at `revision`; without one the metric waits for a user's
    model. `output` is the logit itself (raw), its sigmoid, its share of the softmax, the `values` of all labels
    weighted by their softmax (expected), or 1 if `label` is the likeliest and 0 otherwise (likeliest). The model
    `reads` the whole text or each sentence, in chunks of `window` tokens including special ones (0: as many as fit),
    `batch` of them at a time. `languages` are the codes of the languages that the model reads, empty if unknown.
    """

    name: Annotated[str, AfterValidator(_name)]
    definition: Words
    model: Words = ""
    revision: Words = "main"
    output: Literal["raw", "sigmoid", "softmax", "expected", "likeliest"] = "raw"
    label: Words = ""
    values: Annotated[tuple[Number, ...], Field(strict=False)] = ()
    reads: Literal["text", "sentence"] = "text"
    window: Annotated[int, Field(ge=8)] = 0
    batch: Annotated[int, Field(ge=1)] = 16
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    unit: Words = "score"
    minimum: Number | None = None
    maximum: Number | None = None
    direction: Direction = "none"
    source: Words = "a scorer of the user's own"
    pitfalls: Words = ""
    languages: Annotated[tuple[Words, ...], Field(strict=False)] = ()
    _file: Path = PrivateAttr()

    def model_post_init(self, context: Any) -> None:
        self._file = context

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if self.output == "softmax" and not self.label:
            raise ValueError("output softmax needs a label, whose share is the score")
        if self.output == "likeliest" and not self.label:
            raise ValueError("output likeliest needs a label, which scores 1 if no other is likelier")
        if (self.output == "expected") != bool(self.values) or len(self.values) == 1:
            raise ValueError("values (a number for each label, at least two) and output expected need each other")
        if self.output == "expected" and self.label:
            raise ValueError("output expected uses all labels; remove label")
        if self.minimum is not None and self.maximum is not None and self.minimum >= self.maximum:
            raise ValueError(f"minimum {self.minimum:g} must be below maximum {self.maximum:g}")
        return self

    @property
    def file(self) -> Path:
        return self._file

    @property
    def place(self) -> str:
        """The model's folder, or its hub id."""
        folder = self.file.parent / self.model
        return str(folder) if folder.is_dir() else self.model

    def score(self, analysis: Analysis, reference: Analysis) -> float | Unscorable:
        """Return the model's score: the mean over chunks weighted by their tokens, or the mean over sentences."""
        if analysis.wordless:
            return Unscorable("no words")
        value = analysis.part(self.name)
        if value is None:
            return Unscorable("no sentence end" if self.reads == "sentence" else "no tokens to read")
        return float(value)


def read_scorer(file: Path) -> Scorer:
    """Read the scorer of a file. Raises UsageError with the invalid key and its allowed values."""
    if not file.exists():
        raise UsageError(f"there is no scorer file '{file}'; check the path")
    try:
        return Scorer.model_validate(read_toml(file), context=file.resolve())
    except ValidationError as error:
        words = what_is_wrong(error, lambda place: Scorer, lambda place: f"'{file}'{keys_in_words(place)}", repeat=True)
        raise UsageError(words) from None
