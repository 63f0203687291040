"""Completions of encoder-decoders: what `generate` writes, in any batch, and clear words where that cannot be."""

import json
import re
import shutil
from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import torch
from tokenizers.processors import ByteLevel, Sequence, TemplateProcessing
from transformers import AutoConfig, AutoModelForSeq2SeqLM, AutoTokenizer

from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError
from newwiki.models.backend import Writing
from newwiki.models.engine.encoder_decoder import EncoderDecoderReader
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.models.seq2seq import Seq2SeqModel
from newwiki.records import Completion, Prompt
from newwiki.registry import decoders, models

START = 1
POSITIONS = 64
TOKENS = 10
ENDS = [0, *range(40, 1024, 40)]  # many, so that random weights end their texts
_SMALL: dict[str, Any] = {"vocab_size": 1024, "d_model": 32, "pad_token_id": START, "eos_token_id": 0}
_T5: dict[str, Any] = {**_SMALL, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}
_BART: dict[str, Any] = {
    **_SMALL,
    "bos_token_id": 2,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "max_position_embeddings": POSITIONS,
}
KINDS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "t5": ("t5", _T5, {}),
    "t5-gated": ("t5", {**_T5, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}, {}),
    "bart": ("bart", _BART, {"forced_bos_token_id": 2}),
    "mbart": ("mbart", _BART, {"forced_bos_token_id": 5}),
    "pegasus": ("pegasus", _BART, {}),
    "marian": ("marian", _BART, {"bad_words_ids": [[START]], "suppress_tokens": [3, 4]}),
}
SHARED = ["t5", "bart"]
DECODERS = ["greedy", "sample", "beam", "group-beam", "sibling-beam"]
IN_BATCHES = [  # every decoder with T5, and one of each kind with BART
    *(("t5", decoder) for decoder in DECODERS),
    ("bart", "sample"),
    ("bart", "beam"),
]
PROMPTS = [
    Prompt(11, "Ilse Maradén\n\nIlse Maradén was a botanist."),
    Prompt(40, "Orlow\n\nOrlow is a town in the south of Vareska, which lies on the river Lumen and has a bridge."),
    Prompt(12, "Skarrow"),
]
REQUESTS = [(prompt, sample) for prompt in PROMPTS for sample in range(2)]
Completions = dict[tuple[int, int], Completion]


