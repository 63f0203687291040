"""The cache of slots, by the logits that a model gives with it."""

import torch

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
