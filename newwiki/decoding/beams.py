"""Beam search as in transformers 5, for every decoder that keeps several hypotheses of a completion.

Scores of a step are float32 log-probabilities; their sums along a hypothesis are float64. With equal scores, the
earlier beam goes first, and within a beam the lower token.
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

# The best tokens after a row, by descending score of the step.
Best = list[tuple[int, float]]

# Returns for each row of the streams at least this many of its best tokens, or all possible ones.
Propose = Callable[[Sequence[Stream], View, int], list[Best]]


class Candidate(NamedTuple):
    """A token that follows the hypothesis at position `parent` of the beam, and the score of both together."""

    score: float
    parent: int
    token: int


@dataclass(frozen=True)
class Step:
    """The result of a step: the hypotheses that continue, with their parents' positions, and the best finished ones.

    If the search is `over`, none of them continues after all.
    """

    going: list[tuple[int, Hypothesis]]
    pool: list[Hypothesis]
    over: bool


@dataclass(frozen=True)
class Beams:
    """A beam search with `count` beams: `generate(num_beams=count, do_sample=False, early_stopping=False)`."""

    count: int
    length_penalty: float = 1.0

    def looked_at(self, ends: Ending) -> int:
        """Return how many candidates to examine, so that `count` continue whichever end-of-text tokens are among
        them."""
        return max(2, 1 + len(ends.tokens)) * self.count

    def step(self, stream: Stream, candidates: Iterable[Candidate], ends: Ending) -> Step:
        """Continue with the best candidates; one that ends the text is finished if it is among the first `count`.

        A finished hypothesis has the score sum / length ** length_penalty, where the length includes the end token. The
        search is over when the best running hypothesis, normalized likewise, does not exceed `count` finished ones.
        """
        best = sorted(candidates, key=lambda candidate: -candidate.score)[: self.looked_at(ends)]
        if not best:
            running = stream.beam if stream.written else []
            return Step([], self._pooled(stream.pool, running, stream.written), over=True)
        length = stream.written + 1
        going, finished = self._split(stream, best, ends)
        if length == stream.room:
            finished += [hypothesis for _, hypothesis in going]
        pool = self._pooled(stream.pool, finished, length)
        over = not going or length == stream.room or self._is_beaten(going[0][1], length, pool)
        return Step(going, pool, over)

    def _split(
        self, stream: Stream, best: Sequence[Candidate], ends: Ending
    ) -> tuple[list[tuple[int, Hypothesis]], list[Hypothesis]]:
        """Return the hypotheses that continue, with their parents' positions, and those that end."""
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
        normalized = [Hypothesis(done.tokens, self._normalized(done, length), done.ended) for done in finished]
        return sorted([*pool, *normalized], key=lambda done: -done.score)[: self.count]

    def _is_beaten(self, running: Hypothesis, length: int, pool: Sequence[Hypothesis]) -> bool:
        return len(pool) == self.count and self._normalized(running, length) <= pool[-1].score

    def _normalized(self, hypothesis: Hypothesis, length: int) -> float:
        return hypothesis.score / float(length**self.length_penalty)


class BeamSearch:
    """A beam search over the scores that `propose` returns."""

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
    """Yield each stream with the items of its rows."""
    start = 0
    for stream in streams:
        end = start + len(stream.beam)
        yield stream, rows[start:end]
        start = end


def candidates(beam: Sequence[Hypothesis], best: Sequence[Best]) -> list[Candidate]:
    """Return every extension of each row's hypothesis by the row's best tokens."""
    return [
        Candidate(before.score + score, parent, token)
        for parent, (before, row) in enumerate(zip(beam, best, strict=True))
        for token, score in row
    ]


def best_of(pool: Sequence[Hypothesis]) -> Hypothesis:
    """Return the best finished hypothesis, the first among equals; the empty one if nothing could be written."""
    return max(pool, key=lambda hypothesis: hypothesis.score, default=Hypothesis())


def log_p(view: View) -> "Tensor":
    """Return log-probabilities [rows, vocabulary], -inf where an n-gram would repeat; not renormalized, as in
    transformers."""
    return view.block(view.logits.log_softmax(dim=-1))


def best_tokens(scores: "Tensor", many: int) -> list[Best]:
    """Return the `many` best tokens of each row of [rows, vocabulary], by descending score, without -inf."""
    values, tokens = largest(scores, many + 1)
    rows = [
        sorted((-score, token) for score, token in zip(*row, strict=True))
        for row in zip(values.tolist(), tokens.tolist(), strict=True)
    ]
    for place, row in enumerate(rows):
        # topk does not specify which of several equal scores it takes.
        if many < len(row) and row[many - 1][0] == row[many][0] < float("inf"):
            edge = row[many][0]
            equal = (scores[place] == -edge).nonzero()[:many, 0].tolist()
            rows[place] = [pair for pair in row if pair[0] < edge] + [(edge, token) for token in equal]
    return [[(token, -score) for score, token in row[:many] if score < float("inf")] for row in rows]
