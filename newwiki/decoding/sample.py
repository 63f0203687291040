"""Sampling: penalties, temperature, and the rules of `truncation`, in transformers' order.

A token is sampled by the Gumbel-max trick (an exponential race): the one with the largest sum of log-probability and
its own noise. The noise belongs to the token, so the result does not depend on the order of tokens in memory.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from newwiki.decoding.decoder import decoder
from newwiki.decoding.each_token import EachToken, TokenChoice
from newwiki.decoding.grammar import Parameter
from newwiki.decoding.largest import largest
from newwiki.decoding.stream import Noise, Search, Stream, View
from newwiki.decoding.truncation import TRUNCATIONS, Rules, rules, truncate

if TYPE_CHECKING:
    from torch import Tensor


@decoder(
    "sample",
    parameters={
        **{name: truncation.parameter for name, truncation in TRUNCATIONS.items()},
        "temperature": Parameter(default=1.0, minimum=0, above=True),
        "presence_penalty": Parameter(default=0.0, minimum=-2, maximum=2),
        "frequency_penalty": Parameter(default=0.0, minimum=-2, maximum=2),
        "repetition_penalty": Parameter(default=1.0, minimum=0, above=True),
    },
    source="papers 001, 003 and 004; Fan et al. 2018 (top_k); Holtzman et al. 2020 (top_p); Meister et al. 2022 "
    "(typical_p); Nguyen et al. 2025 (min_p); Hewitt et al. 2022 (epsilon_cutoff, eta_cutoff); Tang et al. 2025 "
    "(top_n_sigma); Potraghloo et al. 2025 (top_h); Tan et al. 2026 (p_less); Keskar et al. 2019 (repetition_penalty); "
    "OpenAI's API reference (presence and frequency)",
)
def sample(
    temperature: float,
    presence_penalty: float,
    frequency_penalty: float,
    repetition_penalty: float,
    **truncation: float,
) -> Search:
    """Draw each token from the softmax of the scores, truncated by `TRUNCATIONS`; the defaults truncate nothing."""

    def scoring(view: View, streams: Sequence[Stream]) -> "tuple[Tensor, Tensor]":
        logits, slack = view.logits, view.slack
        if repetition_penalty != 1:
            logits = penalize_repetition(logits, streams, repetition_penalty)
            slack = slack * max(repetition_penalty, 1 / repetition_penalty)
        logits = view.block(logits)
        if presence_penalty or frequency_penalty:
            logits = penalize_use(logits, streams, presence_penalty, frequency_penalty)
        return (logits, slack) if temperature == 1 else (logits / temperature, slack / temperature)

    return EachToken(race(rules(**truncation)), scoring)


def race(chosen_rules: Rules = ()) -> TokenChoice:
    """Return a choice that samples from the softmax of the scores, truncated by these rules."""

    def choose(scores: "Tensor", noise: Noise, slack: "Tensor") -> "tuple[Tensor, Tensor]":
        if not chosen_rules:
            return _race_over_all(scores, noise, slack)
        candidates = truncate(scores, slack, chosen_rules)
        keys = candidates.values + noise(candidates.tokens)
        winner, second = _best_two(keys, candidates.possibly)
        chosen = keys.masked_fill(~candidates.kept, -float("inf")).argmax(dim=-1)
        leads = keys.gather(1, winner[:, None]) - keys.gather(1, second[:, None]) > 2 * slack
        alone = candidates.possibly.sum(dim=-1) == 1
        surely = candidates.surely.gather(1, chosen[:, None])[:, 0]
        sure = candidates.seen & (winner == chosen) & surely & (leads[:, 0] | alone)
        return candidates.tokens.gather(1, chosen[:, None])[:, 0], sure

    return choose


def _race_over_all(scores: "Tensor", noise: Noise, slack: "Tensor") -> "tuple[Tensor, Tensor]":
    import torch

    tokens = torch.arange(scores.shape[1], device=scores.device).expand_as(scores)
    values, best = largest(scores + noise(tokens), 2)
    return best[:, 0], values[:, 0] - values[:, 1] > 2 * slack[:, 0]


def _best_two(keys: "Tensor", among: "Tensor") -> "tuple[Tensor, Tensor]":
    best = keys.masked_fill(~among, -float("inf")).topk(min(2, keys.shape[1]), dim=-1).indices
    return best[:, 0], best[:, -1]


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
