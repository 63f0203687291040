"""A step on a GPU as a captured graph: all of its kernels are launched at once, as asking for them one by one takes
longer than they do."""

from collections.abc import Callable

import torch
from torch import Tensor

_ROWS = 16  # what the rows of a graph are a multiple of, so that few are captured where rows leave one by one


class CapturedSteps:
    """Calls `read`, from tokens [rows] to logits [rows, vocabulary], as a graph of it where as many rows come again."""

    def __init__(self, read: Callable[[Tensor], Tensor]) -> None:
        self._read = read
        self._made = 0
        self._seen: set[int] = set()  # numbers of rows
        self._graphs: dict[int, tuple[torch.cuda.CUDAGraph, Tensor, Tensor]] = {}
        self._can_be_captured = True

    def rows(self, rows: int, most: int) -> int:
        """How many are read, up to `most`, for so many: free ones at the end with them."""
        return min(-(-rows // _ROWS) * _ROWS, most)

    def __call__(self, tokens: Tensor, made: int) -> Tensor:
        """All else that `read` reads stands where it was as long as `made` is the same number."""
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
        """A model whose kernels depend on what was computed before, as a mixture's experts do, is left as it is."""
        graph, given = torch.cuda.CUDAGraph(), tokens.clone()
        pool = next((one.pool() for one, _, _ in self._graphs.values()), None)
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
