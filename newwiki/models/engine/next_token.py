"""Compute a model's next-token probabilities at positions of given texts."""

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
    """Return probabilities [sequences, places, vocabulary] of the token after the first `place` tokens (at least 1),
    for sequences of equal length. One pass suffices, or one for each set of rotary frequencies. Raises TerminalError
    for a model whose last layer cannot be run separately."""
    ropes = ropes_of(model)
    parts = []
    with torch.inference_mode():
        tokens = torch.tensor([list(sequence) for sequence in sequences], device=model.device)
        for _, alike in groupby(places, lambda place: [rope.frequencies(place) for rope in ropes]):
            parts.append(_after(model, tokens, [*alike]))
        probabilities: NDArray[np.float32] = torch.cat(parts, dim=1).cpu().numpy()
        return probabilities


def _after(model: Any, tokens: Tensor, places: Sequence[int]) -> Tensor:
    read = decoder_of(model)(input_ids=tokens[:, : max(places)], use_cache=False)
    states = read.last_hidden_state[:, [place - 1 for place in places]]
    logits = logits_of(model, states, type(read))
    if logits is None:
        raise TerminalError(
            f"the last layer of {type(model).__name__} cannot be run separately, so it cannot be compared with "
            "another model; choose another model"
        )
    return logits.float().softmax(dim=-1)
