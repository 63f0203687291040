"""Whether a decoder chose the tokens of a completion: one pass over the whole text, and its choice at every place.

The decoder's own search answers for each place at once: a place is a stream that has written the tokens before it. A
token that it does not choose is within rounding if it chooses it once the logits are moved by no more than a tolerance.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from newwiki.decoding.stream import Ending, Hypothesis, Stream
from newwiki.models.engine.loop import Engine

_ENDLESS = 2**62  # tokens
_ROUNDS = 4  # rivals of a token that may each be moved below it
_PLACES = 64  # whose logits are worked on together


class Endless(Ending):
    """An ending that closes nothing, so that a search names every token that it chooses."""

    def close(self, tokens: Sequence[int], token: int) -> Hypothesis | None:
        return None


@dataclass(frozen=True)
class TokenVerdicts:
    """The tokens of a completion that the decoder chooses itself (`exact`), those that it chooses within rounding
    (`within`), and the places of those that it does not choose. The end of the text counts as one where a token ended
    it."""

    exact: int
    within: int
    contradicted: tuple[int, ...]

    @property
    def confirmed(self) -> int:
        return self.exact + self.within

    @property
    def total(self) -> int:
        return self.confirmed + len(self.contradicted)


def replay(
    engine: Engine, stream: Stream, tokens: Sequence[int], ends: Collection[int], tolerance: float
) -> TokenVerdicts:
    """The verdicts on tokens that were written after the stream's prompt, and on any of the `ends` after them (none
    where the text did not end by a token). The engine has a search of one row, and rules that are Endless.

    `tolerance` bounds the rounding error of a logit as a share of the largest logit's size at its place.
    """
    wanted = [frozenset({token}) for token in tokens] + ([frozenset(ends)] if ends else [])
    streams = [
        replace(stream, beam=[Hypothesis(list(tokens[:place]))], pool=[], room=_ENDLESS) for place in range(len(wanted))
    ]
    exact, within, contradicted = 0, 0, []
    with torch.inference_mode():
        logits = engine.read_text(stream, tokens)
        for start in range(0, len(wanted), _PLACES):
            part = slice(start, min(start + _PLACES, len(wanted)))
            of_part = [one[part] for one in logits]
            chosen = engine.choices(streams[part], of_part)
            same = [choice in allowed for choice, allowed in zip(chosen, wanted[part], strict=True)]
            exact += sum(same)
            for place in [place for place, is_same in enumerate(same) if not is_same]:
                at = start + place
                of_place = [one[place] for one in of_part]
                if any(_chosen_within(engine, streams[at], of_place, token, tolerance) for token in wanted[at]):
                    within += 1
                else:
                    contradicted.append(at)
    return TokenVerdicts(exact, within, tuple(contradicted))


def _chosen_within(engine: Engine, stream: Stream, logits: Sequence[Tensor], token: int, tolerance: float) -> bool:
    """Whether the token is chosen once its logit, and those of the tokens that are chosen instead, are moved by the
    tolerance. It may have to be moved either way, as typical sampling leaves out tokens that are too likely."""
    if token >= min(len(one) for one in logits):
        return False
    for direction in (1, -1):
        moved = [one.clone()[None] for one in logits]
        steps = [tolerance * one[one.isfinite()].abs().amax() for one in logits]
        _move(moved, steps, token, direction)
        lowered: set[int] = set()
        for _ in range(_ROUNDS + 1):
            [choice] = engine.choices([stream], [one.clone() for one in moved])
            if choice == token:
                return True
            if choice in lowered:
                break
            lowered.add(choice)
            _move(moved, steps, choice, -1)
    return False


def _move(logits: Sequence[Tensor], steps: Sequence[Tensor], token: int, direction: int) -> None:
    """Makes a token likelier, or less so: under the model, and the other way round under its amateur."""
    for number, (one, step) in enumerate(zip(logits, steps, strict=True)):
        one[0, token] += direction * step * (-1 if number else 1)
