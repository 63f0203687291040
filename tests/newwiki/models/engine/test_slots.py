"""The cache of slots, by the logits that a model gives with it."""

import pytest
import torch

from newwiki.models.engine.attention import use_cached_attention
from newwiki.models.engine.reader import Reader
from tests.newwiki.decoding.lively import lively, prompts


def test_rows_that_branched_survive_that_a_longer_prompt_widens_the_cache() -> None:
    """As a beam that begins with one hypothesis and has more in its next step."""
    reader = Reader(lively(0), rows=4)
    short, long = prompts(0, 1, length=10)[0], prompts(1, 1, length=40)[0]
    with torch.inference_mode():
        read = reader.read(short)
        reader.slots.put(read.cache, read.length, [0])
        reader.step(torch.tensor([5]))
        reader.slots.move({1: 0, 2: 0})
        read = reader.read(long)
        reader.slots.put(read.cache, read.length, [3])
        logits = reader.step(torch.tensor([6, 7, 8, 9]))
        texts = [[*short, 5, 6], [*short, 5, 7], [*short, 5, 8], [*long, 9]]
        torch.testing.assert_close(logits, torch.cat([reader.alone(text) for text in texts]))


@pytest.mark.parametrize("compiled", [False, True], ids=["torch", "compiled"])
def test_what_was_written_is_read_after_its_prompt_as_in_the_whole_text(compiled: bool) -> None:
    """To the same bits whichever slot the row is in, whoever shares the prompt, and whatever the row has read since."""
    model, [text, other] = lively(0), prompts(0, 2, length=40)
    if compiled:
        use_cached_attention(model)
    reader, beside = Reader(model, rows=4), Reader(model, rows=2)
    with torch.inference_mode():
        read = reader.read(text[:12])
        reader.slots.put(read.cache, read.length, [1, 2, 3])
        for token in text[12:]:
            reader.step(torch.tensor([5, token, 6, token]))
        reader.slots.move({0: 3})
        beside.slots.put(beside.read(other).cache, len(other), [0])
        beside.slots.put(read.cache, read.length, [1])
        for length in (13, 14, 40):
            expected = beside.alone_after(text[:12], text[12:length], 1)
            torch.testing.assert_close(expected, reader.alone(text[:length]))
            for slot in range(4):
                assert torch.equal(reader.alone_after(text[:12], text[12:length], slot), expected)
