"""Quantised checkpoints: their layers stay as they are, what is lacking is named, and GGUF is read by transformers."""

import json
from pathlib import Path
from typing import Any

import gguf
import pytest
import torch
from peft import LoraConfig
from tokenizers.pre_tokenizers import ByteLevel
from transformers import AutoModelForCausalLM, AutoTokenizer

from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError
from newwiki.models.backend import Writing
from newwiki.models.engine.packed import PackedLinear, pack_linear_layers
from newwiki.models.gguf_header import read_header
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.models.quantised import method_of
from newwiki.models.trial import try_checkpoint
from newwiki.records import Prompt
from tests.adapters import write_adapter
from tests.newwiki.models.zoo import EXACT, Row, built, write

LLAMA = Row("Llama", "llama", EXACT, {"hidden_size": 64, "head_dim": 16, "intermediate_size": 128})
QWEN = Row("Qwen 2", "qwen2", EXACT, {"use_sliding_window": False})


class _Halved(torch.Tensor):
    """A weight of a type of its own, as torchao's are."""


def test_a_linear_layer_whose_weight_is_of_another_type_stays_as_it_is() -> None:
    model = built(LLAMA)
    kept = model.model.layers[0].self_attn.q_proj
    kept.weight = torch.nn.Parameter(kept.weight.detach().as_subclass(_Halved), requires_grad=False)
    assert pack_linear_layers(model) > 0
    assert model.model.layers[0].self_attn.q_proj is kept
    assert type(model.model.layers[1].self_attn.q_proj) is PackedLinear


@pytest.mark.parametrize(
    ("configured", "lacking"),
    [
        ({"quant_method": "gptq", "bits": 4}, r"quantized \(gptq\), .* pip install optimum gptqmodel"),
        (
            {"quant_method": "vptq"},
            r"quantized \(vptq\), and the packages to read them are not installed.* pip install vptq",
        ),
    ],
)
def test_a_package_that_is_lacking_is_named_before_anything_is_read(
    configured: dict[str, Any], lacking: str, tmp_path: Path
) -> None:
    write(LLAMA, tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "quantization_config": configured}))
    with pytest.raises(TerminalError, match=lacking) as refused:
        HuggingFaceModel.find(str(tmp_path))
    assert "\n" not in str(refused.value)


def test_an_adapter_is_put_on_no_quantised_model(tmp_path: Path) -> None:
    base = write(LLAMA, tmp_path / "base")
    adapter = write_adapter(base, tmp_path / "adapter", LoraConfig(target_modules=["q_proj"]))
    config = json.loads((base / "config.json").read_text())
    (base / "config.json").write_text(json.dumps({**config, "quantization_config": {"quant_method": "fp8"}}))
    with pytest.raises(TerminalError, match=r"which is quantized; .*name its base model with --model-args base=FOLDER"):
        HuggingFaceModel.find(str(adapter))


def test_who_quantised_it_stands_in_the_configuration(tmp_path: Path) -> None:
    assert method_of(tmp_path) is None
    for configured, method in (
        ({"quant_method": "awq"}, "awq"), ({"load_in_8bit": True}, "bitsandbytes"), ({"bits": 4}, "unknown"),
    ):  # fmt: skip
        (tmp_path / "config.json").write_text(json.dumps({"quantization_config": configured}))
        assert method_of(tmp_path) == method


def _torchao(source: Path, folder: Path) -> None:
    quantization = pytest.importorskip("torchao.quantization")
    from transformers import TorchAoConfig

    config = TorchAoConfig(quantization.Int8WeightOnlyConfig())
    AutoModelForCausalLM.from_pretrained(source, quantization_config=config, dtype=torch.float32).save_pretrained(
        folder
    )


def _eight_bits(source: Path, folder: Path) -> None:
    pytest.importorskip("bitsandbytes")
    from transformers import BitsAndBytesConfig

    config = BitsAndBytesConfig(load_in_8bit=True)
    AutoModelForCausalLM.from_pretrained(source, quantization_config=config, device_map="cpu").save_pretrained(folder)


