"""Attention over compiled slots, against torch's own attention over each row's tokens."""

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention
from transformers import DynamicCache

from newwiki.compiled import _exp
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


@pytest.mark.parametrize(("dtype", "apart"), [(torch.float32, 1e-6), (torch.bfloat16, 2e-2)], ids=str)
@pytest.mark.parametrize(("heads", "groups"), [(3, 3), (6, 2), (4, 1)])
@pytest.mark.parametrize("tokens", [1, 4])
@pytest.mark.parametrize("window", [1, 20, 10**6])
def test_heads_that_share_keys_several_tokens_and_windows(
    dtype: torch.dtype, apart: float, heads: int, groups: int, tokens: int, window: int
) -> None:
    found, expected = attended(_LENGTHS, dtype, longest=0, heads=heads, groups=groups, tokens=tokens, window=window)
    torch.testing.assert_close(found.float(), expected, atol=apart, rtol=apart)


def test_what_is_not_of_the_slots_shape_or_dtype_is_refused() -> None:
    """A compiled function would read beside it."""
    slots = CompiledSlots(2, torch.device("cpu"))
    states = torch.randn(1, _HEADS, 4, _SIZE + _VALUES).split([_SIZE, _VALUES], dim=-1)
    slots.put(cache_of(*states), 4, [0, 1])
    slots.open(2, 1)
    layer, mask = slots.layers[0], torch.zeros(2, 1, 1, slots.width)
    keys, values, query = torch.zeros(2, _HEADS, 1, _SIZE), torch.zeros(2, _HEADS, 1, _VALUES), torch.zeros(2, 3, 1, 8)
    layer.update(keys, values)
    layer.attend(query, mask, 1.0)
    for wrong in (keys.bfloat16(), keys[:1], keys[:, :2], keys[..., :4], keys.repeat(1, 1, 2, 1)):
        with pytest.raises(TypeError):
            layer.update(wrong, values)
    for wrong in (query.bfloat16(), query[:1], query[:, :2], query[..., :4], query.repeat(1, 1, 2, 1)):
        with pytest.raises(TypeError):
            layer.attend(wrong, mask, 1.0)
    for wrong in (mask.bfloat16(), mask[:1], mask[..., :-1], mask.bool()):
        with pytest.raises(TypeError):
            layer.attend(query, wrong, 1.0)


def test_a_prompt_that_rows_share_is_kept_where_slots_widen() -> None:
    """As where no length was foreseen."""
    slots = CompiledSlots(3, torch.device("cpu"))
    states = torch.randn(1, _HEADS, 30, _SIZE + _VALUES).split([_SIZE, _VALUES], dim=-1)
    slots.put(cache_of(*states), 30, range(3))
    place = int(slots.place[0])
    assert place >= slots.count
    slots.widen(100)
    assert torch.equal(slots.layers[0].keys[place, :, :30], states[0][0])
    assert torch.equal(slots.layers[0].values[place, :, :30], states[1][0])
    assert not slots.layers[0].keys[:3].any()


def test_e_to_the_power_of_what_is_zero_or_less() -> None:
    """NumPy's in float64 is the golden value."""
    x = np.concatenate([-np.geomspace(1e-8, 87, 5000), [0.0, -86.99, -87.01, -1e30, -np.inf]]).astype(np.float32)
    found, expected = np.array([_exp(one) for one in x]), np.exp(x.astype(np.float64))
    expected[x < -87] = 0
    np.testing.assert_allclose(found, expected, rtol=2e-7)


def test_rows_that_share_a_prompt_equal_single_rows() -> None:
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


def attended(
    lengths: tuple[int, ...],
    dtype: torch.dtype,
    longest: int,
    *,
    heads: int = _HEADS,
    groups: int = _HEADS,
    tokens: int = 1,
    window: int = 10**6,
) -> tuple[torch.Tensor, torch.Tensor]:
    """What compiled slots make of rows of so many tokens and `tokens` more, each of which sees so many, itself
    included, and torch of each of them in float32."""
    slots = CompiledSlots(len(lengths), torch.device("cpu"))
    slots.longest = longest
    layer = slots.layer()
    slots.layers = [layer]
    generator = torch.Generator().manual_seed(0)
    size = heads * _SIZE + groups * (_SIZE + _VALUES)
    states = torch.randn(len(_LENGTHS), max(_LENGTHS) + tokens, size, generator=generator)[: len(lengths)].to(dtype)
    queries, keys, values = (
        part.unflatten(2, (-1, each)).transpose(1, 2)
        for part, each in zip(
            states.split([heads * _SIZE, groups * _SIZE, groups * _VALUES], dim=-1),
            (_SIZE, _SIZE, _VALUES),
            strict=True,
        )
    )
    for slot, length in enumerate(lengths):
        slots.widen(length)
        layer.put(keys[slot, None, :, :length], values[slot, None, :, :length], torch.tensor([slot]))
        slots.lengths[slot] = length
        slots.running = slot + 1
    slots.widen(max(lengths) + tokens)
    positions = slots.open(len(lengths), tokens)
    new = [torch.stack([part[row, :, at] for row, at in enumerate(positions)]) for part in (queries, keys, values)]
    column = torch.arange(slots.width)
    hidden = (column > positions[..., None]) | (column <= positions[..., None] - window)
    mask = torch.zeros(hidden.shape, dtype=dtype).masked_fill_(hidden, torch.finfo(dtype).min)[:, None]
    assert slots.width % BLOCK == 0
    found = layer.update(new[1], new[2])[0].attend(new[0], mask, 0.5)
    parts = [
        scaled_dot_product_attention(
            new[0][row, None].float(),
            keys[row, None, :, : length + tokens].float(),
            values[row, None, :, : length + tokens].float(),
            attn_mask=~hidden[row, :, : length + tokens],
            scale=0.5,
            enable_gqa=True,
        )
        for row, length in enumerate(lengths)
    ]
    return found, torch.cat(parts).transpose(1, 2)
