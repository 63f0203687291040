"""The architectures that are tried: each with a tiny configuration, and with what is to become of it.

    python -m tests.newwiki.models.zoo docs/models.md

writes the table of the documentation anew. A window, or a length from which on a model rotates otherwise, is so short
here that the texts of a trial pass it.
"""

import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

EXACT = "exact"
SLOW = "slow path"  # through the model's own cache

VOCABULARY = 128


class Row(NamedTuple):
    """What people call it, transformers' name for it, EXACT or SLOW or else words of the refusal, and what its
    configuration has beside `_SIZES`; weights are drawn with a standard deviation of `spread`."""

    name: str
    kind: str
    expected: str
    settings: dict[str, Any]
    spread: float = 0.3


# Of these each configuration takes those that it has.
_SIZES: dict[str, Any] = {
    "vocab_size": VOCABULARY, "pad_token_id": 0, "bos_token_id": 0, "eos_token_id": 1, "tie_word_embeddings": False,
    "hidden_size": 32, "n_embd": 32, "d_model": 32, "word_embed_proj_dim": 32,
    "intermediate_size": 48, "ffn_dim": 48, "moe_intermediate_size": 24, "shared_expert_intermediate_size": 24,
    "num_hidden_layers": 2, "n_layer": 2, "n_layers": 2, "num_layers": 2,
    "num_attention_heads": 4, "n_head": 4, "n_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "rotary_dim": 4,
    "max_position_embeddings": 64, "n_positions": 64, "max_seq_len": 64,
    "num_experts": 4, "num_local_experts": 4, "n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 1,
    "topk_group": 1, "q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 4, "qk_nope_head_dim": 4,
    "v_head_dim": 8, "sliding_window": 6,
    "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8, "mamba_n_groups": 1, "state_size": 8,
    "linear_num_key_heads": 2, "linear_num_value_heads": 2, "linear_key_head_dim": 8, "linear_value_head_dim": 8,
}  # fmt: skip
_BOTH = {"layer_types": ["sliding_attention", "full_attention"]}
_HYBRID = {"layer_types": ["linear_attention", "full_attention"]}
_LATENT = {"head_dim": 4, "num_key_value_heads": 4}  # the head's size counts its rotary part alone


def _rope(kind: str, **parameters: Any) -> dict[str, Any]:
    return {"rope_parameters": {"rope_theta": 10_000.0, "rope_type": kind, **parameters}}


_LONG = _rope(
    "longrope", short_factor=[1.0] * 4, long_factor=[8.0] * 4, factor=4.0, original_max_position_embeddings=16
)
_YARN = _rope("yarn", factor=4.0, original_max_position_embeddings=16)
_LLAMA3 = _rope("llama3", factor=4.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16)

_UNKNOWN = "cannot be read token by token in slots"

_CALM = 0.1  # of models whose scan in chunks and whose steps are rounded apart otherwise, by exponentials

