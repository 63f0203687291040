"""Read what happens every month without a person: the tables of newwiki.toml besides its settings.

They hold no secrets, only the names of where a secret is kept: registrations are stored and shown unchanged.
"""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, Strict, ValidationError, create_model, field_validator, model_validator

from newwiki.comparison_requests import GateRequest
from newwiki.errors import UsageError
from newwiki.fields import fields_of
from newwiki.request import EvaluationRequest, RefreshRequest
from newwiki.settings import TABLES, read_toml
from newwiki.site_request import SiteRequest
from newwiki.snapshot import Selection, Window
from newwiki.toml_tables import Place, Table, keys_in_words, what_is_wrong

_PATHS = tuple[Annotated[Path, Strict(False)], ...]  # a file has texts
_SECRETS = {"api_key", "apikey", "key", "password", "secret", "token"}


class Asked(Table):
    """A table that sets fields of a request."""

    def fields_for(self, request: type) -> dict[str, Any]:
        """Return the fields of a request that this table sets."""
        return {one.name: getattr(self, one.name) for one in fields_of(request) if one.name in type(self).model_fields}


def _fields(
    request: type, base: type[Asked] = Asked, *, names: Collection[str], defaults: Mapping[str, object] | None = None
) -> Any:
    """Make a base class with the fields of a request that have these names, after those of `base`."""
    known = {one.name: one for one in fields_of(request)}
    made: dict[str, Any] = {}
    for one in (known[name] for name in known if name in names):
        declared = Field(
            ... if one.required else (defaults or {}).get(one.name, one.default),
            description=one.help,
            examples=None if one.example is None else [one.example],
            ge=one.at_least,
            gt=one.above,
            strict=None if one.choices else not one.is_tuple,
        )
        made[one.name] = (_PATHS if one.annotation == tuple[Path, ...] else one.annotation, declared)
    return create_model(f"_{request.__name__}", __base__=base, **made)


def _all_but(request: type, *names: str) -> list[str]:
    return [one.name for one in fields_of(request) if one.name not in names]


# Fields that a table cannot set, because the schedule sets them month by month …
_OF_A_MONTH = ("month", "from_", "to", "wiki", "kind", "before", "cutoff")
_OF_AN_EVALUATION = (
    "models",
    "decoder",
    "likelihood_only",
    "model_args",
    "snapshot",
    "dtype",
    "knowledge_cutoff",
    "date",
)
# … and fields that each model sets for itself.
_OF_A_MODEL = (
    "backend", "allow_pickle", "trust_remote_code", "chat", "system", "chat_template_args", "chat_template", "thinking",
    "max_thinking_tokens", "thinking_markers", "cleaning",
)  # fmt: skip


class _NamedWiki(Asked):
    name: Annotated[str, Field(pattern=r"^\w[\w-]*$", examples=["enwiki"], description="Database name of the wiki.")]


class _NamedModel(Asked):
    name: Annotated[
        str,
        Field(min_length=1, examples=["gpt2"], description="Folder of the model, or a name that its backend knows."),
    ]
    decoders: Annotated[
        tuple[str, ...],
        Field(
            strict=False,
            min_length=1,
            examples=[["greedy", "sample:top_p=0.9"]],
            description="Decoders of the model.",
        ),
    ]


_OfAWiki: Any = _fields(
    RefreshRequest,
    _NamedWiki,
    names=_all_but(RefreshRequest, *_OF_A_MONTH),
    defaults={"min_words": Selection.min_words, "sample": Selection.sample},
)
_OfAModel: Any = _fields(EvaluationRequest, _NamedModel, names=_OF_A_MODEL)
_OfAnEvaluation: Any = _fields(EvaluationRequest, names=_all_but(EvaluationRequest, *_OF_AN_EVALUATION, *_OF_A_MODEL))

_OfASite: Any = _fields(SiteRequest, names=_all_but(SiteRequest))

_OfAGate: Any = _fields(GateRequest, names=_all_but(GateRequest, "snapshot"))


class Wiki(_OfAWiki):  # type: ignore[misc]
    """A wiki whose months are published, from its `api`, from a `dump` (a place or a list), or else from the Wikipedia
    with this database name."""

    since: Annotated[
        str | None,
        Field(examples=["2026-09"], description="First month to publish (default: the newest month that is due)."),
    ] = None

    @field_validator("dump", mode="before")
    @classmethod
    def _several(cls, dump: object) -> object:
        return (dump,) if isinstance(dump, str) else dump

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
            raise ValueError("has an api and a dump: name one of them")
        if "-" in self.dump:
            raise ValueError("has the dump '-' (stdin), which only a command can read: name files")
        return self

    def is_like(self, other: Table) -> bool:
        return isinstance(other, Wiki) and self.name == other.name


