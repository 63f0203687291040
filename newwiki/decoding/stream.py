"""What a decoder sees at a step and what it answers: streams of hypotheses, views of the models, turns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from torch import Tensor

# Standard Gumbel noise for token ids [rows, k]: the same for the same (seed, page, sample, step, token).
Noise = Callable[["Tensor"], "Tensor"]

# From token ids [rows, k], of which each is read after its row's text, to the largest cosine [rows, k] of the token's
# last hidden state with those of the text, and to a bound [rows, k] of that cosine's rounding error.
Similarity = Callable[["Tensor"], "tuple[Tensor, Tensor]"]


@dataclass(slots=True)
class Hypothesis:
    """A beginning of a completion: its tokens, and what a search knows of it.

    `score` is the sum of log-probabilities, or of what a decoder puts in their place; `ended` says that the text ends
    here by itself. An end-of-text token is not among the tokens.
    """

    tokens: list[int] = field(default_factory=list)
    score: float = 0.0
    ended: bool = False


@dataclass(slots=True)
class Stream:
    """One completion under way: `beam` has a hypothesis for each row of the batch, `pool` holds finished ones.

    `room` is how many tokens it may have, at least 1. `seed` draws its tokens; None takes the run's.
    """

    page_id: int
    sample: int
    prompt: tuple[int, ...]
    room: int
    beam: list[Hypothesis] = field(default_factory=lambda: [Hypothesis()])
    pool: list[Hypothesis] = field(default_factory=list)
    seed: int | None = None

    @property
    def written(self) -> int:
        """The tokens that each hypothesis of the beam has."""
        return len(self.beam[0].tokens)


@dataclass(slots=True)
class Turn:
    """What becomes of a stream in a step.

    `rows` are the hypotheses that go on, each with its parent's place in the old beam: it has the parent's tokens and
    one more, or only the parent's. `result`, where it is not None, is the completion, and nothing goes on. `sure` is
    False where rounding within the slack could have led elsewhere.
    """

    rows: list[tuple[int, Hypothesis]] = field(default_factory=list)
    pool: list[Hypothesis] = field(default_factory=list)
    result: Hypothesis | None = None
    sure: bool = True


@dataclass(frozen=True)
class Ending:
    """Where a text ends by itself: at an end-of-text token, or where `stops` finds a stop string at its end.

    `sentence` says whether a token ends a sentence, given the tokens of the completion before it.
    """

    tokens: frozenset[int]
    stops: Callable[[Sequence[int]], bool] | None = None
    sentence: Callable[[Sequence[int], int], bool] | None = None

    def close(self, tokens: Sequence[int], token: int) -> Hypothesis | None:
        """The finished hypothesis that this token makes of these, without an end-of-text token; None if it goes on."""
        if token in self.tokens:
            return Hypothesis(list(tokens), ended=True)
        if self.stops and self.stops([*tokens, token]):
            return Hypothesis([*tokens, token], ended=True)
        return None


@dataclass(frozen=True)
class View:
    """What the models say of some streams, whose rows stand one after the other.

    `logits` [rows, vocabulary] are float32; `amateur` are those of the second model, where there is one. `slack`
    [rows, 1] bounds the rounding error of a logit of either. `block` sets to -inf, in place, the scores [rows,
    vocabulary] of tokens that would repeat an n-gram. `similarity` is there for a LookAhead, which asks for it once a
    step. `exactly` is there when a step is taken again for one row because rounding left it open: it gives the cosines
    [n] of tokens [n], each from a pass of its own.
    """

    logits: "Tensor"
    slack: "Tensor"
    noise: Noise
    ends: Ending
    block: "Callable[[Tensor], Tensor]"
    amateur: "Tensor | None" = None
    similarity: Similarity | None = None
    exactly: "Callable[[Tensor], Tensor] | None" = None


class Search(Protocol):
    """A decoder at work. `width` is the most rows that a stream of it has."""

    width: int

    def step(self, streams: Sequence[Stream], view: View) -> list[Turn]: ...


@runtime_checkable
class LookAhead(Search, Protocol):
    """A search of one row that reads so many `candidates` before it chooses one of them."""

    candidates: int
