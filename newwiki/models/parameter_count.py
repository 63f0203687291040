"""How many parameters a checkpoint has."""

import math
from pathlib import Path

from newwiki.models import adapters


def parameter_count(folder: Path) -> int | None:
    """By the shapes in the heads of its safetensors files; None where there are none, or only an adapter's, which are a
    part of the model. Weights that several layers share are stored once, and counted so."""
    from safetensors import safe_open

    found = 0
    for file in sorted(folder.glob("*.safetensors")):
        if file.name == adapters.WEIGHTS:
            continue
        with safe_open(file, framework="numpy") as weights:
            found += sum(math.prod(weights.get_slice(name).get_shape()) for name in weights.keys())  # noqa: SIM118
    return found or None
