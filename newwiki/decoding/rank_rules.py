"""Truncate by rank: top-k and nucleus (top-p). They come before any rule that keeps other tokens than the highest.

Rounding may change which token has a rank, but the score at each rank moves by at most the slack.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from newwiki.decoding.candidates import Candidates, listed, log_mass, ranked, under_masks

if TYPE_CHECKING:
    from torch import Tensor

_BEYOND = 8  # tokens examined below the top k, because rounding may lift one of them above the edge
_ROUNDING = 2e-5  # of a cumulative sum in float32
_PREFILTER = 1024  # tokens examined first; they contain any usual nucleus


def top_k(candidates: Candidates, slack: "Tensor", k: float) -> Candidates:
    """Keep the k tokens with the highest scores (Fan et al. 2018); of equal scores, the tokens with the lowest ids."""
    complete = candidates.ranked or int(k) + _BEYOND >= candidates.values.shape[1]
    candidates = listed(candidates, int(k) + _BEYOND)
    best = _rank(candidates.values) < k
    return _keep_ranks(candidates, slack, best, best, best, complete)


def top_p(candidates: Candidates, slack: "Tensor", p: float) -> Candidates:
    """Keep the fewest tokens whose probabilities sum to at least p, from the highest down (Holtzman et al. 2020)."""
    vocabulary, whole = candidates.values.shape[1], candidates.whole
    scores = candidates.values if whole else candidates.values.masked_fill(~candidates.kept, -float("inf"))
    total = log_mass(scores)  # in float32, as in all runs of these NUMERICS
    least, most = (total, total) if whole else under_masks(candidates, log_mass)[1:]
    candidates = _nucleus_list(candidates, total, p)
    before = _mass_before(candidates.values, candidates.kept, total)
    possibly_before = before if whole else _mass_before(candidates.values, candidates.possibly, most)
    surely_before = possibly_before if whole else possibly_before * (most - least).exp()  # as a share of less
    first = _rank(candidates.values) == 0
    kept = (before < p) | first
    narrow = (_highest_mass(surely_before, slack) < p) | first
    wide = (_lowest_mass(possibly_before, slack) < p) | first
    complete = candidates.values.shape[1] == vocabulary
    return _keep_ranks(candidates, slack, kept, narrow, wide, complete)


def _rank(values: "Tensor") -> "Tensor":
    import torch

    return torch.arange(values.shape[1], device=values.device).expand_as(values)


def _nucleus_list(candidates: Candidates, total: "Tensor", p: float) -> Candidates:
    """Rank at least all tokens of the nucleus and the first one after it."""
    if candidates.ranked or not candidates.whole or candidates.values.shape[1] <= _PREFILTER:
        return ranked(candidates)
    first = listed(candidates, _PREFILTER)
    mass = (log_mass(first.values) - total).exp()
    return ranked(candidates) if bool((mass < p + 0.5 * (1 - p)).any()) else first


def _mass_before(values: "Tensor", among: "Tensor", total: "Tensor") -> "Tensor":
    probability = (values - total).exp().masked_fill(~among, 0)
    return probability.cumsum(dim=-1) - probability


def _highest_mass(mass: "Tensor", slack: "Tensor") -> "Tensor":
    """Return the upper bound of the mass above a rank. Its log-odds move by at most 2 slack, so it by slack / 2."""
    import torch

    return torch.fmin(mass + 4 * slack, _with_odds(mass, 2 * slack) + _ROUNDING)


def _lowest_mass(mass: "Tensor", slack: "Tensor") -> "Tensor":
    import torch

    return torch.fmax(mass - 4 * slack, _with_odds(mass, -2 * slack) - _ROUNDING)


def _with_odds(mass: "Tensor", moved: "Tensor") -> "Tensor":
    mass = mass.clamp(max=1)
    odds = mass * moved.exp()
    return odds / (1 - mass + odds)


def _keep_ranks(
    candidates: Candidates, slack: "Tensor", kept: "Tensor", narrow: "Tensor", wide: "Tensor", complete: bool
) -> Candidates:
    """Keep some first ranks: those of `kept`, or any number between those of `narrow` and `wide` after rounding."""
    inf = float("inf")
    values = candidates.values
    kept, narrow, wide = candidates.kept & kept, candidates.surely & narrow, candidates.possibly & wide
    lowest = values.masked_fill(~wide, inf).amin(dim=-1, keepdim=True) - 2 * slack
    next_one = values.masked_fill(narrow, -inf).amax(dim=-1, keepdim=True)
    return replace(
        candidates,
        kept=kept,
        surely=narrow & (values > next_one + 2 * slack),
        possibly=candidates.possibly & (values >= lowest),
        seen=candidates.seen if complete else candidates.seen & (values[:, -1] < lowest[:, 0]),
    )
