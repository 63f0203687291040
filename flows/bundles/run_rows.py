"""What the row of a run says, with the types that readers of it rely on: a bundle's may say anything."""

import json
import string
from typing import Annotated, Any

import pydantic

from newwiki.decoding.grammar import Decoder, parse
from newwiki.errors import UsageError
from newwiki.foreign_json import first_fault
from newwiki.protocol import protocol_json
from newwiki.records import Run

_LONGEST = 2_000  # characters of a template or of a decoder
_Number = Annotated[str, pydantic.Field(pattern=r"^\d{1,15}$")]


class _Versions(pydantic.BaseModel):
    """Of the circumstances in `runs.versions` those that are read again; the others may be any."""

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


class _Parameters(pydantic.BaseModel):
    """Of `snapshots.parameters`."""

    model_config = pydantic.ConfigDict(strict=True, extra="allow")

    kind: str
    sample: Annotated[int, pydantic.Field(ge=1)] | None = None
    seed: int | None = None
    min_words: int | None = None
    min_revisions: int | None = None
    revisits: dict[str, str] | None = None


def require_snapshot_parameters(text: str) -> None:
    """Raises ValueError."""
    _read(_Parameters, text)


def require_sound(run: Run) -> None:
    """Raises ValueError where the row says something that no run of ours says, or says it twice and differently."""
    told = _read(_Versions, run.versions)
    _require_template(run.prompt_template)
    if min(run.prompts, run.samples, run.keep) < 0 or run.keep > run.samples or run.prompts == 0:
        raise ValueError(f"{run.prompts} prompts, {run.samples} samples and {run.keep} of them kept cannot be")
    if run.protocol is not None and json.loads(run.protocol) != _protocol(run, told):
        raise ValueError("its protocol is not what its other fields say")
    if run.samples and run.backend != "file":
        _require_decoder(run)


def decoder_of(run: Run) -> Decoder | None:
    """None where it is none that is known here. Raises ValueError for a grid, which is no decoder."""
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
    if decoder.canonical != run.decoder or json.loads(run.decoder_parameters) != dict(decoder.parameters):
        raise ValueError(f"its decoder '{run.decoder[:60]}' is not in canonical form, or its parameters are others")


def _require_template(template: str) -> None:
    """A format could ask for a prompt of any length."""
    try:
        fields = [(name, spec, how) for _, name, spec, how in string.Formatter().parse(template) if name is not None]
    except ValueError as error:
        raise ValueError(f"its template is none: {error}") from None
    if len(template) > _LONGEST or sorted(fields) != [("first_sentence", "", None), ("title", "", None)]:
        raise ValueError("its template does not hold {title} and {first_sentence}, once each")


def _protocol(run: Run, told: _Versions) -> Any:
    """As the database's `protocol_of` has it. What a deterministic decoder was asked for goes with any number."""
    once = (run.samples, run.keep) == (1, 1) and json.loads(run.protocol or "{}").get("samples") is None
    reads = run.samples == 0
    elsewhere = run.backend == "file"
    return json.loads(
        protocol_json(
            max_new_tokens=run.max_new_tokens,
            samples=None if once or reads else run.samples,
            keep=None if once or reads else run.keep,
            template=None if elsewhere else run.prompt_template,
            stop=None if elsewhere else told.stop,
            chat=None if elsewhere else told.chat == "yes",
        )
    )


def _read(model: type[Any], text: str) -> Any:
    try:
        return model.model_validate_json(text)
    except pydantic.ValidationError as error:
        raise ValueError(first_fault(error)) from None