ZOO = [
    Row("AFMoE", "afmoe", EXACT, _BOTH),
    Row("Apertus", "apertus", EXACT, {}),
    Row("Arcee", "arcee", EXACT, {}),
    Row("Bamba", "bamba", SLOW, {"attn_layer_indices": [1], "mamba_chunk_size": 8}),
    Row("BioGPT", "biogpt", EXACT, {}),
    Row("BitNet", "bitnet", EXACT, {}),
    Row("BLOOM", "bloom", EXACT, {}),
    Row("CodeGen", "codegen", EXACT, {}),
    Row("Command A and R7B", "cohere2", EXACT, _BOTH),
    Row("Command R", "cohere", EXACT, {}),
    Row("CPM-Ant", "cpmant", _UNKNOWN, {}),
    Row("CTRL", "ctrl", EXACT, {"dff": 48}),
    Row("CWM", "cwm", EXACT, _BOTH),
    Row(
        "DBRX",
        "dbrx",
        EXACT,
        {
            "attn_config": {"kv_n_heads": 2, "clip_qkv": 8.0, "rope_theta": 10_000.0},
            "ffn_config": {"hidden_size": 32, "ffn_hidden_size": 24, "moe_top_k": 2},
        },
    ),
    Row("DeepSeek V2", "deepseek_v2", EXACT, {}),
    Row("DeepSeek V3 and R1", "deepseek_v3", EXACT, {**_LATENT, "first_k_dense_replace": 1}),
    Row("DeepSeek V3 with YaRN", "deepseek_v3", EXACT, {**_LATENT, **_YARN}),
    Row("DeepSeek V3.2", "deepseek_v32", SLOW, _LATENT),
    Row("DeepSeek V4", "deepseek_v4", SLOW, {}),
    Row("DiffLlama", "diffllama", EXACT, {}),
    Row("Doge", "doge", _UNKNOWN, {"sliding_window": None}),
    Row("dots.llm1", "dots1", EXACT, {"first_k_dense_replace": 1, "n_shared_experts": 1, **_BOTH}),
    Row("ERNIE 4.5", "ernie4_5", EXACT, {}),
    Row("ERNIE 4.5 MoE", "ernie4_5_moe", EXACT, {}),
    Row("EXAONE 4", "exaone4", EXACT, _BOTH),
    Row("EXAONE MoE", "exaone_moe", EXACT, _BOTH),
    Row("Falcon 7B", "falcon", EXACT, {"multi_query": True}),
    Row("Falcon 40B", "falcon", EXACT, {"new_decoder_architecture": True, "num_kv_heads": 2}),
    Row("Falcon RW, with ALiBi", "falcon", EXACT, {"alibi": True, "multi_query": False}),
    Row("Falcon-H1", "falcon_h1", SLOW, {"mamba_d_ssm": 64, "mamba_chunk_size": 8}),
    Row("Falcon-Mamba", "falcon_mamba", SLOW, {}),
    Row("FlexOlmo", "flex_olmo", EXACT, {}),
    Row("Gemma", "gemma", EXACT, {}),
    Row("Gemma 2", "gemma2", EXACT, {"query_pre_attn_scalar": 8}),
    Row("Gemma 3", "gemma3_text", EXACT, _BOTH),
    Row(
        "Gemma 3n",
        "gemma3n_text",
        EXACT,
        {
            "num_kv_shared_layers": 1,
            "vocab_size_per_layer_input": 128,
            "hidden_size_per_layer_input": 8,
            "laurel_rank": 8,
            "num_hidden_layers": 3,
            "layer_types": ["sliding_attention", "full_attention", "full_attention"],
        },
    ),
    Row(
        "Gemma 4",
        "gemma4_text",
        EXACT,
        {"vocab_size_per_layer_input": 128, "hidden_size_per_layer_input": 8, "global_head_dim": 16, **_BOTH},
    ),
    Row("GLM", "glm", EXACT, {}),
    Row("GLM-4", "glm4", EXACT, {}),
    Row("GLM-4.5 and 4.6", "glm4_moe", EXACT, {}),
    Row("GLM-4.7 Flash", "glm4_moe_lite", EXACT, _LATENT),
    Row("GLM-5", "glm_moe_dsa", SLOW, _LATENT),
    Row("GPT", "openai-gpt", _UNKNOWN, {}),
    Row("GPT-2", "gpt2", EXACT, {"tie_word_embeddings": True}),
    Row("GPT-BigCode, StarCoder", "gpt_bigcode", EXACT, {}),
    Row("GPT-J", "gptj", EXACT, {}),
    Row(
        "GPT-Neo",
        "gpt_neo",
        SLOW,
        {"attention_types": [[["global", "local"], 1]], "window_size": 3, "num_heads": 4},
    ),
    Row("GPT-NeoX, Pythia", "gpt_neox", EXACT, {}),
    Row("gpt-oss", "gpt_oss", EXACT, _BOTH),
    Row("Granite", "granite", EXACT, {}),
    Row("Granite MoE", "granitemoe", EXACT, {}),
    Row("Granite MoE, shared experts", "granitemoeshared", EXACT, {}),
    Row(
        "Granite 4 hybrid", "granitemoehybrid", SLOW, {**_HYBRID, "shared_intermediate_size": 24, "mamba_chunk_size": 8}
    ),
    Row("Helium", "helium", EXACT, {}),
    Row("Hunyuan", "hunyuan_v1_dense", EXACT, {}),
    Row("Hunyuan MoE", "hunyuan_v1_moe", EXACT, {}),
    Row("Jais 2", "jais2", EXACT, {}),
    Row("Jamba", "jamba", SLOW, {"attn_layer_period": 2, "attn_layer_offset": 1}),
    Row("JetMoE", "jetmoe", EXACT, {"kv_channels": 8}),
    Row("Kimi Linear", "kimi_linear", SLOW, {**_HYBRID, "linear_head_dim": 8, "linear_num_heads": 4}),
    Row("LFM2", "lfm2", SLOW, {"layer_types": ["conv", "full_attention"]}),
    Row("LFM2 MoE", "lfm2_moe", SLOW, {"layer_types": ["conv", "full_attention"], "num_dense_layers": 1}),
    Row("Llama, Llama 2", "llama", EXACT, {"tie_word_embeddings": True}),
    Row("Llama 3.1 to 3.3", "llama", EXACT, _LLAMA3),
    Row("Llama with YaRN", "llama", EXACT, _YARN),
    Row("Llama with linear scaling", "llama", EXACT, _rope("linear", factor=4.0)),
    Row(
        "Llama with dynamic NTK scaling",
        "llama",
        EXACT,
        {**_rope("dynamic", factor=4.0), "max_position_embeddings": 16},
    ),
    Row(
        "Llama 4",
        "llama4_text",
        SLOW,
        {
            "attention_chunk_size": 6,
            "layer_types": ["chunked_attention", "full_attention"],
            "interleave_moe_layer_step": 2,
        },
    ),
    Row(
        "LongCat Flash",
        "longcat_flash",
        EXACT,
        {**_LATENT, "ffn_hidden_size": 48, "expert_ffn_hidden_size": 24, "moe_topk": 2, "zero_expert_num": 2},
    ),
    Row("Mamba", "mamba", SLOW, {}),
    Row("Mamba 2", "mamba2", SLOW, {"num_heads": 8, "n_groups": 1, "chunk_size": 8}),
    Row("MiMo V2 Flash", "mimo_v2_flash", EXACT, {}),
    Row("MiniCPM 3", "minicpm3", EXACT, {}),
    Row("MiniMax Text 01 and M1", "minimax", SLOW, {**_HYBRID, "block_size": 8, "sliding_window": None}),
    Row("MiniMax M2", "minimax_m2", EXACT, {}),
    Row("Ministral", "ministral", EXACT, _BOTH),
    Row("Mistral", "mistral", EXACT, {}),
    Row("Mistral Small 3, without a window", "mistral", EXACT, {"sliding_window": None}),
    Row("Mixtral", "mixtral", EXACT, {}),
    Row("ModernBERT decoder", "modernbert-decoder", EXACT, {**_BOTH, "local_attention": 12}),
    Row("MPT", "mpt", EXACT, {}),
    Row("nanochat", "nanochat", EXACT, {}),
    Row("Nemotron", "nemotron", EXACT, {}),
    Row(
        "Nemotron-H",
        "nemotron_h",
        SLOW,
        {
            "layers_block_type": ["mamba", "moe", "attention", "mlp"],
            "mamba_num_heads": 4,
            "mamba_head_dim": 16,
            "ssm_state_size": 8,
            "n_groups": 1,
            "chunk_size": 8,
            "moe_shared_expert_intermediate_size": 16,
        },
        _CALM,
    ),
    Row("OLMo", "olmo", EXACT, {}),
    Row("OLMo 2", "olmo2", EXACT, {}),
    Row("OLMo 3", "olmo3", EXACT, _BOTH),
    Row("OLMo Hybrid", "olmo_hybrid", SLOW, _HYBRID),
    Row("OLMoE", "olmoe", EXACT, {}),
    Row("OPT", "opt", EXACT, {}),
    Row("Persimmon", "persimmon", EXACT, {}),
    Row("Phi 1 and 2", "phi", EXACT, {}),
    Row("Phi 3", "phi3", EXACT, {}),
    Row("Phi 3 and 4 with LongRoPE", "phi3", EXACT, {**_LONG, "original_max_position_embeddings": 16}),
    Row("Phi 3.5 MoE", "phimoe", EXACT, {}),
    Row("Qwen 2 and 2.5", "qwen2", EXACT, {"use_sliding_window": False}),
    Row("Qwen 2 with a window", "qwen2", EXACT, {"use_sliding_window": True, "max_window_layers": 1}),
    Row("Qwen 2 MoE", "qwen2_moe", EXACT, {}),
    Row("Qwen 3", "qwen3", EXACT, {}),
    Row("Qwen 3 MoE", "qwen3_moe", EXACT, {}),
    Row("Qwen 3 Next", "qwen3_next", SLOW, _HYBRID),
    Row("Qwen 3.5", "qwen3_5_text", SLOW, _HYBRID),
    Row("Qwen 3.5 MoE", "qwen3_5_moe_text", SLOW, _HYBRID),
    Row(
        "RecurrentGemma",
        "recurrent_gemma",
        SLOW,
        {"block_types": ["recurrent", "attention"], "attention_window_size": 6},
    ),
    Row("RWKV 4", "rwkv", SLOW, {}),
    Row("Seed-OSS", "seed_oss", EXACT, {}),
    Row("SmolLM 3", "smollm3", EXACT, {"no_rope_layers": [1, 0]}),
    Row("Solar Open", "solar_open", EXACT, {}),
    Row("StableLM", "stablelm", EXACT, {}),
    Row("StarCoder 2", "starcoder2", EXACT, {}),
    Row("VaultGemma", "vaultgemma", EXACT, _BOTH),
    Row("XGLM", "xglm", EXACT, {"attention_heads": 4}),
    Row("xLSTM", "xlstm", _UNKNOWN, {}),
    Row("Youtu", "youtu", EXACT, _LATENT),
    Row("Zamba", "zamba", SLOW, {"layers_block_type": ["mamba", "hybrid"], "n_mamba_heads": 2}),
    Row(
        "Zamba 2",
        "zamba2",
        SLOW,
        {
            "layers_block_type": ["mamba", "hybrid"],
            "mamba_ngroups": 1,
            "n_mamba_heads": 4,
            "chunk_size": 8,
            "num_mem_blocks": 1,
            "adapter_rank": 4,
            "use_mem_rope": True,
        },
        _CALM,
    ),
]


