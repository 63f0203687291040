"""Compute attention of a few new tokens per row over a cache on a CPU: two matrix products, which are faster there than
torch's fused kernel, or a compiled kernel over compiled slots.

Everything else (a whole prompt, a GPU) goes to transformers' own function, which calls torch's fused kernel.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from newwiki.models.engine.compiled_slots import can_be_compiled

_OVER_CACHE, _COMPILED, _FUSED = "newwiki_cached", "newwiki_compiled", "sdpa"


def use_cached_attention(model: Any) -> None:
    """Switch the model to our attention, but only from transformers' default, so no special attention is lost."""
    if model.device.type == "cpu" and model.config._attn_implementation == _FUSED:
        for name in (_OVER_CACHE, _COMPILED):
            AttentionInterface.register(name, _attend)
            AttentionMaskInterface.register(name, sdpa_mask)
        model.set_attn_implementation(_COMPILED if can_be_compiled(model) else _OVER_CACHE)


def is_compiled(model: Any) -> bool:
    """Tell whether the model's attention reads compiled slots."""
    return bool(model.config._attn_implementation == _COMPILED)


def leave_compiled_attention(model: Any) -> None:
    """Switch off compiled attention, for a model whose attention is more than a softmax of masked products."""
    model.set_attn_implementation(_OVER_CACHE)


def leave_cached_attention(model: Any) -> None:
    """Restore transformers' attention."""
    if _is_ours(model):
        model.set_attn_implementation(_FUSED)


@contextmanager
def plain_attention(model: Any) -> Iterator[None]:
    """Restore transformers' attention temporarily, because the model's code may depend on its name."""
    ours, named = _is_ours(model), model.config._attn_implementation
    leave_cached_attention(model)
    try:
        yield
    finally:
        if ours:
            model.set_attn_implementation(named)


def _is_ours(model: Any) -> bool:
    return model.config._attn_implementation in (_OVER_CACHE, _COMPILED)


def _attend(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    position_bias: Tensor | None = None,
    **rest: Any,
) -> tuple[Tensor, None]:
    """Attend: query [rows, heads, tokens, size], key and value [rows, heads or fewer, columns, size] → [rows, tokens,
    heads, size]."""
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    if hasattr(key, "attend"):
        if position_bias is not None or rest.get("s_aux") is not None:
            raise TypeError("compiled attention supports neither position bias nor attention sinks")
        return key.attend(query, attention_mask, scale), None
    rows, heads, tokens, size = query.shape
    groups, columns = key.shape[1:3]
    over_cache = attention_mask is not None and attention_mask.is_floating_point() and columns > tokens
    if not over_cache or position_bias is not None or rest.get("s_aux") is not None:
        fused: tuple[Tensor, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout, scaling, position_bias=position_bias, **rest
        )
        return fused
    grouped = query.reshape(rows, groups, heads // groups * tokens, size)
    scores = torch.matmul(grouped, key.transpose(2, 3)).mul_(scale)
    scores.view(rows, heads, tokens, columns).add_(attention_mask)
    weights = torch.softmax(scores, dim=-1, dtype=torch.float32).to(value.dtype)
    return torch.matmul(weights, value).view(rows, heads, tokens, value.shape[-1]).transpose(1, 2).contiguous(), None
