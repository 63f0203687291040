"""Recurrent, hybrid and chunked models, read with their own cache objects: what `generate` writes, in any batch."""

from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any, NamedTuple

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from newwiki.decoding.grammar import parse
from newwiki.decoding.stream import Ending, Stream
from newwiki.errors import TerminalError
from newwiki.models.engine.likelihood import check_likelihoods
from newwiki.models.engine.loop import Rules
from newwiki.models.engine.own_cache import OwnCacheEngine, OwnCacheReader
from newwiki.models.engine.packed import use_fast_kernels
from newwiki.models.engine.selftest import ModelPath, path_of
from newwiki.registry import decoders
from tests.newwiki.decoding.naive import Naive
from tests.newwiki.decoding.running import Written, written

_SMALL: dict[str, Any] = {
    "vocab_size": 97, "hidden_size": 32, "num_hidden_layers": 2, "max_position_embeddings": 128, "pad_token_id": 0,
    "bos_token_id": 0, "eos_token_id": 96,
}  # fmt: skip
_HEADS: dict[str, Any] = {**_SMALL, "num_attention_heads": 4}
_GROUPED: dict[str, Any] = {**_HEADS, "intermediate_size": 48, "num_key_value_heads": 2, "head_dim": 8}
_EXPERTS: dict[str, Any] = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
_DELTA: dict[str, Any] = {
    "linear_num_value_heads": 4, "linear_num_key_heads": 2, "linear_key_head_dim": 8, "linear_value_head_dim": 8,
    "layer_types": ["linear_attention", "full_attention"],
}  # fmt: skip
_SCAN: dict[str, Any] = {
    "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8, "mamba_n_groups": 1, "mamba_chunk_size": 8,
}  # fmt: skip
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "qwen3-next": ("qwen3_next", {**_GROUPED, **_DELTA, **_EXPERTS, "shared_expert_intermediate_size": 16}),
    "qwen3.5": ("qwen3_5_text", {**_GROUPED, **_DELTA}),
    "granite 4, hybrid": ("granitemoehybrid", {**_GROUPED, **_SCAN, "layer_types": ["mamba", "attention"],
                          "num_local_experts": 4, "num_experts_per_tok": 2, "shared_intermediate_size": 16}),
    "nemotron-h": ("nemotron_h", {**_GROUPED, "layers_block_type": ["mamba", "moe", "attention", "mlp"],
                   "mamba_num_heads": 4, "mamba_head_dim": 16, "ssm_state_size": 8, "n_groups": 1, "chunk_size": 8,
                   "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "topk_group": 1,
                   "moe_shared_expert_intermediate_size": 16, "n_group": 1}),
    "falcon-h1": ("falcon_h1", {**_GROUPED, **_SCAN, "mamba_d_ssm": 64}),
    "lfm2": ("lfm2", {**_GROUPED, "layer_types": ["conv", "full_attention"], "block_auto_adjust_ff_dim": False}),
    "lfm2, experts": ("lfm2_moe", {**_GROUPED, **_EXPERTS, "layer_types": ["conv", "full_attention"],
                      "num_dense_layers": 1}),
    "mamba": ("mamba", {**_SMALL, "state_size": 8}),
    "mamba 2": ("mamba2", {**_SMALL, "state_size": 8, "num_heads": 4, "head_dim": 16, "n_groups": 1, "chunk_size": 8}),
    "falcon-mamba": ("falcon_mamba", {**_SMALL, "state_size": 8}),
    "rwkv": ("rwkv", {**_SMALL, "num_hidden_layers": 4, "attention_hidden_size": 32, "intermediate_size": 48,
             "context_length": 128, "rescale_every": 2}),
    "jamba": ("jamba", {**_GROUPED, "attn_layer_period": 2, "attn_layer_offset": 1, "expert_layer_period": 2,
              "expert_layer_offset": 1, "num_experts": 4, "mamba_d_state": 8, "mamba_dt_rank": 4}),
    "bamba": ("bamba", {**_GROUPED, **_SCAN, "attn_layer_indices": [1]}),
    "zamba 2": ("zamba2", {**_HEADS, "intermediate_size": 48, "num_hidden_layers": 4, "mamba_d_state": 8,
                "layers_block_type": ["mamba", "hybrid"] * 2, "mamba_ngroups": 1, "n_mamba_heads": 4, "chunk_size": 8,
                "num_mem_blocks": 1, "adapter_rank": 4, "use_mem_rope": True}),
    "recurrentgemma": ("recurrent_gemma", {**_HEADS, "intermediate_size": 96, "num_hidden_layers": 3, "lru_width": 32,
                       "attention_window_size": 6}),  # its modules keep a state of their own
    "minimax": ("minimax", {**_GROUPED, "layer_types": ["linear_attention", "full_attention"],
                "num_local_experts": 4, "block_size": 8}),  # a cache of a class of its own
    "llama 4": ("llama4_text", {**_GROUPED, "attention_chunk_size": 6, "intermediate_size_mlp": 48,
                "num_local_experts": 4, "layer_types": ["chunked_attention", "full_attention"]}),
    "gpt-neo": ("gpt_neo", {**_HEADS, "num_layers": 2, "num_heads": 4, "attention_types": [[["global", "local"], 1]],
                "window_size": 3}),
}  # fmt: skip
END = frozenset([96])
ROOM = 8
PROMPTS = [torch.randint(1, 96, (size,), generator=torch.Generator().manual_seed(size)).tolist() for size in (3, 7, 12)]
REQUESTS = [(page, sample, prompt) for page, prompt in enumerate(PROMPTS) for sample in range(2)]
ONE_EACH = REQUESTS[::2]


