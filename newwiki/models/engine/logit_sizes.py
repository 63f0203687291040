"""Measure how large logits are; the bound on their rounding errors depends on it."""

import numpy as np
from torch import Tensor

from newwiki.errors import TerminalError
from newwiki.openmp import share_out


def logit_sizes(logits: Tensor) -> Tensor:
    """Return the largest finite magnitude [rows, 1] of float32 logits [rows, vocabulary]. Raises TerminalError for
    NaN."""
    sizes = _compiled(logits) if logits.device.type == "cpu" else logits.masked_fill(logits.isinf(), 0).abs().amax(-1)
    if bool(sizes.isnan().any()):
        raise TerminalError("the model returned NaN logits; its weights are damaged, or too large for this dtype")
    return sizes[:, None]


def _compiled(logits: Tensor) -> Tensor:
    from newwiki import compiled

    logits = logits if logits.stride(1) == 1 else logits.contiguous()
    rows, vocabulary = logits.shape
    sizes = logits.new_empty(rows)
    addresses = (tensor.data_ptr() for tensor in (logits, sizes))
    share_out(compiled.sizes, np.array((0, rows, rows, vocabulary, logits.stride(0), *addresses), compiled.SIZES))
    return sizes
