"""Replace a model's own functions by faster kernels."""

from typing import Any

from newwiki.models.engine.attention import use_cached_attention
from newwiki.models.engine.packed import pack_linear_layers


def use_fast_kernels(model: Any) -> None:
    """Replace them in place; the model can then be read, but no longer trained or saved."""
    pack_linear_layers(model)
    use_cached_attention(model)
