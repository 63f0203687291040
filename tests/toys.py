"""A toy T5 and a toy BART: random weights, with the toy checkpoint's tokenizer, which ends a text as theirs do."""

from pathlib import Path
from typing import Any

_START = 1  # a token that never begins a text: padding, and what a decoder begins with
_SMALL: dict[str, Any] = {
    "vocab_size": 1024, "d_model": 48, "pad_token_id": _START, "decoder_start_token_id": _START, "eos_token_id": 0,
}  # fmt: skip
_KINDS: dict[str, dict[str, Any]] = {
    "t5": {"d_kv": 12, "d_ff": 96, "num_layers": 2, "num_heads": 4},
    "bart": {
        "bos_token_id": 0, "forced_bos_token_id": None, "encoder_layers": 2, "decoder_layers": 2,
        "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 96, "decoder_ffn_dim": 96,
        "max_position_embeddings": 512, "forced_eos_token_id": None,
    },
}  # fmt: skip


def write_toy(kind: str, toy_checkpoint: Path, folder: Path) -> Path:
    """A `t5` or a `bart` in a folder, as save_pretrained leaves it."""
    import torch
    from tokenizers.processors import ByteLevel, Sequence, TemplateProcessing
    from transformers import AutoConfig, AutoModelForSeq2SeqLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    end = tokenizer.eos_token
    closing = TemplateProcessing(single=f"$A {end}", special_tokens=[(end, tokenizer.eos_token_id)])
    tokenizer.backend_tokenizer.post_processor = Sequence([ByteLevel(), closing])
    torch.manual_seed(0)
    model = AutoModelForSeq2SeqLM.from_config(AutoConfig.for_model(kind, **_SMALL, **_KINDS[kind]))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