@pytest.fixture(scope="module")
def checkpoints(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Random weights, and a tokenizer that ends a prompt as T5's and BART's do."""
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    end = tokenizer.eos_token
    closing = TemplateProcessing(single=f"$A {end}", special_tokens=[(end, tokenizer.eos_token_id)])
    tokenizer.backend_tokenizer.post_processor = Sequence([ByteLevel(), closing])
    folders = {}
    for name, (kind, config, generation) in KINDS.items():
        torch.manual_seed(0)
        start = {"decoder_start_token_id": START}
        model = AutoModelForSeq2SeqLM.from_config(AutoConfig.for_model(kind, **config, **start))
        with torch.no_grad():
            for weights in model.parameters():
                if weights.dim() > 1:
                    weights.mul_(2 if kind == "t5" else 8)  # else every next token is about as likely
        model.generation_config.update(**generation, eos_token_id=ENDS)
        folders[name] = tmp_path_factory.mktemp("seq2seq") / name
        model.save_pretrained(folders[name])
        tokenizer.save_pretrained(folders[name])
    return folders


@pytest.fixture(scope="module")
def loaded(checkpoints: dict[str, Path]) -> dict[str, Seq2SeqModel]:
    return {name: Seq2SeqModel(str(folder), device="cpu") for name, folder in checkpoints.items()}


@pytest.fixture(scope="module")
def plain(checkpoints: dict[str, Path]) -> Callable[[str], Any]:
    """A model as transformers reads it, which no test changes."""

    @cache
    def read(kind: str) -> Any:
        model = AutoModelForSeq2SeqLM.from_pretrained(checkpoints[kind]).eval()
        model.generation_config.forced_eos_token_id = None
        return model

    return read


@pytest.fixture
def copied(checkpoints: dict[str, Path], tmp_path: Path) -> Path:
    return shutil.copytree(checkpoints["bart"], tmp_path / "copied")


def complete(
    model: Seq2SeqModel, decoder: str, requests: Iterable[tuple[Prompt, int]] = REQUESTS, **writing: Any
) -> Completions:
    batches = model.complete(list(requests), parse(decoder)[0], Writing(**{"max_new_tokens": TOKENS, **writing}))
    return {(one.page_id, one.sample): one for one in chain.from_iterable(batches)}


def generated(model: Any, tokenizer: Any, **asked: Any) -> dict[int, tuple[str, int, str]]:
    """Text, tokens and finish reason of what transformers' own `generate` writes after each prompt."""
    found = {}
    for prompt in PROMPTS:
        inputs = tokenizer(prompt.text, return_tensors="pt")["input_ids"]
        with torch.inference_mode():
            row = model.generate(
                inputs, attention_mask=torch.ones_like(inputs), max_new_tokens=TOKENS, do_sample=False, **asked
            )[0]
        assert row[0] == START
        tokens = row[1:].tolist()
        length = next((place for place, token in enumerate(tokens) if token in ENDS), len(tokens))
        text = tokenizer.decode(tokens[:length], skip_special_tokens=True, clean_up_tokenization_spaces=False)
        found[prompt.page_id] = (text, length, "stop" if length < len(tokens) else "length")
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beams", [1, 3])
def test_greedy_and_beam_search_are_those_of_generate_token_for_token(
    loaded: dict[str, Seq2SeqModel], plain: Callable[[str], Any], kind: str, beams: int
) -> None:
    decoder = f"beam:num_beams={beams}" if beams > 1 else "greedy"
    asked = {"num_beams": beams, **({"length_penalty": 1.0, "early_stopping": False} if beams > 1 else {})}
    expected = generated(plain(kind), loaded[kind]._tokenizer, **asked)
    requests = [(prompt, 0) for prompt in PROMPTS]
    texts = complete(loaded[kind], decoder, requests, batch_size=16)
    assert {page: (one.text, one.tokens, one.finish_reason) for (page, _), one in texts.items()} == expected


def test_blocked_n_grams_are_those_of_generate(loaded: dict[str, Seq2SeqModel], plain: Callable[[str], Any]) -> None:
    """They are looked for in what the decoder reads, its start among it, and not in the prompt."""
    for kind in SHARED:
        expected = generated(plain(kind), loaded[kind]._tokenizer, num_beams=1, no_repeat_ngram_size=1)
        texts = complete(loaded[kind], "greedy:no_repeat_ngram_size=1", [(prompt, 0) for prompt in PROMPTS])
        assert {page: one.text for (page, _), one in texts.items()} == {page: e[0] for page, e in expected.items()}


@pytest.mark.parametrize(("kind", "decoder"), IN_BATCHES)
def test_the_same_bytes_at_any_batch_size_in_any_order_and_after_an_interruption(
    loaded: dict[str, Seq2SeqModel], kind: str, decoder: str
) -> None:
    model = loaded[kind]
    few: dict[str, Any] = {"max_new_tokens": 4}
    whole = complete(model, decoder, batch_size=1, **few)
    assert whole.keys() == {(prompt.page_id, sample) for prompt, sample in REQUESTS}
    assert complete(model, decoder, REQUESTS[::-1], batch_size=7, **few) == whole
    assert complete(model, decoder, REQUESTS[:4], **few) | complete(model, decoder, REQUESTS[4:], **few) == whole
    assert complete(model, decoder, strict=True, **few) == whole


@pytest.mark.parametrize(("kind", "decoder"), [("t5", "greedy"), ("bart", "sample"), ("t5", "sample:top_k=20")])
def test_what_is_settled_alone_is_the_same(
    loaded: dict[str, Seq2SeqModel], monkeypatch: pytest.MonkeyPatch, kind: str, decoder: str
) -> None:
    expected = complete(loaded[kind], decoder, max_new_tokens=4)
    monkeypatch.setattr("newwiki.models.seq2seq.FLOAT32_SLACK", 1e9)
    assert complete(loaded[kind], decoder, max_new_tokens=4) == expected


def test_memory_that_runs_out_halves_a_cohort_and_changes_no_byte(
    loaded: dict[str, Seq2SeqModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, notes, step = loaded["t5"], list[str](), EncoderDecoderReader.step
    expected = complete(model, "beam", batch_size=16)

    def tight(self: EncoderDecoderReader, tokens: torch.Tensor) -> torch.Tensor:
        if len(tokens) > 9:
            raise MemoryError
        return step(self, tokens)

    monkeypatch.setattr(EncoderDecoderReader, "step", tight)
    assert complete(model, "beam", batch_size=16, note=notes.append) == expected
    assert notes == ["out of memory: continuing with 8 rows at a time"]


def test_sampling_differs_by_seed_page_and_sample(loaded: dict[str, Seq2SeqModel]) -> None:
    same_text = [(Prompt(page, "Orlow\n\nOrlow is"), sample) for page in (1, 2) for sample in range(4)]
    for kind in SHARED:
        one, other = (complete(loaded[kind], "sample:temperature=2", same_text, seed=seed) for seed in (0, 1))
        assert len({one[key].text for key in one} | {other[key].text for key in other}) >= 12


def test_the_prompt_is_read(loaded: dict[str, Seq2SeqModel]) -> None:
    texts = complete(loaded["bart"], "greedy", [(prompt, 0) for prompt in PROMPTS])
    assert len({one.text for one in texts.values()}) == len(PROMPTS)


def test_a_completion_counts_itself(loaded: dict[str, Seq2SeqModel]) -> None:
    reasons = set()
    for kind in SHARED:
        for completion in complete(loaded[kind], "sample", max_new_tokens=30).values():
            reasons.add(completion.finish_reason)
            assert completion.words == len(completion.text.split())
            assert completion.truncated == (completion.finish_reason != "stop")
            assert (completion.finish_reason == "length") == (completion.tokens == 30)
    assert reasons == {"stop", "length"}


def test_a_full_decoder_ends_a_completion_and_says_so(copied: Path) -> None:
    """The decoder reads its start and all but the last token that it writes."""
    configured = json.loads((copied / "generation_config.json").read_text())
    configured["eos_token_id"] = 1023
    (copied / "generation_config.json").write_text(json.dumps(configured))
    completion = complete(Seq2SeqModel(str(copied)), "greedy", REQUESTS[:1], max_new_tokens=100)[11, 0]
    assert (completion.tokens, completion.finish_reason, completion.truncated) == (POSITIONS, "context", True)


def test_t5_has_no_context_to_fill(loaded: dict[str, Seq2SeqModel]) -> None:
    long = Prompt(5, "Orlow is a town. " * 60)
    for completion in complete(loaded["t5"], "sample", [(long, n) for n in range(3)], max_new_tokens=90).values():
        assert completion.finish_reason in ("stop", "length")


def test_what_is_cut_off_is_not_called_finished(copied: Path) -> None:
    configured = json.loads((copied / "generation_config.json").read_text())
    (copied / "generation_config.json").write_text(json.dumps({**configured, "forced_eos_token_id": 0}))
    completion = complete(Seq2SeqModel(str(copied)), "greedy", REQUESTS[:1], max_new_tokens=2)[11, 0]
    assert (completion.tokens, completion.finish_reason) == (2, "length")


def test_a_prompt_that_the_encoder_cannot_read_is_an_error_before_anything_is_written(
    loaded: dict[str, Seq2SeqModel],
) -> None:
    tokenizer = loaded["bart"]._tokenizer
    text = "1" * (POSITIONS - 1)
    while len(tokenizer(text)["input_ids"]) < POSITIONS:
        text += "1"
    assert len(tokenizer(text)["input_ids"]) == POSITIONS
    assert complete(loaded["bart"], "greedy", [(Prompt(7, text), 0)])
    message = rf"the prompt of page 7 has {POSITIONS + 1} tokens, but the model's encoder reads at most {POSITIONS}"
    longer = text + "1"
    while len(tokenizer(longer)["input_ids"]) <= POSITIONS:
        longer += "1"
    with pytest.raises(TerminalError, match=message):
        loaded["bart"].complete([(PROMPTS[0], 0), (Prompt(7, longer), 0)], parse("greedy")[0], Writing())


def test_a_stop_string_ends_a_completion(loaded: dict[str, Seq2SeqModel]) -> None:
    whole = complete(loaded["t5"], "greedy", REQUESTS[:1])[11, 0]
    stop = whole.text[4:6]
    completion = complete(loaded["t5"], "greedy", REQUESTS[:1], stop=(stop,))[11, 0]
    assert completion.finish_reason == "stop"
    assert completion.text == whole.text[: whole.text.find(stop)]


@pytest.mark.parametrize("name", ["delayed-beam", "contrastive-search", "contrastive-decoding:amateur=x"])
def test_decoders_that_make_no_sense_here_are_refused(loaded: dict[str, Seq2SeqModel], name: str) -> None:
    decoder = parse(name)[0]
    message = f"seq2seq has no decoder '{decoder.name}'; it supports: {', '.join(DECODERS)}; use one of these"
    with pytest.raises(TerminalError, match=message):
        loaded["t5"].others(decoder)
    with pytest.raises(TerminalError, match=message):
        loaded["t5"].complete(REQUESTS, decoder, Writing())


def test_every_decoder_that_it_names_is_there(loaded: dict[str, Seq2SeqModel]) -> None:
    assert set(DECODERS) <= decoders.all().keys()
    assert all(loaded["t5"].others(parse(name)[0]) == {} for name in DECODERS)


def test_each_backend_names_the_other_for_the_other_kind_of_model(
    checkpoints: dict[str, Path], toy_checkpoint: Path
) -> None:
    with pytest.raises(TerminalError, match=r"an encoder-decoder \(T5For.*\), .*; use --backend seq2seq, or choose"):
        HuggingFaceModel(str(checkpoints["t5"]))
    with pytest.raises(TerminalError, match=r"not an encoder-decoder \(GPT2LMHeadModel\), .*; use --backend hf"):
        Seq2SeqModel(str(toy_checkpoint))


def test_a_checkpoint_must_say_what_its_decoder_begins_with(copied: Path) -> None:
    for name in ("config.json", "generation_config.json"):
        config = json.loads((copied / name).read_text())
        config.update(decoder_start_token_id=None, bos_token_id=None)
        (copied / name).write_text(json.dumps(config))
    with pytest.raises(TerminalError, match="does not define its decoder's start token; set decoder_start_token_id"):
        Seq2SeqModel(str(copied))


def test_a_model_that_reads_in_another_way_is_refused(toy_checkpoint: Path, tmp_path: Path) -> None:
    """ProphetNet's decoder predicts several tokens at once."""
    config = AutoConfig.for_model(
        "prophetnet", vocab_size=1024, hidden_size=32, num_encoder_layers=1, num_decoder_layers=1,
        num_encoder_attention_heads=4, num_decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48,
        decoder_start_token_id=START,
    )  # fmt: skip
    AutoModelForSeq2SeqLM.from_config(config).save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(toy_checkpoint).save_pretrained(tmp_path)
    with pytest.raises(
        TerminalError, match="cannot run ProphetNetForConditionalGeneration, because it cannot be read token by token"
    ):
        Seq2SeqModel(str(tmp_path))


def test_it_says_what_made_its_numbers(loaded: dict[str, Seq2SeqModel], checkpoints: dict[str, Path]) -> None:
    assert models.get("seq2seq") is Seq2SeqModel
    model = loaded["t5"]
    assert (model.name, model.backend, model.dtype) == (str(checkpoints["t5"]), "seq2seq", "float32")
    assert re.fullmatch("[0-9a-f]{64}", model.sha256)
    assert {"newwiki-eval", "torch", "transformers", "tokenizers", "device"} <= model.versions.keys()


def test_half_precision_writes_too(checkpoints: dict[str, Path]) -> None:
    for kind in SHARED:
        half = Seq2SeqModel(str(checkpoints[kind]), dtype="bfloat16")
        assert complete(half, "sample", max_new_tokens=4).keys() == {(p.page_id, sample) for p, sample in REQUESTS}
