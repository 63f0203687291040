"""Cache slots on a CPU that compiled functions write and read; rows with the same prompt share its states."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import Cache

from newwiki.models.engine.slots import Layer, Slots, zeros
from newwiki.openmp import share_out

_DTYPES = (torch.float32, torch.bfloat16)
_ROWS_PER_PROMPT = 8  # at least as many rows per prompt, if each prompt of a batch is to have a place
_TASKS_PER_THREAD = 8  # so that no thread waits long for the others


def can_be_compiled(model: Any) -> bool:
    return model.device.type == "cpu" and model.dtype in _DTYPES


class CompiledSlots(Slots):
    """Slots in which a prompt of several rows is stored once: the first `same` [slots] tokens of a row are in another
    `place` [slots]. If there are more prompts than places, rows of the last prompts keep them in their own slots."""

    def __init__(self, count: int, device: torch.device) -> None:
        super().__init__(count, device)
        self._begin_alone()

    def _begin_alone(self) -> None:
        self.same = torch.zeros_like(self.lengths)
        self.place = torch.full_like(self.lengths, -1)

    @property
    def places(self) -> int:
        return self.count + self.count // _ROWS_PER_PROMPT + 1

    def layer(self) -> Layer:
        return CompiledLayer(self)

    def _fill(self, prompt: Cache, length: int, places: Tensor) -> None:
        self.same[places], self.place[places] = 0, -1
        taken = set(self.place[: self.running].tolist())
        free = next((place for place in range(self.count, self.places) if place not in taken), None)
        if len(places) > 1 and free is not None:
            self.same[places], self.place[places] = length, free
            places = torch.tensor([free])
        super()._fill(prompt, length, places)

    def _place_of_prompt(self, slot: int) -> int:
        return int(self.place[slot]) if self.same[slot] else slot

    def reset(self, slots: Sequence[int], lengths: Sequence[int]) -> None:
        super().reset(slots, lengths)
        self.same = torch.minimum(self.same, self.lengths)

    def move(self, moves: Mapping[int, int]) -> None:
        super().move(moves)
        if moves:
            to, origin = torch.tensor(list(moves)), torch.tensor(list(moves.values()))
            self.same[to], self.place[to] = self.same[origin], self.place[origin]

    def _first_of_its_own(self, slots: Tensor) -> int:
        return int(self.same[slots].min())

    def clear(self, count: int) -> None:
        super().clear(count)
        self._begin_alone()


class CompiledLayer(Layer):
    """One layer's slots, in memory [slots, columns, heads, size]. The keys that it returns have `attend`."""

    _slots: CompiledSlots

    def make(self, keys: Tensor, values: Tensor) -> None:
        count, room = self._slots.places, self._slots.room
        self.keys, self.values = (
            zeros(states, count, room, states.shape[1], states.shape[3]).transpose(1, 2) for states in (keys, values)
        )

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        self._write(self.keys, key_states)
        self._write(self.values, value_states)
        shown = slice(self._slots.width)
        keys: Any = self.keys[: len(key_states), :, shown]
        keys.attend = self.attend
        return keys, self.values[: len(value_states), :, shown]

    def _write(self, slots: Tensor, new: Tensor) -> None:
        from newwiki import compiled

        columns = self._slots.columns[1]
        rows, groups, tokens, size = new.shape
        _check(new.dtype == slots.dtype, (rows, tokens) == columns.shape, (groups, size) == slots.shape[1::2])
        new = new if new.stride(3) == 1 else new.contiguous()
        work = np.array(
            (
                0, _tasks(rows), rows, groups, tokens, size, slots.shape[2],
                columns.data_ptr(), slots.data_ptr(), new.data_ptr(), *new.stride()[:3],
            ),
            compiled.WRITE,
        )  # fmt: skip
        share_out(compiled.write_float32 if new.dtype == torch.float32 else compiled.write_bfloat16, work)

    def attend(self, query: Tensor, mask: Tensor, scale: float) -> Tensor:
        """Attend: query [rows, heads, tokens, size], mask [rows, 1, tokens, columns] → [rows, tokens, heads, value
        size]. Raises TypeError for tensors that do not match the slots' shape or dtype."""
        from newwiki import compiled

        slots = self._slots
        rows, heads, tokens, size = query.shape
        _, groups, room, value_size = self.values.shape
        _check(
            query.dtype == mask.dtype == self.keys.dtype,
            (rows, tokens) == slots.columns[1].shape,
            (rows, 1, tokens, slots.width) == mask.shape,
            heads % groups == 0 and size == self.keys.shape[3],
        )
        query = query if query.stride(3) == 1 else query.contiguous()
        mask = mask.contiguous()
        out = query.new_empty(rows, tokens, heads, value_size)
        scratch = torch.empty(torch.get_num_threads() * heads * (slots.width + value_size))
        addresses = (
            tensor.data_ptr()
            for tensor in (
                slots.columns[1], slots.same, slots.place, self.keys, self.values, mask, query, out, scratch,
            )
        )  # fmt: skip
        sizes = (rows, heads, groups, tokens, size, value_size, room, slots.width)
        work = np.array((0, 0, _tasks(rows), *sizes, *addresses, *query.stride()[:3], scale), compiled.ATTEND)
        share_out(compiled.attend_float32 if query.dtype == torch.float32 else compiled.attend_bfloat16, work)
        return out


def _check(*conditions: bool) -> None:
    if not all(conditions):
        raise TypeError("compiled attention requires tensors that match its slots' shape and dtype")


def _tasks(rows: int) -> int:
    """Return the number of tasks that the rows are divided into."""
    return min(rows, _TASKS_PER_THREAD * torch.get_num_threads())
