"""Attention of one new token a row on an x86 processor: keys in tiles, read by the kernel of embedding bags.

Both of attention's products are weighted sums of rows of a table. The scores of 32 tokens are a head's numbers times
the rows of a tile [size, 32] of its keys; its output is the weights times the rows of its values. Products of a matrix
with one row reach a third of the memory's bandwidth there, and FBGEMM's sums of embeddings nearly all of it. They read
only what a row has, and its sums do not depend on the rows beside it. Rows of one prompt read one copy of it, so that
it comes from a cache of the processor.
"""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import embedding_bag, pad
from transformers import Cache

from newwiki.models.engine.slots import BLOCK, Layer, Slots

_DTYPES = (torch.float32, torch.bfloat16)
_ROWS_A_PROMPT = 8  # or more, where each prompt of a batch is to have its place


def has_tiles(model: Any) -> bool:
    """Whether there is a kernel for the model, and each of its heads has keys of its own."""
    config = model.config.get_text_config()
    heads = config.num_attention_heads
    return (
        model.device.type == "cpu"
        and model.dtype in _DTYPES
        and platform.machine() in ("x86_64", "AMD64")
        and (getattr(config, "num_key_value_heads", None) or heads) == heads
    )


@dataclass(frozen=True)
class Bag:
    """Which rows of a table are summed up: `rows` one bag after the other, and where each bag begins among them."""

    rows: Tensor
    begins: Tensor

    def sums(self, table: Tensor, weights: Tensor) -> Tensor:
        """[bags, size], of a table [rows, size]; weights [rows that are summed up]."""
        return embedding_bag(self.rows, table, self.begins, mode="sum", per_sample_weights=weights)


@dataclass
class Shown:
    """What one pass of a token a row sees: `width` columns, of which each row [rows] has so many. Of these the first
    `same` [rows] stand in another `place` [rows], too, and are read there. Layers of equal shapes share their bags."""

    lengths: Tensor
    width: int
    same: Tensor
    place: Tensor
    _bags: dict[tuple[str, int, int, int], Bag] = field(default_factory=dict)

    def keys(self, heads: int, tiles: int, size: int) -> Bag:
        """A bag for each tile [size, 32]: of keys [slots, heads, tiles, size, 32] as a table of rows of 32. Beyond a
        row's last tile stands that one again, which costs nothing to read."""
        known = ("keys", heads, tiles, size)
        if known not in self._bags:
            tile = torch.minimum(torch.arange(self.width // BLOCK), (self.lengths[:, None] - 1) // BLOCK)
            place = self._heads((tile + 1) * BLOCK <= self.same[:, None], heads) * tiles + tile[:, None]
            self._bags[known] = _bag(place[..., None] * size + torch.arange(size), size)
        return self._bags[known]

    def values(self, heads: int, columns: int) -> Bag:
        """A bag for each head: of values [slots, heads, columns, size] as a table of rows of that size."""
        known = ("values", heads, columns, 0)
        if known not in self._bags:
            column = torch.minimum(torch.arange(self.width), self.lengths[:, None] - 1)
            place = self._heads(column < self.same[:, None], heads) * columns + column[:, None]
            self._bags[known] = _bag(place, self.width)
        return self._bags[known]

    def _heads(self, elsewhere: Tensor, heads: int) -> Tensor:
        """Of what each row reads in its own slot, or `elsewhere` [rows, any]: the number of each head [rows, heads,
        any] among those of all slots."""
        own = torch.arange(len(self.lengths))
        slots = torch.where(elsewhere, self.place[:, None], own[:, None])
        return slots[:, None] * heads + torch.arange(heads)[:, None]


def _bag(rows: Tensor, size: int) -> Bag:
    rows = rows.reshape(-1)
    return Bag(rows, torch.arange(0, len(rows), size))


class TiledSlots(Slots):
    """Slots for passes of one token a row. A prompt of several rows has, beside their slots, a place of its own."""

    shown: Shown

    def __init__(self, count: int, device: torch.device) -> None:
        super().__init__(count, device)
        self._begin_alone()

    def _begin_alone(self) -> None:
        self._same = torch.zeros_like(self.lengths)
        self._place = torch.full_like(self.lengths, -1)

    @property
    def places(self) -> int:
        return self.count + self.count // _ROWS_A_PROMPT + 1

    def layer(self) -> Layer:
        return TiledLayer(self)

    def put(self, prompt: Cache, length: int, slots: Sequence[int]) -> None:
        super().put(prompt, length, slots)
        if not slots:
            return
        rows = torch.tensor(slots)
        self._same[rows], self._place[rows] = 0, -1
        taken = set(self._place[: self.running].tolist())
        place = next((place for place in range(self.count, self.places) if place not in taken), None)
        if len(slots) > 1 and place is not None:
            self._same[rows], self._place[rows] = length, place
            for layer, read in zip(self.layers, prompt.layers, strict=True):
                layer.put(read.keys, read.values, torch.tensor([place]))

    def widen(self, length: int) -> None:
        room = self.room
        super().widen(length)
        if self.room > room:  # what stood beside the slots stayed behind
            self._begin_alone()

    def open(self, running: int, tokens: int) -> Tensor:
        positions = super().open(running, tokens)
        self.shown = Shown(positions[:, -1] + 1, self.width, self._same[:running], self._place[:running])
        return positions

    def reset(self, slots: Sequence[int], lengths: Sequence[int]) -> None:
        super().reset(slots, lengths)
        self._same = torch.minimum(self._same, self.lengths)

    def move(self, moves: Mapping[int, int]) -> None:
        super().move(moves)
        if moves:
            to, origin = torch.tensor(list(moves)), torch.tensor(list(moves.values()))
            self._same[to], self._place[to] = self._same[origin], self._place[origin]

    def clear(self, count: int) -> None:
        super().clear(count)
        self._begin_alone()


class TiledLayer(Layer):
    """One layer's slots: keys [slots, heads, tiles, size, 32] and values [slots, heads, columns, size].

    What it gives as keys has `attend`, which is all that can be done with them.
    """

    tile = BLOCK
    _slots: "TiledSlots"

    def put(self, keys: Tensor, values: Tensor, places: Tensor) -> None:
        columns = keys.shape[2]
        tiles = pad(keys, (0, 0, 0, -columns % BLOCK)).unflatten(2, (-1, BLOCK)).transpose(3, 4)
        super().put(tiles, values, places)

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        rows, columns = self._slots.columns
        self.keys[rows, :, columns // BLOCK, :, columns % BLOCK] = key_states.transpose(1, 2)
        self.values[rows, :, columns] = value_states.transpose(1, 2)
        keys: Any = self.keys[: len(key_states)]
        keys.attend = self.attend
        return keys, self.values

    def attend(self, query: Tensor, mask: Tensor, scale: float) -> Tensor:
        """Query [rows, heads, 1, size], mask [rows, 1, 1, columns] → [rows, 1, heads, size of the values]."""
        shown = self._slots.shown
        rows, heads, _, size = query.shape
        tiles = shown.width // BLOCK
        weights = query.expand(rows, heads, tiles, size).reshape(-1)
        scores = shown.keys(heads, self.keys.shape[2], size).sums(self.keys.view(-1, BLOCK), weights)
        scores = scores.view(rows, heads, 1, shown.width).mul_(scale).add_(mask)
        weights = torch.softmax(scores, dim=-1, dtype=torch.float32).to(self.values.dtype).view(-1)
        table = self.values.view(-1, self.values.shape[3])
        return shown.values(heads, self.values.shape[2]).sums(table, weights).view(rows, 1, heads, -1)