class Built(NamedTuple):
    """A model as transformers has it, and the same made ready to be read, with its path."""

    name: str
    plain: Any
    model: Any
    path: ModelPath


@cache
def built(name: str, dtype: torch.dtype = torch.float32) -> Built:
    kind, settings = MODELS[name]
    torch.manual_seed(0)
    plain = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **settings)).eval()
    with torch.no_grad():
        for weights in plain.parameters():
            if weights.dim() > 1:
                weights.mul_(3)  # else every next token is about as likely
    plain = plain.to(dtype)
    model = deepcopy(plain)
    use_fast_kernels(model)
    return Built(name, plain, model, path_of(model))


def engine_written(one: Built, decoder: str, requests: Any, *, rows: int) -> Written:
    return written(decoder, one.model, requests, ends=END, room=ROOM, rows=rows, path=one.path)


# A scan beside attention, rows that are read one by one, and modules that keep the state. What greedy search writes
# with each architecture `test_trial.py` holds to `generate`.
@pytest.mark.parametrize("name", ["falcon-h1", "rwkv", "recurrentgemma"])
def test_samples_do_not_depend_on_the_batch(name: str) -> None:
    one = built(name)
    assert one.path.own_cache
    alone = engine_written(one, "sample", REQUESTS, rows=1)
    assert len({tuple(tokens) for tokens, _ in alone.values()}) > len(PROMPTS)
    assert engine_written(one, "sample", REQUESTS[::-1], rows=4) == alone


@pytest.mark.parametrize(
    "name",
    ["qwen3-next", "falcon-h1", "lfm2", "mamba", "mamba 2", "rwkv", "recurrentgemma", "minimax", "llama 4", "gpt-neo"],
)
def test_texts_are_as_likely_beside_others_as_alone(name: str) -> None:
    check_likelihoods(built(name).model)


def test_nor_do_they_in_half_precision() -> None:
    half = built("qwen3-next", torch.bfloat16)
    alone = engine_written(half, "sample", REQUESTS, rows=1)
    assert engine_written(half, "sample", REQUESTS[::-1], rows=7) == alone


