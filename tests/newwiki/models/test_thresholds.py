"""The law of lengths: past each that a configuration names a row in a batch is read as it is alone, or refused."""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError
from newwiki.models.backend import Writing
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.records import Prompt

_SMALL = {
    "vocab_size": 1024, "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 96, "pad_token_id": 1, "bos_token_id": 0,
    "eos_token_id": None,
}  # fmt: skip
_SHARED = {"sliding_window": 12, "num_hidden_layers": 4, "layer_types": ["sliding_attention", "full_attention"] * 2,
           "num_kv_shared_layers": 2, "vocab_size_per_layer_input": 1024, "hidden_size_per_layer_input": 8}  # fmt: skip
_THETA = {"rope_theta": 10_000.0}
# Beside the architectures of `test_trial.py`, which pass their windows too
READ: dict[str, tuple[str, dict[str, Any]]] = {
    "mistral, large window": ("mistral", {"sliding_window": 16}),
    "gemma4, shared layers": ("gemma4_text", {**_SHARED, "global_head_dim": 16}),
    "gemma4, with parts for other than text": ("gemma4", {"text_config": {**_SMALL, **_SHARED, "global_head_dim": 16}}),
    "llama, dynamic": ("llama", {"rope_parameters": {**_THETA, "rope_type": "dynamic", "factor": 4.0}}),
}
REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "llama, a window that it leaves out": ("llama", {"sliding_window": 12},
                                           "its logits differ by"),
    "llama, a window of a new name": ("llama", {"half_window_span": 4096},
                                      r"sets half_window_span \(4096\), beyond which"),
    "llama, chunks of a new name": ("llama", {"attention_chunk_sizes": [64, 8]},
                                  r"sets attention_chunk_sizes \(\[64, 8\]\)"),
}  # fmt: skip


def _written(kind: str, settings: dict[str, Any], toy_checkpoint: Path, folder: Path) -> Path:
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **{**_SMALL, **settings}))
    for name, weights in model.named_parameters():
        if "norm" not in name:
            torch.nn.init.normal_(weights, std=0.3)
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(toy_checkpoint).save_pretrained(folder)
    return folder


_PROMPTS = [Prompt(1, "Ilse " * 9), Prompt(2, "A")]
_WRITTEN = 20  # tokens, of which the later ones are past each length above, whatever the prompt


def _batched(model: HuggingFaceModel, tokens: int, batch_size: int | None = 1) -> dict[int, str]:
    asked = Writing(max_new_tokens=tokens, batch_size=batch_size)
    batches = model.complete([(prompt, 0) for prompt in _PROMPTS], parse("greedy")[0], asked)
    return {one.page_id: one.text for batch in batches for one in batch}


@torch.inference_mode()
def _alone(model: HuggingFaceModel, folder: Path, prompt: Prompt, tokens: int) -> str:
    """Token by token by transformers' own forward pass over the whole row, without a cache."""
    plain = AutoModelForCausalLM.from_pretrained(folder).eval()
    row = list(model._prompting.encode(prompt.text))
    start = len(row)
    for _ in range(tokens):
        row.append(int(plain(input_ids=torch.tensor([row]), use_cache=False).logits[0, -1].argmax()))
    text: str = model._prompting.decode(row[start:], ())
    return text


@pytest.mark.parametrize("named", READ)
def test_past_what_the_configuration_names_a_row_is_read_as_alone(
    named: str, toy_checkpoint: Path, tmp_path: Path
) -> None:
    folder = _written(*READ[named], toy_checkpoint, tmp_path)
    model = HuggingFaceModel(str(folder))
    written = _batched(model, _WRITTEN)
    assert _batched(model, _WRITTEN, batch_size=None) == written
    for prompt in _PROMPTS:
        assert written[prompt.page_id] == _alone(model, folder, prompt, _WRITTEN)


@pytest.mark.parametrize("named", REFUSED)
def test_what_the_engine_would_read_otherwise_is_refused(named: str, toy_checkpoint: Path, tmp_path: Path) -> None:
    kind, settings, told = REFUSED[named]
    folder = _written(kind, settings, toy_checkpoint, tmp_path)
    with pytest.raises(TerminalError, match=told) as refused:
        _batched(HuggingFaceModel(str(folder)), _WRITTEN)
    assert "\n" not in str(refused.value)


def test_a_rotary_scaling_of_a_new_kind_is_refused() -> None:
    from newwiki.models.engine.thresholds import refuse_unknown_ropes

    config = AutoConfig.for_model("llama", **_SMALL)
    config.rope_parameters = {"full_attention": {"rope_type": "elastic"}}
    with pytest.raises(TerminalError, match=r"uses the scaling 'elastic' \(rope_type\)"):
        refuse_unknown_ropes(config)
