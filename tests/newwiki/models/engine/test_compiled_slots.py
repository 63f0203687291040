"""Attention over compiled slots, against torch's own attention over each row's tokens."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import DynamicCache

from newwiki.models.engine.compiled_slots import CompiledSlots
from newwiki.models.engine.slots import BLOCK

_HEADS, _SIZE, _VALUES = 3, 8, 5
_LENGTHS = (1, 31, 32, 33, 70)


@pytest.mark.parametrize(("dtype", "apart"), [(torch.float32, 1e-6), (torch.bfloat16, 2e-2)], ids=str)
@pytest.mark.parametrize("longest", [0, 200], ids=["widened", "with room"])
def test_each_row_attends_to_its_own_tokens(dtype: torch.dtype, apart: float, longest: int) -> None:
    found, expected = attended(_LENGTHS, dtype, longest)
    assert found.dtype == dtype
    torch.testing.assert_close(found.float(), expected, atol=apart, rtol=apart)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_a_row_has_the_same_bits_whatever_is_beside_it(dtype: torch.dtype) -> None:
    whole, _ = attended(_LENGTHS, dtype, longest=200)
    for few in (_LENGTHS[:2], _LENGTHS[:4]):
        assert torch.equal(attended(few, dtype, longest=0)[0], whole[: len(few)])


def test_rows_of_one_prompt_are_what_they_are_alone() -> None:
    """They come, go on, branch, are put anew over those that left, and one of them is made shorter: each reads what its
    own tokens are, to the last bit."""
    shared, alone = CompiledSlots(24, torch.device("cpu")), CompiledSlots(24, torch.device("cpu"))
    draw = torch.Generator().manual_seed(0)
    for slots in (shared, alone):
        slots.longest = 200
    for step in range(60):
        if step % 7 == 0:
            first, length = step % 3 * 5, 1 + step * 3 // 2
            states = torch.randn(1, _HEADS, length, _SIZE + _VALUES, generator=draw)
            prompt = cache_of(*states.split([_SIZE, _VALUES], dim=-1))
            rows = range(first, first + 3 + step % 2)
            shared.put(prompt, length, rows)
            for row in rows:
                alone.put(prompt, length, [row])
        if step == 20:
            for slots in (shared, alone):
                slots.reset([0, 1], [3, 5])
        if step % 5 == 4:
            for slots in (shared, alone):
                slots.move({0: 2, 1: 2, 2: 0})
        count = shared.running
        new = torch.randn(count, _HEADS, 1, 2 * _SIZE + _VALUES, generator=draw).split([_SIZE, _SIZE, _VALUES], dim=-1)
        found = []
        for slots in (shared, alone):
            slots.widen(int(slots.lengths[:count].max()) + 1)
            positions = slots.open(count, 1)
            mask = torch.zeros(count, 1, 1, slots.width)
            mask[torch.arange(slots.width) > positions[:, :, None, None]] = torch.finfo(torch.float32).min
            found.append(slots.layers[0].update(new[1], new[2])[0].attend(new[0], mask, 0.5))
            slots.lengths[:count] += 1
        assert torch.equal(*found)
        assert (shared.same > 0).any()
        assert not (alone.same > 0).any()


def cache_of(keys: torch.Tensor, values: torch.Tensor) -> DynamicCache:
    cache = DynamicCache()
    cache.update(keys, values, 0)
    return cache


def attended(lengths: tuple[int, ...], dtype: torch.dtype, longest: int) -> tuple[torch.Tensor, torch.Tensor]:
    """What compiled slots make of rows of so many tokens and one more, and torch of each of them in float32."""
    slots = CompiledSlots(len(lengths), torch.device("cpu"))
    slots.longest = longest
    layer = slots.layer()
    slots.layers = [layer]
    generator = torch.Generator().manual_seed(0)
    states = torch.randn(len(_LENGTHS), max(_LENGTHS) + 1, _HEADS, 2 * _SIZE + _VALUES, generator=generator)
    states = states[: len(lengths)].to(dtype).transpose(1, 2)
    queries, keys, values = states.split([_SIZE, _SIZE, _VALUES], dim=-1)
    for slot, length in enumerate(lengths):
        slots.widen(length)
        layer.put(keys[slot, None, :, :length], values[slot, None, :, :length], torch.tensor([slot]))
        slots.lengths[slot] = length
        slots.running = slot + 1
    slots.widen(max(lengths) + 1)
    positions = slots.open(len(lengths), 1)
    rows = torch.arange(len(lengths))
    new = [part[rows, :, positions[:, 0]][:, :, None] for part in (queries, keys, values)]
    seen = layer.update(new[1], new[2])[0]
    mask = torch.zeros(len(lengths), 1, 1, slots.width, dtype=dtype)
    mask[torch.arange(slots.width) > positions[:, :, None, None]] = torch.finfo(dtype).min
    assert slots.width % BLOCK == 0
    found = seen.attend(new[0], mask, 0.5)
    parts = [
        scaled_dot_product_attention(
            query[slot, None].float(),
            keys[slot, None, :, : length + 1].float(),
            values[slot, None, :, : length + 1].float(),
            scale=0.5,
        )
        for slot, (query, length) in enumerate(zip([new[0]] * len(lengths), lengths, strict=True))
    ]
    return found, torch.cat(parts).transpose(1, 2)
