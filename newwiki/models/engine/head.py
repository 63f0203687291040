"""Run a model's last layer separately from the layers before it."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from newwiki.errors import TerminalError
from newwiki.openmp import share_out


def decoder_of(model: Any) -> Any:
    """Return the module that feeds the last layer its hidden states. Raises TerminalError."""
    decoder = model.get_decoder()
    if decoder is model.get_output_embeddings():  # ModernBERT's decoder calls its last layer `decoder`
        decoder = model.base_model
    if decoder is model:  # Llama 4's text model does not expose its decoder's name
        decoder = getattr(model, "model", None)
    if decoder is None:
        raise TerminalError(f"{type(model).__name__} does not expose its decoder; choose another model")
    return decoder


def logits_of(model: Any, states: Tensor, output: type) -> Tensor | None:
    """Return logits [rows, tokens, vocabulary], including all post-processing, for last hidden states [rows, tokens,
    size] that the decoder returned in an `output`. None if the model does not call its decoder."""
    given = []

    def give(*args: Any, **inputs: Any) -> Any:
        given.append(output(last_hidden_state=states))
        return given[0]

    decoder = decoder_of(model)
    decoder.forward = give
    try:
        made = model(input_ids=torch.zeros(states.shape[:2], dtype=torch.long, device=states.device))
    finally:
        del decoder.forward
    logits: Tensor | None = made.logits if given else None
    return logits


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
