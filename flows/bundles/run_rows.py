"""Validate the JSON fields of a run's row, because a bundle may contain any values."""

import json
import string
from typing import Annotated, Any

import pydantic

from newwiki.decoding.grammar import Decoder, parse
from newwiki.errors import UsageError
from newwiki.foreign_json import first_fault
from newwiki.protocol import CHAT_SETTINGS, protocol_json
from newwiki.records import Run

_LONGEST = 2_000  # maximum length of a template or decoder in characters
_Number = Annotated[str, pydantic.Field(pattern=r"^\d{1,15}$")]


class _Versions(pydantic.BaseModel):
    """The fields of `runs.versions` that newwiki reads. Other fields may have any value."""

    model_config = pydantic.ConfigDict(strict=True, extra="allow", protected_namespaces=())

    strict: bool = False
    stop: list[Annotated[str, pydantic.Field(min_length=1)]] = []
    trained_articles: _Number | None = None
    training_snapshots: str = ""
    training_step: _Number | None = None
    chat: str = "no"
    bos: str = ""
    device: str = ""
    path: str = ""
    context: str = ""
    server: str = ""
    seeds: str = ""
    system: str | None = None
    chat_template_args: str | None = None
    thinking: str | None = None
    max_thinking_tokens: _Number | None = None
    begun: str | None = None
    cleaning: str | None = None
    date: str = ""
    chat_template: str = ""
    thinking_markers: str = ""
    ends: str = ""
    tokenizer_json: str = ""


class _Parameters(pydantic.BaseModel):
    """The fields of `snapshots.parameters` that newwiki reads."""

    model_config = pydantic.ConfigDict(strict=True, extra="allow")

    kind: str
    sample: Annotated[int, pydantic.Field(ge=1)] | None = None
    seed: int | None = None
    min_words: int | None = None
    min_revisions: int | None = None
    max_holes: int | None = None
    revisits: dict[str, str] | None = None


class _Exact(pydantic.BaseModel):
    """An object with exactly these fields."""

    model_config = pydantic.ConfigDict(strict=True, extra="forbid")


class _Thinking(_Exact):
    open: str
    close: str
    first: bool


class _Sheet(_Exact):
    """The prompt sheet of a model that was read here."""

    rendered: str
    ids: list[int]
    bos: str | None
    answer_begins: str | None
    ends: list[str]
    thinking: _Thinking | None
    date: str | None


class _RequestSheet(_Exact):
    """The prompt sheet of a model at a server."""

    request: dict[str, Any]


def require_snapshot_parameters(text: str) -> None:
    """Raise ValueError if the parameters of a snapshot are invalid."""
    _read(_Parameters, text)


def require_sound(run: Run) -> None:
    """Raise ValueError if the row of a run holds impossible values or contradicts itself."""
    versions = _read(_Versions, run.versions)
    _require_template(run.prompt_template, is_chat=versions.chat == "yes")
    if min(run.prompts, run.samples, run.keep) < 0 or run.keep > run.samples or run.prompts == 0:
        raise ValueError(f"{run.prompts} prompts, {run.samples} samples and {run.keep} of them kept cannot be")
    if run.protocol is not None and json.loads(run.protocol) != _protocol(run, versions):
        raise ValueError("its protocol is not what its other fields say")
    if run.prompt_sheet is not None:
        sheet = json.loads(run.prompt_sheet)
        is_request = isinstance(sheet, dict) and "request" in sheet
        _read(_RequestSheet if is_request else _Sheet, run.prompt_sheet)
    if run.samples and run.backend != "file":
        _require_decoder(run)


def decoder_of(run: Run) -> Decoder | None:
    """Return the decoder of a run, or None if it is unknown. Raises ValueError for a decoder grid."""
    if len(run.decoder) > _LONGEST or "[" in run.decoder:
        raise ValueError(f"'{run.decoder[:60]}' is no decoder in canonical form")
    try:
        [decoder] = parse(run.decoder)
    except UsageError:
        return None
    return decoder


def _require_decoder(run: Run) -> None:
    decoder = decoder_of(run)
    if decoder is None:
        return
    parameters = json.loads(run.decoder_parameters)
    if not isinstance(parameters, dict):
        raise ValueError("the parameters of its decoder are no JSON object")
    if decoder.canonical != run.decoder or not decoder.is_recorded_as(parameters):
        raise ValueError(f"its decoder '{run.decoder[:60]}' is not in canonical form, or its parameters are others")


def _require_template(template: str, *, is_chat: bool) -> None:
    """Raise ValueError unless the template holds only the two plain fields, and perhaps {answer} in a chat; a format
    could make a very long prompt."""
    try:
        fields = [(name, spec, how) for _, name, spec, how in string.Formatter().parse(template) if name is not None]
    except ValueError as error:
        raise ValueError(f"its template is none: {error}") from None
    fields = [field for field in fields if not is_chat or field != ("answer", "", None)]
    if len(template) > _LONGEST or sorted(fields) != [("first_sentence", "", None), ("title", "", None)]:
        raise ValueError("its template does not hold {title} and {first_sentence}, once each")


def _protocol(run: Run, versions: _Versions) -> Any:
    """Return the protocol as the database function `protocol_of` computes it.

    A deterministic decoder has one sample, whatever number the request named.
    """
    once = (run.samples, run.keep) == (1, 1) and json.loads(run.protocol or "{}").get("samples") is None
    reads = run.samples == 0
    elsewhere = run.backend == "file"
    return json.loads(
        protocol_json(
            max_new_tokens=run.max_new_tokens,
            samples=None if once or reads else run.samples,
            keep=None if once or reads else run.keep,
            template=None if elsewhere else run.prompt_template,
            stop=None if elsewhere else versions.stop,
            chat=None if elsewhere else versions.chat == "yes",
            settings={name: value for name in CHAT_SETTINGS if (value := getattr(versions, name)) is not None},
        )
    )


def _read(model: type[Any], text: str) -> Any:
    try:
        return model.model_validate_json(text)
    except pydantic.ValidationError as error:
        raise ValueError(first_fault(error)) from None
