"""A model learns what it is asked for in an evaluation: the same prompt, which is never learnt, then the article."""

from pathlib import Path
from typing import Any

import pytest
from tokenizers.processors import ByteLevel, Sequence, TemplateProcessing
from transformers import AutoTokenizer

from newwiki.errors import TerminalError
from newwiki.models.checkpoint import Trust, find
from newwiki.models.loading import load
from newwiki.models.prompting import Prompting
from newwiki.training.examples import IGNORED, Learner, TrainingText, padded
from tests.toys import write_toy

TEXT = TrainingText(7, "Orlow\n\nOrlow is a town.", "It stands by the river.")


@pytest.fixture(scope="module")
def gpt2(toy_checkpoint: Path) -> tuple[Any, Any]:
    return load(find(str(toy_checkpoint), "main", Trust()), "float32", "cpu")


@pytest.fixture(scope="module")
def bart(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    folder = write_toy("bart", toy_checkpoint, tmp_path_factory.mktemp("toys") / "bart")
    return load(find(str(folder), "main", Trust()), "float32", "cpu", encoder_decoder=True)


def causal(gpt2: tuple[Any, Any], max_length: int = 64) -> Learner:
    return Learner("toy", *gpt2, max_length, is_causal=True)


def test_a_prompt_is_read_as_in_an_evaluation_and_not_learnt(gpt2: tuple[Any, Any]) -> None:
    model, tokenizer = gpt2
    example = causal(gpt2).example(TEXT)
    prompt = Prompting("toy", tokenizer, model.config, chat=False, bos="auto").encode(TEXT.prompt)
    assert example.input_ids[: len(prompt)] == prompt
    assert example.labels[: len(prompt)] == (IGNORED,) * len(prompt)
    learnt = example.labels[len(prompt) :]
    assert learnt == example.input_ids[len(prompt) :]
    assert tokenizer.decode(learnt) == " It stands by the river.<|endoftext|>"
    assert not example.is_cut


def test_a_tokenizer_that_begins_with_bos_does_so_here_too(gpt2: tuple[Any, Any], toy_checkpoint: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint, bos_token="<s>")
    bos = tokenizer.bos_token_id
    opening = TemplateProcessing(single="<s> $A", special_tokens=[("<s>", bos)])
    tokenizer.backend_tokenizer.post_processor = Sequence([ByteLevel(), opening])
    assert tokenizer("a")["input_ids"][0] == bos
    example = causal((gpt2[0], tokenizer)).example(TEXT)
    assert example.input_ids[0] == bos
    assert example.input_ids[1:] == causal(gpt2).example(TEXT).input_ids
    assert example.labels[0] == IGNORED


def test_a_long_article_is_cut_and_learns_no_end(gpt2: tuple[Any, Any]) -> None:
    whole = causal(gpt2).example(TEXT)
    short = causal(gpt2, len(whole.input_ids) - 1).example(TEXT)
    assert short.is_cut
    assert short.input_ids == whole.input_ids[:-1]
    assert gpt2[1].eos_token_id not in short.labels


def test_a_prompt_without_room_is_named(gpt2: tuple[Any, Any]) -> None:
    with pytest.raises(
        TerminalError, match=r"the prompt of page 7 has \d+ tokens, which leaves nothing to learn within 5 "
    ):
        causal(gpt2, 5).example(TEXT)


def test_an_encoder_reads_the_prompt_and_the_decoder_writes_the_article(bart: tuple[Any, Any]) -> None:
    model, tokenizer = bart
    example = Learner("toy", *bart, 64, is_causal=False).example(TEXT)
    assert list(example.input_ids) == tokenizer(TEXT.prompt)["input_ids"]
    assert tokenizer.decode(example.labels) == "It stands by the river.<|endoftext|>"
    model.generation_config.forced_bos_token_id = 5
    try:
        forced = Learner("toy", *bart, 64, is_causal=False).example(TEXT)
    finally:
        model.generation_config.forced_bos_token_id = None
    assert forced.labels == (5, *example.labels), "the decoder begins as `generate` has it begin"
    with pytest.raises(TerminalError, match=r"page 8 has 2001 tokens, but the model's encoder reads at most 512"):
        Learner("toy", *bart, 64, is_causal=False).example(TrainingText(8, " the" * 2000, "It stands."))


def test_a_model_that_cannot_end_a_text_is_refused(gpt2: tuple[Any, Any], toy_checkpoint: Path) -> None:
    model, _ = gpt2
    endless = AutoTokenizer.from_pretrained(toy_checkpoint)
    endless.eos_token = None
    configured, model.generation_config.eos_token_id = model.generation_config.eos_token_id, None
    try:
        with pytest.raises(TerminalError, match="'toy' has no end-of-text token"):
            causal((model, endless))
    finally:
        model.generation_config.eos_token_id = configured


def test_a_batch_is_as_wide_as_its_longest_and_pads_what_is_not_read(gpt2: tuple[Any, Any]) -> None:
    long, short = causal(gpt2).example(TEXT), causal(gpt2).example(TrainingText(8, "Orlow", "It is."))
    batch = padded([long, short])
    width, filled = len(long.input_ids), len(short.input_ids)
    assert {name: tuple(one.shape) for name, one in batch.items()} == dict.fromkeys(batch, (2, width))
    assert batch["attention_mask"].sum(1).tolist() == [width, filled]
    assert batch["labels"][1, filled:].tolist() == [IGNORED] * (width - filled)
