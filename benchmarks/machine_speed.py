"""What the machine can do at best: bytes read a second, and operations a second of products with some rows.

    python benchmarks/machine_speed.py

Products are those of all of a model's linear layers one after the other, so that weights come from memory as they do
in a step; by torch itself and, on a CPU, by oneDNN with packed weights, of which the faster one counts.
"""

import time
from collections.abc import Callable
from typing import Any

import torch
from random_models import DEVICE, USUAL, Shape, build
from transformers.pytorch_utils import Conv1D

from newwiki.models.engine.packed import pack_linear_layers

ROWS = (28, 64, 96, 160)
SECONDS = 0.5  # of looking for the fastest turn; on a shared machine few of them are undisturbed


class LinearLayers(torch.nn.Module):
    """Those of a model, without what is between them."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.device, self.dtype = model.device, model.dtype
        found = [layer for layer in model.modules() if isinstance(layer, torch.nn.Linear | Conv1D)]
        self._inputs = [layer.weight.shape[0 if isinstance(layer, Conv1D) else 1] for layer in found]
        self.weights = sum(layer.weight.numel() for layer in found)
        self.layers = torch.nn.ModuleList(found)

    def turn(self, rows: int) -> Callable[[], None]:
        """Reads so many rows with each layer once."""
        inputs = {size: torch.randn(rows, size, device=self.device, dtype=self.dtype) for size in set(self._inputs)}

        def work() -> None:
            for layer, size in zip(self.layers, self._inputs, strict=True):
                layer(inputs[size])

        return work


def read_bandwidth() -> float:
    """Bytes a second, of summing up 256 MB, which no cache holds."""
    values = torch.ones(1 << 26, device=DEVICE)
    size: int = 4 * values.numel()
    return size / _seconds(values.sum)


def matrix_rates(dtype: torch.dtype, shape: Shape = USUAL) -> dict[int, float]:
    """Floating-point operations a second, by rows."""
    linear = LinearLayers(build(dtype, shape))
    rates = _rates(linear)
    if pack_linear_layers(linear):
        rates = {rows: max(rates[rows], rate) for rows, rate in _rates(linear).items()}
    return rates


def _rates(linear: LinearLayers) -> dict[int, float]:
    return {rows: 2 * rows * linear.weights / _seconds(linear.turn(rows)) for rows in ROWS}


def _seconds(work: Callable[[], object]) -> float:
    """Of the fastest turn."""
    took: list[float] = []
    with torch.inference_mode():
        while sum(took) < SECONDS or len(took) < 3:
            start = time.perf_counter()
            work()
            if DEVICE == "cuda":
                torch.cuda.synchronize()
            took.append(time.perf_counter() - start)
    return min(took)


if __name__ == "__main__":
    print(f"{'read':>10}: {read_bandwidth() / 1e9:,.1f} GB/s")
    for number_type in (torch.float32, torch.bfloat16):
        for number, rate in matrix_rates(number_type).items():
            print(f"{str(number_type)[6:]:>10}: {rate / 1e9:,.0f} GFLOP/s at {number} rows")
