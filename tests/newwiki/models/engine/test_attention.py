"""Attention over a cache against torch's fused kernel."""

from types import SimpleNamespace

import pytest
import torch
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from newwiki.models.engine.attention import _attend


@pytest.mark.parametrize("heads", [(4, 4), (6, 2), (5, 1)], ids=str)
@pytest.mark.parametrize("tokens", [1, 5])
@pytest.mark.parametrize("scaling", [None, 0.3])
def test_it_is_torchs_attention(heads: tuple[int, int], tokens: int, scaling: float | None) -> None:
    generator = torch.Generator().manual_seed(0)
    query = torch.randn(3, tokens, heads[0], 8, generator=generator).transpose(1, 2)
    key, value = torch.randn(2, 3, heads[1], 32, 8, generator=generator)
    seen = torch.rand(3, 1, tokens, 32, generator=generator) < 0.5
    seen[..., 0] = True
    mask = torch.zeros(seen.shape).masked_fill(~seen, torch.finfo(torch.float32).min)
    module = SimpleNamespace(num_key_value_groups=heads[0] // heads[1], is_causal=True, training=False)
    expected, _ = sdpa_attention_forward(module, query, key, value, mask, scaling=scaling)
    found, _ = _attend(module, query, key, value, mask, scaling=scaling)
    assert found.shape == expected.shape
    assert torch.allclose(found, expected, atol=1e-6)
