"""Read adapters in peft's format: their files and their configuration."""

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

# peft's names of the kinds that are merged into the model's weights and consist of these files alone.
KINDS = (
    "LORA", "ADALORA", "LOHA", "LOKR", "IA3", "OFT", "BOFT", "HRA", "VERA", "RANDLORA", "FOURIERFT", "LN_TUNING",
)  # fmt: skip


_LARGEST = 1_000_000  # bytes of a configuration; with a rank for each module it has some 50,000
_LONGEST = 1_000  # characters of a model's name
_WIDEST = 16_384  # the rank of an adapter; common ones go up to 1,024
_Name = Annotated[str, pydantic.Field(max_length=_LONGEST, pattern=r"^[^\x00-\x1f\x7f]*$")]
_Names = Annotated[list[_Name], pydantic.Field(max_length=20_000)] | _Name | None
_Rank = Annotated[int, pydantic.Field(ge=0, le=_WIDEST)]


class _Config(pydantic.BaseModel):
    """The fields that are validated before peft reads the configuration: those that may take memory or name code."""

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
    megatron_config: None = None  # peft would import the module that it names


@dataclass(frozen=True)
class Adapter:
    """An adapter: `kind` is peft's name for it, `base` its base model and `revision` that model's; None if not
    given."""

    kind: str
    base: str | None
    revision: str | None


def described(folder: Path, name: str) -> Adapter:
    """Read the configuration. Raises TerminalError if it cannot be read, or if adapters of this kind are not merged
    into the model's weights."""
    try:
        config = _Config.model_validate(read_config(folder))
    except (TerminalError, pydantic.ValidationError) as error:
        why = error if isinstance(error, TerminalError) else first_fault(error)
        raise TerminalError(
            f"the {CONFIG} of '{name}' is not a valid adapter configuration ({why}); save it again with save_pretrained"
        ) from None
    if config.peft_type not in KINDS:
        raise TerminalError(
            f"'{name}' is an adapter of kind {config.peft_type}, which newwiki cannot merge into a model; supported "
            f"kinds: {', '.join(KINDS)}"
        )
    return Adapter(config.peft_type, config.base_model_name_or_path or None, config.revision or None)


def read_config(folder: Path) -> dict[str, Any]:
    """Return the configuration as it is in the file. Raises TerminalError if it is not JSON."""
    try:
        content = read_regular(folder / CONFIG)
    except OSError as error:
        raise TerminalError(f"cannot read '{folder / CONFIG}': {error.strerror}") from None
    return read_object(content, f"'{folder / CONFIG}'", most_bytes=_LARGEST)


def weights(folder: Path, name: str, allow_pickle: bool) -> str:
    """Return the name of the weights file. Raises TerminalError if there is none, or only a pickle that is not
    allowed."""
    if (folder / WEIGHTS).is_file():
        return WEIGHTS
    if not (folder / PICKLED).is_file():
        raise TerminalError(
            f"'{name}' has an adapter's {CONFIG} but no adapter weights ({WEIGHTS}); add the weights, or remove "
            f"{CONFIG} if the folder holds a complete model"
        )
    if not allow_pickle:
        raise TerminalError(
            f"'{name}' holds an adapter as a pickle ({PICKLED}), which can run code when it is loaded; save it as "
            f"{WEIGHTS} with save_pretrained, or, if you trust it, add --allow-pickle"
        )
    return PICKLED
