"""Choose batch size `auto`: among the sizes that fit, the fastest in a short trial on the model itself.

More rows are faster until the arithmetic dominates a step; from there they only take memory. Where this happens depends
on the model, its dtype and the processor. On a CPU no text depends on the batch size. On a GPU in half precision some
texts do, so there is no trial there, and memory alone decides.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from newwiki.decoding.stream import Stream
from newwiki.models.engine.memory import is_out_of_memory
from newwiki.models.engine.reader import Reader

_SIZES = (28, 80, 160)  # rows
_UNTRIED = 80  # rows, for a run too short to be worth a trial
_ON_A_GPU = 256
_STEPS = 2
_LONGEST = 96  # tokens of the trial's text
_BETTER = 1.02  # a larger batch must be faster by this factor, because it takes more memory
_WORTH = 20  # a run must write this many times the tokens of a trial

Readers = Callable[[int], Sequence[Reader]]


class BatchSize:
    """Remembers what is known about batch sizes for a model, alone or with its amateur."""

    def __init__(self) -> None:
        self._limit: int | None = None
        self._fastest: dict[tuple[int, int], int] = {}  # by the number of models, and the largest size tried

    def limit(self, rows: int) -> None:
        """Record that more rows ran out of memory."""
        self._limit = rows

    def auto(self, read: Sequence[Any], readers: Readers, streams: Sequence[Stream], most: int, *, tries: bool) -> int:
        """Return the fastest number of rows, at most `most`, for the models in `read`; without a trial if more rows are
        not faster (`tries` is False)."""
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
    """Return the batch size that reads the most rows per second, within this stream's length."""
    tokens = min(_LONGEST, len(stream.prompt) + stream.room - _STEPS - 1)
    text = (stream.prompt * (tokens // len(stream.prompt) + 1))[:tokens]
    best, rate = sizes[0], 0.0
    with torch.inference_mode():
        for rows in sizes:
            try:
                rows_per_second = rows / _seconds_per_step(readers(rows), rows, text)
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                break
            if rows_per_second > rate * _BETTER:
                best, rate = rows, rows_per_second
    return best


def _seconds_per_step(readers: Sequence[Reader], rows: int, text: Sequence[int]) -> float:
    """Return the shortest of a few steps, after a first one that builds kernels and touches memory."""
    took = [0.0] * (1 + _STEPS)
    for reader in readers:
        read = reader.read(text)
        reader.slots.longest = read.length + len(took)
        for slot in range(rows):  # one by one, because rows of one prompt could share memory
            reader.slots.put(read.cache, read.length, [slot])
        tokens = torch.full((rows,), text[-1], device=reader.slots.lengths.device)
        for step in range(len(took)):
            reader.slots.reset(range(rows), [read.length + step] * rows)
            start = time.perf_counter()
            reader.step(tokens)
            took[step] += time.perf_counter() - start
    return min(took[1:])
