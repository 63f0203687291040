"""Lower the scores of tokens that have been used: repetition, presence and frequency penalties."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from newwiki.decoding.stream import Stream

if TYPE_CHECKING:
    from torch import Tensor


def penalize_repetition(logits: "Tensor", streams: Sequence[Stream], penalty: float) -> "Tensor":
    """Penalize as Keskar et al. 2019 (CTRL) and transformers: for tokens of prompt and completion, positive logits are
    divided by the penalty, negative ones multiplied by it."""
    used, _ = _padded([[*stream.prompt, *stream.beam[0].tokens] for stream in streams], logits)
    scores = logits.gather(1, used)
    return logits.scatter(1, used, scores.where(scores >= 0, scores * penalty**2) / penalty)


def penalize_use(logits: "Tensor", streams: Sequence[Stream], presence: float, frequency: float) -> "Tensor":
    """Penalize by OpenAI's definition, over the completion alone: logit − presence · [count > 0] − frequency ·
    count."""
    if not any(stream.written for stream in streams):
        return logits
    used, real = _padded([stream.beam[0].tokens for stream in streams], logits)
    counts = logits.new_zeros(logits.shape).scatter_add_(1, used, real)
    return logits - presence * (counts > 0) - frequency * counts


def _padded(rows: Sequence[Sequence[int]], like: "Tensor") -> "tuple[Tensor, Tensor]":
    """Return token ids [rows, longest], padded with each row's first, and a mask with 1 for those that are no
    padding."""
    import torch

    longest = max(map(len, rows))
    ids = [[*row, *([row[0] if row else 0] * (longest - len(row)))] for row in rows]
    real = [[1.0] * len(row) + [0.0] * (longest - len(row)) for row in rows]
    return torch.tensor(ids, device=like.device), torch.tensor(real, device=like.device)