class Model(_OfAModel):  # type: ignore[misc]
    """A model and its decoders."""

    template: str | None = Field(
        default=None, examples=["chat"], description="Template of the prompt (default: the setting of that name)."
    )
    arguments: dict[str, Any] = Field(
        default_factory=dict, description="Arguments that load the model, as --model-args of `newwiki evaluate`."
    )

    @field_validator("arguments")
    @classmethod
    def _plain(cls, arguments: dict[str, Any]) -> dict[str, Any]:
        if found := _SECRETS & {name.lower() for name in arguments}:
            raise ValueError(f"'{found.pop()}' is a secret, which this file must not hold: set it in the environment")
        if strange := [name for name, value in arguments.items() if not isinstance(value, str | int | float)]:
            raise ValueError(f"'{strange[0]}' must be a text, a number, true or false")
        return arguments

    def is_like(self, other: Table) -> bool:
        named = {"name", "backend", "arguments"}
        return bool(self.model_dump(include=named) == other.model_dump(include=named))


class Evaluation(_OfAnEvaluation):  # type: ignore[misc]
    """The settings of every evaluation and its scoring, as for `newwiki evaluate`."""


class Gate(_OfAGate):  # type: ignore[misc]
    """Two runs on the month's snapshot, named MODEL/DECODER, and the differences that fail the gate."""


class Report(Table):
    """The reports of the months."""

    out: str = Field(default="reports", description="Folder of the reports.")


class Site(_OfASite):  # type: ignore[misc]
    """The leaderboard as web pages, as `newwiki site` writes them. A folder without bundles yet is left out."""

    out: str = Field(default="board", description="Folder of the site.")


class Linking(Table):
    """Put the months of each wiki on the scale of its newest month, as `newwiki experiment linking` does."""

    anchor: Annotated[
        tuple[str, ...],
        Field(
            strict=False,
            examples=[["gpt2/greedy", "Wikipedia/reference"]],
            description="Anchors, each MODEL/DECODER (default: all that ran on two of the months).",
        ),
    ] = ()


class Publish(Table):
    """Copy the site to other places after each month."""

    to: Annotated[
        tuple[str, ...],
        Field(
            strict=False,
            min_length=1,
            examples=[["/srv/www/board", "s3://bucket/board", "hf://spaces/lab/board"]],
            description="Places: a folder, a URL that fsspec knows, hf://spaces/OWNER/NAME or "
            "hf://datasets/OWNER/NAME.",
        ),
    ]


class Notify(Table):
    """The webhook that is notified. Its address is kept in an environment variable, or in a Secret block of Prefect."""

    webhook_env: Annotated[
        str | None,
        Field(examples=["NEWWIKI_WEBHOOK"], description="Environment variable with the address of the webhook."),
    ] = None
    webhook_block: Annotated[
        str | None,
        Field(examples=["newwiki-webhook"], description="Secret block of Prefect with the address of the webhook."),
    ] = None

    @field_validator("webhook_env", "webhook_block")
    @classmethod
    def _a_name(cls, name: str | None) -> str | None:
        if name is not None and not re.fullmatch(r"[A-Za-z_][\w-]*", name):
            raise ValueError(
                "must be the name of the variable or block with the address; the address itself is a secret"
            )
        return name

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if self.webhook_env and self.webhook_block:
            raise ValueError("has webhook_env and webhook_block: name one of them")
        return self


class Registrations(Table):
    """Everything that `newwiki schedule` handles."""

    wikis: Annotated[tuple[Wiki, ...], Field(strict=False, min_length=1)]
    models: Annotated[tuple[Model, ...], Field(strict=False)] = ()
    evaluation: Evaluation = Evaluation()
    gates: Annotated[tuple[Gate, ...], Field(strict=False)] = ()
    report: Report = Report()
    linking: Linking | None = None
    site: Site | None = None
    publish: Publish | None = None
    notify: Notify = Notify()

    @field_validator("wikis", "models")
    @classmethod
    def _once(cls, entries: tuple[Wiki | Model, ...]) -> tuple[Wiki | Model, ...]:
        for place, entry in enumerate(entries):
            if any(entry.is_like(other) for other in entries[:place]):
                raise ValueError(f"'{entry.name}' is registered twice")
        return entries


_TABLES: dict[str, type[Table]] = {
    "wikis": Wiki, "models": Model, "evaluation": Evaluation, "gates": Gate, "report": Report, "linking": Linking,
    "site": Site, "publish": Publish, "notify": Notify,
}  # fmt: skip
_LISTS = {"wikis", "models", "gates"}


def load_registrations(config: Path | None) -> Registrations:
    """Read the tables of the file, by default ./newwiki.toml. Raises UsageError with one line on what is wrong."""
    path = config or Path("newwiki.toml")
    if not path.is_file():
        raise UsageError(f"no wiki is registered: '{path}' does not exist; write one with a table [[wikis]]")
    tables = {name: value for name, value in read_toml(path).items() if name in TABLES}
    if "wikis" not in tables:
        raise UsageError(f"no wiki is registered: add a table [[wikis]] to '{path}'")
    try:
        return Registrations.model_validate(tables)
    except ValidationError as error:
        raise UsageError(f"'{path}': {what_is_wrong(error, lambda place: _TABLES[str(place[0])], _where)}") from None


def _where(place: Place) -> str:
    """Describe a place: `[[models]] 1, decoders 2` for ("models", 0, "decoders", 1)."""
    table, *rest = place
    return (f"[[{table}]]" if table in _LISTS else f"[{table}]") + keys_in_words(rest)
