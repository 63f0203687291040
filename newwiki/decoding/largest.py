"""Find the largest scores of a vocabulary."""

from typing import TYPE_CHECKING

from newwiki.openmp import share_out

if TYPE_CHECKING:
    from torch import Tensor

_HIGH = 32  # scores per column; the largest of each column is found first


def largest(scores: "Tensor", count: int) -> "tuple[Tensor, Tensor]":
    """Return the largest of scores [rows, vocabulary] in descending order, and their tokens, both [rows, count] or
    fewer. In float32 on a CPU, the lowest of tokens with equal scores comes first, and NaN raises ValueError.
    """
    import numpy as np
    import torch

    count = min(count, scores.shape[1])
    if scores.device.type != "cpu" or scores.dtype != torch.float32:
        best = scores.topk(count, dim=-1)
        return best.values, best.indices
    if count == scores.shape[1]:
        values, tokens = scores.sort(dim=-1, descending=True, stable=True)
        return _numbers(values, tokens, bool(values[:, :1].isnan().any()))
    from newwiki import compiled

    scores = scores if scores.stride(1) == 1 else scores.contiguous()
    rows, vocabulary = scores.shape
    columns = min(max(vocabulary // _HIGH, 2 * count), vocabulary)
    values, tokens = scores.new_empty(rows, count), torch.empty(rows, count, dtype=torch.long)
    scratch = scores.new_empty(torch.get_num_threads(), columns)
    sizes = (rows, vocabulary, scores.stride(0), count, columns)
    addresses = (tensor.data_ptr() for tensor in (scores, values, tokens, scratch))
    share_out(compiled.largest, np.array((0, 0, rows, *sizes, *addresses), compiled.LARGEST))
    return _numbers(values, tokens, bool((tokens[:, -1] < 0).any()))


def _numbers(values: "Tensor", tokens: "Tensor", has_nan: bool) -> "tuple[Tensor, Tensor]":
    if has_nan:
        raise ValueError("the scores contain NaN")
    return values, tokens
