"""What judges are asked of two texts: criteria, each a question, and the words in which a model is asked, in TOML."""

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
    """One question, by a name that has no spaces, and what is meant by it."""

    name: str = Field(pattern=r"^[A-Za-z0-9_-]+$")
    question: str = Field(min_length=1)
    meaning: str


class _File(Table):
    criterion: list[Criterion] = Field(min_length=1)
    template: str | None = None


_Criteria = TypeAdapter(list[Criterion])


@dataclass(frozen=True)
class Rubric:
    """`sha256` is of the criteria alone, which people and models are asked alike: the template is a model's."""

    criteria: tuple[Criterion, ...]
    template: str

    @property
    def criteria_json(self) -> str:
        return json.dumps([one.model_dump() for one in self.criteria], sort_keys=True, ensure_ascii=False)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.criteria_json.encode()).hexdigest()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.criteria)

    def question(self, criterion: Criterion, prompt: str, first: str, second: str) -> str:
        """What a model is asked. What stands in the texts is no field of the template, whatever it looks like."""
        values = {"prompt": prompt, "first": first, "second": second, **criterion.model_dump(exclude={"name"})}
        return _FIELD.sub(lambda found: values[found[1]], self.template)


def criteria_names(criteria: str, sha256: str) -> list[str]:
    """The names of stored criteria. Raises ValueError if they are none, or their hash is another one."""
    if hashlib.sha256(criteria.encode()).hexdigest() != sha256:
        raise ValueError(f"the rubric's criteria do not have the hash {sha256[:64]}")
    try:
        return [one.name for one in _Criteria.validate_json(criteria)]
    except ValidationError:
        raise ValueError(f"the rubric {sha256[:64]} is no list of criteria with name, question and meaning") from None


def read_rubric(path: Path | None = None) -> Rubric:
    """The rubric of a file, or ours. One without a template has ours. Raises UsageError."""
    ours = _read(files("newwiki.judging").joinpath("rubric.toml").read_text("utf-8"), "our rubric")
    if path is None:
        return Rubric(tuple(ours.criterion), str(ours.template).strip())
    try:
        text = read_regular_text(path)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the rubric '{path}' cannot be read: {error}; name a TOML file in UTF-8") from None
    own = _read(text, f"the rubric '{path}'")
    template = own.template or str(ours.template)
    if sorted(_FIELD.findall(template)) != sorted(_FIELDS):
        raise UsageError(
            f"the template of the rubric '{path}' must hold each of these once: "
            + ", ".join(f"{{{name}}}" for name in _FIELDS)
        )
    return Rubric(tuple(own.criterion), template.strip())


def _read(text: str, what: str) -> _File:
    try:
        found = _File.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{what} is no TOML: {error}") from None
    except ValidationError as error:
        wrong = what_is_wrong(error, _table_at, lambda place: f"{what}{keys_in_words(place)}")
        raise UsageError(wrong) from None
    names = [require_name(one.name, f"{what} has a criterion whose name") for one in found.criterion]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"{what} has several criteria named {', '.join(repeated)}; name each once")
    return found


def _table_at(place: Place) -> type[Table]:
    return Criterion if place else _File
