"""Completions of a real checkpoint: never cut, never changed by the batch, and the same as transformers' own."""

import re
import shutil
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError, UsageError
from newwiki.models.backend import TokenContext, Writing
from newwiki.models.checkpoint import Checkpoint, Trust
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.records import Completion, Passage, Prompt

CONTEXT = 1024
PROMPTS = [
    Prompt(11, "Ilse Maradén\n\nIlse Maradén was a botanist."),
    Prompt(40, "Orlow\n\nOrlow is a town in the south of Vareska, which lies on the river Lumen and has a bridge."),
    Prompt(12, "Skarrow"),
    Prompt(13, "שלום 🙂\n\nשלום."),
]
REQUESTS = [(prompt, sample) for prompt in PROMPTS for sample in range(4)]


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


@pytest.fixture(scope="module")
def model(toy_checkpoint: Path) -> HuggingFaceModel:
    return HuggingFaceModel(str(toy_checkpoint), device="cpu")


@pytest.fixture
def copied(toy_checkpoint: Path, tmp_path: Path) -> Path:
    """A checkpoint to be changed."""
    return shutil.copytree(toy_checkpoint, tmp_path / "copied")


def fingerprint(folder: Path) -> str:
    return Checkpoint(folder, Trust()).sha256


def complete(
    model: HuggingFaceModel,
    requests: Iterable[tuple[Prompt, int]] = REQUESTS,
    decoder: str = "sample",
    *,
    seed: int = 0,
    max_new_tokens: int = 16,
    batch_size: int | None = 8,
    stop: tuple[str, ...] = (),
    strict: bool = False,
) -> dict[tuple[int, int], Completion]:
    (parsed,) = parse(decoder)
    writing = Writing(seed, max_new_tokens, batch_size, stop, strict)
    batches = model.complete(list(requests), parsed, writing)
    return {(one.page_id, one.sample): one for one in chain.from_iterable(batches)}


@pytest.fixture
def oracle(toy_checkpoint: Path) -> Callable[[str, int], list[int]]:
    """What transformers' own greedy search writes."""
    loaded, tokenizer = (
        AutoModelForCausalLM.from_pretrained(toy_checkpoint),
        AutoTokenizer.from_pretrained(toy_checkpoint),
    )

    def write(text: str, many: int) -> list[int]:
        inputs = tokenizer(text, return_tensors="pt")
        with torch.inference_mode():
            output = loaded.generate(**inputs, do_sample=False, max_new_tokens=many)
        tokens: list[int] = output[0, inputs["input_ids"].shape[1] :].tolist()
        return tokens

    return write


def test_greedy_is_transformers_greedy_token_for_token(
    model: HuggingFaceModel, toy_checkpoint: Path, oracle: Callable[[str, int], list[int]]
) -> None:
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    requests = [(prompt, 0) for prompt in PROMPTS]
    texts = {page: one.text for (page, _), one in complete(model, requests, "greedy", max_new_tokens=60).items()}
    assert texts == {prompt.page_id: tokenizer.decode(oracle(prompt.text, 60)) for prompt in PROMPTS}


def test_sampling_differs_by_seed_page_and_sample(model: HuggingFaceModel) -> None:
    same_text = [(Prompt(page, "Orlow\n\nOrlow is"), sample) for page in (1, 2) for sample in range(4)]
    one, other = complete(model, same_text, seed=0), complete(model, same_text, seed=1)
    assert len({completion.text for completion in (one | other).values()}) == 8
    assert len({one[key].text for key in one} | {other[key].text for key in other}) == 16


def test_contexts_continued_together_get_the_tokens_that_each_gets_alone(model: HuggingFaceModel) -> None:
    [sample] = parse("sample")
    tokens = tuple(model.tokens("Orlow\n\nOrlow is a town"))
    contexts = [TokenContext(1, 0, tokens[:length], seed, room) for length in (2, 6) for seed, room in ((5, 9), (8, 3))]

    def written(asked: list[TokenContext]) -> dict[TokenContext, tuple[int, ...]]:
        return dict(chain.from_iterable(model.continuations(asked, sample, Writing(batch_size=8))))

    together = written(contexts)
    assert together == {context: alone for one in contexts for context, alone in written([one]).items()}
    assert [len(together[one]) for one in contexts] == [9, 3, 9, 3]
    assert together[contexts[0]][:3] != together[contexts[1]]


