"""Group-diverse beam search: each group of beams avoids the tokens that earlier groups chose."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from newwiki.decoding.beams import LENGTH_PENALTY, Beams, Best, best_of, best_tokens, by_stream, candidates, log_p
from newwiki.decoding.decoder import decoder
from newwiki.decoding.grammar import Parameter
from newwiki.decoding.stream import Ending, Hypothesis, Search, Stream, Turn, View
from newwiki.errors import UsageError


@decoder(
    "group-beam",
    parameters={
        "num_beams": Parameter(default=6, minimum=1),
        "num_beam_groups": Parameter(default=2, minimum=1),
        "diversity_penalty": Parameter(default=0.2, minimum=0),
        "length_penalty": LENGTH_PENALTY,
    },
    source="paper 004, 3.1; Vijayakumar et al. 2016, with the Hamming diversity of transformers 4",
    deterministic=True,
)
def group_beam(num_beams: int, num_beam_groups: int, diversity_penalty: float, length_penalty: float) -> Search:
    """Implement Vijayakumar et al. 2016, eq. 4 and algorithm 1. `num_beams` counts those of all groups together."""
    if num_beams % num_beam_groups:
        raise UsageError(
            f"decoder 'group-beam': num_beams={num_beams} cannot be divided into {num_beam_groups} groups of equal "
            "size; make num_beams a multiple of num_beam_groups"
        )
    return GroupBeamSearch(Beams(num_beams // num_beam_groups, length_penalty), num_beam_groups, diversity_penalty)


@dataclass(slots=True)
class Member(Hypothesis):
    """A hypothesis of one of the groups. A stream's beam and pool list the groups one after the other."""

    group: int = 0


class GroupBeamSearch:
    """Beam searches that run one after the other in each step; a group that is over has no rows any more."""

    def __init__(self, beams: Beams, groups: int, diversity_penalty: float) -> None:
        self.width = groups * beams.count
        self._beams = beams
        self._groups = groups
        self._penalty = diversity_penalty

    def step(self, streams: Sequence[Stream], view: View) -> list[Turn]:
        # A group's best tokens are among these, as earlier groups penalize at most one token for each of their beams.
        many = self._beams.looked_at(view.ends) + self.width - self._beams.count
        rows = best_tokens(log_p(view), many)
        return [self._turn(stream, best, view.ends) for stream, best in by_stream(streams, rows)]

    def _turn(self, stream: Stream, best: Sequence[Best], ends: Ending) -> Turn:
        chosen: Counter[int] = Counter()
        rows: list[tuple[int, Hypothesis]] = []
        pool: list[Hypothesis] = []
        for group in range(self._groups):
            pooled = _in_group(group, stream.pool)
            # All groups begin with the single initial row.
            places = [n for n, row in enumerate(stream.beam) if not stream.written or _in_group(group, [row])]
            if places:
                alone = replace(stream, beam=[stream.beam[place] for place in places], pool=pooled)
                extensions = candidates(alone.beam, [self._penalized(best[place], chosen) for place in places])
                step = self._beams.step(alone, extensions, ends)
                chosen.update(hypothesis.tokens[-1] for _, hypothesis in step.going)
                pooled = [_member(hypothesis, group) for hypothesis in step.pool]
                if not step.over:
                    rows += [(places[parent], _member(hypothesis, group)) for parent, hypothesis in step.going]
            pool += pooled
        return Turn(rows=rows, pool=pool, result=None if rows else best_of(pool))

    def _penalized(self, best: Best, chosen: Counter[int]) -> Best:
        lowered = [(token, score - self._penalty * chosen[token]) for token, score in best]
        return sorted(lowered, key=lambda pair: (-pair[1], pair[0]))


def _in_group(group: int, hypotheses: Iterable[Hypothesis]) -> list[Hypothesis]:
    return [member for member in hypotheses if isinstance(member, Member) and member.group == group]


def _member(hypothesis: Hypothesis, group: int) -> Member:
    return Member(hypothesis.tokens, hypothesis.score, hypothesis.ended, group)
