"""The tokens that sampling may still choose after some truncation rules, and how sure each of them is.

A rule cannot know the exact scores: rounding may have moved each of them by the slack ε. So it bounds its own edge. If
the edge lies between `low` and `high` whatever moves the scores by ε, a token whose score is at least `high` + ε is
surely kept, and a token below `low` - ε surely is not. The next rule starts from both of these sets: the set that it
truncates contains all of `surely`, and nothing but `possibly`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from newwiki.decoding.largest import largest

if TYPE_CHECKING:
    from torch import Tensor

_LISTED = 1024  # tokens that are listed if no row needs more


@dataclass(frozen=True)
class Candidates:
    """Tokens [rows, k] with their scores `values`, and masks [rows, k].

    `kept` are the tokens that the rules keep; `surely` those that they keep even if rounding moved all scores by the
    slack; `possibly` those that they keep in some such case. A row is not `seen` [rows] if an unlisted token might also
    be kept. `ranked` means descending order by score; `whole` means that no rule has been applied.
    """

    values: "Tensor"
    tokens: "Tensor"
    kept: "Tensor"
    surely: "Tensor"
    possibly: "Tensor"
    seen: "Tensor"
    ranked: bool = False
    whole: bool = False


@dataclass(frozen=True)
class Edge:
    """The lowest score that a rule keeps [rows, 1], and its bounds if rounding moves each score by the slack."""

    value: "Tensor"
    low: "Tensor"
    high: "Tensor"


# Applies one rule, with the slack [rows, 1] and the value of the rule's parameter.
Rule = Callable[[Candidates, "Tensor", float], Candidates]


def everything(scores: "Tensor") -> Candidates:
    """Return all tokens of scores [rows, vocabulary]."""
    import torch

    tokens = torch.arange(scores.shape[1], device=scores.device).expand_as(scores)
    every = torch.ones(1, 1, dtype=torch.bool, device=scores.device).expand_as(scores)
    return Candidates(scores, tokens, every, every, every, every[:, 0], whole=True)


def under_masks(candidates: Candidates, statistic: "Callable[[Tensor], Tensor]") -> "tuple[Tensor, Tensor, Tensor]":
    """Return a statistic of the scores that are kept, surely kept and possibly kept; all others are -inf.

    It is of the scores in float64, unless it is of the whole vocabulary: the list may be longer because of other rows,
    and then sums in float32 are rounded differently.
    """
    if candidates.whole:
        only = statistic(candidates.values)
        return only, only, only
    kept, surely, possibly = (
        statistic(candidates.values.double().masked_fill(~mask, -float("inf")))
        for mask in (candidates.kept, candidates.surely, candidates.possibly)
    )
    return kept, surely, possibly


def log_mass(scores: "Tensor") -> "Tensor":
    return scores.logsumexp(dim=-1, keepdim=True)


def highest(scores: "Tensor") -> "Tensor":
    return scores.amax(dim=-1, keepdim=True)


def possible(candidates: Candidates) -> "Tensor":
    """Return the scores, with -inf for tokens that are not possibly kept."""
    scores = candidates.values
    return scores if candidates.whole else scores.masked_fill(~candidates.possibly, -float("inf"))


def keep_above(candidates: Candidates, slack: "Tensor", edge: Edge) -> Candidates:
    """Keep the tokens whose score is at least the edge, and in any case those with the highest score."""
    import torch

    # The edge is never above the highest score, which moves by at most the slack.
    best, best_surely, best_possibly = under_masks(candidates, highest)
    edge = Edge(
        torch.minimum(edge.value, best),
        torch.minimum(edge.low, best_surely - slack),
        torch.minimum(edge.high, best_possibly + slack),
    )
    candidates = _listed_down_to(candidates, edge.low - slack)
    values = candidates.values
    kept = candidates.kept & (values >= edge.value)
    # Where the second is further below than both may move, the first stays the highest.
    two = largest(possible(candidates), 2)[0]
    leads = (values == two[:, :1]) & (two[:, :1] - two[:, -1:] > 2 * slack) if two.shape[1] > 1 else kept
    surely = kept & candidates.surely & ((values - slack >= edge.high) | leads)
    possibly = candidates.possibly & (values + slack >= edge.low)
    return replace(candidates, kept=kept, surely=surely, possibly=possibly, whole=False)


def _listed_down_to(candidates: Candidates, score: "Tensor") -> Candidates:
    """Rank the candidates with at least this score [rows, 1], if those of each row fit into the list.

    Otherwise, return the candidates as they are. The list has one length, because sums depend on it in the last digits.
    """
    first = listed(candidates, _LISTED)
    fits = first.values.shape[1] == candidates.values.shape[1] or bool((first.values[:, -1:] < score).all())
    return first if fits else candidates


def ranked(candidates: Candidates) -> Candidates:
    """Return all candidates in descending order by score."""
    return listed(candidates, candidates.values.shape[1])


def listed(candidates: Candidates, count: int) -> Candidates:
    """Return the `count` candidates with the highest scores among those possibly kept, or all if they are fewer."""
    if candidates.ranked:
        return candidates
    scores = possible(candidates)
    if _LISTED < scores.shape[1] == count:
        values, places = scores.sort(dim=-1, descending=True, stable=True)
    else:
        values, places = largest(scores, count)
    if candidates.whole:
        every = candidates.kept[:, : values.shape[1]]
        return replace(
            candidates, values=values, tokens=places, kept=every, surely=every, possibly=every, ranked=True, whole=False
        )
    masks = {name: getattr(candidates, name).gather(1, places) for name in ("kept", "surely", "possibly")}
    return replace(candidates, values=values, tokens=candidates.tokens.gather(1, places), ranked=True, **masks)
