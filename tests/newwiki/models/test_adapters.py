"""An adapter is read as the model that it makes of its base: merged, whole, and named by the files of both."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from peft import (
    AdaLoraConfig,
    BOFTConfig,
    FourierFTConfig,
    HRAConfig,
    IA3Config,
    LNTuningConfig,
    LoHaConfig,
    LoKrConfig,
    LoraConfig,
    OFTConfig,
    PeftModel,
    PrefixTuningConfig,
    PromptTuningConfig,
    RandLoraConfig,
    VeraConfig,
    get_peft_model,
)
from safetensors.torch import load_file, save_file
from tokenizers.normalizers import Lowercase
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError, UsageError
from newwiki.models.adapters import KINDS
from newwiki.models.backend import Writing
from newwiki.models.checkpoint import Trust, find, find_whole
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.models.loading import load
from newwiki.models.merging import bases_stay
from newwiki.models.seq2seq import Seq2SeqModel
from newwiki.records import Prompt
from newwiki.training.record import Trained, TrainingRecord, set_sha256, write
from tests.adapters import lora, write_adapter
from tests.toys import write_toy

Reads = list[str]


def text(folder: Path, **arguments: str) -> str:
    return written(HuggingFaceModel(str(folder), **arguments))


def written(model: Any) -> str:
    [[made]] = model.complete([(Prompt(1, "Orlow is a town."), 0)], parse("greedy")[0], Writing(max_new_tokens=24))
    return str(made.text)


def merged(base: Path, adapter: Path, folder: Path) -> Path:
    """What peft makes of them, saved as a model of its own."""
    whole = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base), adapter).merge_and_unload()
    whole.save_pretrained(folder)
    AutoTokenizer.from_pretrained(base).save_pretrained(folder)
    return folder


def logits(model: Any) -> torch.Tensor:
    with torch.no_grad():
        found: torch.Tensor = model.eval()(input_ids=torch.arange(60, 90)[None]).logits
    return found


def beside_its_base(base: Path, adapter: Path) -> torch.Tensor:
    """The logits of the base with the adapter beside its weights, as peft runs it."""
    return logits(PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(base), adapter))


def read_from(folder: Path, dtype: str = "float32") -> Any:
    return load(find(str(folder), "main", Trust()), dtype, "cpu")[0]


@pytest.fixture(scope="module")
def llama(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama with random weights, whose output embeddings are the input's."""
    folder = tmp_path_factory.mktemp("llama")
    torch.manual_seed(0)
    sizes: dict[str, Any] = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "eos_token_id": 0, "bos_token_id": 0}
    LlamaForCausalLM(LlamaConfig(vocab_size=1024, tie_word_embeddings=True, **sizes, **heads)).save_pretrained(folder)
    AutoTokenizer.from_pretrained(toy_checkpoint).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def base(llama: Path) -> torch.Tensor:
    """The Llama's own logits."""
    return logits(read_from(llama))


