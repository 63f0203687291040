"""Build models of well-known shapes with random weights, and prompts of random tokens, for the speed benchmarks.

Speed depends only on the shape. There is no end-of-text token, so that a benchmark decides the length of a completion.
"""

import os
import resource
import sys
from argparse import ArgumentParser, Namespace
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import torch
from transformers import AutoModelForCausalLM, GPT2Config, LlamaConfig

from newwiki.models.engine.packed import use_fast_kernels
from newwiki.quiet import silence_transformers

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
_NO_END = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}
CONFIGS = {
    "gpt2": GPT2Config(n_layer=12, n_embd=768, n_head=12, **_NO_END),
    "gpt2-xl": GPT2Config(n_layer=48, n_embd=1600, n_head=25, **_NO_END),
    "llama-1b": LlamaConfig(  # the shape of Llama 3.2
        num_hidden_layers=16,
        hidden_size=2048,
        intermediate_size=8192,
        num_attention_heads=32,
        num_key_value_heads=8,
        head_dim=64,
        vocab_size=128_256,
        max_position_embeddings=8192,
        tie_word_embeddings=True,
        **_NO_END,
    ),
}
DEFAULT = "gpt2-xl" if DEVICE == "cuda" else "gpt2"
PROMPT_TOKENS = (24, 56)  # lengths of a title with a first sentence


class Shape(NamedTuple):
    """A model's name in `CONFIGS`, and its number of layers."""

    name: str = DEFAULT
    layers: int | None = None

    @property
    def flags(self) -> list[str]:
        return [f"--shape={self.name}", *([f"--layers={self.layers}"] if self.layers else [])]


USUAL = Shape()


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--shape", choices=CONFIGS, default=DEFAULT, help="of the model; a larger one on a GPU")
    parser.add_argument("--layers", type=int, help="fewer layers than the shape has, for a first look")


def asked_for(options: Namespace) -> Shape:
    return Shape(options.shape, options.layers)


def build(dtype: torch.dtype = torch.float32, shape: Shape = USUAL) -> Any:
    """Return a causal model, with the same weights every time."""
    silence_transformers()
    config = deepcopy(CONFIGS[shape.name])
    config.num_hidden_layers = shape.layers or config.num_hidden_layers
    torch.manual_seed(0)
    with torch.device(DEVICE):
        return AutoModelForCausalLM.from_config(config, dtype=dtype).eval()


def prepare(model: Any) -> None:
    """Prepare a model for the engine as the project does."""
    use_fast_kernels(model)


def prompts(count: int) -> list[list[int]]:
    generator = torch.Generator().manual_seed(1)
    lengths = torch.randint(*PROMPT_TOKENS, (count,), generator=generator).tolist()
    return [torch.randint(50_000, (length,), generator=generator).tolist() for length in lengths]


def peak_megabytes() -> float:
    """Return the peak memory of this process in MB: on a GPU the memory allocated there, else the resident memory."""
    if DEVICE == "cuda":
        return float(torch.cuda.max_memory_allocated()) / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024) / 1e6


def busy_seconds() -> float | None:
    """Return the processor time of all processes of the machine in seconds, or None if it is not available."""
    stat = Path("/proc/stat")
    if not stat.is_file():
        return None
    user, nice, system, _idle, _waiting, *interrupts = map(int, stat.read_text().split("\n")[0].split()[1:9])
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")


def operations_and_values(model: Any, context: float) -> tuple[float, float, float]:
    """Return the operations and memory reads of one more token after `context` tokens.

    They are floating-point operations, weights read by a step of any batch size, and cached values read. The weights
    exclude only the table of positions, because the table of tokens is also the last layer.
    """
    config = model.config
    positions = model.transformer.wpe.weight.numel() if config.model_type == "gpt2" else 0
    weights = sum(parameter.numel() for parameter in model.parameters()) - positions
    heads = config.num_attention_heads
    values = 2 * config.num_hidden_layers * config.hidden_size // heads * context  # keys and values of one head
    cached = values * (getattr(config, "num_key_value_heads", None) or heads)
    return 2 * weights + 2 * values * heads, weights, cached
