"""Lay out the weights of a model's linear layers once for oneDNN, on a CPU.

torch sends float32 products on a CPU to MKL, which on some processors reaches less than half of the peak speed, and
converts bfloat16 weights again in every call. `benchmarks/generate_speed.py` measures what the layout saves. GPT-2's
GELU is fused into the product before it, because otherwise it goes through memory eight times.
"""

from typing import Any

import torch
from torch import Tensor
from transformers.activations import NewGELUActivation
from transformers.models.gpt2.modeling_gpt2 import GPT2MLP
from transformers.pytorch_utils import Conv1D

from newwiki.models.engine.attention import use_cached_attention
from newwiki.models.engine.memory import release

_ROWS = 64  # the batch size that the layout is optimized for
# Returning less memory than this to the system is not worth a search for garbage, which takes longer than to load a
# small model
_WORTH_RELEASING = 16 << 20  # bytes


def pack_linear_layers(model: Any) -> int:
    """Replace linear layers in place and return how many: 0 without oneDNN, or for a model that is not on a CPU.
    Quantized layers, recognized by their type or their weight's, stay as they are.

    The model can then be read, but no longer trained or saved.
    """
    if model.device.type != "cpu" or not _has_kernels(model.dtype):
        return 0
    packed = 0
    size = _size(model)
    for module in model.modules():
        if type(module) is GPT2MLP and type(module.act) is NewGELUActivation:
            module.c_fc, module.act = PackedLinear(module.c_fc, "gelu", "tanh"), torch.nn.Identity()
            packed += 1
        for name, child in list(module.named_children()):
            if type(child) in (torch.nn.Linear, Conv1D) and type(child.weight) is torch.nn.Parameter:
                setattr(module, name, PackedLinear(child))
                packed += 1
    if size >= _WORTH_RELEASING:
        release(model.device)
    return packed


def unpack_linear_layers(model: Any) -> None:
    """Restore the plain linear layers, with the same weights; those with a fused activation stay."""
    for module in model.modules():
        for name, child in list(module.named_children()):
            if type(child) is PackedLinear and child.is_linear:
                setattr(module, name, child.unpacked())
    if _size(model) >= _WORTH_RELEASING:
        release(model.device)


def _size(model: Any) -> int:
    """Return the size of the model's parameters in bytes."""
    return sum(parameter.nbytes for parameter in model.parameters())


def _has_kernels(dtype: torch.dtype) -> bool:
    if not torch.backends.mkldnn.is_available():
        return False
    return dtype == torch.float32 or (dtype == torch.bfloat16 and torch.ops.mkldnn._is_mkldnn_bf16_supported())


class PackedLinear(torch.nn.Module):
    """x [..., inputs] → x · weightᵀ + bias [..., outputs], followed by a oneDNN activation."""

    weight = None  # model code that uses the weight fails, instead of working on nothing

    def __init__(self, layer: torch.nn.Linear | Conv1D, activation: str = "none", kind: str = "") -> None:
        super().__init__()
        weight = layer.weight.detach()
        weight = weight.t() if isinstance(layer, Conv1D) else weight
        self.out_features, self.in_features = weight.shape
        self._layout = torch.ops.mkldnn._reorder_linear_weight(weight.contiguous(), _ROWS)
        self._bias = None if layer.bias is None else layer.bias.detach()
        self._activation: tuple[str, list[float], str] = (activation, [], kind)

    @property
    def is_linear(self) -> bool:
        return self._activation[0] == "none"

    def unpacked(self) -> torch.nn.Linear:
        layer = torch.nn.Linear(self.in_features, self.out_features, bias=False, device="meta")
        layer.weight = torch.nn.Parameter(self._layout.to_dense(), requires_grad=False)
        if self._bias is not None:
            layer.bias = torch.nn.Parameter(self._bias, requires_grad=False)
        return layer

    def forward(self, x: Tensor) -> Tensor:
        return torch.ops.mkldnn._linear_pointwise(x, self._layout, self._bias, *self._activation)


def use_fast_kernels(model: Any) -> None:
    """Replace them in place; the model can then be read, but no longer trained or saved."""
    pack_linear_layers(model)
    use_cached_attention(model)
