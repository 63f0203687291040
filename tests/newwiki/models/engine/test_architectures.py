"""The engine with the ways in which models place tokens and attend: the same tokens as transformers' `generate`."""

from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from newwiki.errors import TerminalError
from newwiki.models.engine.kernels import use_fast_kernels
from newwiki.models.engine.selftest import check_reading
from tests.newwiki.decoding.running import written

_SMALL: dict[str, Any] = {
    "vocab_size": 97,
    "hidden_size": 32,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "max_position_embeddings": 128,
    "pad_token_id": 0,
    "bos_token_id": 0,
    "eos_token_id": 96,
}
_GROUPED: dict[str, Any] = {**_SMALL, "intermediate_size": 48, "num_key_value_heads": 2, "head_dim": 8}
MODELS: dict[str, dict[str, Any]] = {
    "gpt2": {**_SMALL},  # learned positions
    "opt": {**_SMALL, "ffn_dim": 48, "word_embed_proj_dim": 32},  # learned positions, counted from 2
    "gpt_neox": {**_SMALL, "intermediate_size": 48},  # rotary positions of a part of each head
    "bloom": {**_SMALL, "n_layer": 4, "n_head": 4},  # biases for positions (ALiBi)
    "llama": _GROUPED,  # grouped heads
    "mistral": {**_GROUPED, "sliding_window": 6},
    "qwen2": {**_GROUPED, "use_sliding_window": True, "sliding_window": 6, "max_window_layers": 2},
    "qwen3": _GROUPED,
    "gemma": _GROUPED,
    "gemma2": {**_GROUPED, "sliding_window": 6, "query_pre_attn_scalar": 8},  # both kinds of layer, capped logits
    "gemma3_text": {**_GROUPED, "sliding_window": 6, "layer_types": ["sliding_attention", "full_attention"] * 2},
    "phi": {**_SMALL, "intermediate_size": 48},
    "phi3": _GROUPED,
    "olmo2": _GROUPED,
    "smollm3": _GROUPED,
    "cohere": _GROUPED,  # scaled logits
    "stablelm": _GROUPED,
    "gptj": {**_SMALL, "rotary_dim": 4},
}
END = frozenset([96])


def built(kind: str) -> Any:
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **MODELS[kind])).eval()
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.mul_(4)  # else every next token is about as likely
    return model


@pytest.mark.parametrize("kind", MODELS)
def test_the_engine_writes_what_generate_writes(kind: str) -> None:
    generator = torch.Generator().manual_seed(1)
    prompts = [torch.randint(1, 96, (length,), generator=generator).tolist() for length in (3, 9, 20)]
    model = built(kind)
    expected = {}
    for page, prompt in enumerate(prompts):
        whole = model.generate(
            torch.tensor([prompt]), do_sample=False, max_new_tokens=24, eos_token_id=96, pad_token_id=0
        )
        tokens = whole[0, len(prompt) :].tolist()
        expected[page, 0] = (tokens[: tokens.index(96)], True) if 96 in tokens else (tokens, False)
    use_fast_kernels(model)
    check_reading(model)
    requests = [(page, 0, prompt) for page, prompt in enumerate(prompts)]
    assert written("greedy", model, requests, ends=END, room=24, rows=3) == expected
    assert written("greedy", model, requests, ends=END, room=24, rows=1) == expected


def test_a_model_that_keeps_another_state_is_not_read_in_slots() -> None:
    config = AutoConfig.for_model(
        "qwen3_next", **_GROUPED, layer_types=["linear_attention", "full_attention"] * 2, num_experts=0
    )
    model = AutoModelForCausalLM.from_config(config).eval()
    with pytest.raises(TerminalError, match=r"layers of linear_attention, .*; choose a model with an attention cache"):
        check_reading(model)


def test_a_model_whose_attention_the_engine_does_not_know_is_not_read_in_slots() -> None:
    """GPT-Neo's local layers count their window from the end of the cache, wherever a row ends."""
    local = [[["global", "local"], 2]]
    config = AutoConfig.for_model("gpt_neo", **_SMALL, num_layers=4, num_heads=4, attention_types=local, window_size=3)
    model = AutoModelForCausalLM.from_config(config).eval()
    with pytest.raises(
        TerminalError, match=r"GPTNeoForCausalLM cannot be read token by token in slots.* choose a model"
    ):
        check_reading(model)