@pytest.mark.parametrize(
    ("quantise", "package", "batches"), [(_torchao, "torchao", "ok"), (_eight_bits, "bitsandbytes", "note")]
)
def test_a_model_with_its_own_package_runs_with_a_note(
    quantise: Any, package: str, batches: str, tmp_path: Path
) -> None:
    """LLM.int8() quantises activations too, so that a batch moves logits by more than can be settled."""
    source, folder = write(LLAMA, tmp_path / "source"), tmp_path / "quantised"
    quantise(source, folder)
    AutoTokenizer.from_pretrained(source).save_pretrained(folder)
    found = {one.what: one for one in try_checkpoint(str(folder), {})}
    assert [one for one in found.values() if one.state == "problem"] == []
    assert found["quantised"].words.startswith(package)
    assert found["batches"].state == batches
    model, notes = HuggingFaceModel(str(folder)), list[str]()
    assert package in model.versions
    for strict in (False, True):
        writing = Writing(max_new_tokens=3, strict=strict, note=notes.append)
        list(model.complete([(Prompt(1, "w5 w6"), 0)], parse("greedy")[0], writing))
    assert len(notes) == 1 and "rounding may make a text depend on its batch" in notes[0]


def _gguf(model: Any, file: Path, architecture: str = "qwen2") -> Path:
    """A Qwen 2 as llama.cpp keeps it, in float32, with a tokenizer of some bytes."""
    config, letters = model.config, sorted(ByteLevel.alphabet())[:126]
    tokens = [*letters, letters[0] + letters[1], "<|endoftext|>"]
    writer = gguf.GGUFWriter(str(file), architecture)
    writer.add_name("tiny")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_vocab_size(config.vocab_size)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types([1] * 127 + [3])
    writer.add_token_merges([f"{letters[0]} {letters[1]}"])
    writer.add_eos_token_id(127)
    names = {"embed_tokens": "token_embd", "norm": "output_norm", "lm_head": "output"}
    parts = {
        "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
    }  # fmt: skip
    for name, weights in model.state_dict().items():
        whole, kind = name.removeprefix("model.").rsplit(".", 1)
        if whole.startswith("layers."):
            _, layer, part = whole.split(".", 2)
            whole = f"blk.{layer}.{parts[part]}"
        writer.add_tensor(f"{names.get(whole, whole)}.{kind}", weights.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


@pytest.mark.parametrize("by", ["file", "folder"])
def test_a_gguf_file_is_the_model_that_was_written_into_it(by: str, tmp_path: Path) -> None:
    model = built(QWEN)
    file = _gguf(model, tmp_path / "tiny.gguf")
    read = HuggingFaceModel(str(file if by == "file" else tmp_path))
    text = torch.arange(3, 20)[None]
    with torch.inference_mode():
        assert torch.allclose(read._model(input_ids=text).logits, model(input_ids=text).logits, atol=1e-5)
    before = read.sha256
    (tmp_path / "config.json").write_text("{}")  # decides nothing
    assert HuggingFaceModel.find(str(file)).sha256 == before
    file.write_bytes(file.read_bytes() + b"\0")
    assert HuggingFaceModel.find(str(file)).sha256 != before


def test_the_header_of_a_gguf_file_says_what_its_weights_take_in_memory(tmp_path: Path) -> None:
    model = built(QWEN)
    header = read_header(_gguf(model, tmp_path / "tiny.gguf"))
    weights = sum(weight.numel() for weight in model.state_dict().values())
    assert header.types == {"F32": weights}
    assert (header.bytes_in_memory("float32"), header.bytes_in_memory("bfloat16")) == (4 * weights, 2 * weights)


@pytest.mark.parametrize("content", [b"", b"GGUF", b"GGML" + bytes(60), b"GGUF" + b"\xff" * 60])
def test_a_file_that_is_not_gguf_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(content)
    with pytest.raises(TerminalError, match=r"tiny\.gguf' is not a readable GGUF file .*; download it again"):
        read_header(tmp_path / "tiny.gguf")


def test_a_gguf_file_of_another_architecture_is_refused_in_one_line(tmp_path: Path) -> None:
    file = _gguf(built(QWEN), tmp_path / "tiny.gguf", architecture="rwkv99")
    with pytest.raises(TerminalError, match=r"rwkv99") as refused:
        HuggingFaceModel(str(file))
    assert "\n" not in str(refused.value)


def test_with_several_gguf_files_one_must_be_named(tmp_path: Path) -> None:
    for name in ("a.gguf", "b.gguf"):
        (tmp_path / name).touch()
    with pytest.raises(TerminalError, match=r"holds 2 GGUF files; name one of them, such as .*a\.gguf"):
        HuggingFaceModel.find(str(tmp_path))
