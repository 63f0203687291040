"""What the speed benchmarks read with: a model of a well-known shape and random weights, and prompts of random tokens.

Speed depends on the shape alone. There is no end-of-text token, so that a benchmark decides how long a completion is.
"""

import os
import resource
import sys
from pathlib import Path
from typing import Any

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from newwiki.models.engine.kernels import use_fast_kernels
from newwiki.quiet import silence_transformers

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SMALL = {"n_layer": 12, "n_embd": 768, "n_head": 12}
XL = {"n_layer": 48, "n_embd": 1600, "n_head": 25}
PROMPT_TOKENS = (24, 56)  # a title and a first sentence


def build(dtype: torch.dtype = torch.float32, layers: int | None = None) -> GPT2LMHeadModel:
    """GPT-2 XL's shape on a GPU, GPT-2 small's elsewhere, with so many layers of it; the same weights every time."""
    silence_transformers()
    shape = {**(XL if DEVICE == "cuda" else SMALL), **({"n_layer": layers} if layers else {})}
    config = GPT2Config(**shape, bos_token_id=None, eos_token_id=None, pad_token_id=0)
    torch.manual_seed(0)
    with torch.device(DEVICE):
        return GPT2LMHeadModel._from_config(config, dtype=dtype).eval()


def prepare(model: GPT2LMHeadModel) -> None:
    """As the project prepares a model for its engine."""
    use_fast_kernels(model)


def prompts(count: int) -> list[list[int]]:
    generator = torch.Generator().manual_seed(1)
    lengths = torch.randint(*PROMPT_TOKENS, (count,), generator=generator).tolist()
    return [torch.randint(50_000, (length,), generator=generator).tolist() for length in lengths]


def peak_megabytes() -> float:
    """The most memory that this process had: on a GPU what it took there, elsewhere all of its memory."""
    if DEVICE == "cuda":
        return float(torch.cuda.max_memory_allocated()) / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024) / 1e6


def busy_seconds() -> float | None:
    """Processor time that all processes of the machine have taken together; None where nothing tells it."""
    stat = Path("/proc/stat")
    if not stat.is_file():
        return None
    user, nice, system, _idle, _waiting, *interrupts = map(int, stat.read_text().split("\n")[0].split()[1:9])
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")


def operations_and_values(model: Any, context: float) -> tuple[float, float, float]:
    """Of one more token after so many: floating-point operations; weights read, whatever the batch; cached values read.

    The weights are all but the table of positions, as the table of tokens is also the last layer.
    """
    weights = sum(parameter.numel() for parameter in model.parameters()) - model.transformer.wpe.weight.numel()
    cached = 2 * model.config.n_layer * model.config.n_embd * context
    return 2 * weights + 2 * cached, weights, cached
