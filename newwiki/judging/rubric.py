"""The questions that judges answer about two texts: criteria, and the template of a model's prompt, in TOML."""

import hashlib
import json
import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from pydantic import Field, TypeAdapter, ValidationError

from newwiki.errors import UsageError
from newwiki.foreign_files import read_regular_text
from newwiki.names import require_name
from newwiki.toml_tables import Place, Table, keys_in_words, what_is_wrong

_FIELDS = ("prompt", "first", "second", "question", "meaning")
_FIELD = re.compile(r"\{(\w+)\}")


class Criterion(Table):
    """One question, its name without spaces, and an explanation."""

    name: str = Field(pattern=r"^[A-Za-z0-9_-]+$")
    question: str = Field(min_length=1)
    meaning: str


class _File(Table):
    criterion: list[Criterion] = Field(min_length=1)
    template: str | None = None


_Criteria = TypeAdapter(list[Criterion])


@dataclass(frozen=True)
class Rubric:
    """Criteria and template. `sha256` covers the criteria alone, which people and models share; only models get the
    template."""

    criteria: tuple[Criterion, ...]
    template: str

    @property
    def criteria_json(self) -> str:
        return json.dumps([criterion.model_dump() for criterion in self.criteria], sort_keys=True, ensure_ascii=False)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.criteria_json.encode()).hexdigest()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(criterion.name for criterion in self.criteria)

    def question(self, criterion: Criterion, prompt: str, first: str, second: str) -> str:
        """Fill the template for a model. Braces in the texts are not treated as fields."""
        values = {"prompt": prompt, "first": first, "second": second, **criterion.model_dump(exclude={"name"})}
        return _FIELD.sub(lambda field: values[field[1]], self.template)


def criteria_names(criteria: str, sha256: str) -> list[str]:
    """Return the names of stored criteria. Raises ValueError if they are invalid, or do not match the hash."""
    if hashlib.sha256(criteria.encode()).hexdigest() != sha256:
        raise ValueError(f"the rubric's criteria do not have the hash {sha256[:64]}")
    try:
        return [criterion.name for criterion in _Criteria.validate_json(criteria)]
    except ValidationError:
        raise ValueError(
            f"the rubric {sha256[:64]} is not a list of criteria with name, question and meaning"
        ) from None


def read_rubric(path: Path | None = None) -> Rubric:
    """Read the rubric of a file, or ours. A rubric without a template uses ours. Raises UsageError."""
    ours = _read(files("newwiki.judging").joinpath("rubric.toml").read_text("utf-8"), "our rubric")
    if path is None:
        return Rubric(tuple(ours.criterion), str(ours.template).strip())
    try:
        text = read_regular_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the rubric '{path}': {error}; name a TOML file in UTF-8") from None
    own = _read(text, f"the rubric '{path}'")
    template = own.template or str(ours.template)
    if sorted(_FIELD.findall(template)) != sorted(_FIELDS):
        raise UsageError(
            f"the template of the rubric '{path}' must contain each of these fields once: "
            + ", ".join(f"{{{name}}}" for name in _FIELDS)
        )
    return Rubric(tuple(own.criterion), template.strip())


def _read(text: str, what: str) -> _File:
    try:
        parsed = _File.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{what} is not valid TOML: {error}") from None
    except ValidationError as error:
        wrong = what_is_wrong(error, _table_at, lambda place: f"{what}{keys_in_words(place)}")
        raise UsageError(wrong) from None
    names = [require_name(criterion.name, f"{what} has a criterion whose name") for criterion in parsed.criterion]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"{what} has several criteria named {', '.join(repeated)}; name each once")
    return parsed


def _table_at(place: Place) -> type[Table]:
    return Criterion if place else _File
