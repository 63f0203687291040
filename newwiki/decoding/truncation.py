"""The rules that truncate what sampling may choose from, in the order in which they are applied."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newwiki.decoding.candidates import Candidates, Rule, everything
from newwiki.decoding.grammar import Parameter
from newwiki.decoding.rank_rules import top_k, top_p
from newwiki.decoding.score_rules import epsilon_cutoff, eta_cutoff, min_p, p_less, top_h, top_n_sigma
from newwiki.decoding.typical import typical_p

if TYPE_CHECKING:
    from torch import Tensor

# Rules, each with the value of its parameter.
Rules = Sequence[tuple[Rule, float]]


@dataclass(frozen=True)
class Truncation:
    """A parameter of `sample` and its rule, which is off at the default."""

    parameter: Parameter
    rule: Rule


def _off_at_zero(maximum: float, *, below: bool = False, default: int | float = 0.0) -> Parameter:
    return Parameter(default=default, minimum=0, maximum=maximum, below=below, omitted_at_default=True)


# In transformers' order. Top-n-sigma needs the logits of the whole vocabulary and p-less its probabilities, so these
# two come first.
TRUNCATIONS: Mapping[str, Truncation] = {
    "top_n_sigma": Truncation(_off_at_zero(math.inf), top_n_sigma),
    "p_less": Truncation(_off_at_zero(1, default=0), p_less),
    "top_h": Truncation(_off_at_zero(1), top_h),
    "top_k": Truncation(Parameter(default=0, minimum=0), top_k),
    "top_p": Truncation(Parameter(default=1.0, minimum=0, maximum=1, above=True), top_p),
    "min_p": Truncation(_off_at_zero(1), min_p),
    "typical_p": Truncation(Parameter(default=1.0, minimum=0, maximum=1, above=True), typical_p),
    "epsilon_cutoff": Truncation(_off_at_zero(1, below=True), epsilon_cutoff),
    "eta_cutoff": Truncation(_off_at_zero(1, below=True), eta_cutoff),
}


def rules(**parameters: float) -> Rules:
    """Return the rules that these parameters turn on, in order."""
    chosen = {name: parameters.get(name, truncation.parameter.default) for name, truncation in TRUNCATIONS.items()}
    return [
        (TRUNCATIONS[name].rule, value)
        for name, value in chosen.items()
        if value != TRUNCATIONS[name].parameter.default
    ]


def truncate(scores: "Tensor", slack: "Tensor", chosen: Rules) -> Candidates:
    """Return the tokens of scores [rows, vocabulary] that the rules leave: at least one of each row."""
    candidates = everything(scores)
    for rule, value in chosen:
        candidates = rule(candidates, slack, value)
    return candidates
