"""vLLM writes what our engine writes, wherever no random number decides, and says how each text ended.

Most of it needs the package vllm, which has an environment of its own: `.ci/vllm`.
"""

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from peft import AdaLoraConfig, LoraConfig

from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError, UsageError
from newwiki.models.backend import Writing
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.models.merging import bases_stay
from newwiki.models.vllm import VLLMModel
from newwiki.models.vllm_adapters import engine_rank
from newwiki.models.vllm_invariance import MODE, batch_invariance
from newwiki.records import Completion, Prompt
from newwiki.registry import models
from tests.adapters import lora, write_adapter
from tests.newwiki.models.families import BEGUN, save_family
from tests.newwiki.models.small_llama import CONTEXT, write_llama

PROMPTS = [Prompt(11, "Ilse Maradén was a botanist."), Prompt(40, "Orlow is a town."), Prompt(7, "The river")]
EAGER = {"enforce_eager": "yes"}  # it starts sooner
REQUESTS = [(prompt, sample) for prompt in PROMPTS for sample in range(4)]

needs_vllm = pytest.mark.skipif(
    find_spec("vllm") is None, reason="needs vLLM, which has an environment of its own: .ci/vllm"
)


@pytest.fixture(scope="module")
def llama(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_llama(toy_checkpoint, tmp_path_factory.mktemp("llama") / "llama")


@pytest.fixture(scope="module")
def shared_engine() -> Iterator[None]:
    """One engine at a time: models that can share it do."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("VLLM_CPU_KVCACHE_SPACE", "1")  # GB
        with bases_stay():
            yield


@pytest.fixture
def model(shared_engine: None, llama: Path) -> VLLMModel:
    return VLLMModel(str(llama), **EAGER)


@pytest.fixture(scope="module")
def ours(llama: Path) -> HuggingFaceModel:
    return HuggingFaceModel(str(llama))


def complete(model: Any, decoder: str, requests: Any = REQUESTS, **writing: Any) -> list[tuple[Any, ...]]:
    batches = model.complete(requests, parse(decoder)[0], Writing(**{"max_new_tokens": 16, **writing}))
    return sorted(_told(completion) for completion in chain.from_iterable(batches))


def _told(completion: Completion) -> tuple[Any, ...]:
    written = (completion.text, completion.tokens, completion.words)
    return completion.page_id, completion.sample, *written, completion.finish_reason, completion.truncated


def thoughts(model: Any, requests: Any) -> list[tuple[Any, ...]]:
    batches = model.complete(requests, parse("greedy")[0], Writing(max_new_tokens=16))
    found = [(one.page_id, one.thinking, one.thinking_tokens, one.no_answer) for batch in batches for one in batch]
    return sorted(found)


@needs_vllm
def test_a_checkpoint_has_the_hash_of_backend_hf(model: VLLMModel, ours: HuggingFaceModel) -> None:
    assert models.get("vllm") is VLLMModel
    assert model.sha256 == ours.sha256
    assert (model.dtype, model.versions["vllm_batch_invariant"]) == ("float32", "off")
    assert model.versions["vllm"].startswith("0.")
    assert model.settings == {"bos": "no", "chat": "no", "context": str(CONTEXT)}


@needs_vllm
@pytest.mark.parametrize(
    "decoder",
    [
        "greedy",
        "sample:top_k=1",
        "sample:top_k=1,repetition_penalty=1.4",
        "sample:top_k=1,presence_penalty=0.1,frequency_penalty=0.05",
        "sample:top_p=0.0001,temperature=0.7",
        "sample:min_p=1",
    ],
)
def test_what_no_random_number_decides_is_what_our_engine_writes(
    decoder: str, model: VLLMModel, ours: HuggingFaceModel
) -> None:
    texts = complete(model, decoder)
    assert texts == complete(ours, decoder)
    assert (texts == complete(ours, "greedy")) == ("penalty" not in decoder)


@needs_vllm
def test_every_completion_has_a_seed_of_its_own(model: VLLMModel) -> None:
    texts = complete(model, "sample")
    some = [text for _, _, text, *_ in texts if text]
    assert len(set(some)) == len(some) > len(REQUESTS) / 2
    assert complete(model, "sample", REQUESTS[::-1]) == texts
    assert not {text for _, _, text, *_ in complete(model, "sample", seed=1)} & set(some)


@needs_vllm
def test_a_text_ends_as_ours_does_at_a_stop_string(model: VLLMModel, ours: HuggingFaceModel) -> None:
    text = complete(model, "greedy")[0][2]
    stop = (text[5:8],)
    texts = complete(model, "greedy", stop=stop)
    assert texts == complete(ours, "greedy", stop=stop)
    assert texts[0][2] == text[: text.index(stop[0])]
    assert texts[0][5:] == ("stop", False)


@needs_vllm
def test_a_text_ends_at_the_end_tokens_that_the_checkpoint_names_or_is_full(model: VLLMModel) -> None:
    """By chance: one token in 20 ends a text."""
    ended = [(tokens, reason, truncated) for *_, tokens, _, reason, truncated in complete(model, "sample")]
    assert {(16, "length", True), (0, "stop", False)} <= set(ended)
    assert all(
        (reason == "length") == truncated and (tokens == 16 or not truncated) for tokens, reason, truncated in ended
    )


@needs_vllm
def test_a_text_ends_with_the_context(model: VLLMModel, ours: HuggingFaceModel) -> None:
    long = Prompt(3, "Orlow is a town in the valley of the river. " * 3)
    assert 0 < (room := CONTEXT - len(ours.tokens(long.text))) < 60
    [text] = complete(model, "greedy", [(long, 0)], max_new_tokens=60)
    assert [text] == complete(ours, "greedy", [(long, 0)], max_new_tokens=60)
    assert text[3] == room and text[5:] == ("context", True)
    with pytest.raises(TerminalError, match=rf"page 3 has \d+ tokens, which leaves no room in a context of {CONTEXT}"):
        complete(model, "greedy", [(Prompt(3, "Orlow " * CONTEXT), 0)])


@needs_vllm
def test_a_chat_model_reads_the_template(shared_engine: None, llama: Path, model: VLLMModel) -> None:
    chat, ours = VLLMModel(str(llama), chat="yes", **EAGER), HuggingFaceModel(str(llama), chat="yes")
    assert chat._llm is model._llm, "they share an engine"
    assert chat.settings["chat"] == "yes"
    texts = complete(chat, "greedy")
    assert texts == complete(ours, "greedy") != complete(model, "greedy")


@needs_vllm
@pytest.mark.parametrize("name", ["qwen3", "r1", "magistral", "gemma3"])
def test_a_model_thinks_and_answers_as_in_our_engine(
    shared_engine: None, toy_checkpoint: Path, tmp_path: Path, name: str
) -> None:
    """With and without a given beginning of the answer, and where the thinking reaches its limit."""
    folder = str(save_family(name, toy_checkpoint, tmp_path))
    requests = [(Prompt(1, "Lorn"), 0), (Prompt(2, "Lorn", BEGUN), 0)]
    for options in ({}, {"max_thinking_tokens": "3"}):
        theirs, ours = (
            VLLMModel(folder, chat="yes", **options, **EAGER),
            HuggingFaceModel(folder, chat="yes", **options),
        )
        assert theirs._ends == ours._end_tokens()
        assert theirs.prompt_sheet.of(requests[0][0]) == ours.prompt_sheet.of(requests[0][0])
        assert complete(theirs, "greedy", requests) == complete(ours, "greedy", requests)
        assert thoughts(theirs, requests) == thoughts(ours, requests)
        del theirs


@needs_vllm
def test_an_aborted_run_leaves_nothing_behind(model: VLLMModel) -> None:
    texts = complete(model, "sample")
    batches: Any = model.complete(REQUESTS, parse("sample")[0], Writing(max_new_tokens=16))
    next(batches)
    assert model._llm.llm_engine.has_unfinished_requests()
    batches.close()
    assert not model._llm.llm_engine.has_unfinished_requests()
    assert complete(model, "sample") == texts


@needs_vllm
def test_a_mode_that_is_on_is_tested(model: VLLMModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in a batch of this model moves a logit far enough for another token."""
    engine = model._llm.llm_engine
    for off in ("0", ""):
        monkeypatch.setenv(MODE, off)
        assert batch_invariance(engine) == "off"
    monkeypatch.setenv(MODE, "1")
    assert batch_invariance(engine) == "on; 4 texts of 32 tokens were the same alone and beside 28 others"


@needs_vllm
@pytest.mark.parametrize(
    ("decoder", "message"),
    [
        ("beam", "has no decoder 'beam' .*it supports: greedy, and sample with .*; use one of these, or --backend hf"),
        ("contrastive-search", "has no decoder"),
        ("sample:typical_p=0.9", "does not support typical_p"),
        ("sample:top_h=0.4,p_less=1", "does not support p_less, top_h"),
        ("greedy:no_repeat_ngram_size=3", "does not support no_repeat_ngram_size"),
        ("sample:temperature=0.001", "does not sample at temperatures below 0.01"),
    ],
)
def test_what_vllm_cannot_do_is_refused(model: VLLMModel, decoder: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        model.others(parse(decoder)[0])
    with pytest.raises(UsageError, match=message):
        complete(model, decoder)


@needs_vllm
def test_its_batches_are_its_own(model: VLLMModel) -> None:
    for writing in ({"strict": True}, {"batch_size": 4}):
        with pytest.raises(UsageError, match="omit --strict and --batch-size"):
            complete(model, "greedy", **writing)


@needs_vllm
def test_adapters_of_one_base_share_its_engine_and_write_what_the_merged_models_write(
    shared_engine: None, llama: Path, tmp_path: Path
) -> None:
    """After the tests of the base, whose engine this one replaces."""
    configs = [lora(), lora(r=8, lora_alpha=4, target_modules=["q_proj", "down_proj"]), lora(r=6, use_rslora=True)]
    folders = [write_adapter(llama, tmp_path / str(seed), config, seed=seed) for seed, config in enumerate(configs)]
    adapters = [VLLMModel(str(folder), **EAGER) for folder in folders]
    assert len({id(adapter._llm) for adapter in adapters}) == 1
    written: dict[Path, Any] = {}
    for adapter, folder in [*zip(adapters, folders, strict=True)] * 2:
        merged = HuggingFaceModel(str(folder))
        texts = complete(adapter, "greedy")
        assert texts == complete(merged, "greedy")
        assert written.setdefault(folder, texts) == texts
        assert adapter.sha256 == merged.sha256
        assert {key: merged.versions[key] for key in ("adapter", "adapter_base", "adapter_base_sha256")}.items() <= (
            adapter.versions.items()
        )
    assert len({str(texts) for texts in written.values()}) == 3
    weights = folders[0] / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes())
    with pytest.raises(TerminalError, match="changed while newwiki loaded it"):
        complete(adapters[0], "greedy")


@needs_vllm
def test_a_model_that_vllm_gives_no_adapters_is_one_line_below_vllms_reason(
    shared_engine: None, toy_checkpoint: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    adapter = write_adapter(toy_checkpoint, tmp_path / "adapter", lora())
    with pytest.raises(TerminalError, match=r"vLLM cannot load .*toy-gpt2") as refused:
        VLLMModel(str(adapter), **EAGER)
    assert "\n" not in str(refused.value)
    assert "GPT2LMHeadModel does not support LoRA yet" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (AdaLoraConfig(total_step=10, target_modules=["q_proj"]), "its kind is ADALORA, and vLLM runs LORA alone"),
        (lora(use_dora=True), "sets use_dora"),
        (lora(modules_to_save=["norm"]), "sets modules_to_save"),
        (lora(trainable_token_indices=[60, 61]), "sets trainable_token_indices"),
        (lora(bias="all"), r"it trains biases \(bias=all\)"),
        (lora(init_lora_weights="pissa"), "init_lora_weights=pissa changes the weights of its base"),
        (LoraConfig(r=513, target_modules=["q_proj"]), "its rank is 513, and vLLM runs ranks up to 512"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_adapter_that_vllm_would_change_is_refused(config: Any, reason: str, llama: Path, tmp_path: Path) -> None:
    adapter = write_adapter(llama, tmp_path / "adapter", config)
    with pytest.raises(TerminalError, match=rf"vLLM cannot run the adapter .*{reason}.* --backend hf, or merge it"):
        engine_rank(adapter, "adapter")


def test_an_adapter_with_trained_embeddings_is_refused(llama: Path, tmp_path: Path) -> None:
    """vLLM skips them without a word."""
    adapter = write_adapter(llama, tmp_path / "adapter", lora(), tokens=1030)
    with pytest.raises(TerminalError, match=r"holds more than pairs of LoRA matrices .*lm_head\.weight"):
        engine_rank(adapter, "adapter")


@pytest.mark.parametrize(("ranks", "engine"), [((4,), 8), ((64,), 64), ((8, 33), 64)])
def test_an_engine_has_room_for_the_largest_rank(
    ranks: tuple[int, ...], engine: int, llama: Path, tmp_path: Path
) -> None:
    first, *others = ranks
    config = lora(
        r=first, target_modules=["q_proj", "v_proj"], rank_pattern=dict.fromkeys(["v_proj"][: len(others)], ranks[-1])
    )
    assert engine_rank(write_adapter(llama, tmp_path / "adapter", config), "adapter") == engine


@pytest.mark.skipif(find_spec("vllm") is not None, reason="vLLM is installed")
def test_without_the_package_the_error_says_where_to_read_on(toy_checkpoint: Path) -> None:
    with pytest.raises(TerminalError, match=r"needs the package vllm, or vllm-cpu; docs/evaluate\.md"):
        VLLMModel.find(str(toy_checkpoint))


def test_its_own_arguments_are_numbers_and_a_flag(toy_checkpoint: Path) -> None:
    with pytest.raises(UsageError, match=r"must be numbers: .*'two'"):
        VLLMModel.find(str(toy_checkpoint), tensor_parallel_size="two")
    with pytest.raises(UsageError, match="enforce_eager must be yes or no, not 'perhaps'"):
        VLLMModel.find(str(toy_checkpoint), enforce_eager="perhaps")


@needs_vllm
def test_a_gguf_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").touch()
    with pytest.raises(TerminalError, match=r"does not read GGUF files \('model\.gguf'\); use --backend hf"):
        VLLMModel.find(str(tmp_path))
