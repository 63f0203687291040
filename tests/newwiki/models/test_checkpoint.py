"""Which checkpoints are read, with whose word, and under what hash."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, BertConfig, BertForMaskedLM, T5Config, T5ForConditionalGeneration

from newwiki.errors import TerminalError
from newwiki.models import files
from newwiki.models.checkpoint import Trust, find
from newwiki.models.huggingface import HuggingFaceModel


@pytest.fixture
def copied(toy_checkpoint: Path, tmp_path: Path) -> Path:
    return shutil.copytree(toy_checkpoint, tmp_path / "copied")


@pytest.fixture
def pickled(copied: Path) -> Path:
    """The same weights as a pickle alone."""
    weights = AutoModelForCausalLM.from_pretrained(copied).state_dict()
    torch.save(weights, copied / "pytorch_model.bin")
    (copied / "model.safetensors").unlink()
    return copied


def test_pickles_are_read_only_with_the_users_word(pickled: Path) -> None:
    with pytest.raises(TerminalError, match=r"weights as pickles \(\*\.bin\), which can run code .* --allow-pickle"):
        HuggingFaceModel(str(pickled))
    assert HuggingFaceModel(str(pickled), allow_pickle="yes").dtype == "float32"


def test_pickled_weights_have_a_hash_of_their_own(pickled: Path, toy_checkpoint: Path) -> None:
    trust = Trust(allow_pickle=True)
    before = find(str(pickled), "main", trust).sha256
    assert before != find(str(toy_checkpoint), "main", trust).sha256
    with (pickled / "pytorch_model.bin").open("ab") as file:
        file.write(b"\0")
    assert find(str(pickled), "main", trust).sha256 != before


def test_code_that_a_model_brings_along_runs_only_with_the_users_word(copied: Path, tmp_path: Path) -> None:
    config = json.loads((copied / "config.json").read_text())
    config["auto_map"] = {"AutoConfig": "ours.OurConfig", "AutoModelForCausalLM": "ours.OurModel"}
    config["model_type"] = "ours"
    (copied / "config.json").write_text(json.dumps(config))
    ran = tmp_path / "ran"
    (copied / "ours.py").write_text(
        f"open({str(ran)!r}, 'w').close()\n"
        "from transformers import GPT2Config, GPT2LMHeadModel\n"
        "class OurConfig(GPT2Config):\n    model_type = 'ours'\n"
        "class OurModel(GPT2LMHeadModel):\n    config_class = OurConfig\n"
    )
    with pytest.raises(TerminalError, match="add --trust-remote-code if you trust its code"):
        HuggingFaceModel(str(copied))
    assert not ran.exists()
    before = find(str(copied), "main", Trust(trust_remote_code=True)).sha256
    HuggingFaceModel(str(copied), trust_remote_code="yes")
    assert ran.exists()
    (copied / "ours.py").write_text("")
    assert find(str(copied), "main", Trust(trust_remote_code=True)).sha256 != before


def test_an_encoder_cannot_write(tmp_path: Path) -> None:
    BertForMaskedLM(
        BertConfig(vocab_size=50, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8)
    ).save_pretrained(tmp_path)
    with pytest.raises(TerminalError, match="not a causal language model but a BertForMaskedLM, which cannot"):
        HuggingFaceModel(str(tmp_path))


def test_an_encoder_decoder_is_for_another_backend(tmp_path: Path) -> None:
    T5ForConditionalGeneration(
        T5Config(vocab_size=50, d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2)
    ).save_pretrained(tmp_path)
    with pytest.raises(TerminalError, match=r"an encoder-decoder \(T5ForConditionalGeneration\).*choose a causal"):
        HuggingFaceModel(str(tmp_path))


def test_weights_that_are_missing_are_not_made_up(copied: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(copied / "model.safetensors")
    del weights["transformer.h.1.attn.c_attn.weight"]
    save_file(weights, copied / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(TerminalError, match=r"lacks weights \(transformer\.h\.1\.attn\.c_attn\.weight"):
        HuggingFaceModel(str(copied))


def test_large_files_are_hashed_once(copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(files, "_WORTH_REMEMBERING", 1 << 16)
    before = find(str(copied), "main", Trust()).sha256
    memory = tmp_path / "cache" / "newwiki" / "sha256.json"
    remembered = json.loads(memory.read_text())
    (key,) = remembered
    assert key.startswith(f"{(copied / 'model.safetensors').resolve()}|")
    memory.write_text(json.dumps({key: "0" * 64}))
    assert find(str(copied), "main", Trust()).sha256 != before, "the memory is not used"
    memory.write_text("not JSON")
    assert find(str(copied), "main", Trust()).sha256 == before
    content = bytearray((copied / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (copied / "model.safetensors").write_bytes(content)
    assert find(str(copied), "main", Trust()).sha256 != before
