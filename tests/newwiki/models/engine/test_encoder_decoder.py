"""Encoder-decoders, read token by token: as their plain forward pass, and to the same bits in any batch."""

from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import AutoConfig, AutoModelForSeq2SeqLM

from newwiki.models.engine.encoder_decoder import EncoderDecoderReader, largest_difference
from newwiki.models.engine.packed import pack_linear_layers

_SMALL: dict[str, Any] = {"vocab_size": 97, "d_model": 64, "pad_token_id": 0, "eos_token_id": 1}
_T5: dict[str, Any] = {**_SMALL, "d_kv": 16, "d_ff": 96, "num_layers": 2, "num_decoder_layers": 3, "num_heads": 4}
_BART: dict[str, Any] = {
    **_SMALL,
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 96,
    "decoder_ffn_dim": 96,
    "max_position_embeddings": 64,
}
MODELS: dict[str, dict[str, Any]] = {
    "t5": _T5,  # biases for positions, layers that ask for a weight
    "mt5": _T5,  # gated
    "umt5": _T5,  # biases in each layer
    "longt5": _T5,
    "bart": _BART,  # learned positions, counted from 2
    "mbart": _BART,
    "plbart": _BART,
    "pegasus": _BART,  # fixed positions
    "marian": _BART,
    "m2m_100": {**_BART, "pad_token_id": 1, "eos_token_id": 2},  # padding has no position
    "blenderbot": _BART,
}


def built(kind: str) -> Any:
    torch.manual_seed(0)
    model = AutoModelForSeq2SeqLM.from_config(AutoConfig.for_model(kind, **MODELS[kind], decoder_start_token_id=0))
    pack_linear_layers(model.eval())
    return model


@pytest.mark.parametrize("kind", MODELS)
def test_reading_token_by_token_is_reading_at_once(kind: str) -> None:
    with torch.inference_mode():
        assert largest_difference(built(kind)) < 1e-5


def logits_of_first_row(model: Any, rows: int) -> Tensor:
    """Read twenty consecutive tokens in a batch whose other prompts are longer."""
    reader = EncoderDecoderReader(model, rows)
    for slot in range(rows):
        prompt = reader.read(range(2, 6 + slot % 28))
        reader.slots.put(prompt.cache, prompt.length, [slot])
    written = []
    for step in range(20):
        reader.slots.reset(range(rows), [step + 1] * rows)
        written.append(reader.step(torch.arange(step, step + rows) % 97)[0])
    return torch.stack(written)


@pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="only oneDNN rounds all batches alike")
@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_a_row_has_the_same_bits_in_any_batch(kind: str) -> None:
    model = built(kind)
    with torch.inference_mode():
        alone = logits_of_first_row(model, 1)
        for rows in (2, 33):
            assert torch.equal(logits_of_first_row(model, rows), alone)


def test_a_row_that_moves_takes_its_prompt_along() -> None:
    """Rows of one prompt that change places share what was read of it; those of another bring their own."""
    model = built("t5")
    with torch.inference_mode():
        reader = EncoderDecoderReader(model, 3)
        for slots, source in (([0, 1], [2, 3, 4]), ([2], [5, 6, 7, 8, 9])):
            prompt = reader.read(source)
            reader.slots.put(prompt.cache, prompt.length, slots)
        reader.slots.move({0: 1, 1: 2})
        reader.slots.reset([0, 1], [1, 1])
        logits = reader.step(torch.tensor([11, 12]))
        plain = torch.cat([reader.alone([11], [2, 3, 4]), reader.alone([12], [5, 6, 7, 8, 9])])
    assert torch.allclose(logits, plain, atol=1e-4)
