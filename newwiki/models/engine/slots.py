"""A key-value cache of slots: each row of a batch has a slot, writes at its own length, and leaves when it is done.

A row's tokens are at the left of its slot, so a column is a position. The visible part of slots grows in whole blocks.
On a CPU, slots reserve from the start the room that the longest row may need; it takes memory only as it is written.
They are copied only when a row moves.
"""

import math
import mmap
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from transformers import Cache, DynamicCache
from transformers.cache_utils import CacheLayerMixin

BLOCK = 32


class Slots(Cache):
    """The cache of `count` slots. Its layers and their sizes are those of the first prompt that is put into it."""

    layers: list[Any]

    def __init__(self, count: int, device: torch.device) -> None:
        super().__init__(layers=[])
        self.count = count
        self.lengths = torch.zeros(count, dtype=torch.long, device=device)
        self.running = 0
        self.width = 0
        self.longest = 0  # the maximum number of tokens of a row, if known
        self.made = 0  # how often memory was allocated
        self.columns: tuple[Tensor, Tensor] = (self.lengths[:0, None], self.lengths[:0, None])

    def layer(self) -> "Layer":
        return Layer(self)

    def put(self, prompt: Cache, length: int, slots: Sequence[int]) -> None:
        """Copy a prompt that was read alone into these slots."""
        if not slots:
            return
        if not self.layers:
            self.layers = [self.layer() for _ in prompt.layers]
        self.widen(length)
        places = torch.tensor(slots, device=self.lengths.device)
        self._fill(prompt, length, places)
        self.lengths[places] = length
        self.running = max(self.running, max(slots) + 1)

    def _fill(self, prompt: Cache, length: int, places: Tensor) -> None:
        for layer, read in zip(self.layers, prompt.layers, strict=True):
            layer.put(read.keys, read.values, places)

    def prompt(self, slot: int, length: int) -> DynamicCache:
        """Return the first `length` tokens of a slot, which hold its prompt."""
        place = self._place_of_prompt(slot)
        states = ((layer.keys[place, None, :, :length], layer.values[place, None, :, :length]) for layer in self.layers)
        return DynamicCache(states)

    def _place_of_prompt(self, slot: int) -> int:
        return slot

    def widen(self, length: int) -> None:
        """Make room for `length` tokens per slot."""
        if length > self.width:
            self.width = whole_blocks(length)
            self.made += 1
            for layer in self.layers:
                layer.widen(self.running)

    @property
    def places(self) -> int:
        """The number of slots to allocate."""
        return self.count

    @property
    def room(self) -> int:
        """The number of columns to allocate: the whole maximum where unwritten memory costs nothing."""
        return max(self.width, whole_blocks(self.longest)) if self.lengths.device.type == "cpu" else self.width

    def open(self, running: int, tokens: int) -> Tensor:
        """Prepare a forward pass of `tokens` tokens in each of the first rows, and return their positions."""
        self.running = running
        lengths = self.lengths[:running, None]
        positions = lengths + torch.arange(tokens, device=lengths.device)
        rows = torch.arange(running, device=lengths.device)[:, None].expand_as(positions)
        self.columns = (rows, positions)
        return positions

    def reset(self, slots: Sequence[int], lengths: Sequence[int]) -> None:
        """Set the lengths of these slots; what is beyond them will be overwritten."""
        self.lengths[slots] = torch.tensor(lengths, dtype=self.lengths.dtype, device=self.lengths.device)

    def move(self, moves: Mapping[int, int]) -> None:
        """Copy slots, {to: from}, all at once."""
        if moves:
            to = torch.tensor(list(moves), device=self.lengths.device)
            origin = torch.tensor(list(moves.values()), device=self.lengths.device)
            self.lengths[to] = self.lengths[origin]
            first = self._first_of_its_own(origin)
            for layer in self.layers:
                layer.move(to, origin, first)
            self.running = max(self.running, max(moves) + 1)

    def _first_of_its_own(self, slots: Tensor) -> int:
        """Return the first column that one of these slots stores itself."""
        return 0

    def pick(self, chosen: Tensor) -> None:
        """Keep one of the tokens [running] that the last pass wrote side by side in a row, at the row's end."""
        rows, positions = self.columns[0][: len(chosen), 0], self.columns[1][: len(chosen)]
        picked = positions.gather(1, chosen[:, None])[:, 0]
        for layer in self.layers:
            layer.keys[rows, :, positions[:, 0]] = layer.keys[rows, :, picked]
            layer.values[rows, :, positions[:, 0]] = layer.values[rows, :, picked]

    def clear(self, count: int) -> None:
        """Forget everything, and change the number of slots."""
        self.count = max(count, 2)
        self.lengths = self.lengths.new_zeros(self.count)
        self.width = self.running = 0
        self.made += 1
        for layer in self.layers:
            layer.keys = layer.values = None


class Layer(CacheLayerMixin):
    """One layer's slots: keys and values [slots, heads, columns, size], zero where nothing was written."""

    keys: Any
    values: Any

    def __init__(self, slots: Slots) -> None:
        super().__init__()
        self._slots = slots

    def put(self, keys: Tensor, values: Tensor, places: Tensor) -> None:
        if self.keys is None:
            self.make(keys, values)
        self.keys[places, :, : keys.shape[2]] = keys
        self.values[places, :, : values.shape[2]] = values

    def make(self, keys: Tensor, values: Tensor) -> None:
        """Allocate slots for states like these."""
        count, room = self._slots.places, self._slots.room
        self.keys, self.values = (
            zeros(states, count, states.shape[1], room, states.shape[3]) for states in (keys, values)
        )

    def widen(self, running: int) -> None:
        if self.keys is not None and self.values.shape[2] < self._slots.width:
            keys, values = self.keys, self.values
            self.make(keys, values)
            for slots in (slice(running), slice(self._slots.count, None)):
                self.keys[slots, :, : keys.shape[2]] = keys[slots]
                self.values[slots, :, : values.shape[2]] = values[slots]

    def move(self, to: Tensor, origin: Tensor, first: int) -> None:
        """Copy slots from the column `first` on."""
        moved = slice(first, self._slots.width)
        for states in (self.keys, self.values):
            states[to, :, moved] = states[origin, :, moved]

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        rows, columns = self._slots.columns
        self.keys[rows, :, columns] = key_states.transpose(1, 2)
        self.values[rows, :, columns] = value_states.transpose(1, 2)
        shown = slice(self._slots.width)
        return self.keys[: len(key_states), :, shown], self.values[: len(value_states), :, shown]

    def lazy_initialization(self, key_states: Tensor, value_states: Tensor) -> None:
        raise NotImplementedError("the first prompt creates the slots")

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self._slots.width, 0

    def get_seq_length(self) -> int:
        return self._slots.width

    def get_max_length(self) -> int:
        return -1


def whole_blocks(length: int) -> int:
    return -(-length // BLOCK) * BLOCK


def zeros(like: Tensor, *shape: int) -> Tensor:
    """Allocate zeros, on a CPU directly from the system: unwritten memory costs nothing, and all of it is returned at
    once, unlike fragments of the heap."""
    if like.device.type != "cpu":
        return like.new_zeros(*shape)
    try:
        memory = mmap.mmap(-1, math.prod(shape) * like.element_size(), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"no memory for slots of shape {shape}") from error
    return torch.frombuffer(memory, dtype=like.dtype).view(shape)
