"""Delayed beam search: the first tokens of a sentence are drawn, and a beam search finds the rest of it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from newwiki.decoding.decoder import decoder
from newwiki.decoding.grammar import Decoder, Parameter
from newwiki.decoding.sample import race
from newwiki.decoding.stream import Ending, Hypothesis, Noise, Search, Stream, Turn, View

if TYPE_CHECKING:
    from torch import Tensor

_LONGEST = 64  # tokens of a sentence

# A hypothesis and its parent's place in the beam before.
Row = tuple[int, Hypothesis]


def _draws_nothing(decoder: Decoder) -> bool:
    return decoder.parameters["delay"] == 0


@decoder(
    "delayed-beam",
    parameters={
        "delay": Parameter(default=1, minimum=0),
        "top_k": Parameter(default=100, minimum=0),
        "num_beams": Parameter(default=6, minimum=1),
    },
    source="paper 004, 3.1",
    deterministic=_draws_nothing,
)
def delayed_beam(delay: int, top_k: int, num_beams: int) -> Search:
    """`delay` tokens of a sentence are drawn as `sample:top_k=…` draws them."""
    return DelayedBeam(delay, top_k, num_beams)


class DelayedBeam:
    """A stream that draws has one row. One that searches has up to `num_beams`, then a row for the pool: the best
    hypothesis that has ended its sentence waits there until no running one is better. Scores are of this sentence.
    """

    def __init__(self, delay: int, top_k: int, num_beams: int) -> None:
        self.width = num_beams + 1
        self._delay = delay
        self._race = race(top_k)
        self._beams = num_beams

    def step(self, streams: Sequence[Stream], view: View) -> list[Turn]:
        firsts, rows = [], 0
        for stream in streams:
            firsts.append(rows)
            rows += len(stream.beam)
        scores = view.block(view.logits.log_softmax(dim=-1))
        drawn = self._draw([row for row, one in zip(firsts, streams, strict=True) if self._draws(one)], scores, view)
        best = scores.topk(min(2 * self._beams, scores.shape[1]), dim=-1)
        log_p, tokens = best.values.tolist(), best.indices.tolist()
        return [
            self._begun(stream, *drawn[row], view.ends)
            if row in drawn
            else self._searched(stream, log_p[row:], tokens[row:], view.ends)
            for row, stream in zip(firsts, streams, strict=True)
        ]

    def _draws(self, stream: Stream) -> bool:
        return stream.written - stream.beam[0].start < self._delay

    def _draw(self, rows: list[int], scores: "Tensor", view: View) -> Mapping[int, tuple[int, bool]]:
        """A token for each of these rows, and whether it is sure."""
        if not rows:
            return {}
        chosen, sure = self._race(scores[rows], _of_rows(view.noise, rows, len(scores)), view.slack[rows])
        return dict(zip(rows, zip(chosen.tolist(), sure.tolist(), strict=True), strict=True))

    def _begun(self, stream: Stream, token: int, sure: bool, ends: Ending) -> Turn:
        """The turn of a stream that has drawn this token."""
        before = stream.beam[0]
        over = _ended(before, token, 0.0, ends)
        longer = over or _longer(before, token, 0.0)
        if over or len(longer.tokens) - longer.start == _LONGEST:
            return _settled((0, longer), stream.room, sure)
        if len(longer.tokens) == stream.room:
            return Turn(result=longer, sure=sure)
        return Turn(rows=[(0, longer)], sure=sure)

    def _searched(
        self, stream: Stream, log_p: Sequence[Sequence[float]], tokens: Sequence[Sequence[int]], ends: Ending
    ) -> Turn:
        """The turn of a stream whose rows' best tokens these are."""
        pooled = [(len(stream.beam) - 1, one) for one in stream.pool]
        running = stream.beam[:-1] if stream.pool and not stream.pool[0].ended else stream.beam
        candidates = sorted(
            (-(row.score + gain), parent, token)
            for parent, row in enumerate(running)
            for gain, token in zip(log_p[parent], tokens[parent], strict=True)
            if gain > -float("inf")
        )
        going: list[Row] = []
        for place, (loss, parent, token) in enumerate(candidates[: 2 * self._beams]):
            over = _ended(running[parent], token, -loss, ends)
            if over is None and len(going) < self._beams:
                going.append((parent, _longer(running[parent], token, -loss)))
            elif over and place < self._beams:
                pooled.append((parent, over))
        if not pooled and not going:
            return Turn(result=running[0])
        pooled = sorted(pooled, key=lambda one: -one[1].score)[:1]
        length = stream.written + 1
        full = length == stream.room or length - running[0].start == _LONGEST
        if full or not going or (pooled and pooled[0][1].score >= going[0][1].score):
            return _settled(max([*pooled, *going[:1]], key=lambda one: one[1].score), stream.room)
        waiting = [(parent, one) for parent, one in pooled if not one.ended]
        return Turn(rows=[*going, *waiting], pool=[one for _, one in pooled])


def _ended(before: Hypothesis, token: int, score: float, ends: Ending) -> Hypothesis | None:
    """The hypothesis that this token makes of one, if it ends the sentence or the text."""
    closed = ends.close(before.tokens, token)
    if closed:
        return Hypothesis(closed.tokens, score, ended=True, start=before.start)
    if ends.sentence and ends.sentence(before.tokens, token):
        return _longer(before, token, score)
    return None


def _longer(before: Hypothesis, token: int, score: float) -> Hypothesis:
    return Hypothesis([*before.tokens, token], score, start=before.start)


def _settled(best: Row, room: int, sure: bool = True) -> Turn:
    """The next sentence begins after this one, unless the text is over."""
    parent, one = best
    if one.ended or len(one.tokens) == room:
        return Turn(result=one, sure=sure)
    return Turn(rows=[(parent, Hypothesis(one.tokens, start=len(one.tokens)))], sure=sure)


def _of_rows(noise: Noise, rows: list[int], count: int) -> Noise:
    """The noise of some rows of so many."""

    def heard(tokens: "Tensor") -> "Tensor":
        spread = tokens.new_zeros(count, tokens.shape[1])
        spread[rows] = tokens
        return noise(spread)[rows]

    return heard
