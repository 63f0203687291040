"""Decoders that choose token by token, with one row per completion."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from newwiki.decoding.stream import Hypothesis, Noise, Stream, Turn, View

if TYPE_CHECKING:
    from torch import Tensor


class TokenChoice(Protocol):
    """Chooses each row's next token from scores [rows, vocabulary] in float32.

    `slack` [rows, 1] bounds how far rounding may have moved a score. Returns tokens [rows], and a mask [rows] that is
    False where an error within the slack could have changed the choice.
    """

    def __call__(self, scores: "Tensor", noise: Noise, slack: "Tensor") -> "tuple[Tensor, Tensor]": ...


# Computes the scores and the slack for a TokenChoice from a view and its streams.
Scoring = Callable[[View, Sequence[Stream]], "tuple[Tensor, Tensor]"]


class EachToken:
    """A search with one row: it chooses from the model's logits, or from what `scoring` makes of them."""

    width = 1

    def __init__(self, choose: TokenChoice, scoring: Scoring | None = None) -> None:
        self._choose = choose
        self._scoring = scoring or (lambda view, streams: (view.block(view.logits), view.slack))

    def step(self, streams: Sequence[Stream], view: View) -> list[Turn]:
        scores, slack = self._scoring(view, streams)
        chosen, sure = self._choose(scores, view.noise, slack)
        return [
            extended(stream, token, view, is_sure)
            for stream, token, is_sure in zip(streams, chosen.tolist(), sure.tolist(), strict=True)
        ]


def extended(stream: Stream, token: int, view: View, sure: bool) -> Turn:
    """Return the turn of a stream of one row that continues with this token."""
    before = stream.beam[0]
    closed = view.ends.close(before.tokens, token)
    if closed:
        return Turn(result=closed, sure=sure)
    longer = Hypothesis([*before.tokens, token])
    if len(longer.tokens) == stream.room:
        return Turn(result=longer, sure=sure)
    return Turn(rows=[(0, longer)], sure=sure)
