"""Locally typical truncation."""

from dataclasses import replace
from typing import TYPE_CHECKING

from newwiki.decoding.candidates import Candidates, ranked

if TYPE_CHECKING:
    from torch import Tensor


def typical_p(candidates: Candidates, slack: "Tensor", mass: float) -> Candidates:
    """Keep the tokens whose information -log p is nearest to the entropy, until their mass is at least `mass`.

    From Meister et al. 2022; like transformers' TypicalLogitsWarper, with all tokens as near as the last one. A row is
    not `seen` where rounding could have changed the set from which the entropy comes.
    """
    import torch

    inf = float("inf")
    candidates = ranked(candidates) if candidates.whole else candidates
    logs = candidates.values.masked_fill(~candidates.kept, -inf).log_softmax(dim=-1)
    probabilities = logs.exp()
    entropy = -(probabilities * logs.masked_fill(~candidates.kept, 0)).sum(dim=-1, keepdim=True)
    distances = (-logs - entropy).abs()
    nearest = distances.sort(dim=-1)
    cumulative = probabilities.gather(1, nearest.indices).cumsum(dim=-1)
    last = (cumulative < mass).sum(dim=-1, keepdim=True).clamp(max=cumulative.shape[1] - 1)
    kept = candidates.kept & (distances <= nearest.values.gather(1, last))

    def mass_up_to(distance: "Tensor", right: bool) -> "Tensor":
        place = torch.searchsorted(nearest.values, distance.contiguous(), right=right)
        return torch.nn.functional.pad(cumulative, (1, 0)).gather(1, place)

    error = 2 * slack * (2 + entropy)  # of a distance: log p moves by 2 slack, and the entropy with it
    surely = kept & (mass_up_to(distances + 2 * error, True) - probabilities < mass - 4 * slack)
    surely_not = mass_up_to(distances - 2 * error, False) >= mass + 4 * slack
    certain = (candidates.surely == candidates.possibly).all(dim=-1)
    return replace(
        candidates,
        kept=kept,
        surely=surely,
        possibly=candidates.kept & ~surely_not,
        seen=candidates.seen & certain,
    )
