"""Truncate below an edge: min-p, epsilon, eta, p-less, top-n-sigma and top-H. All tokens with equal scores stay or go.

Each rule bounds how far its edge moves if each score s moves by at most the slack ε. Sums of exp(s) change by a factor
from exp(-ε) to exp(ε), and probabilities by one from exp(-2ε) to exp(2ε). `kept`, `surely` and `possibly` below name
the sets before the rule; the set that is truncated lies between the last two, which bounds the sums over it.

- Hewitt, Manning and Liang 2022, Truncation sampling as language model desmoothing
- Nguyen et al. 2025, Turning up the heat: min-p sampling for creative and coherent LLM outputs
- Potraghloo et al. 2025, Top-H decoding: adapting the creativity and coherence with bounded entropy in text generation
- Tan, Wu and Howard 2026, p-less sampling: a robust hyperparameter-free approach for LLM decoding
- Tang et al. 2025, Top-nσ: eliminating noise in logit space for robust token sampling of LLM
"""

import math
from typing import TYPE_CHECKING

from newwiki.decoding.candidates import Candidates, Edge, highest, keep_above, listed, log_mass, possible, under_masks

if TYPE_CHECKING:
    from torch import Tensor

_TOP_H = 100  # tokens of which transformers' TopHLogitsWarper takes the entropy
_LARGEST_MOVE = 30.0  # of a log-probability: at this bound, nothing is sure any more


def min_p(candidates: Candidates, slack: "Tensor", share: float) -> Candidates:
    """Keep the tokens with p >= share · max p (Nguyen et al. 2025); transformers' MinPLogitsWarper."""
    kept, surely, possibly = (best + math.log(share) for best in under_masks(candidates, highest))
    return keep_above(candidates, slack, Edge(kept, surely - slack, possibly + slack))


def epsilon_cutoff(candidates: Candidates, slack: "Tensor", epsilon: float) -> Candidates:
    """Keep the tokens with p >= epsilon (Hewitt et al. 2022); transformers' EpsilonLogitsWarper."""
    kept, surely, possibly = (mass + math.log(epsilon) for mass in under_masks(candidates, log_mass))
    return keep_above(candidates, slack, Edge(kept, surely - slack, possibly + slack))


def eta_cutoff(candidates: Candidates, slack: "Tensor", epsilon: float) -> Candidates:
    """Keep the tokens with p >= min(epsilon, sqrt(epsilon) · exp(-H)), where H is the entropy in nats.

    From Hewitt et al. 2022; transformers' EtaLogitsWarper.
    """
    kept, surely, possibly = under_masks(candidates, log_mass)
    entropy, least, most = _entropies(candidates, slack, (kept, surely, possibly))

    def log_eta(entropy: "Tensor") -> "Tensor":
        return (0.5 * math.log(epsilon) - entropy).clamp(max=math.log(epsilon))

    low, high = surely - slack + log_eta(most), possibly + slack + log_eta(least)
    return keep_above(candidates, slack, Edge(kept + log_eta(entropy), low, high))


def p_less(candidates: Candidates, slack: "Tensor", _: float) -> Candidates:
    """Keep the tokens with p_i >= sum_j p_j² (Tan et al. 2026): the probability that two independent draws agree.

    log sum_j p_j² is log sum_j exp(2 s_j) - 2 log sum_j exp(s_j), so as a score the edge is the difference of the two
    logarithms. They move by at most 2ε and ε.
    """
    kept, surely, possibly = under_masks(candidates, log_mass)
    kept_twice, surely_twice, possibly_twice = under_masks(candidates, lambda scores: log_mass(2 * scores))
    low, high = surely_twice - possibly - 3 * slack, possibly_twice - surely + 3 * slack
    return keep_above(candidates, slack, Edge(kept_twice - kept, low, high))


def top_n_sigma(candidates: Candidates, slack: "Tensor", n: float) -> Candidates:
    """Keep the tokens with a logit of at least max - n · sigma, where sigma is the logits' standard deviation.

    From Tang et al. 2025. Temperature scales both, so the set does not depend on it. Logits of -inf, as of blocked
    n-grams, do not count. This is the first rule, for sigma is of the whole vocabulary.

    The standard deviation of scores + moves is at most the sum of both standard deviations, and that of moves within ε
    is at most ε; so sigma moves by at most ε, and the edge by (1 + n) ε.
    """
    scores = candidates.values
    missing = scores == -float("inf")
    count = (~missing).sum(dim=-1, keepdim=True)
    mean = scores.masked_fill(missing, 0).sum(dim=-1, keepdim=True) / count
    sigma = ((scores - mean).square().masked_fill(missing, 0).sum(dim=-1, keepdim=True) / count).sqrt()
    edge, move = highest(scores) - n * sigma, (1 + n) * slack
    return keep_above(candidates, slack, Edge(edge, edge - move, edge + move))