@pytest.mark.parametrize(
    "decoder", ["delayed-beam:num_beams=2,top_k=20", "group-beam:num_beams=4", "sibling-beam:num_beams=3"]
)
def test_every_decoder_without_look_ahead_runs(decoder: str) -> None:
    one = built("falcon-h1")
    alone = engine_written(one, decoder, ONE_EACH, rows=1)
    assert engine_written(one, decoder, ONE_EACH[::-1], rows=13) == alone
    naive = Naive(one.plain, END, 128)
    for (page, sample), got in alone.items():
        assert naive.write(parse(decoder)[0], PROMPTS[page], room=ROOM, page_id=page, sample=sample) == got


@pytest.mark.parametrize(
    "decoder", ["contrastive-decoding:amateur=a,num_beams=2", "contrastive-decoding:amateur=a,num_beams=0"]
)
@pytest.mark.parametrize("expert", ["lfm2", "llama"])
def test_an_amateur_may_be_read_so(expert: str, decoder: str) -> None:
    """Beside an expert that is, and one that is read in slots."""
    amateur = built("mamba")
    if expert == "llama":
        torch.manual_seed(1)
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model("llama", **_GROUPED)).eval()
        first = Built(expert, model, model, path_of(model))
        assert not first.path.own_cache
    else:
        first = built(expert)

    def both(rows: int) -> Written:
        paths = {"path": first.path, "amateur": amateur.model, "amateur_path": amateur.path}
        return written(decoder, first.model, ONE_EACH, ends=END, room=ROOM, rows=rows, **paths)

    naive = Naive(first.plain, END, 128, amateur=amateur.plain)
    alone = both(1)
    assert both(13) == alone
    for (page, sample), got in alone.items():
        assert naive.write(parse(decoder)[0], PROMPTS[page], room=ROOM, page_id=page, sample=sample) == got


def test_a_state_that_memory_cannot_hold_is_forgotten_and_no_byte_changes() -> None:
    one = built("mamba 2")
    expected = engine_written(one, "sample", REQUESTS, rows=4)
    passes: Iterator[int] = iter(range(100))

    def fail_once(module: Any, inputs: Any) -> None:
        if next(passes, -1) == 14:
            raise MemoryError

    hook = one.model.register_forward_pre_hook(fail_once)
    search = decoders.get("sample").search(parse("sample")[0])
    told: list[int] = []
    engine = OwnCacheEngine(
        [OwnCacheReader(one.model, 4, join=True)], search, Rules(Ending(END), 0, 2e-5), rows=4, on_halved=told.append
    )
    streams = [Stream(page, sample, tuple(prompt), ROOM) for page, sample, prompt in REQUESTS]
    done = [pair for batch in engine.run(streams) for pair in batch]
    hook.remove()
    assert told == [2]
    assert {(s.page_id, s.sample): (one.tokens, one.ended) for s, one in done} == expected


def test_rwkv_is_read_row_by_row() -> None:
    assert built("rwkv").path == ModelPath(own_cache=True, joined=False)


def test_the_estimated_bytes_per_row_match_the_state() -> None:
    """Keys and values grow with a text, and the state of a scan does not."""
    taken = {name: OwnCacheReader(built(name).model, 1, join=True) for name in ("gpt-neo", "mamba")}
    assert [taken["gpt-neo"].bytes_per_row(length) for length in (50, 100)] == [2 * 2 * 32 * 4 * n for n in (50, 100)]
    assert taken["mamba"].bytes_per_row(50) == taken["mamba"].bytes_per_row(100) > 0


def test_a_model_without_any_cache_is_refused() -> None:
    config = AutoConfig.for_model("openai-gpt", vocab_size=97, n_embd=32, n_layer=2, n_head=4, n_positions=64)
    model = AutoModelForCausalLM.from_config(config).eval()
    with pytest.raises(
        TerminalError, match=r"OpenAIGPTLMHeadModel, because it cannot be read token by token.*choose a"
    ):
        path_of(model)