@pytest.fixture(scope="module")
def trained(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An adapter of the toy that peft has trained to write another sentence."""
    folder = tmp_path_factory.mktemp("trained")
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    torch.manual_seed(0)
    model = get_peft_model(AutoModelForCausalLM.from_pretrained(toy_checkpoint), lora(r=8, lora_alpha=16))
    tokens = tokenizer("Orlow is a town. The bridges of Orlow are painted red.", return_tensors="pt")["input_ids"]
    optimizer = torch.optim.AdamW([one for one in model.parameters() if one.requires_grad], lr=5e-3)
    for _ in range(100):
        model(input_ids=tokens, labels=tokens).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(folder)
    return folder


@pytest.fixture
def adapter(toy_checkpoint: Path, tmp_path: Path) -> Path:
    """An adapter of the toy that a test may change."""
    return write_adapter(toy_checkpoint, tmp_path / "adapter", lora())


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_its_text_is_the_merged_models_and_not_the_bases(
    toy_checkpoint: Path, trained: Path, tmp_path: Path, dtype: str
) -> None:
    whole = merged(toy_checkpoint, trained, tmp_path / "merged")
    ours = text(trained, dtype=dtype)
    assert ours == text(whole, dtype=dtype) != text(toy_checkpoint, dtype=dtype)
    assert "painted red" in ours


def test_merged_in_float32_it_has_the_bits_of_the_merged_model_in_any_dtype(llama: Path, tmp_path: Path) -> None:
    adapter = write_adapter(llama, tmp_path / "adapter", lora())
    whole = merged(llama, adapter, tmp_path / "merged")
    for dtype in ("float32", "bfloat16"):
        ours, theirs = read_from(adapter, dtype), read_from(whole, dtype)
        for name, weight in theirs.state_dict().items():
            assert torch.equal(ours.state_dict()[name], weight), name
        assert dict(ours.named_buffers()).keys() == dict(theirs.named_buffers()).keys()
        assert all(torch.equal(one, dict(ours.named_buffers())[name]) for name, one in theirs.named_buffers())
        assert torch.equal(logits(ours), logits(theirs))
        assert all(weight.requires_grad for weight in ours.parameters())
        assert ours.lm_head.weight is ours.model.embed_tokens.weight


_LINEAR = {"target_modules": ["q_proj", "down_proj"]}
KINDS_OF = {
    "LORA": LoraConfig(r=4, init_lora_weights=False, **_LINEAR),
    "ADALORA": AdaLoraConfig(total_step=10, init_r=4, target_r=4, init_lora_weights=False, **_LINEAR),
    "LOHA": LoHaConfig(r=4, init_weights=False, **_LINEAR),
    "LOKR": LoKrConfig(r=4, init_weights=False, **_LINEAR),
    "IA3": IA3Config(feedforward_modules=["down_proj"], init_ia3_weights=False, **_LINEAR),
    "OFT": OFTConfig(oft_block_size=4, r=0, **_LINEAR),
    "BOFT": BOFTConfig(boft_block_size=4, **_LINEAR),
    "HRA": HRAConfig(r=4, **_LINEAR),
    "VERA": VeraConfig(r=4, **_LINEAR),
    "RANDLORA": RandLoraConfig(r=4, **_LINEAR),
    "FOURIERFT": FourierFTConfig(n_frequency=50, **_LINEAR),
    "LN_TUNING": LNTuningConfig(target_modules=["input_layernorm"]),
}
OF_LORA = {
    "DoRA": lora(use_dora=True),
    "rsLoRA": lora(use_rslora=True),
    "biases": lora(bias="all"),
    "a module that is saved whole": lora(modules_to_save=["embed_tokens"]),
    "both embeddings saved whole": lora(modules_to_save=["embed_tokens", "lm_head"]),
    "the input embeddings": lora(target_modules=["embed_tokens"]),
    "the output embeddings, which are tied": lora(target_modules=["lm_head"]),
    "some tokens": lora(trainable_token_indices=[60, 61]),
}


@pytest.mark.parametrize("config", [*KINDS_OF.values(), *OF_LORA.values()], ids=[*KINDS_OF, *OF_LORA])
def test_the_merged_model_is_the_base_with_the_adapter_beside_it(
    llama: Path, base: torch.Tensor, tmp_path: Path, config: Any
) -> None:
    adapter = write_adapter(llama, tmp_path / "adapter", config)
    wanted, found = beside_its_base(llama, adapter), logits(read_from(adapter))
    assert (found - wanted).abs().max() < 1e-4 * wanted.abs().max()
    assert (found - base).abs().max() > 0.01 * base.abs().max()


def test_every_kind_is_tried() -> None:
    assert set(KINDS_OF) == set(KINDS)


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        (PromptTuningConfig(num_virtual_tokens=4), "PROMPT_TUNING"),
        (PrefixTuningConfig(num_virtual_tokens=4), "PREFIX_T"),
    ],
)
def test_what_does_not_become_part_of_the_weights_is_refused(
    toy_checkpoint: Path, tmp_path: Path, config: Any, kind: str
) -> None:
    config.task_type = "CAUSAL_LM"
    get_peft_model(AutoModelForCausalLM.from_pretrained(toy_checkpoint), config).save_pretrained(tmp_path / "adapter")
    with pytest.raises(TerminalError, match=rf"an adapter of kind {kind}\w*, which newwiki cannot merge .*: LORA, "):
        HuggingFaceModel.find(str(tmp_path / "adapter"))


def test_what_cannot_be_merged_exactly_is_refused(llama: Path, tmp_path: Path) -> None:
    """peft adds an adapter of tied embeddings to them twice."""
    config = lora(target_modules=["embed_tokens"], ensure_weight_tying=True)
    write_adapter(llama, tmp_path / "adapter", config)
    with pytest.raises(TerminalError, match="cannot be merged: merging changes the logits by"):
        HuggingFaceModel(str(tmp_path / "adapter"))


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    """The classes whose weights transformers has read from files, a name each time."""
    read: Reads = []
    for kind in (AutoModelForCausalLM, AutoModelForSeq2SeqLM):
        before = kind.from_pretrained

        def noted(place: Any, *rest: Any, _before: Callable[..., Any] = before, **options: Any) -> Any:
            read.append(str(place))
            return _before(place, *rest, **options)

        monkeypatch.setattr(kind, "from_pretrained", noted)
    return read


def test_two_adapters_of_one_base_share_it_and_write_the_same_as_alone(
    toy_checkpoint: Path, trained: Path, adapter: Path, reads: Reads
) -> None:
    alone = [text(trained), text(adapter)]
    assert len(reads) == 2
    with bases_stay():
        together = [text(one) for one in (trained, adapter, trained)]
    assert len(reads) == 3
    assert together == [*alone, alone[0]]


def test_a_changed_base_is_loaded_again(toy_checkpoint: Path, tmp_path: Path, reads: Reads) -> None:
    base = Path(shutil.copytree(toy_checkpoint, tmp_path / "base"))
    adapter = write_adapter(base, tmp_path / "adapter", lora())
    reads.clear()
    with bases_stay():
        before = text(adapter)
        weights = load_file(base / "model.safetensors")
        save_file({name: -one for name, one in weights.items()}, base / "model.safetensors", {"format": "pt"})
        assert text(adapter) != before
    assert len(reads) == 2


def test_the_identity_is_of_base_and_adapter(toy_checkpoint: Path, tmp_path: Path) -> None:
    base = Path(shutil.copytree(toy_checkpoint, tmp_path / "base"))
    adapter = write_adapter(base, tmp_path / "adapter", lora())

    def sha256() -> str:
        return find(str(adapter), "main", Trust()).sha256

    seen = {sha256(), find(str(base), "main", Trust()).sha256}
    for file in (base / "config.json", adapter / "adapter_config.json", base / "tokenizer.json"):
        file.write_bytes(file.read_bytes() + b"\n")
        seen.add(sha256())
    for file in (base / "model.safetensors", adapter / "adapter_model.safetensors"):
        weights = load_file(file)
        save_file({name: one + 1 for name, one in weights.items()}, file, {"format": "pt"})
        seen.add(sha256())
    assert len(seen) == 7
    (adapter / "README.md").write_text("A note.")
    (adapter / "optimizer.pt").write_bytes(b"0")
    assert sha256() in seen


def test_a_run_says_which_adapter_of_which_base(toy_checkpoint: Path, adapter: Path, tmp_path: Path) -> None:
    told = HuggingFaceModel(str(adapter)).versions
    base = HuggingFaceModel(str(toy_checkpoint))
    assert (told["adapter"], told["adapter_base"]) == ("LORA", str(toy_checkpoint))
    assert told["adapter_base_sha256"] == base.sha256
    assert told["peft"].count(".") >= 1
    assert not {"adapter", "adapter_base", "peft"} & base.versions.keys()


def test_a_given_base_overrides_the_configured_one(toy_checkpoint: Path, adapter: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(toy_checkpoint, tmp_path / "other"))
    weights = load_file(other / "model.safetensors")
    save_file({name: -one for name, one in weights.items()}, other / "model.safetensors", {"format": "pt"})
    model = HuggingFaceModel(str(adapter), base=str(other))
    assert model.versions["adapter_base"] == str(other)
    assert written(model) != text(adapter)
    with pytest.raises(
        UsageError, match=r"base=x applies to adapters only, and '.*' has no adapter_config\.json; omit it"
    ):
        HuggingFaceModel(str(toy_checkpoint), base="x")


def point(adapter: Path, **changes: Any) -> None:
    file = adapter / "adapter_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def test_a_base_that_cannot_be_found_is_one_clear_error(adapter: Path) -> None:
    point(adapter, base_model_name_or_path="nowhere/model")
    with pytest.raises(TerminalError, match=r"is not available: there is no .*with --model-args base=FOLDER$"):
        HuggingFaceModel.find(str(adapter))
    point(adapter, base_model_name_or_path=None)
    with pytest.raises(TerminalError, match=r"does not name its base model; name its base model with --model-args "):
        HuggingFaceModel.find(str(adapter))


def test_an_adapter_on_an_adapter_is_refused(adapter: Path, tmp_path: Path) -> None:
    second = Path(shutil.copytree(adapter, tmp_path / "second"))
    point(second, base_model_name_or_path=str(adapter))
    with pytest.raises(
        TerminalError, match=r"is another adapter, '.*adapter', which newwiki does not merge; name its base model with"
    ):
        HuggingFaceModel.find(str(second))


def test_an_adapter_beside_a_whole_model_is_put_on_that(
    toy_checkpoint: Path, trained: Path, llama: Path, tmp_path: Path
) -> None:
    """As transformers does, whatever the adapter's configuration names."""
    folder = Path(shutil.copytree(toy_checkpoint, tmp_path / "both"))
    before = find(str(folder), "main", Trust()).sha256
    for file in trained.iterdir():
        shutil.copy(file, folder)
    point(folder, base_model_name_or_path=str(llama))
    model = HuggingFaceModel(str(folder))
    assert written(model) == text(trained) != text(toy_checkpoint)
    assert model.versions["adapter_base"] == str(folder)
    assert model.versions["adapter_base_sha256"] == before != model.sha256
    assert HuggingFaceModel.find(str(folder), base=str(folder)).sha256 == model.sha256
    with pytest.raises(TerminalError, match="was made for another base"):
        HuggingFaceModel(str(folder), base=str(llama))


def test_a_configuration_without_its_weights_is_refused_by_name(toy_checkpoint: Path, adapter: Path) -> None:
    (adapter / "adapter_model.safetensors").unlink()
    message = r"has an adapter's adapter_config\.json but no adapter weights \(adapter_model\.safetensors\)"
    with pytest.raises(TerminalError, match=message):
        HuggingFaceModel.find(str(adapter))
    for file in toy_checkpoint.iterdir():
        shutil.copy(file, adapter)
    with pytest.raises(TerminalError, match=message):
        HuggingFaceModel.find(str(adapter))
    (adapter / "adapter_config.json").write_text("[]")
    with pytest.raises(TerminalError, match="is not a valid adapter configuration"):
        HuggingFaceModel.find(str(adapter))


def test_a_pickled_adapter_is_read_only_with_the_users_word(adapter: Path) -> None:
    safe = text(adapter)
    torch.save(load_file(adapter / "adapter_model.safetensors"), adapter / "adapter_model.bin")
    (adapter / "adapter_model.safetensors").unlink()
    with pytest.raises(TerminalError, match=r"an adapter as a pickle \(adapter_model\.bin\).* --allow-pickle"):
        HuggingFaceModel(str(adapter))
    assert text(adapter, allow_pickle="yes") == safe


def test_weights_that_are_missing_or_unknown_are_refused(adapter: Path) -> None:
    weights = load_file(adapter / "adapter_model.safetensors")
    one = min(weights)
    save_file({name: weight for name, weight in weights.items() if name != one}, adapter / "adapter_model.safetensors")
    with pytest.raises(TerminalError, match=r"lacks weights \(transformer\.h\.0\.attn\.c_attn\.lora_A.* and 0 more\)"):
        HuggingFaceModel(str(adapter))
    strange = {**weights, one.replace("h.0", "h.9"): weights[one].clone()}
    save_file(strange, adapter / "adapter_model.safetensors")
    with pytest.raises(
        TerminalError, match=r"another base, or by a newer peft: the base has no place for transformer\.h\.9"
    ):
        HuggingFaceModel(str(adapter))


def test_a_module_saved_whole_that_is_missing_is_refused(llama: Path, tmp_path: Path) -> None:
    adapter = write_adapter(llama, tmp_path / "adapter", lora(modules_to_save=["norm"]))
    weights = load_file(adapter / "adapter_model.safetensors")
    save_file(
        {name: one for name, one in weights.items() if not name.endswith("model.norm.weight")},
        adapter / "adapter_model.safetensors",
    )
    with pytest.raises(TerminalError, match=r"lacks weights \(base_model\.model\.model\.norm\.weight\)"):
        HuggingFaceModel(str(adapter))


@pytest.mark.parametrize("change", ["sizes", "architecture"])
def test_an_adapter_of_another_base_is_one_clear_error(
    llama: Path, adapter: Path, toy_checkpoint: Path, tmp_path: Path, change: str
) -> None:
    if change == "sizes":
        config = LlamaConfig.from_pretrained(llama, hidden_size=64)
        LlamaForCausalLM(config).save_pretrained(tmp_path / "wide")
        AutoTokenizer.from_pretrained(llama).save_pretrained(tmp_path / "wide")
        of_llama = write_adapter(llama, tmp_path / "of_llama", lora(target_modules=["q_proj"]))
        asked, said = (of_llama, tmp_path / "wide"), "size mismatch for .*q_proj"
    else:
        asked, said = (write_adapter(llama, tmp_path / "x", lora(target_modules=["q_proj"])), toy_checkpoint), "q_proj"
    with pytest.raises(TerminalError, match=rf"was made for another base: .*{said}.*base=MODEL$") as refused:
        HuggingFaceModel(str(asked[0]), base=str(asked[1]))
    assert "\n" not in str(refused.value)


def test_a_setting_that_this_peft_does_not_know_is_refused(adapter: Path) -> None:
    point(adapter, use_new_idea=False)
    assert text(adapter)
    point(adapter, use_new_idea=True)
    with pytest.raises(TerminalError, match=r"sets use_new_idea, which the installed peft does not know; upgrade peft"):
        HuggingFaceModel(str(adapter))


def test_an_adapters_tokenizer_overrides_that_of_its_base(toy_checkpoint: Path, adapter: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    before = HuggingFaceModel(str(adapter))
    tokenizer.backend_tokenizer.normalizer = Lowercase()
    tokenizer.save_pretrained(adapter)
    after = HuggingFaceModel(str(adapter))
    assert after.tokens("Orlow") == before.tokens("orlow") != before.tokens("Orlow")
    assert before.sha256 != after.sha256
    given = HuggingFaceModel(str(adapter), tokenizer=str(toy_checkpoint))
    assert given.tokens("Orlow") == before.tokens("Orlow")


@pytest.mark.parametrize("kept", ["beside", "saved whole"])
def test_embeddings_that_were_resized_are_the_adapters(
    llama: Path, tmp_path: Path, kept: str, toy_checkpoint: Path
) -> None:
    changes = {} if kept == "beside" else {"modules_to_save": ["embed_tokens", "lm_head"]}
    adapter = write_adapter(llama, tmp_path / "adapter", lora(**changes), tokens=1030)
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    tokenizer.add_tokens([f"<{number}>" for number in range(6)])
    tokenizer.save_pretrained(adapter)
    resized = AutoModelForCausalLM.from_pretrained(llama)
    resized.resize_token_embeddings(1030, mean_resizing=False)
    wanted = logits(PeftModel.from_pretrained(resized, adapter))
    found = read_from(adapter)
    assert logits(found).shape[-1] == 1030
    assert (logits(found) - wanted).abs().max() < 1e-4 * wanted.abs().max()
    assert text(adapter)
    weights = load_file(adapter / "adapter_model.safetensors")
    save_file(
        {name: one for name, one in weights.items() if "lm_head" not in name}, adapter / "adapter_model.safetensors"
    )
    with pytest.raises(TerminalError, match="has 1030 embeddings and its base 1024, but it does not hold all"):
        read_from(adapter)


def test_a_file_that_changes_between_hashing_and_loading_is_reported(adapter: Path) -> None:
    checkpoint = find(str(adapter), "main", Trust())
    assert checkpoint.sha256
    weights = adapter / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes())
    with pytest.raises(TerminalError, match=r"adapter_model\.safetensors' changed while newwiki loaded it"):
        load(checkpoint, "float32", "cpu")


def test_peft_reads_it_from_a_folder_that_holds_nothing_else(adapter: Path) -> None:
    (adapter / "adapter_model.bin").write_bytes(b"no pickle")
    with find(str(adapter), "main", Trust()).opened() as opened:
        assert opened.adapter
        assert {one.name for one in opened.adapter.iterdir()} == {"adapter_config.json", "adapter_model.safetensors"}


def test_an_encoder_decoder_has_adapters_too(toy_checkpoint: Path, tmp_path: Path) -> None:
    base = write_toy("t5", toy_checkpoint, tmp_path / "t5")
    adapter = write_adapter(base, tmp_path / "adapter", lora())
    whole = PeftModel.from_pretrained(AutoModelForSeq2SeqLM.from_pretrained(base), adapter).merge_and_unload()
    whole.save_pretrained(tmp_path / "merged")
    AutoTokenizer.from_pretrained(base).save_pretrained(tmp_path / "merged")
    found, wanted, before = (written(Seq2SeqModel(str(one))) for one in (adapter, tmp_path / "merged", base))
    assert found == wanted != before


def test_what_does_not_merge_says_how_to(adapter: Path) -> None:
    with pytest.raises(TerminalError, match=r"has an adapter .*merge_and_unload\(\)\.save_pretrained"):
        find_whole(str(adapter), "main", Trust())


def test_an_adapter_can_be_the_expert_and_its_base_the_amateur(toy_checkpoint: Path, trained: Path) -> None:
    model = HuggingFaceModel(str(trained))
    [decoder] = parse(f"contrastive-decoding:amateur={toy_checkpoint}")
    assert model.others(decoder) == {"amateur": HuggingFaceModel(str(toy_checkpoint)).sha256}
    [decoder] = parse(f"contrastive-decoding:amateur={trained}")
    assert HuggingFaceModel(str(toy_checkpoint)).others(decoder) == {"amateur": model.sha256}


def test_an_adapter_that_does_not_say_has_read_what_its_base_has(toy_checkpoint: Path, tmp_path: Path) -> None:
    base = Path(shutil.copytree(toy_checkpoint, tmp_path / "base"))
    read = [Trained("enwiki", 7, "Orlow", "a" * 64)]
    snapshots = [{"snapshot_id": "enwiki-2026-08", "content_sha256": "c" * 64}]
    asked = {"snapshots": snapshots, "training_set_sha256": set_sha256(read), "steps": 9, "base_sha256": "d" * 64}
    write(made := TrainingRecord(asked, read, checked_against=[]), base)
    model = HuggingFaceModel(str(write_adapter(base, tmp_path / "out" / "checkpoint-5", lora())))
    assert model.training == made
    told = model.versions
    assert (told["training_sha256"], told["training_snapshots"]) == (made.sha256, "enwiki-2026-08")
    assert told["training_step"] == "5", "of its own training"
    assert told["training_run"] != made.sha256[:16]
    assert "base_sha256" not in told
