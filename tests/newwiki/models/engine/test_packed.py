"""Linear layers that are laid out for oneDNN, and GPT-2's GELU in the one before it."""

import copy

import pytest
import torch
from transformers import GPT2Config
from transformers.models.gpt2.modeling_gpt2 import GPT2MLP

from newwiki.models.engine.packed import PackedLinear, pack_linear_layers

pytestmark = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="torch has no oneDNN here")


@pytest.fixture
def mlp() -> GPT2MLP:
    torch.manual_seed(0)
    return GPT2MLP(100, GPT2Config(n_embd=24)).eval()


@torch.inference_mode()
def test_gpt2s_gelu_is_taken_in_the_product_before_it(mlp: GPT2MLP) -> None:
    plain, states = copy.deepcopy(mlp), 30 * torch.randn(5, 3, 24)
    packed = torch.nn.ModuleList([mlp])
    packed.device, packed.dtype = torch.device("cpu"), torch.float32
    assert pack_linear_layers(packed) == 2
    assert isinstance(mlp.c_fc, PackedLinear) and isinstance(mlp.act, torch.nn.Identity)
    assert torch.allclose(mlp(states), plain(states), atol=1e-6)
    assert not torch.allclose(plain.c_fc(states), mlp.c_fc(states), atol=1e-2)


@torch.inference_mode()
@pytest.mark.parametrize("threads", [1, 3, 7])
def test_a_row_has_the_same_bits_in_any_batch(mlp: GPT2MLP, threads: int) -> None:
    before, states = torch.get_num_threads(), 3 * torch.randn(33, 24)
    layer = PackedLinear(mlp.c_fc, "gelu", "tanh")
    torch.set_num_threads(threads)
    try:
        whole = layer(states)
        assert all(torch.equal(layer(states[:rows]), whole[:rows]) for rows in (2, 7, 16))
    finally:
        torch.set_num_threads(before)