def built(row: Row) -> Any:
    """The model, with weights at random. What is drawn as for training makes every next token about as likely."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    usual = AutoConfig.for_model(row.kind)
    sizes = {name: size for name, size in _SIZES.items() if name in {*vars(usual), *usual.attribute_map}}
    torch.manual_seed(0)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(row.kind, **{**sizes, **row.settings})).eval()
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.normal_(0, row.spread)
    return model


def write(row: Row, folder: Path) -> Path:
    """A folder with the model, and with a tokenizer of as many words, as save_pretrained leaves them."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    built(row).save_pretrained(folder)
    words = Tokenizer(models.WordLevel({f"w{place}": place for place in range(VOCABULARY)}, unk_token="w2"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=words, unk_token="w2").save_pretrained(folder)
    return folder


def page_with_table(page: str) -> str:
    """The page with the list as a table between its marks. Raises ValueError where they are missing."""
    many = Counter(row.expected if row.expected in (EXACT, SLOW) else "refused" for row in ZOO)
    told = ", ".join(f"{count} {what}" for what, count in many.items())
    lines = ["| architecture | `model_type` | |", "| --- | --- | --- |"]
    lines += [f"| {row.name} | `{row.kind}` | {_told(row.expected)} |" for row in ZOO]
    text = "\n".join([f"{told}:", "", *lines])
    mark = re.compile(r"(<!-- architectures -->\n).*?(<!-- end -->)", re.DOTALL)
    written, found = mark.subn(lambda place: f"{place[1]}{text}\n{place[2]}", page)
    if found != 1:
        raise ValueError("the page has no place for the architectures")
    return written


def _told(expected: str) -> str:
    return expected if expected in (EXACT, SLOW) else f"refused: *… {expected} …*"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(page_with_table(Path(name).read_text("utf-8")), "utf-8")
