"""Run a step on a GPU as a captured graph, which launches all of its kernels at once; single launches would take longer
than the kernels themselves."""

from collections.abc import Callable

import torch
from torch import Tensor

_ROWS = 16  # graphs are captured for multiples of this, so few are needed as rows finish one by one


class CapturedSteps:
    """Calls `read`, from tokens [rows] to logits [rows, vocabulary], and replays it as a graph once rows repeat."""

    def __init__(self, read: Callable[[Tensor], Tensor]) -> None:
        self._read = read
        self._made = 0
        self._seen: set[int] = set()  # numbers of rows
        self._graphs: dict[int, tuple[torch.cuda.CUDAGraph, Tensor, Tensor]] = {}
        self._can_be_captured = True

    def rows(self, rows: int, most: int) -> int:
        """Return how many rows to read for the wanted number, up to `most`, padding with free rows."""
        return min(-(-rows // _ROWS) * _ROWS, most)

    def __call__(self, tokens: Tensor, made: int) -> Tensor:
        """Read the tokens; while `made` is unchanged, every other tensor that `read` uses stays at its address."""
        rows = len(tokens)
        if made != self._made:
            self._made = made
            self._seen.clear()
            self._graphs.clear()
        if rows in self._graphs:
            graph, given, logits = self._graphs[rows]
            given.copy_(tokens)
            graph.replay()
            return logits.clone()
        if rows in self._seen and self._can_be_captured:
            self._capture(tokens)
        self._seen.add(rows)
        return self._read(tokens)

    def _capture(self, tokens: Tensor) -> None:
        """Capture a graph, unless the model's kernels depend on computed values, as a mixture of experts does."""
        graph, given = torch.cuda.CUDAGraph(), tokens.clone()
        pool = next((captured.pool() for captured, _, _ in self._graphs.values()), None)
        try:
            with torch.cuda.graph(graph, pool=pool):
                logits = self._read(given)
        except torch.OutOfMemoryError:
            raise
        except RuntimeError:
            torch.cuda.synchronize()
            self._can_be_captured = False
        else:
            self._graphs[len(tokens)] = (graph, given, logits)
