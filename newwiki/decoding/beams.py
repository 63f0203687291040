"""Beam search as transformers 5 does it, for every decoder that keeps several hypotheses of a completion.

Scores of a step are float32 log-probabilities; their sums along a hypothesis are float64. Of equal scores the earlier
beam goes first, and in a beam the lower token.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from newwiki.decoding.grammar import Parameter
from newwiki.decoding.largest import largest
from newwiki.decoding.stream import Ending, Hypothesis, Stream, Turn, View

if TYPE_CHECKING:
    from torch import Tensor

T = TypeVar("T")

LENGTH_PENALTY = Parameter(default=1.0, minimum=-10, maximum=10)

# The best tokens after a row, by falling score of the step.
Best = list[tuple[int, float]]

# For each row of the streams at least so many of its best tokens, or all that may come.
Propose = Callable[[Sequence[Stream], View, int], list[Best]]


class Candidate(NamedTuple):
    """A token after the hypothesis at the place `parent` of the beam, and the score of both together."""

    score: float
    parent: int
    token: int


@dataclass(frozen=True)
class Step:
    """What a step makes of a beam: hypotheses that go on, with their parents' places, and the best finished ones.

    Where the search is over with it, nothing goes on after all.
    """

    going: list[tuple[int, Hypothesis]]
    pool: list[Hypothesis]
    over: bool


@dataclass(frozen=True)
class Beams:
    """So many beams, and what becomes of them: `generate(num_beams=count, do_sample=False, early_stopping=False)`."""

    count: int
    length_penalty: float = 1.0

    def looked_at(self, ends: Ending) -> int:
        """So many candidates that as many as there are beams go on, whichever end-of-text tokens are among them."""
        return max(2, 1 + len(ends.tokens)) * self.count

    def step(self, stream: Stream, candidates: Iterable[Candidate], ends: Ending) -> Step:
        """The best candidates go on; one that ends the text is finished if it is among the first `count`.

        A finished hypothesis has the score sum / length ** length_penalty, where the token that ends it counts. The
        search is over when the best running one, so normalised, is not above `count` finished ones.
        """
        best = sorted(candidates, key=lambda candidate: -candidate.score)[: self.looked_at(ends)]
        if not best:
            running = stream.beam if stream.written else []
            return Step([], self._pooled(stream.pool, running, stream.written), over=True)
        length = stream.written + 1
        going, finished = self._sorted_out(stream, best, ends)
        if length == stream.room:
            finished += [one for _, one in going]
        pool = self._pooled(stream.pool, finished, length)
        over = not going or length == stream.room or self._is_beaten(going[0][1], length, pool)
        return Step(going, pool, over)

    def _sorted_out(
        self, stream: Stream, best: Sequence[Candidate], ends: Ending
    ) -> tuple[list[tuple[int, Hypothesis]], list[Hypothesis]]:
        """The hypotheses that go on, with their parents' places, and those that end."""
        going: list[tuple[int, Hypothesis]] = []
        ended: list[Hypothesis] = []
        for place, (score, parent, token) in enumerate(best):
            if len(going) == self.count:
                break
            before = stream.beam[parent].tokens
            closed = ends.close(before, token)
            if closed is None:
                going.append((parent, Hypothesis([*before, token], score)))
            elif place < self.count:
                ended.append(Hypothesis(closed.tokens, score, ended=True))
        return going, ended

    def _pooled(self, pool: Sequence[Hypothesis], finished: Iterable[Hypothesis], length: int) -> list[Hypothesis]:
        normalised = [Hypothesis(one.tokens, self._normalised(one, length), one.ended) for one in finished]
        return sorted([*pool, *normalised], key=lambda one: -one.score)[: self.count]

    def _is_beaten(self, running: Hypothesis, length: int, pool: Sequence[Hypothesis]) -> bool:
        return len(pool) == self.count and self._normalised(running, length) <= pool[-1].score

    def _normalised(self, one: Hypothesis, length: int) -> float:
        return one.score / float(length**self.length_penalty)


class BeamSearch:
    """A beam search over the scores that `propose` gives."""

    def __init__(self, beams: Beams, propose: Propose) -> None:
        self.width = beams.count
        self._beams = beams
        self._propose = propose

    def step(self, streams: Sequence[Stream], view: View) -> list[Turn]:
        rows = self._propose(streams, view, self._beams.looked_at(view.ends))
        steps = [
            self._beams.step(stream, candidates(stream.beam, best), view.ends)
            for stream, best in by_stream(streams, rows)
        ]
        return [
            Turn(pool=step.pool, result=best_of(step.pool)) if step.over else Turn(rows=step.going, pool=step.pool)
            for step in steps
        ]


def by_stream(streams: Sequence[Stream], rows: Sequence[T]) -> Iterator[tuple[Stream, Sequence[T]]]:
    """Each stream with what belongs to its rows."""
    start = 0
    for stream in streams:
        end = start + len(stream.beam)
        yield stream, rows[start:end]
        start = end


def candidates(beam: Sequence[Hypothesis], best: Sequence[Best]) -> list[Candidate]:
    """All that the best tokens of each row make of its hypothesis."""
    return [
        Candidate(before.score + score, parent, token)
        for parent, (before, row) in enumerate(zip(beam, best, strict=True))
        for token, score in row
    ]


def best_of(pool: Sequence[Hypothesis]) -> Hypothesis:
    """The best finished hypothesis, of equal ones the first; the empty one where nothing could be written."""
    return max(pool, key=lambda one: one.score, default=Hypothesis())


def log_p(view: View) -> "Tensor":
    """Log-probabilities [rows, vocabulary], -inf where an n-gram would repeat; not renormalised, as in transformers."""
    return view.block(view.logits.log_softmax(dim=-1))


def best_tokens(scores: "Tensor", many: int) -> list[Best]:
    """The `many` best tokens of each row of [rows, vocabulary], by falling score; none that has -inf."""
    values, tokens = largest(scores, many + 1)
    rows = [
        sorted((-score, token) for score, token in zip(*row, strict=True))
        for row in zip(values.tolist(), tokens.tolist(), strict=True)
    ]
    for place, row in enumerate(rows):
        # topk says nothing of which of equal scores it takes.
        if many < len(row) and row[many - 1][0] == row[many][0] < float("inf"):
            edge = row[many][0]
            equal = (scores[place] == -edge).nonzero()[:many, 0].tolist()
            rows[place] = [pair for pair in row if pair[0] < edge] + [(edge, token) for token in equal]
    return [[(token, -score) for score, token in row[:many] if score < float("inf")] for row in rows]
