"""Greedy search: always choose the most probable token."""

from typing import TYPE_CHECKING

from newwiki.decoding.decoder import decoder
from newwiki.decoding.each_token import EachToken
from newwiki.decoding.largest import largest
from newwiki.decoding.stream import Noise, Search

if TYPE_CHECKING:
    from torch import Tensor


@decoder("greedy", parameters={}, source="argmax of the model's distribution", deterministic=True)
def greedy() -> Search:
    return EachToken(most_probable)


def most_probable(scores: "Tensor", noise: Noise, slack: "Tensor") -> "tuple[Tensor, Tensor]":
    values, tokens = largest(scores, 2)
    return tokens[:, 0], values[:, 0] - values[:, 1] > 2 * slack[:, 0]
