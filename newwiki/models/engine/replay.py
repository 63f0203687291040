"""Check whether a decoder chose the tokens of a completion, in one pass over the whole text.

The decoder's own search answers for all positions at once: each position is a stream that has written the tokens before
it. A token that it does not choose is within rounding if it is chosen once the logits move by at most a tolerance.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from newwiki.decoding.stream import Ending, Hypothesis, Stream
from newwiki.models.engine.loop import Engine

_ENDLESS = 2**62  # tokens
_ROUNDS = 4  # rivals of a token that may each be lowered
_PLACES = 64  # positions whose logits are processed together


class Endless(Ending):
    """An ending that closes nothing, so a search returns every token that it chooses."""

    def close(self, tokens: Sequence[int], token: int) -> Hypothesis | None:
        return None


@dataclass(frozen=True)
class TokenVerdicts:
    """How many tokens of a completion the decoder chooses itself (`exact`), or within rounding (`within`), and the
    positions of those that it does not choose. An end-of-text token counts as a token."""

    exact: int
    within: int
    contradicted: tuple[int, ...]

    @property
    def confirmed(self) -> int:
        return self.exact + self.within

    @property
    def total(self) -> int:
        return self.confirmed + len(self.contradicted)


def joined(verdicts: Iterable[TokenVerdicts]) -> TokenVerdicts:
    """Return the verdicts on a text from those on its parts, which follow each other."""
    exact, within, before, contradicted = 0, 0, 0, list[int]()
    for part in verdicts:
        contradicted += [before + place for place in part.contradicted]
        exact, within, before = exact + part.exact, within + part.within, before + part.total
    return TokenVerdicts(exact, within, tuple(contradicted))


def replay(
    engine: Engine, stream: Stream, tokens: Sequence[int], ends: Collection[int], tolerance: float
) -> TokenVerdicts:
    """Return the verdicts on the tokens written after the stream's prompt, and on one of the `ends` after them (empty
    if no token ended the text). The engine must have a search of one row, and Endless rules.

    `tolerance` bounds the rounding error of a logit as a share of the largest logit at its position.
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
            part_logits = [model_logits[part] for model_logits in logits]
            chosen = engine.choices(streams[part], part_logits)
            same = [choice in allowed for choice, allowed in zip(chosen, wanted[part], strict=True)]
            exact += sum(same)
            for place in [place for place, is_same in enumerate(same) if not is_same]:
                at = start + place
                place_logits = [model_logits[place] for model_logits in part_logits]
                if any(_chosen_within(engine, streams[at], place_logits, token, tolerance) for token in wanted[at]):
                    within += 1
                else:
                    contradicted.append(at)
    return TokenVerdicts(exact, within, tuple(contradicted))


def _chosen_within(engine: Engine, stream: Stream, logits: Sequence[Tensor], token: int, tolerance: float) -> bool:
    """Tell whether the token is chosen once its logit, and those of the tokens chosen instead, move by the tolerance.
    It may have to move either way, because typical sampling excludes tokens that are too likely."""
    if token >= min(len(model_logits) for model_logits in logits):
        return False
    for direction in (1, -1):
        moved = [model_logits.clone()[None] for model_logits in logits]
        steps = [tolerance * model_logits[model_logits.isfinite()].abs().amax() for model_logits in logits]
        _move(moved, steps, token, direction)
        lowered: set[int] = set()
        for _ in range(_ROUNDS + 1):
            [choice] = engine.choices([stream], [model_logits.clone() for model_logits in moved])
            if choice == token:
                return True
            if choice in lowered:
                break
            lowered.add(choice)
            _move(moved, steps, choice, -1)
    return False


def _move(logits: Sequence[Tensor], steps: Sequence[Tensor], token: int, direction: int) -> None:
    """Make a token more or less likely: under the model, and the opposite under its amateur."""
    for number, (model_logits, step) in enumerate(zip(logits, steps, strict=True)):
        model_logits[0, token] += direction * step * (-1 if number else 1)
