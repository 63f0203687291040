"""The kernels that replace a model's own."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.activations import NewGELUActivation

from newwiki.models.engine.kernels import fuse_gelu


def test_gelu_in_one_kernel_is_the_same_function() -> None:
    model = GPT2LMHeadModel(GPT2Config(vocab_size=8, n_positions=8, n_embd=8, n_layer=2, n_head=2))
    values = torch.linspace(-12, 12, 100_001)
    before = model.transformer.h[1].mlp.act
    assert type(before) is NewGELUActivation
    fuse_gelu(model)
    after = [layer.mlp.act for layer in model.transformer.h]
    assert [type(one) for one in after] == [torch.nn.GELU] * 2
    assert torch.allclose(after[1](values), before(values), atol=1e-6, rtol=1e-6)
