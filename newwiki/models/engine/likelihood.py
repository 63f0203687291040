"""How likely a model finds a text that is given: a log-probability for each of its tokens."""

from collections.abc import Sequence
from typing import Any

import torch


def log_probabilities(model: Any, prompt: Sequence[int], completion: Sequence[int]) -> list[float]:
    """log p(token | all before it), natural, for each token of the completion, by one forward pass over the whole text.

    A text is read with no other, so that its numbers depend on nothing else. Without a prompt the first token has none.
    """
    scored = len(completion) if prompt else len(completion) - 1
    if scored < 1:
        return []
    with torch.inference_mode():
        tokens = torch.tensor([[*prompt, *completion]], device=model.device)
        logits = model(input_ids=tokens[:, :-1], use_cache=False, logits_to_keep=scored).logits[0]
        chosen = tokens[0, -scored:, None]
        picked = logits.float().log_softmax(dim=-1).gather(1, chosen)[:, 0]
    numbers: list[float] = picked.tolist()
    return numbers
