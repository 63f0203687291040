"""Adapters for tests, written by peft onto a checkpoint's folder."""

from pathlib import Path
from typing import Any


def write_adapter(base: Path, folder: Path, config: Any, *, seed: int = 0, tokens: int | None = None) -> Path:
    """One whose weights are drawn, with norms by which it moves every logit; `tokens` resizes the embeddings first."""
    import torch
    from peft import get_peft_model
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM

    is_pair = AutoConfig.from_pretrained(base).is_encoder_decoder
    model = (AutoModelForSeq2SeqLM if is_pair else AutoModelForCausalLM).from_pretrained(base)
    torch.manual_seed(seed)
    if tokens:
        model.resize_token_embeddings(tokens, mean_resizing=False)
    adapted = get_peft_model(model, config)
    for weight in adapted.parameters():
        if weight.requires_grad:
            weight.data += 0.1 * torch.randn_like(weight)
    adapted.save_pretrained(folder)
    return folder


def lora(**changes: Any) -> Any:
    """All linear layers, of rank 4."""
    from peft import LoraConfig

    return LoraConfig(**{"r": 4, "target_modules": "all-linear", **changes})
