"""Faster kernels for a model's own functions."""

from typing import Any

import torch
from transformers.activations import NewGELUActivation

from newwiki.models.engine.attention import use_cached_attention
from newwiki.models.engine.packed import pack_linear_layers


def use_fast_kernels(model: Any) -> None:
    """Replaces them in place; the model can then be read, and no longer trained or saved."""
    pack_linear_layers(model)
    fuse_gelu(model)
    use_cached_attention(model)


def fuse_gelu(model: Any) -> None:
    """GPT-2's GELU, tanh approximation and all, in one pass over memory instead of eight."""
    for module in list(model.modules()):
        for name, child in module.named_children():
            if type(child) is NewGELUActivation:
                setattr(module, name, torch.nn.GELU(approximate="tanh"))
