"""The engine with the ways in which models place tokens and attend: the same tokens as transformers' `generate`."""

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import AutoConfig, AutoModelForCausalLM

from newwiki.errors import TerminalError
from newwiki.models.engine.kernels import use_fast_kernels
from newwiki.models.engine.memory import cache_bytes
from newwiki.models.engine.reader import Reader
from newwiki.models.engine.selftest import check_reading
from tests.newwiki.decoding.running import Written, written

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
_SHARED: dict[str, Any] = {
    **_GROUPED,
    "sliding_window": 6,
    "num_hidden_layers": 6,
    "layer_types": ["sliding_attention", "full_attention"] * 3,
    "num_kv_shared_layers": 2,
    "vocab_size_per_layer_input": 97,
    "hidden_size_per_layer_input": 16,
}
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
    "gemma4_text": {**_SHARED, "global_head_dim": 16},  # keys of two sizes, and layers that have none of their own
    "gemma3n_text": {**_SHARED, "laurel_rank": 4, "activation_sparsity_pattern": [0.5] + [0.0] * 5},
    "modernbert-decoder": {**_SMALL, "intermediate_size": 48, "local_attention": 12, "global_attn_every_n_layers": 2,
                           "cls_token_id": 0, "sep_token_id": 0},
    "falcon": {**_SMALL, "alibi": True},
}  # fmt: skip
END = frozenset([96])


def built(kind: str) -> Any:
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **MODELS[kind])).eval()
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.mul_(4)  # else every next token is about as likely
    return model


def generated(model: Any, prompts: Sequence[list[int]], beams: int = 1) -> Written:
    """By transformers' `generate`, a prompt at a time."""
    expected = {}
    for page, prompt in enumerate(prompts):
        whole = model.generate(
            torch.tensor([prompt]), do_sample=False, num_beams=beams, max_new_tokens=24, eos_token_id=96, pad_token_id=0
        )
        tokens = whole[0, len(prompt) :].tolist()
        expected[page, 0] = (tokens[: tokens.index(96)], True) if 96 in tokens else (tokens, False)
    return expected


def _prompts(*lengths: int) -> list[list[int]]:
    generator = torch.Generator().manual_seed(1)
    return [torch.randint(1, 96, (length,), generator=generator).tolist() for length in lengths]


@pytest.mark.parametrize("kind", MODELS)
def test_the_engine_writes_what_generate_writes(kind: str) -> None:
    model, prompts = built(kind), _prompts(3, 9, 20)
    expected = generated(model, prompts)
    use_fast_kernels(model)
    check_reading(model)
    requests = [(page, 0, prompt) for page, prompt in enumerate(prompts)]
    assert written("greedy", model, requests, ends=END, room=24, rows=3) == expected
    assert written("greedy", model, requests, ends=END, room=24, rows=1) == expected


@pytest.mark.parametrize("kind", ["gemma4_text", "gemma3n_text", "modernbert-decoder", "falcon"])
def test_rows_that_branch_write_what_generate_writes(kind: str) -> None:
    """Keys of every layer go with them, and layers that share another's see them."""
    model, prompts = built(kind), _prompts(3, 9, 20)
    expected = generated(model, prompts, beams=3)
    use_fast_kernels(model)
    requests = [(page, 0, prompt) for page, prompt in enumerate(prompts)]
    for rows in (3, 7):
        assert written("beam:num_beams=3", model, requests, ends=END, room=24, rows=rows) == expected


@torch.inference_mode()
@pytest.mark.parametrize("kind", ["gemma4_text", "gemma3n_text", "modernbert-decoder"])
def test_a_row_has_the_same_logits_to_the_last_bit_in_any_batch(kind: str) -> None:
    model = built(kind)
    use_fast_kernels(model)
    texts = _prompts(5, 3, 9, 20, 17, 11, 8)

    def after(rows: Sequence[list[int]]) -> Tensor:
        reader = Reader(model, len(rows))
        for slot, row in enumerate(rows):
            reader.read_anew(row, slot)
        return torch.stack([reader.step(torch.arange(len(rows)) + step)[0] for step in (1, 2, 3)])

    alone = after(texts[:1])
    for count in (2, 3, 7):
        assert torch.equal(after(texts[:count]), alone)


@pytest.mark.parametrize("kind", sorted(MODELS))
def test_what_a_token_takes_in_the_cache_is_what_the_slots_hold(kind: str) -> None:
    model = built(kind)
    reader = Reader(model, 3)
    with torch.inference_mode():
        reader.read_anew([1, 2, 3, 4], 0)
    held = sum(layer.keys.nbytes + layer.values.nbytes for layer in reader.slots.layers)
    assert cache_bytes(model) == held / (reader.slots.count * reader.slots.width)


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
