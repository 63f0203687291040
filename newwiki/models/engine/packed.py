"""On a CPU: a model's linear layers with their weights laid out once as oneDNN wants them.

torch hands float32 products on a CPU to MKL, which on some processors reaches less than half of the machine, and lays
bfloat16 weights out anew in every call. `benchmarks/generate_speed.py` shows what the layout is worth. GPT-2's GELU is
taken in the product before it, as it otherwise goes through memory eight times.
"""

from typing import Any

import torch
from torch import Tensor
from transformers.activations import NewGELUActivation
from transformers.models.gpt2.modeling_gpt2 import GPT2MLP
from transformers.pytorch_utils import Conv1D

from newwiki.models.engine.memory import release

_ROWS = 64  # the batch that the layout is chosen for


def pack_linear_layers(model: Any) -> int:
    """Replaces linear layers in place, and gives their number: 0 where there is no oneDNN, or the model is elsewhere.
    Those of a quantised model, by their type or that of their weight, stay as they are.

    The model can then be read, and no longer trained or saved.
    """
    if model.device.type != "cpu" or not _has_kernels(model.dtype):
        return 0
    packed = 0
    for module in model.modules():
        if type(module) is GPT2MLP and type(module.act) is NewGELUActivation:
            module.c_fc, module.act = PackedLinear(module.c_fc, "gelu", "tanh"), torch.nn.Identity()
            packed += 1
        for name, child in list(module.named_children()):
            if type(child) in (torch.nn.Linear, Conv1D) and type(child.weight) is torch.nn.Parameter:
                setattr(module, name, PackedLinear(child))
                packed += 1
    release(model.device)
    return packed


def unpack_linear_layers(model: Any) -> None:
    """Gives a model its linear layers back that are no more than that, with the same weights."""
    for module in model.modules():
        for name, child in list(module.named_children()):
            if type(child) is PackedLinear and child.is_linear:
                setattr(module, name, child.unpacked())
    release(model.device)


def _has_kernels(dtype: torch.dtype) -> bool:
    if not torch.backends.mkldnn.is_available():
        return False
    return dtype == torch.float32 or (dtype == torch.bfloat16 and torch.ops.mkldnn._is_mkldnn_bf16_supported())


class PackedLinear(torch.nn.Module):
    """x [..., inputs] → x · weightᵀ + bias [..., outputs], and what an activation of oneDNN's makes of it."""

    weight = None  # what a model does with it breaks off, rather than being done to no weights

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
