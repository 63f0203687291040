"""Models that make a beam search work for its result: random weights, few tokens, each of which is often likely."""

from typing import Any

import torch
from transformers import GPT2Config, GPT2LMHeadModel

VOCABULARY, CONTEXT = 50, 64


def lively(seed: int, *, layers: int = 2, spread: float = 0.2) -> Any:
    """A small GPT-2 whose every matrix is drawn with the seed; flatter with a smaller spread, uniform with 0."""
    config = GPT2Config(
        vocab_size=VOCABULARY, n_positions=CONTEXT, n_embd=32, n_layer=layers, n_head=2, bos_token_id=0, eos_token_id=0
    )
    model = GPT2LMHeadModel(config).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for _, weights in sorted(model.named_parameters()):
            if weights.dim() > 1:
                weights.copy_(spread * torch.randn(weights.shape, generator=generator))
    return model


def prompts(seed: int, many: int, length: int = 12) -> list[list[int]]:
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(VOCABULARY, (many, length), generator=generator).tolist()
