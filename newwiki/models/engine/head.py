"""Run a model's last layer separately from the layers before it."""

from typing import Any

import torch
from torch import Tensor

from newwiki.errors import TerminalError


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
