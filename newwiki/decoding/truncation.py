"""Select the tokens that sampling may choose: top-k, nucleus and typical truncation, and how sure each token is."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from newwiki.decoding.largest import largest

if TYPE_CHECKING:
    from torch import Tensor

_BEYOND = 8  # tokens examined below the top k, because rounding may lift one of them above the edge
_PREFILTER = 1024  # tokens examined first; they contain any usual nucleus


@dataclass(frozen=True)
class Candidates:
    """Tokens [rows, k] by descending score `values`, with masks: `kept`; `surely` kept even if rounding moved all
    scores by the slack; `possibly` kept in that case. A row is not `seen` [rows] if an unlisted token might also be
    kept.
    """

    values: "Tensor"
    tokens: "Tensor"
    kept: "Tensor"
    surely: "Tensor"
    possibly: "Tensor"
    seen: "Tensor"


def truncate(scores: "Tensor", slack: "Tensor", top_k: int, top_p: float, typical_p: float) -> Candidates:
    """Return the tokens that remain of scores [rows, vocabulary] after top-k, top-p and typical-p (0, 1 and 1: off)."""
    values, tokens = _listed(scores, top_k, top_p)
    kept, surely, possibly = _by_rank_and_mass(values, scores, slack, top_k, top_p)
    edge = values.gather(1, kept.sum(dim=-1, keepdim=True) - 1) - 2 * slack
    complete = values.shape[1] == scores.shape[1]
    seen = (values[:, -1] < edge[:, 0]) | complete
    candidates = Candidates(values, tokens, kept, surely, possibly, seen)
    return candidates if typical_p == 1 else _typical(candidates, slack, typical_p)


def _listed(scores: "Tensor", top_k: int, top_p: float) -> "tuple[Tensor, Tensor]":
    """Return tokens by descending score, at least all that may be kept and the first one that is not."""
    vocabulary = scores.shape[1]
    if top_k:
        return largest(scores, top_k + _BEYOND)
    values, tokens = largest(scores, _PREFILTER)
    mass = (values.logsumexp(-1) - scores.logsumexp(-1)).exp()
    if vocabulary > _PREFILTER and bool((mass < top_p + 0.5 * (1 - top_p)).any()):
        best = scores.sort(dim=-1, descending=True, stable=True)
        return best.values, best.indices
    return values, tokens


def _by_rank_and_mass(
    values: "Tensor", scores: "Tensor", slack: "Tensor", top_k: int, top_p: float
) -> "tuple[Tensor, Tensor, Tensor]":
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


def _typical(candidates: Candidates, slack: "Tensor", typical_p: float) -> Candidates:
    """Apply locally typical sampling (Meister et al. 2022): keep the tokens whose information is nearest to the
    entropy, until their mass is typical_p; like transformers' TypicalLogitsWarper, ties included."""
    import torch

    inf = float("inf")
    logs = candidates.values.masked_fill(~candidates.kept, -inf).log_softmax(dim=-1)
    probabilities = logs.exp()
    entropy = -(probabilities * logs.masked_fill(~candidates.kept, 0)).sum(dim=-1, keepdim=True)
    distances = (-logs - entropy).abs()
    nearest = distances.sort(dim=-1)
    mass = probabilities.gather(1, nearest.indices).cumsum(dim=-1)
    last = (mass < typical_p).sum(dim=-1, keepdim=True).clamp(max=mass.shape[1] - 1)
    kept = candidates.kept & (distances <= nearest.values.gather(1, last))

    def mass_up_to(distance: "Tensor", right: bool) -> "Tensor":
        place = torch.searchsorted(nearest.values, distance.contiguous(), right=right)
        return torch.nn.functional.pad(mass, (1, 0)).gather(1, place)

    error = 2 * slack * (2 + entropy)  # of a distance: log p moves by 2 slack, and the entropy with it
    surely = kept & (mass_up_to(distances + 2 * error, True) - probabilities < typical_p - 4 * slack)
    surely_not = mass_up_to(distances - 2 * error, False) >= typical_p + 4 * slack
    clear = (candidates.kept == candidates.possibly).all(dim=-1)
    return Candidates(
        candidates.values, candidates.tokens, kept, surely, candidates.kept & ~surely_not, candidates.seen & clear
    )
