"""What a model takes the next token for, at places of texts that are given."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from newwiki.errors import TerminalError
from newwiki.models.engine.head import decoder_of, logits_of
from newwiki.models.engine.rotary import ropes_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def next_probabilities(model: Any, sequences: Sequence[Sequence[int]], places: Sequence[int]) -> "NDArray[np.float32]":
    """The probabilities [sequences, places, vocabulary] of what comes after so many tokens, 1 at least, of sequences of
    one length, by one pass over all of them, or by one for each length by which the model rotates them otherwise.
    Raises TerminalError for a model whose last layer cannot be had alone."""
    ropes = ropes_of(model)
    found = []
    with torch.inference_mode():
        tokens = torch.tensor([list(one) for one in sequences], device=model.device)
        for _, alike in groupby(places, lambda place: [rope.frequencies(place) for rope in ropes]):
            found.append(_after(model, tokens, [*alike]))
        probabilities: NDArray[np.float32] = torch.cat(found, dim=1).cpu().numpy()
        return probabilities


def _after(model: Any, tokens: Tensor, places: Sequence[int]) -> Tensor:
    read = decoder_of(model)(input_ids=tokens[:, : max(places)], use_cache=False)
    states = read.last_hidden_state[:, [place - 1 for place in places]]
    logits = logits_of(model, states, type(read))
    if logits is None:
        raise TerminalError(
            f"{type(model).__name__} does not let its last layer be had alone, so it cannot be compared with "
            "another; choose another model"
        )
    return logits.float().softmax(dim=-1)
