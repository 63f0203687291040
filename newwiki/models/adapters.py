"""Adapters, as peft writes them: the files of one, and what it says of itself."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pydantic

from newwiki.errors import TerminalError
from newwiki.foreign_files import read_regular
from newwiki.foreign_json import first_fault, read_object

CONFIG = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"
PICKLED = "adapter_model.bin"

# peft's names of those that become part of the model's weights, and are made of these files alone.
KINDS = (
    "LORA", "ADALORA", "LOHA", "LOKR", "IA3", "OFT", "BOFT", "HRA", "VERA", "RANDLORA", "FOURIERFT", "LN_TUNING",
)  # fmt: skip


_LARGEST = 1_000_000  # bytes of a configuration; one with a rank for each module has some 50,000
_LONGEST = 1_000  # characters of a model's name
_WIDEST = 16_384  # the rank of an adapter; those in use have up to 1,024
_Name = Annotated[str, pydantic.Field(max_length=_LONGEST, pattern=r"^[^\x00-\x1f\x7f]*$")]
_Names = Annotated[list[_Name], pydantic.Field(max_length=20_000)] | _Name | None
_Rank = Annotated[int, pydantic.Field(ge=0, le=_WIDEST)]


class _Config(pydantic.BaseModel):
    """What is read of a configuration before peft reads it, and what may take memory or name code."""

    model_config = pydantic.ConfigDict(strict=True, extra="allow")

    peft_type: _Name
    base_model_name_or_path: _Name | None = None
    revision: _Name | None = None
    target_modules: _Names = None
    exclude_modules: _Names = None
    modules_to_save: _Names = None
    layers_pattern: _Names = None
    r: _Rank | None = None
    init_r: _Rank | None = None
    target_r: _Rank | None = None
    rank_pattern: dict[_Name, _Rank | list[bool]] | None = None
    alpha_pattern: dict[_Name, int | float] | None = None
    layer_replication: Annotated[list[Any], pydantic.Field(max_length=1_000)] | None = None
    megatron_config: None = None  # peft imports a module that it names


@dataclass(frozen=True)
class Adapter:
    """`kind` is peft's name for it; `base` the model that it is put on and `revision` that model's, None unsaid."""

    kind: str
    base: str | None
    revision: str | None


def described(folder: Path, name: str) -> Adapter:
    """What the configuration says. Raises TerminalError for one that cannot be read, and for an adapter that does not
    become part of the model's weights."""
    try:
        found = _Config.model_validate(read_config(folder))
    except (TerminalError, pydantic.ValidationError) as error:
        why = error if isinstance(error, TerminalError) else first_fault(error)
        raise TerminalError(
            f"the {CONFIG} of '{name}' is no configuration of an adapter ({why}); write it anew with save_pretrained"
        ) from None
    if found.peft_type not in KINDS:
        raise TerminalError(
            f"'{name}' is an adapter of the kind {found.peft_type}, which is not merged into a model here; those that "
            f"are: {', '.join(KINDS)}"
        )
    return Adapter(found.peft_type, found.base_model_name_or_path or None, found.revision or None)


def read_config(folder: Path) -> dict[str, Any]:
    """The configuration as it stands in the file. Raises TerminalError for one that is not JSON."""
    try:
        content = read_regular(folder / CONFIG)
    except OSError as error:
        raise TerminalError(f"'{folder / CONFIG}' cannot be read: {error.strerror}") from None
    return read_object(content, f"'{folder / CONFIG}'", most_bytes=_LARGEST)


def weights(folder: Path, name: str, allow_pickle: bool) -> str:
    """The name of the file with the weights. Raises TerminalError where there is none, or none to be trusted."""
    if (folder / WEIGHTS).is_file():
        return WEIGHTS
    if not (folder / PICKLED).is_file():
        raise TerminalError(
            f"'{name}' has the {CONFIG} of an adapter, but not its weights ({WEIGHTS}); add them, or take {CONFIG} "
            "away where the model beside it is whole"
        )
    if not allow_pickle:
        raise TerminalError(
            f"'{name}' holds an adapter as a pickle ({PICKLED}), which can run code when it is read; write it as "
            f"{WEIGHTS} with save_pretrained, or, if you trust it, add --allow-pickle"
        )
    return PICKLED
