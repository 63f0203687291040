"""Contrastive search: among the most probable tokens, choose one unlike everything before it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from newwiki.decoding.decoder import decoder
from newwiki.decoding.each_token import extended
from newwiki.decoding.grammar import Parameter
from newwiki.decoding.largest import largest
from newwiki.decoding.stream import Search, Stream, Turn, View

if TYPE_CHECKING:
    from torch import Tensor


@decoder(
    "contrastive-search",
    parameters={
        "top_k": Parameter(default=5, minimum=1),
        "penalty_alpha": Parameter(default=0.6, minimum=0, maximum=1),
    },
    source="Su et al. 2022; paper 000, second part, 2.2",
    deterministic=True,
)
def contrastive_search(top_k: int, penalty_alpha: float) -> Search:
    return ContrastiveSearch(top_k, penalty_alpha)


class ContrastiveSearch:
    """Chooses among the k most probable tokens v the highest (1 - α) p(v) - α max_j cos(h_v, h_j): paper 000, second
    part, eq. 3.

    h are last hidden states, after the final norm; j runs over prompt and completion. p is computed after n-gram
    blocking.
    """

    width = 1

    def __init__(self, top_k: int, penalty_alpha: float) -> None:
        self.candidates = top_k
        self._alpha = penalty_alpha

    def step(self, streams: Sequence[Stream], view: View) -> list[Turn]:
        log_p = view.block(view.logits).log_softmax(dim=-1)
        best, tokens = largest(log_p, self.candidates + 1)
        tokens = tokens[:, : self.candidates]
        place, sure = self._pick(best[:, : self.candidates], tokens, view)
        if best.shape[1] > self.candidates:
            last, next_best = best[:, -2], best[:, -1]
            sure &= (last - next_best > 2 * view.slack[:, 0]) | next_best.isneginf()
        chosen = tokens.gather(1, place[:, None])[:, 0]
        return [
            extended(stream, token, view, is_sure)
            for stream, token, is_sure in zip(streams, chosen.tolist(), sure.tolist(), strict=True)
        ]

    def _pick(self, log_p: "Tensor", tokens: "Tensor", view: View) -> "tuple[Tensor, Tensor]":
        """Return each row's position [rows] among its candidates [rows, k], and whether rounding cannot change it."""
        assert view.similarity is not None
        similarity, error = view.similarity(tokens)
        low, scores, high = self._scores(log_p, similarity, error, view)
        if view.exactly is not None:
            rivals = high >= low.amax()
            if rivals.sum() > 1:
                similarity[rivals], error[rivals] = view.exactly(tokens[rivals]), 0
                low, scores, high = self._scores(log_p, similarity, error, view)
        place = scores.argmax(dim=-1)
        lowest = low.gather(1, place[:, None])[:, 0]
        return place, lowest > high.scatter(1, place[:, None], -float("inf")).amax(dim=-1)

    def _scores(
        self, log_p: "Tensor", similarity: "Tensor", error: "Tensor", view: View
    ) -> "tuple[Tensor, Tensor, Tensor]":
        """Return the lower bound of each score, the score, and the upper bound [rows, k]."""
        confidence = log_p.exp()
        scores = (1 - self._alpha) * confidence - self._alpha * similarity
        scores = scores.masked_fill(log_p.isneginf(), -float("inf"))
        errors = (1 - self._alpha) * confidence * 2 * view.slack + self._alpha * error
        return scores - errors, scores, scores + errors
