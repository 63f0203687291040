"""Delayed beam search: the first tokens of a sentence are drawn, and a beam search finds the rest of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from newwiki.decoding.beams import LENGTH_PENALTY, Best, best_tokens, by_stream, candidates, log_p
from newwiki.decoding.decoder import decoder
from newwiki.decoding.grammar import Decoder, Parameter
from newwiki.decoding.sample import race
from newwiki.decoding.stream import Ending, Hypothesis, Noise, Search, Stream, Turn, View

if TYPE_CHECKING:
    from torch import Tensor

_LONGEST = 64  # tokens of a sentence

# A hypothesis, after the place of its parent in the beam before.
Row = tuple[int, Hypothesis]


def _draws_nothing(decoder: Decoder) -> bool:
    return decoder.parameters["delay"] == 0


@decoder(
    "delayed-beam",
    parameters={
        "delay": Parameter(default=1, minimum=0),
        "top_k": Parameter(default=100, minimum=0),
        "num_beams": Parameter(default=6, minimum=1),
        # 0, unlike the other beam searches, as runs from before this parameter compared sums
        "length_penalty": replace(LENGTH_PENALTY, default=0.0, omitted_at_default=True),
    },
    source="paper 004, 3.1; transformers' generate, fairseq's lenpen (length_penalty)",
    deterministic=_draws_nothing,
)
def delayed_beam(delay: int, top_k: int, num_beams: int, length_penalty: float) -> Search:
    """Draw `delay` tokens of a sentence as `sample:top_k=…` draws them, and search for the rest of the sentence.

    `length_penalty` 0 compares sums of log-probabilities over the tokens that were searched, and so prefers short
    sentences; 1 compares their means.
    """
    return DelayedBeam(delay, top_k, num_beams, length_penalty)


@dataclass(slots=True)
class Underway(Hypothesis):
    """A hypothesis whose last sentence begins after `start` tokens."""

    start: int = 0


class DelayedBeam:
    """A stream that draws has one row. One that searches has up to `num_beams`, and one more for the best hypothesis
    that has ended its sentence: it waits there until no running one is better.

    Running hypotheses have sums of log-probabilities as scores. Against one that has ended they count as in
    transformers: sum / tokens ** length_penalty, over the tokens of the sentence that were searched; drawn tokens
    count as little as a prompt does. The best in the pool has the waiting row: no other can become the best.
    """

    def __init__(self, delay: int, top_k: int, num_beams: int, length_penalty: float) -> None:
        self.width = num_beams + 1
        self._delay = delay
        self._race = race(top_k)
        self._beams = num_beams
        self._length_penalty = length_penalty
        # Sums only fall as a sentence grows; means may rise, and then as many are awaited as in transformers.
        self._awaited = 1 if length_penalty <= 0 else num_beams

    def step(self, streams: Sequence[Stream], view: View) -> list[Turn]:
        scores = log_p(view)
        drawn = iter(self._drawn(streams, scores, view))
        return [
            self._begun(stream, *next(drawn), view.ends)
            if self._draws(stream)
            else self._searched(stream, best, view.ends)
            for stream, best in by_stream(streams, best_tokens(scores, 2 * self._beams))
        ]

    def _draws(self, stream: Stream) -> bool:
        return stream.written - _start(stream.beam[0]) < self._delay

    def _drawn(self, streams: Sequence[Stream], scores: "Tensor", view: View) -> list[tuple[int, bool]]:
        """For each stream that draws a token, and whether it is sure."""
        rows = [of_one[0] for stream, of_one in by_stream(streams, range(len(scores))) if self._draws(stream)]
        if not rows:
            return []
        chosen, sure = self._race(scores[rows], _of_rows(view.noise, rows, len(scores)), view.slack[rows])
        return list(zip(chosen.tolist(), sure.tolist(), strict=True))

    def _begun(self, stream: Stream, token: int, sure: bool, ends: Ending) -> Turn:
        """The turn of a stream that has drawn this token."""
        before = stream.beam[0]
        over = _ended(before, token, 0.0, ends)
        longer = over or _longer(before, token, 0.0)
        length = len(longer.tokens)
        if over or length == stream.room or length - _start(longer) == _LONGEST:
            return _settled((0, longer), stream.room, sure)
        return Turn(rows=[(0, longer)], sure=sure)

    def _searched(self, stream: Stream, best: Sequence[Best], ends: Ending) -> Turn:
        """The turn of a stream with these tokens after its rows."""
        waits = bool(stream.pool) and not stream.pool[0].ended
        running = stream.beam[:-1] if waits else stream.beam
        length = stream.written + 1
        in_sentence = length - _start(running[0])
        going, ended = self._sorted_out(running, best[: len(running)], ends)
        divisor = float((in_sentence - self._delay) ** self._length_penalty)
        ended = [(len(running), one) for one in stream.pool] + _divided(ended, divisor)
        if not going and not ended:
            return Turn(result=running[0])
        pooled = sorted(ended, key=lambda row: -row[1].score)[: self._awaited]
        full = length == stream.room or in_sentence == _LONGEST
        beaten = len(pooled) == self._awaited and going and pooled[-1][1].score >= going[0][1].score / divisor
        if full or not going or beaten:
            return _settled(_best([*pooled, *_divided(going, divisor)]), stream.room)
        waiting = [(parent, one) for parent, one in pooled[:1] if not one.ended]
        return Turn(rows=going + waiting, pool=[one for _, one in pooled])

    def _sorted_out(
        self, running: Sequence[Hypothesis], best: Sequence[Best], ends: Ending
    ) -> tuple[list[Row], list[Row]]:
        """The hypotheses that go on, and those that end the sentence or the text, both by falling score."""
        going: list[Row] = []
        ended: list[Row] = []
        falling = sorted(candidates(running, best), key=lambda candidate: -candidate.score)
        for place, (score, parent, token) in enumerate(falling[: 2 * self._beams]):
            over = _ended(running[parent], token, score, ends)
            if over is None and len(going) < self._beams:
                going.append((parent, _longer(running[parent], token, score)))
            elif over and place < self._beams:
                ended.append((parent, over))
        return going, ended


def _ended(before: Hypothesis, token: int, score: float, ends: Ending) -> Hypothesis | None:
    """The hypothesis that this token makes of one, if it ends the sentence or the text."""
    closed = ends.close(before.tokens, token)
    if closed:
        return Hypothesis(closed.tokens, score, ended=True)
    if ends.sentence and ends.sentence(before.tokens, token):
        return _longer(before, token, score)
    return None


def _divided(rows: Sequence[Row], divisor: float) -> list[Row]:
    return [(parent, replace(one, score=one.score / divisor)) for parent, one in rows]


def _start(one: Hypothesis) -> int:
    return one.start if isinstance(one, Underway) else 0


def _longer(before: Hypothesis, token: int, score: float) -> Hypothesis:
    return Underway([*before.tokens, token], score, start=_start(before))


def _best(rows: Sequence[Row]) -> Row:
    """Of equal ones the first."""
    return max(rows, key=lambda row: row[1].score)


def _settled(best: Row, room: int, sure: bool = True) -> Turn:
    """The next sentence begins after this one, unless the text is over."""
    parent, one = best
    if one.ended or len(one.tokens) == room:
        return Turn(result=one, sure=sure)
    return Turn(rows=[(parent, Underway(one.tokens, start=len(one.tokens)))], sure=sure)


def _of_rows(noise: Noise, rows: list[int], count: int) -> Noise:
    """The noise of some rows of so many."""

    def heard(tokens: "Tensor") -> "Tensor":
        spread = tokens.new_zeros(count, tokens.shape[1])
        spread[rows] = tokens
        return noise(spread)[rows]

    return heard