def top_h(candidates: Candidates, slack: "Tensor", alpha: float) -> Candidates:
    """Keep the most probable tokens as long as the sum of their terms -p log p is at most alpha · H, but at least one.

    From Potraghloo et al. 2025, as in transformers' TopHLogitsWarper: p and its entropy H are those of the
    100 most probable tokens, renormalized, and the terms are not renormalized again. Here, unlike there, tokens with
    the score of the last one are kept too.

    The edge is the score at a rank; the scores at each rank move by at most ε. The rank has bounds because the sums
    have (`_low`, `_high`).
    """
    import torch

    best = listed(candidates, _TOP_H + 1)
    values, width = possible(best), min(_TOP_H, best.values.shape[1])
    masks = [mask[:, :width] for mask in (best.kept, best.surely, best.possibly)]
    kept, surely, possibly = (log_mass(values[:, :width].double().masked_fill(~mask, -math.inf)) for mask in masks)
    terms, _ = _sums(values[:, :width], masks[0], kept)
    possible_terms, shares = _sums(values[:, :width], masks[2], possibly)
    move = _move(slack, surely, possibly)
    last = masks[1].sum(dim=-1, keepdim=True).clamp(min=1) - 1
    low, high = _low(possible_terms, shares, move), _high(possible_terms, shares, move)
    ranks, least, most = (
        (sums <= alpha * whole).sum(dim=-1, keepdim=True).clamp(min=1)
        for sums, whole in ((terms, terms[:, -1:]), (high, low.gather(1, last)), (low, high[:, -1:]))
    )
    # What is above the first score that may be left out by more than both can move is surely kept.
    left_out = torch.nn.functional.pad(values, (0, 1), value=-math.inf).gather(1, least)
    edge = Edge(values.gather(1, ranks - 1), values.gather(1, most - 1) - slack, left_out + slack)
    return keep_above(candidates, slack, edge)


def _entropies(
    candidates: Candidates, slack: "Tensor", masses: "tuple[Tensor, Tensor, Tensor]"
) -> "tuple[Tensor, Tensor, Tensor]":
    """Return the entropy [rows, 1] of what is kept, in nats, and its bounds."""
    import torch

    kept, surely, possibly = masses
    move = _move(slack, surely, possibly)
    if candidates.whole:
        entropy = torch.special.entr((candidates.values - kept).exp()).sum(dim=-1, keepdim=True)
        return entropy, _low(entropy, torch.ones_like(entropy), move), _high(entropy, torch.ones_like(entropy), move)
    values = candidates.values
    (entropy, _), (sure_terms, sure_share), (terms, share) = (
        (of_all[:, -1:] for of_all in _sums(values, mask, total))
        for mask, total in ((candidates.kept, kept), (candidates.surely, possibly), (candidates.possibly, possibly))
    )
    return entropy, _low(sure_terms, sure_share, move), _high(terms, share, move)


def _sums(values: "Tensor", among: "Tensor", total: "Tensor") -> "tuple[Tensor, Tensor]":
    """Return the cumulative sums [rows, k] of -p log p and of p = exp(value - total), over the tokens of the mask."""
    import torch

    probabilities = (values - total).exp().masked_fill(~among, 0)
    return torch.special.entr(probabilities).cumsum(dim=-1), probabilities.cumsum(dim=-1)


def _move(slack: "Tensor", surely: "Tensor", possibly: "Tensor") -> "Tensor":
    """Return how far the log-probability of a token may be from that among all tokens that are possibly kept.

    `surely` and `possibly` are the logarithms of the two masses: with fewer other tokens, a token has a larger share.
    """
    return (2 * slack + possibly - surely).clamp(max=_LARGEST_MOVE)


def _low(terms: "Tensor", shares: "Tensor", move: "Tensor") -> "Tensor":
    """Return the lower bound of a sum of terms -p log p, where the probabilities p have the sum `shares`.

    If p becomes p · exp(d), its term becomes exp(d) · (term - d · p). For |d| <= move, this is at least exp(-move) ·
    term - move · exp(move) · p, and at most exp(move) · term + move · p. Tokens that are added have terms above 0.
    """
    return (-move).exp() * terms - move * move.exp() * shares


def _high(terms: "Tensor", shares: "Tensor", move: "Tensor") -> "Tensor":
    """Return the upper bound of a sum of terms -p log p; see `_low`."""
    return move.exp() * terms + move * shares
