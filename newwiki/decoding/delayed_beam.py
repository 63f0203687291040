"""Delayed beam search: sample the first tokens of each sentence, and complete it by beam search."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from newwiki.decoding.beams import LENGTH_PENALTY, Best, best_tokens, by_stream, candidates, log_p
from newwiki.decoding.decoder import decoder
from newwiki.decoding.grammar import Decoder, Parameter
from newwiki.decoding.sample import race
from newwiki.decoding.stream import Ending, Hypothesis, Noise, Search, Stream, Turn, View
from newwiki.decoding.truncation import rules

if TYPE_CHECKING:
    from torch import Tensor

_LONGEST = 64  # tokens of a sentence

# A hypothesis, preceded by its parent's position in the previous beam.
Row = tuple[int, Hypothesis]


def _draws_nothing(decoder: Decoder) -> bool:
    return decoder.parameters["delay"] == 0


@decoder(
    "delayed-beam",
    parameters={
        "delay": Parameter(default=1, minimum=0),
        "top_k": Parameter(default=100, minimum=0),
        "num_beams": Parameter(default=6, minimum=1),
        # 0, unlike in other beam searches, because runs from before this parameter compared sums
        "length_penalty": replace(LENGTH_PENALTY, default=0.0, omitted_at_default=True),
    },
    source="paper 004, 3.1; transformers' generate, fairseq's lenpen (length_penalty)",
    deterministic=_draws_nothing,
)
def delayed_beam(delay: int, top_k: int, num_beams: int, length_penalty: float) -> Search:
    """Sample `delay` tokens of a sentence as `sample:top_k=…` does, and search for the rest of the sentence.

    `length_penalty` 0 compares sums of log-probabilities over the searched tokens, and so prefers short sentences; 1
    compares their means.
    """
    return DelayedBeam(delay, top_k, num_beams, length_penalty)


@dataclass(slots=True)
class Underway(Hypothesis):
    """A hypothesis whose last sentence begins after `start` tokens."""

    start: int = 0


class DelayedBeam:
    """A stream that samples has one row. A stream that searches has up to `num_beams` rows, and one more for the best
    hypothesis that has ended its sentence, which waits there until no running one is better.

    Running hypotheses are scored by sums of log-probabilities. Compared with one that has ended, they count as in
    transformers: sum / tokens ** length_penalty, over the searched tokens of the sentence; sampled tokens count as
    little as a prompt. The best in the pool has the waiting row: no other can become the best.
    """

    def __init__(self, delay: int, top_k: int, num_beams: int, length_penalty: float) -> None:
        self.width = num_beams + 1
        self._delay = delay
        self._race = race(rules(top_k=top_k))
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
        """Return the sampled token of each stream that samples, and whether it is sure."""
        rows = [of_stream[0] for stream, of_stream in by_stream(streams, range(len(scores))) if self._draws(stream)]
        if not rows:
            return []
        chosen, sure = self._race(scores[rows], _noise_of_rows(view.noise, rows, len(scores)), view.slack[rows])
        return list(zip(chosen.tolist(), sure.tolist(), strict=True))

    def _begun(self, stream: Stream, token: int, sure: bool, ends: Ending) -> Turn:
        """Return the turn of a stream that has sampled this token."""
        before = stream.beam[0]
        over = _ended(before, token, 0.0, ends)
        longer = over or _longer(before, token, 0.0)
        length = len(longer.tokens)
        if over or length == stream.room or length - _start(longer) == _LONGEST:
            return _settled((0, longer), stream.room, sure)
        return Turn(rows=[(0, longer)], sure=sure)

    def _searched(self, stream: Stream, best: Sequence[Best], ends: Ending) -> Turn:
        """Return the turn of a stream whose rows continue with these tokens."""
        waits = bool(stream.pool) and not stream.pool[0].ended
        running = stream.beam[:-1] if waits else stream.beam
        length = stream.written + 1
        in_sentence = length - _start(running[0])
        going, ended = self._split(running, best[: len(running)], ends)
        divisor = float((in_sentence - self._delay) ** self._length_penalty)
        ended = [(len(running), finished) for finished in stream.pool] + _divided(ended, divisor)
        if not going and not ended:
            return Turn(result=running[0])
        pooled = sorted(ended, key=lambda row: -row[1].score)[: self._awaited]
        full = length == stream.room or in_sentence == _LONGEST
        beaten = len(pooled) == self._awaited and going and pooled[-1][1].score >= going[0][1].score / divisor
        if full or not going or beaten:
            return _settled(_best([*pooled, *_divided(going, divisor)]), stream.room)
        waiting = [(parent, hypothesis) for parent, hypothesis in pooled[:1] if not hypothesis.ended]
        return Turn(rows=going + waiting, pool=[hypothesis for _, hypothesis in pooled])

    def _split(self, running: Sequence[Hypothesis], best: Sequence[Best], ends: Ending) -> tuple[list[Row], list[Row]]:
        """Return the hypotheses that continue, and those that end the sentence or the text, by descending score."""
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
    """Return the hypothesis that this token completes, if it ends the sentence or the text."""
    closed = ends.close(before.tokens, token)
    if closed:
        return Hypothesis(closed.tokens, score, ended=True)
    if ends.sentence and ends.sentence(before.tokens, token):
        return _longer(before, token, score)
    return None


def _divided(rows: Sequence[Row], divisor: float) -> list[Row]:
    return [(parent, replace(row, score=row.score / divisor)) for parent, row in rows]


def _start(hypothesis: Hypothesis) -> int:
    return hypothesis.start if isinstance(hypothesis, Underway) else 0


def _longer(before: Hypothesis, token: int, score: float) -> Hypothesis:
    return Underway([*before.tokens, token], score, start=_start(before))


def _best(rows: Sequence[Row]) -> Row:
    """Return the row with the best score, the first among equals."""
    return max(rows, key=lambda row: row[1].score)


def _settled(best: Row, room: int, sure: bool = True) -> Turn:
    """Begin the next sentence after this one, unless the text is over."""
    parent, winner = best
    if winner.ended or len(winner.tokens) == room:
        return Turn(result=winner, sure=sure)
    return Turn(rows=[(parent, Underway(winner.tokens, start=len(winner.tokens)))], sure=sure)


def _noise_of_rows(noise: Noise, rows: list[int], count: int) -> Noise:
    """Restrict the noise to some of `count` rows."""

    def restricted(tokens: "Tensor") -> "Tensor":
        spread = tokens.new_zeros(count, tokens.shape[1])
        spread[rows] = tokens
        return noise(spread)[rows]

    return restricted
