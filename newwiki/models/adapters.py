"""Adapters, as peft writes them: the files of one, and what it says of itself."""

import json
from dataclasses import dataclass
from pathlib import Path

from newwiki.errors import TerminalError

CONFIG = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"
PICKLED = "adapter_model.bin"

# peft's names of those that become part of the model's weights, and are made of these files alone.
KINDS = (
    "LORA", "ADALORA", "LOHA", "LOKR", "IA3", "OFT", "BOFT", "HRA", "VERA", "RANDLORA", "FOURIERFT", "LN_TUNING",
)  # fmt: skip


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
        config = json.loads((folder / CONFIG).read_bytes())
        kind, base, revision = (config.get(key) for key in ("peft_type", "base_model_name_or_path", "revision"))
    except (ValueError, AttributeError) as error:
        raise TerminalError(
            f"the {CONFIG} of '{name}' is no configuration of an adapter; write it anew with save_pretrained"
        ) from error
    if kind not in KINDS:
        raise TerminalError(
            f"'{name}' is an adapter of the kind {kind}, which is not merged into a model here; those that are: "
            f"{', '.join(KINDS)}"
        )
    return Adapter(kind, base or None, revision or None)


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
