"""Count the parameters of a checkpoint."""

import math
from pathlib import Path

from newwiki.models import adapters


def parameter_count(folder: Path) -> int | None:
    """Count parameters by the shapes in the headers of the safetensors files. None if there are none, or only an
    adapter's, which are part of the model. Weights that several layers share are stored and counted once."""
    from safetensors import safe_open

    count = 0
    for file in sorted(folder.glob("*.safetensors")):
        if file.name == adapters.WEIGHTS:
            continue
        with safe_open(file, framework="numpy") as weights:
            count += sum(math.prod(weights.get_slice(name).get_shape()) for name in weights.keys())  # noqa: SIM118
    return count or None
