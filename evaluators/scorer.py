"""What a TOML file says of a scorer: which classifier or regressor reads a text, and how its outputs become a score."""

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
        raise ValueError("must be small letters, digits and underscores, a letter first")
    return text


def _words(text: str) -> str:
    if not text.strip():
        raise ValueError("must be some words")
    return text


def _number(value: Any) -> int | float:
    """As it was written: a fingerprint tells 1 from 1.0."""
    if type(value) not in (int, float) or not abs(value) < float("inf"):
        raise ValueError("must be a number")
    number: int | float = value
    return number


Words = Annotated[str, AfterValidator(_words)]
Number = Annotated[float, PlainValidator(_number)]


class Scorer(Table):
    """One metric, the model behind it, and how its outputs become a number.

    `model` is a folder (seen from the file) or a hub id, at `revision`; without one the metric waits for a user's
    model. `output` is the logit itself (raw), its sigmoid, its share of the softmax, or the `values` of all labels
    weighted by their softmax (expected), or 1 where `label` is the
    likeliest and 0 elsewhere (likeliest). The model `reads` the whole text or each sentence, in chunks of `window`
    tokens with the special ones (0: as many as it takes), `batch` of them at a time. `languages` are the codes of those
    that the model reads, empty where that is not known.
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
            raise ValueError("output softmax needs a label, the one whose share is the score")
        if self.output == "likeliest" and not self.label:
            raise ValueError("output likeliest needs a label, the one that gives 1 where no other is likelier")
        if (self.output == "expected") != bool(self.values) or len(self.values) == 1:
            raise ValueError("output expected, and no other, needs values: a number for each label, two or more")
        if self.output == "expected" and self.label:
            raise ValueError("output expected is of all labels; leave label out")
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
        """What the model says of the text: the mean over its chunks by their tokens, or over its sentences."""
        if analysis.wordless:
            return Unscorable("no words")
        value = analysis.part(self.name)
        if value is None:
            return Unscorable("no sentence end" if self.reads == "sentence" else "no tokens to read")
        return float(value)


def read_scorer(file: Path) -> Scorer:
    """The scorer of a file. Raises UsageError with the key that is wrong and what it may be."""
    if not file.exists():
        raise UsageError(f"there is no scorer file '{file}'")
    try:
        return Scorer.model_validate(read_toml(file), context=file.resolve())
    except ValidationError as error:
        words = what_is_wrong(error, lambda place: Scorer, lambda place: f"'{file}'{keys_in_words(place)}", repeat=True)
        raise UsageError(words) from None
