"""Sampling with temperature, top-k (Fan et al. 2018) and nucleus (Holtzman et al. 2020) truncation, in that order.

A token is drawn by the Gumbel-max trick (an exponential race): the one whose log-probability plus its own noise is
largest. The noise belongs to the token, so the draw does not depend on the order in which tokens are laid out.
"""

from typing import TYPE_CHECKING

from newwiki.decoding.decoder import Noise, Step, decoder
from newwiki.decoding.grammar import Parameter

if TYPE_CHECKING:
    from torch import Tensor

_BEYOND = 8  # tokens that are looked at below the top k: rounding may lift one of them over the edge
_PREFILTER = 1024  # tokens that are looked at first; they hold any usual nucleus


@decoder(
    "sample",
    parameters={
        "top_k": Parameter(default=0, minimum=0),
        "top_p": Parameter(default=1.0, minimum=0, maximum=1, above=True),
        "temperature": Parameter(default=1.0, minimum=0, above=True),
    },
    source="New-Wiki Eval paper, Experiments; Fan et al. 2018 (top_k); Holtzman et al. 2020 (top_p)",
)
def sample(top_k: int, top_p: float, temperature: float) -> Step:
    """`top_k=0` and `top_p=1` cut nothing off, as in transformers' processors."""

    def step(logits: "Tensor", noise: Noise, slack: "Tensor") -> "tuple[Tensor, Tensor]":
        scores, slack = logits / temperature, slack / temperature
        if top_k == 0 and top_p == 1:
            return _race_over_all(scores, noise, slack)
        values, tokens = _candidates(scores, top_k, top_p)
        kept, surely, possibly = _truncate(values, scores, slack, top_k, top_p)
        keys = values + noise(tokens)
        winner, second = _best_two(keys, possibly)
        chosen = keys.masked_fill(~kept, -float("inf")).argmax(dim=-1)
        leads = keys.gather(1, winner[:, None]) - keys.gather(1, second[:, None]) > 2 * slack
        alone = possibly.sum(dim=-1) == 1
        edge = values.gather(1, kept.sum(dim=-1, keepdim=True) - 1) - 2 * slack
        seen = values[:, -1:] < edge if values.shape[1] < scores.shape[1] else chosen[:, None] >= 0
        sure = seen[:, 0] & (winner == chosen) & surely.gather(1, chosen[:, None])[:, 0] & (leads[:, 0] | alone)
        return tokens.gather(1, chosen[:, None])[:, 0], sure

    return step


def _race_over_all(scores: "Tensor", noise: Noise, slack: "Tensor") -> "tuple[Tensor, Tensor]":
    import torch

    tokens = torch.arange(scores.shape[1], device=scores.device).expand_as(scores)
    best = (scores + noise(tokens)).topk(2, dim=-1)
    return best.indices[:, 0], best.values[:, 0] - best.values[:, 1] > 2 * slack[:, 0]


def _candidates(scores: "Tensor", top_k: int, top_p: float) -> "tuple[Tensor, Tensor]":
    """Tokens by falling score, at least as many as may be kept and the first one that is not."""
    vocabulary = scores.shape[1]
    if top_k:
        best = scores.topk(min(top_k + _BEYOND, vocabulary), dim=-1)
        return best.values, best.indices
    best = scores.topk(min(_PREFILTER, vocabulary), dim=-1)
    mass = (best.values.logsumexp(-1) - scores.logsumexp(-1)).exp()
    if vocabulary > _PREFILTER and bool((mass < top_p + 0.5 * (1 - top_p)).any()):
        best = scores.topk(vocabulary, dim=-1)
    return best.values, best.indices


def _truncate(
    values: "Tensor", scores: "Tensor", slack: "Tensor", top_k: int, top_p: float
) -> "tuple[Tensor, Tensor, Tensor]":
    """Masks over the candidates: kept; kept even if rounding moved all logits by the slack; kept by that, perhaps."""
    import torch

    inf = float("inf")
    place = torch.arange(values.shape[1], device=values.device).expand_as(values)
    in_top_k = place < top_k if top_k else torch.ones_like(place, dtype=torch.bool)
    total = (
        values.masked_fill(~in_top_k, -inf).logsumexp(-1, keepdim=True) if top_k else scores.logsumexp(-1, keepdim=True)
    )
    probability = (values - total).exp().masked_fill(~in_top_k, 0)
    before = probability.cumsum(dim=-1) - probability if top_p < 1 else torch.full_like(probability, -inf)
    first = place == 0
    kept = in_top_k & ((before < top_p) | first)
    narrow = in_top_k & ((before < top_p - 4 * slack) | first)
    wide = in_top_k & ((before < top_p + 4 * slack) | first)
    lowest = values.masked_fill(~wide, inf).amin(-1, keepdim=True)
    highest = values.masked_fill(narrow, -inf).amax(-1, keepdim=True)
    return kept, narrow & (values > highest + 2 * slack), values >= lowest - 2 * slack


def _best_two(keys: "Tensor", among: "Tensor") -> "tuple[Tensor, Tensor]":
    best = keys.masked_fill(~among, -float("inf")).topk(min(2, keys.shape[1]), dim=-1).indices
    return best[:, 0], best[:, -1]
