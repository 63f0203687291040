"""What the machine can do at best: bytes read a second, and operations a second of products with 96 rows.

    python benchmarks/machine_speed.py

Products are those of a GPT-2 block, by torch itself and, on a CPU, by oneDNN with packed weights; the best one counts.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from random_models import DEVICE, build

from newwiki.models.engine.packed import pack_linear_layers

ROWS = 96
SECONDS = 0.5  # of looking for the fastest turn; on a shared machine few of them are undisturbed


def read_bandwidth() -> float:
    """Bytes a second, of summing up 256 MB, which no cache holds."""
    values = torch.ones(1 << 26, device=DEVICE)
    size: int = 4 * values.numel()
    return size / _seconds(values.sum)


def matrix_rate(dtype: torch.dtype) -> float:
    """Floating-point operations a second."""
    model = build(dtype, layers=1)
    plain = _block_rate(model, dtype)
    return max(plain, _block_rate(model, dtype)) if pack_linear_layers(model) else plain


def _block_rate(model: Any, dtype: torch.dtype) -> float:
    block, size = model.transformer.h[0], model.config.n_embd
    layers = ((block.attn.c_attn, size, 3), (block.mlp.c_fc, size, 4), (block.mlp.c_proj, 4 * size, 1 / 4))
    rates: list[float] = []
    for layer, inputs, widening in layers:
        rows = torch.randn(ROWS, inputs, device=DEVICE, dtype=dtype)
        rates.append(2 * ROWS * inputs * inputs * widening / _seconds(partial(layer, rows)))
    return max(rates)


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
        print(f"{str(number_type)[6:]:>10}: {matrix_rate(number_type) / 1e9:,.0f} GFLOP/s at {ROWS} rows")
