"""Beam search: find the most probable completion within a fixed number of beams."""

from collections.abc import Sequence

from newwiki.decoding.beams import LENGTH_PENALTY, Beams, BeamSearch, Best, best_tokens, log_p
from newwiki.decoding.decoder import decoder
from newwiki.decoding.grammar import Parameter
from newwiki.decoding.stream import Search, Stream, View


@decoder(
    "beam",
    parameters={"num_beams": Parameter(default=5, minimum=1), "length_penalty": LENGTH_PENALTY},
    source="paper 004, 3.1; transformers' generate with early_stopping=False; Wu et al. 2016 (length_penalty)",
    deterministic=True,
)
def beam(num_beams: int, length_penalty: float) -> Search:
    """`length_penalty` 0 compares sums of log-probabilities, 1 their means; larger values favor longer texts."""
    return BeamSearch(Beams(num_beams, length_penalty), most_probable)


def most_probable(streams: Sequence[Stream], view: View, many: int) -> list[Best]:
    return best_tokens(log_p(view), many)
