"""The oracle against transformers' own generation, where it still has the decoder, and against direct computations."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig

from newwiki.decoding.grammar import Decoder
from tests.newwiki.decoding.naive import Naive

TEXTS = ["The town of", "She was born in 1986 and", "In the history of music, the band", "It is"]


@pytest.fixture(scope="module")
def model(toy_checkpoint: Path) -> Any:
    return AutoModelForCausalLM.from_pretrained(toy_checkpoint).eval()


@pytest.fixture(scope="module")
def prompts(toy_checkpoint: Path) -> list[list[int]]:
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    return [tokenizer(text)["input_ids"] for text in TEXTS]


@pytest.fixture(scope="module")
def end_tokens(model: Any, prompts: list[list[int]]) -> list[int]:
    """Tokens that are rather, but not always, likely: declared to end the text, they make many hypotheses finish."""
    with torch.inference_mode():
        p = sum(model(input_ids=torch.tensor([prompt])).logits[0, -1].softmax(dim=0) for prompt in prompts)
    return p.topk(12).indices.tolist()[4::4]


def by_transformers(model: Any, prompt: Sequence[int], room: int, end_tokens: Sequence[int], **options: Any) -> Any:
    config = GenerationConfig(
        do_sample=False, max_new_tokens=room, eos_token_id=list(end_tokens), pad_token_id=0, **options
    )
    written = model.generate(torch.tensor([prompt]), generation_config=config)[0, len(prompt) :].tolist()
    ends = [place for place, token in enumerate(written) if token in end_tokens]
    return (written[: ends[0]], True) if ends else (written, False)


def naive(model: Any, end_tokens: Sequence[int], **models: Any) -> Naive:
    return Naive(model, frozenset(end_tokens), model.config.n_positions, **models)


@pytest.mark.parametrize("size", [0, 3])
@pytest.mark.parametrize("many", [1, 2])
def test_greedy_is_transformers(
    model: Any, prompts: list[list[int]], end_tokens: list[int], size: int, many: int
) -> None:
    for prompt in prompts:
        expected = by_transformers(model, prompt, 20, end_tokens[:many], no_repeat_ngram_size=size)
        decoder = Decoder("greedy", {"no_repeat_ngram_size": size})
        assert naive(model, end_tokens[:many]).write(decoder, prompt, room=20) == expected


@pytest.mark.parametrize("size", [0, 3])
@pytest.mark.parametrize("many", [1, 2])
@pytest.mark.parametrize("length_penalty", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("beams", [1, 3, 5])
def test_beam_is_transformers(
    model: Any,
    prompts: list[list[int]],
    end_tokens: list[int],
    beams: int,
    length_penalty: float,
    many: int,
    size: int,
) -> None:
    options = {"num_beams": beams, "length_penalty": length_penalty, "no_repeat_ngram_size": size}
    for prompt in prompts:
        expected = by_transformers(model, prompt, 14, end_tokens[:many], early_stopping=False, **options)
        assert naive(model, end_tokens[:many]).write(Decoder("beam", options), prompt, room=14) == expected, prompt
