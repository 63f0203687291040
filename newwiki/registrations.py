"""What is to happen every month without a person: the tables of newwiki.toml beside its settings.

No secret stands here, only the names of those that hold one: registrations are stored and shown as they are.
"""

import re
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from newwiki.errors import UsageError
from newwiki.records import Selection, Window
from newwiki.settings import TABLES, read_toml
from newwiki.toml_tables import Place, Table, keys_in_words, what_is_wrong

Count = Annotated[int, Field(ge=1)]
Texts = Annotated[tuple[str, ...], Field(strict=False)]
_SECRETS = {"api_key", "apikey", "key", "password", "secret", "token"}


class Wiki(Table):
    """A wiki whose months are published from `since` (YYYY-MM) on: by its `api`, from a `dump` (a place or a list), or
    else the Wikipedia whose database has this name. Without `since` it begins with the newest month that is due. What
    nearly repeats an article of the snapshots `novel_against` is dropped."""

    name: Annotated[str, Field(pattern=r"^\w[\w-]*$", examples=["enwiki"])]
    api: Annotated[str | None, Field(examples=["https://wiki.example/w/api.php"])] = None
    dump: Annotated[str | Texts | None, Field(examples=["parts/*.7z"])] = None
    since: Annotated[str | None, Field(examples=["2026-09"])] = None
    min_revisions: Count = Selection.min_revisions
    min_words: Count = Selection.min_words
    sample: Count = Selection.sample
    seed: int = Selection.seed
    limit: Annotated[Count | None, Field(examples=[1000])] = None
    novel_against: Texts = ()

    @field_validator("since")
    @classmethod
    def _a_month(cls, since: str | None) -> str | None:
        try:
            return f"{Window.month(since).start:%Y-%m}" if since else since
        except UsageError as error:
            raise ValueError(str(error)) from None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if self.api and self.dump:
            raise ValueError("has an api and a dump; a wiki is read from one of them")
        if self.dump == "-" or (isinstance(self.dump, tuple) and "-" in self.dump):
            raise ValueError("has the dump '-', standard input, which is there for a command alone; name its files")
        return self

    def is_like(self, other: Table) -> bool:
        return isinstance(other, Wiki) and self.name == other.name

    @property
    def selection(self) -> Selection:
        return Selection(self.min_revisions, self.min_words, self.sample, self.seed, self.limit)


class Model(Table):
    """A model and the decoders that it writes under: a folder, or a name that its `backend` knows."""

    name: Annotated[str, Field(min_length=1, examples=["gpt2"])]
    decoders: Annotated[tuple[str, ...], Field(strict=False, min_length=1, examples=[["greedy", "sample:top_p=0.9"]])]
    backend: str = "hf"
    arguments: dict[str, Any] = Field(default_factory=dict)
    chat: bool = False
    allow_pickle: bool = False
    trust_remote_code: bool = False

    @field_validator("arguments")
    @classmethod
    def _plain(cls, arguments: dict[str, Any]) -> dict[str, Any]:
        if found := _SECRETS & {name.lower() for name in arguments}:
            raise ValueError(f"'{found.pop()}' is a secret, which this file must not hold; it goes in the environment")
        if strange := [name for name, value in arguments.items() if not isinstance(value, str | int | float)]:
            raise ValueError(f"'{strange[0]}' must be a text, a number, true or false")
        return arguments

    def is_like(self, other: Table) -> bool:
        named = {"name", "backend", "arguments"}
        return self.model_dump(include=named) == other.model_dump(include=named)


class Evaluation(Table):
    """How each snapshot is put to the models, and what their texts are scored by; as for `newwiki evaluate`."""

    prompts: Annotated[Count | None, Field(examples=[100])] = None
    samples: Count = 20
    keep: Count = 10
    max_new_tokens: Count = 512
    batch_size: Annotated[Count | None, Field(examples=[16])] = None
    seed: int = 0
    stop: Texts = ()
    strict: bool = False
    metrics: str = "core"
    budget: Count = 200


class Gate(Table):
    """Two runs of the month's snapshot, named MODEL/DECODER, and what the candidate must not do."""

    baseline: Annotated[str, Field(examples=["gpt2/greedy"])]
    candidate: Annotated[str, Field(examples=["gpt2/sample:top_p=0.9"])]
    fail_if: Annotated[str, Field(examples=["sbert < -0.05"])]


class Report(Table):
    """The folder of the reports."""

    out: str = "reports"


class Notify(Table):
    """Where the address of the webhook is kept: an environment variable, or a Secret block of Prefect."""

    webhook_env: Annotated[str | None, Field(examples=["NEWWIKI_WEBHOOK"])] = None
    webhook_block: Annotated[str | None, Field(examples=["newwiki-webhook"])] = None

    @field_validator("webhook_env", "webhook_block")
    @classmethod
    def _a_name(cls, name: str | None) -> str | None:
        if name is not None and not re.fullmatch(r"[A-Za-z_][\w-]*", name):
            raise ValueError("is the name of what holds the address; the address itself is a secret and stays out")
        return name

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if self.webhook_env and self.webhook_block:
            raise ValueError("has webhook_env and webhook_block; name one of them")
        return self


class Registrations(Table):
    """All that `newwiki schedule` looks after."""

    wikis: Annotated[tuple[Wiki, ...], Field(strict=False, min_length=1)]
    models: Annotated[tuple[Model, ...], Field(strict=False)] = ()
    evaluation: Evaluation = Evaluation()
    gates: Annotated[tuple[Gate, ...], Field(strict=False)] = ()
    report: Report = Report()
    notify: Notify = Notify()

    @field_validator("wikis", "models")
    @classmethod
    def _once(cls, entries: tuple[Wiki | Model, ...]) -> tuple[Wiki | Model, ...]:
        for place, entry in enumerate(entries):
            if any(entry.is_like(other) for other in entries[:place]):
                raise ValueError(f"'{entry.name}' is registered twice")
        return entries


_TABLES: dict[str, type[Table]] = {
    "wikis": Wiki, "models": Model, "evaluation": Evaluation, "gates": Gate, "report": Report, "notify": Notify,
}  # fmt: skip
_LISTS = {"wikis", "models", "gates"}


def load_registrations(config: Path | None) -> Registrations:
    """The tables of the file, by default of newwiki.toml here. Raises UsageError with one line on what is wrong."""
    path = config or Path("newwiki.toml")
    if not path.is_file():
        raise UsageError(f"nothing is registered: there is no '{path}' with a table [[wikis]]")
    tables = {name: value for name, value in read_toml(path).items() if name in TABLES}
    if "wikis" not in tables:
        raise UsageError(f"nothing is registered: '{path}' has no table [[wikis]]")
    try:
        return Registrations.model_validate(tables)
    except ValidationError as error:
        raise UsageError(f"'{path}': {what_is_wrong(error, lambda place: _TABLES[str(place[0])], _where)}") from None


def _where(place: Place) -> str:
    """`[[models]] 1, decoders 2` of ("models", 0, "decoders", 1)."""
    table, *rest = place
    return (f"[[{table}]]" if table in _LISTS else f"[{table}]") + keys_in_words(rest)