def test_a_completion_counts_itself(model: HuggingFaceModel, toy_checkpoint: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    for (page_id, sample), completion in complete(model).items():
        assert (completion.page_id, completion.sample) == (page_id, sample)
        assert completion.words == len(completion.text.split())
        assert completion.tokens is not None and 0 <= completion.tokens <= 16
        assert completion.truncated == (completion.finish_reason != "stop")
        assert (completion.finish_reason == "length") == (completion.tokens == 16)
        assert tokenizer.eos_token not in completion.text


def test_no_requests_give_no_completions(model: HuggingFaceModel) -> None:
    assert complete(model, []) == {}


def test_one_token_is_one_token(model: HuggingFaceModel) -> None:
    assert {completion.tokens for completion in complete(model, decoder="greedy", max_new_tokens=1).values()} == {1}


def prompt_of(length: int, toy_checkpoint: Path) -> Prompt:
    """A prompt of so many tokens."""
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    text = ""
    while len(tokenizer(text)["input_ids"]) < length:
        text += "1"
    assert len(tokenizer(text)["input_ids"]) == length
    return Prompt(7, text)


def test_a_full_context_ends_a_completion_and_says_so(
    model: HuggingFaceModel, toy_checkpoint: Path, oracle: Callable[[str, int], list[int]]
) -> None:
    """transformers reads the whole prompt; so the same tokens come only from the whole prompt."""
    prompt = prompt_of(CONTEXT - 4, toy_checkpoint)
    completion = complete(model, [(prompt, 0), (PROMPTS[0], 0)], "greedy")[7, 0]
    expected = AutoTokenizer.from_pretrained(toy_checkpoint).decode(oracle(prompt.text, 4))
    assert (completion.tokens, completion.finish_reason, completion.truncated) == (4, "context", True)
    assert completion.text == expected


@pytest.mark.parametrize("over", [0, 1, 500])
def test_a_prompt_that_leaves_no_room_is_an_error_before_anything_is_written(
    model: HuggingFaceModel, toy_checkpoint: Path, over: int
) -> None:
    prompt = prompt_of(CONTEXT + over, toy_checkpoint)
    message = (
        rf"the prompt of page 7 has {CONTEXT + over} tokens, which leaves no room in the model's context of {CONTEXT}"
    )
    with pytest.raises(TerminalError, match=message):
        model.complete([(PROMPTS[0], 0), (prompt, 0)], parse("greedy")[0], Writing())


def test_a_completion_that_fills_the_context_exactly_is_as_long_as_asked(
    model: HuggingFaceModel, toy_checkpoint: Path
) -> None:
    completion = complete(model, [(prompt_of(CONTEXT - 16, toy_checkpoint), 0)], "greedy")[7, 0]
    assert (completion.tokens, completion.finish_reason) == (16, "length")


@pytest.mark.parametrize("several", [False, True])
def test_the_end_of_text_says_stop_and_is_not_part_of_it(
    copied: Path, oracle: Callable[[str, int], list[int]], several: bool
) -> None:
    """A checkpoint whose end of text is the fifth token that it would write, or one of two."""
    tokens = oracle(PROMPTS[0].text, 24)
    end = tokens[5]
    written = tokens[: tokens.index(end)]
    (copied / "generation_config.json").write_text(f'{{"eos_token_id": {[end, 0] if several else end}}}')
    model = HuggingFaceModel(str(copied))
    completion = complete(model, [(PROMPTS[0], 0)], "greedy")[11, 0]
    assert (completion.tokens, completion.finish_reason, completion.truncated) == (len(written), "stop", False)
    assert completion.text == AutoTokenizer.from_pretrained(copied).decode(written)


def test_rows_that_end_early_leave_the_others_alone(copied: Path) -> None:
    """Every twelfth token ends a text: rows leave their batch at many steps."""
    (copied / "generation_config.json").write_text(f'{{"eos_token_id": {list(range(0, 1024, 12))}}}')
    model = HuggingFaceModel(str(copied))
    alone = complete(model, batch_size=1)
    assert complete(model, batch_size=64) == alone
    assert {completion.finish_reason for completion in alone.values()} == {"stop", "length"}
    assert len({completion.tokens for completion in alone.values()}) > 4


def test_auto_computes_in_float32_and_half_precision_only_when_asked(toy_checkpoint: Path) -> None:
    assert HuggingFaceModel(str(toy_checkpoint)).dtype == "float32"
    half = HuggingFaceModel(str(toy_checkpoint), dtype="bfloat16")
    assert half.dtype == "bfloat16"
    assert complete(half, max_new_tokens=4).keys() == {(prompt.page_id, sample) for prompt, sample in REQUESTS}


def test_an_unknown_dtype_is_misuse(toy_checkpoint: Path) -> None:
    with pytest.raises(UsageError, match="there is no dtype 'int8'; choose one of: auto, float32, bfloat16, float16"):
        HuggingFaceModel(str(toy_checkpoint), dtype="int8")


def test_a_model_says_what_made_its_numbers(model: HuggingFaceModel, toy_checkpoint: Path) -> None:
    assert (model.name, model.backend) == (str(toy_checkpoint), "hf")
    assert {"newwiki-eval", "torch", "transformers", "tokenizers", "device"} <= model.versions.keys()
    assert re.fullmatch("[0-9a-f]{64}", model.sha256)


def test_a_fingerprint_is_of_what_decides_the_text_and_not_of_the_name(toy_checkpoint: Path, copied: Path) -> None:
    before = fingerprint(toy_checkpoint)
    assert fingerprint(copied) == before
    (copied / "README.md").write_text("a toy")
    (copied / "optimizer.pt").write_bytes(b"x")
    assert fingerprint(copied) == before


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json", "generation_config.json"])
def test_a_fingerprint_changes_with_any_byte_that_decides(toy_checkpoint: Path, copied: Path, name: str) -> None:
    content = bytearray((copied / name).read_bytes())
    content[-1] ^= 1
    (copied / name).write_bytes(content)
    assert fingerprint(copied) != fingerprint(toy_checkpoint)


def test_a_folder_without_a_checkpoint_is_refused_with_the_missing_file(copied: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(TerminalError, match=r"empty' is not a checkpoint: it has no config\.json; name a folder"):
        HuggingFaceModel(str(tmp_path / "empty"))
    (copied / "model.safetensors").rename(copied / "pytorch_model.bin")
    with pytest.raises(TerminalError, match=r"copied' holds its weights as pickles .*, add --allow-pickle"):
        HuggingFaceModel(str(copied))
    (copied / "pytorch_model.bin").unlink()
    with pytest.raises(TerminalError, match=r"copied' holds no weights \(\*\.safetensors\); save them there"):
        HuggingFaceModel(str(copied))


@pytest.mark.parametrize("name", ["no-such-model", "nobody/no-such-model", "./no/such/folder", "/no/such/folder"])
def test_an_unknown_model_name_is_reported(name: str) -> None:
    with pytest.raises(
        TerminalError, match=f"there is no model '{name}': no local folder has this name, .*check the path"
    ):
        HuggingFaceModel(name)


@pytest.mark.parametrize(
    ("name", "content"),
    [("config.json", b"{"), ("config.json", b"{}"), ("tokenizer.json", b"{"), ("model.safetensors", b"cut off")],
)
def test_a_checkpoint_with_a_broken_file_is_an_error_that_names_it(copied: Path, name: str, content: bytes) -> None:
    (copied / name).write_bytes(content)
    with pytest.raises(TerminalError, match="copied' cannot be loaded"):
        HuggingFaceModel(str(copied))


def test_an_unknown_device_is_misuse(toy_checkpoint: Path) -> None:
    with pytest.raises(TerminalError, match="nowhere"):
        HuggingFaceModel(str(toy_checkpoint), device="nowhere")


@pytest.fixture(scope="module")
def hybrid(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> HuggingFaceModel:
    """A small Falcon-H1 of random weights: each of its layers is a scan beside attention."""
    folder = tmp_path_factory.mktemp("hybrid")
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    torch.manual_seed(0)
    config = AutoConfig.for_model(
        "falcon_h1", vocab_size=len(tokenizer), hidden_size=32, intermediate_size=48, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, head_dim=8, mamba_n_heads=4, mamba_d_head=16, mamba_d_ssm=64,
        mamba_d_state=8, mamba_n_groups=1, mamba_chunk_size=8, max_position_embeddings=256,
        eos_token_id=tokenizer.eos_token_id, bos_token_id=0, pad_token_id=0,
    )  # fmt: skip
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return HuggingFaceModel(str(folder), device="cpu")


def test_a_run_names_the_path_where_a_model_is_read_with_its_own_cache(
    model: HuggingFaceModel, hybrid: HuggingFaceModel
) -> None:
    assert hybrid.settings == {"bos": "no", "chat": "no", "path": "own-cache"}
    assert model.settings == {"bos": "no", "chat": "no"}


def test_a_model_with_its_own_cache_writes_the_same_in_any_batch(hybrid: HuggingFaceModel) -> None:
    requests = REQUESTS[::3]
    alone = complete(hybrid, requests, batch_size=1, max_new_tokens=6)
    for size in (4, None):
        assert complete(hybrid, requests[::-1], batch_size=size, max_new_tokens=6) == alone
    assert complete(hybrid, requests, strict=True, max_new_tokens=6) == alone


def test_a_model_with_its_own_cache_reads_articles(hybrid: HuggingFaceModel) -> None:
    (reading,) = hybrid.readings(
        [(Prompt(0, "Orlow\n\n"), "Orlow is a town in the south of Vareska.")], standardised=True
    )
    assert isinstance(reading.rest, Passage) and len(reading.rest.log_probabilities) > 5


def test_look_ahead_decoders_are_refused_by_name_for_models_with_their_own_cache(
    hybrid: HuggingFaceModel,
) -> None:
    told = r"FalconH1ForCausalLM\) is read with its own cache.*contrastive-search reads several candidates at once"
    with pytest.raises(TerminalError, match=told):
        hybrid.others(parse("contrastive-search")[0])
    with pytest.raises(TerminalError, match=told):
        complete(hybrid, decoder="contrastive-search")
