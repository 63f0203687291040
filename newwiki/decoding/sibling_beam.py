"""Sibling-diverse beam search: penalize the continuations of a hypothesis by their rank among each other."""

from collections.abc import Sequence

from newwiki.decoding.beams import LENGTH_PENALTY, Beams, BeamSearch, Best, best_tokens, by_stream, log_p
from newwiki.decoding.decoder import decoder
from newwiki.decoding.grammar import Parameter
from newwiki.decoding.stream import Search, Stream, View


@decoder(
    "sibling-beam",
    parameters={
        "num_beams": Parameter(default=5, minimum=1),
        "sibling_penalty": Parameter(default=0.1, minimum=0),
        "length_penalty": LENGTH_PENALTY,
    },
    source="paper 004, 3.1; Li et al. 2016, as fairseq's DiverseSiblingsSearch",
    deterministic=True,
)
def sibling_beam(num_beams: int, sibling_penalty: float, length_penalty: float) -> Search:
    """Score as Li, Monroe and Jurafsky 2016, section 3: S(Y) = log p(Y) − γ·k, with rank k = 1, 2, … among siblings.

    As in fairseq, the penalties stay in the score, and the first step has none.
    """

    def propose(streams: Sequence[Stream], view: View, many: int) -> list[Best]:
        rows = best_tokens(log_p(view), many)
        return [
            [(token, score - sibling_penalty * rank) for rank, (token, score) in enumerate(row, start=1)]
            if stream.written
            else row
            for stream, stream_rows in by_stream(streams, rows)
            for row in stream_rows
        ]

    return BeamSearch(Beams(num_beams, length_penalty), propose)
