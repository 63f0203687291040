"""Measure the machine's best rates: bytes read per second, and operations per second of products by number of rows.

    python benchmarks/machine_speed.py

The products are those of all linear layers of a model in sequence, so that weights come from memory as in a step. They
are computed by torch and, on a CPU, also by oneDNN with packed weights; the faster one counts.
"""

import time
from collections.abc import Callable
from typing import Any

import torch
from random_models import DEVICE, USUAL, Shape, build
from transformers.pytorch_utils import Conv1D

from newwiki.models.engine.packed import pack_linear_layers

ROWS = (28, 64, 96, 160)
SECONDS = 0.5  # time spent to find the fastest turn; on a shared machine few turns are undisturbed


class LinearLayers(torch.nn.Module):
    """The linear layers of a model, without the parts between them."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.device, self.dtype = model.device, model.dtype
        found = [layer for layer in model.modules() if isinstance(layer, torch.nn.Linear | Conv1D)]
        self._inputs = [layer.weight.shape[0 if isinstance(layer, Conv1D) else 1] for layer in found]
        self.weights = sum(layer.weight.numel() for layer in found)
        self.layers = torch.nn.ModuleList(found)

    def turn(self, rows: int) -> Callable[[], None]:
        """Return a function that applies each layer once to this number of rows."""
        inputs = {size: torch.randn(rows, size, device=self.device, dtype=self.dtype) for size in set(self._inputs)}

        def work() -> None:
            for layer, size in zip(self.layers, self._inputs, strict=True):
                layer(inputs[size])

        return work


def read_bandwidth() -> float:
    """Return the bytes per second of summing up 256 MB, which exceeds any cache."""
    values = torch.ones(1 << 26, device=DEVICE)
    size: int = 4 * values.numel()
    return size / _seconds(values.sum)


def matrix_rates(dtype: torch.dtype, shape: Shape = USUAL) -> dict[int, float]:
    """Return the floating-point operations per second, by number of rows."""
    linear = LinearLayers(build(dtype, shape))
    rates = _rates(linear)
    if pack_linear_layers(linear):
        rates = {rows: max(rates[rows], rate) for rows, rate in _rates(linear).items()}
    return rates


def _rates(linear: LinearLayers) -> dict[int, float]:
    return {rows: 2 * rows * linear.weights / _seconds(linear.turn(rows)) for rows in ROWS}


def _seconds(work: Callable[[], object]) -> float:
    """Return the duration of the fastest turn in seconds."""
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
