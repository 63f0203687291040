"""Batch size `auto`: as many rows as are fastest, found by a short trial on the model itself, of those that fit.

Rows are faster together until a step is all arithmetic, and then only take memory: where that is depends on the model,
its numbers and the processor. No text depends on it there. On a GPU in half precision some do, so that nothing is
tried on one, and the memory alone decides.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from newwiki.decoding.stream import Stream
from newwiki.models.engine.memory import is_out_of_memory
from newwiki.models.engine.reader import Reader

_SIZES = (28, 80, 160)  # rows that are tried
_UNTRIED = 80  # rows, of a run that is shorter than a trial is worth
_ON_A_GPU = 256
_STEPS = 2
_LONGEST = 96  # tokens of the text that is tried with
_BETTER = 1.02  # a larger batch has to be so much faster, as it takes more memory
_WORTH = 20  # times the tokens of a trial that a run is to write

Readers = Callable[[int], Sequence[Reader]]


class BatchSize:
    """What is known of the batches of a model, alone or with its amateur."""

    def __init__(self) -> None:
        self._limit: int | None = None
        self._fastest: dict[tuple[int, int], int] = {}  # by the number of models that read, and the largest size tried

    def limit(self, rows: int) -> None:
        """More were out of memory."""
        self._limit = rows

    def auto(self, read: Sequence[Any], readers: Readers, streams: Sequence[Stream], most: int, *, tries: bool) -> int:
        """Of so many rows at most those that are fastest by the models that are `read`; no trial where rows gain
        nothing."""
        most = min(most, self._limit or most)
        if not tries:
            return min(most, _SIZES[0])
        if read[0].device.type != "cpu":
            return min(most, _ON_A_GPU)
        largest = min(most, _SIZES[-1])
        sizes = [*(size for size in _SIZES if size < largest), largest]
        known = len(read), largest
        if len(sizes) > 1 and known not in self._fastest:
            if sum(stream.room for stream in streams) < _WORTH * _STEPS * sum(sizes):
                return min(most, _UNTRIED)
            self._fastest[known] = _fastest(readers, sizes, max(streams, key=lambda stream: stream.room))
        return self._fastest.get(known, most)


def _fastest(readers: Readers, sizes: Sequence[int], stream: Stream) -> int:
    """The batch size that reads most rows a second, within this stream."""
    tokens = min(_LONGEST, len(stream.prompt) + stream.room - _STEPS - 1)
    text = (stream.prompt * (tokens // len(stream.prompt) + 1))[:tokens]
    best, rate = sizes[0], 0.0
    with torch.inference_mode():
        for rows in sizes:
            try:
                found = rows / _seconds_a_step(readers(rows), rows, text)
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                break
            if found > rate * _BETTER:
                best, rate = rows, found
    return best


def _seconds_a_step(readers: Sequence[Reader], rows: int, text: Sequence[int]) -> float:
    """The shortest of a few steps, after one in which kernels are made and memory is written to at first."""
    took = [0.0] * (1 + _STEPS)
    for reader in readers:
        read = reader.read(text)
        reader.slots.longest = read.length + len(took)
        for slot in range(rows):  # not as rows of one prompt
            reader.slots.put(read.cache, read.length, [slot])
        tokens = torch.full((rows,), text[-1], device=reader.slots.lengths.device)
        for step in range(len(took)):
            reader.slots.reset(range(rows), [read.length + step] * rows)
            start = time.perf_counter()
            reader.step(tokens)
            took[step] += time.perf_counter() - start
    return min(took[1:])
