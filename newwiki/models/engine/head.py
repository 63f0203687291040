"""A model's last layer alone, and what comes before it."""

from typing import Any

import torch
from torch import Tensor

from newwiki.errors import TerminalError


def decoder_of(model: Any) -> Any:
    """What gives the last layer its hidden states. Raises TerminalError."""
    found = model.get_decoder()
    if found is model.get_output_embeddings():  # ModernBERT's decoder calls its last layer `decoder`
        found = model.base_model
    if found is model:  # Llama 4's text model does not know what its decoder is called
        found = getattr(model, "model", None)
    if found is None:
        raise TerminalError(f"{type(model).__name__} does not say what its decoder is; choose another model")
    return found


def logits_of(model: Any, states: Tensor, output: type) -> Tensor | None:
    """What the model makes of last hidden states [rows, tokens, size] that its decoder has given in an `output`: logits
    [rows, tokens, vocabulary], with all that it does to them. None where the model does not call its decoder."""
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
