"""Attention of a few new tokens a row over a cache, on a CPU: two products, which beat torch's fused kernel there.

Everything else (a whole prompt, a GPU) goes to transformers' own function for torch's fused kernel.
"""

from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

_NAME = "newwiki_cached"


def use_cached_attention(model: Any) -> None:
    """Only where the model's attention is transformers' default one, so that nothing special to a model is lost."""
    if model.device.type == "cpu" and model.config._attn_implementation == "sdpa":
        AttentionInterface.register(_NAME, _attend)
        AttentionMaskInterface.register(_NAME, sdpa_mask)
        model.set_attn_implementation(_NAME)


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
    """Query [rows, heads, tokens, size], key and value [rows, heads or fewer, columns, size] → [rows, tokens, heads,
    size]."""
    rows, heads, tokens, size = query.shape
    groups, columns = key.shape[1:3]
    over_cache = attention_mask is not None and attention_mask.is_floating_point() and columns > tokens
    if not over_cache or position_bias is not None or rest.get("s_aux") is not None:
        fused: tuple[Tensor, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout, scaling, position_bias=position_bias, **rest
        )
        return fused
    grouped = query.reshape(rows, groups, heads // groups * tokens, size)
    scale = size**-0.5 if scaling is None else scaling
    scores = torch.matmul(grouped, key.transpose(2, 3)).mul_(scale)
    scores.view(rows, heads, tokens, columns).add_(attention_mask)
    weights = torch.softmax(scores, dim=-1, dtype=torch.float32).to(value.dtype)
    return torch.matmul(weights, value).view(rows, heads, tokens, value.shape[-1]).transpose(1, 2).contiguous(), None
