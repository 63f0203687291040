"""How many rows fit into memory."""

import pytest
import torch

from newwiki.models.engine.memory import cache_bytes, rows_that_fit
from newwiki.models.engine.reader import Reader
from tests.newwiki.decoding.lively import lively
from tests.newwiki.models.zoo import EXACT, ZOO, Row, built


def test_memory_bounds_the_rows() -> None:
    """By hand: a row's cache and logits, of the model's layers, heads and vocabulary, in float32."""
    model = lively(0)
    config = model.config
    heads = getattr(config, "num_key_value_heads", config.num_attention_heads)
    size = config.hidden_size // config.num_attention_heads
    row = 2 * config.num_hidden_layers * heads * size * 100 * 4 + 4 * 4 * config.vocab_size
    assert rows_that_fit(model, 100, memory=7 * row) == 7
    assert rows_that_fit(model, 100, memory=1) == 1


@pytest.mark.parametrize("row", [row for row in ZOO if row.expected == EXACT], ids=lambda row: row.name)
def test_the_estimated_bytes_per_token_match_the_slots(row: Row) -> None:
    model = built(row)
    reader = Reader(model, 3)
    with torch.inference_mode():
        reader.read_anew([1, 2, 3, 4], 0)
    held = sum(layer.keys.nbytes + layer.values.nbytes for layer in reader.slots.layers)
    assert cache_bytes(model) == held / (reader.slots.places * reader.slots.width)
