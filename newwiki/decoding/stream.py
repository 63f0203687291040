"""The input and output of a decoder's step: streams of hypotheses, views of the models, turns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from torch import Tensor

# Standard Gumbel noise for token ids [rows, k]: the same for the same (seed, page, sample, step, token).
Noise = Callable[["Tensor"], "Tensor"]

# Maps token ids [rows, k], each read after its row's text, to the largest cosine [rows, k] of the token's last hidden
# state with those of the text, and to a bound [rows, k] of that cosine's rounding error.
Similarity = Callable[["Tensor"], "tuple[Tensor, Tensor]"]


@dataclass(slots=True)
class Hypothesis:
    """The beginning of a completion: its tokens, and what a search knows about it.

    `score` is the sum of log-probabilities, or a decoder's replacement for it; `ended` means that the text ends here by
    itself. An end-of-text token is not among the tokens.
    """

    tokens: list[int] = field(default_factory=list)
    score: float = 0.0
    ended: bool = False


@dataclass(slots=True)
class Stream:
    """One completion in progress: `beam` has a hypothesis for each row of the batch, `pool` holds finished ones.

    `room` is its maximum number of tokens, at least 1. `seed` seeds its tokens; None means the run's seed.
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
        """The number of tokens of each hypothesis in the beam."""
        return len(self.beam[0].tokens)


@dataclass(slots=True)
class Turn:
    """The result of a step for a stream.

    `rows` holds the hypotheses that continue, each with its parent's position in the old beam: a hypothesis has the
    parent's tokens and one more, or only the parent's. If `result` is not None, it is the completion, and nothing
    continues. `sure` is False if rounding within the slack could have led elsewhere.
    """

    rows: list[tuple[int, Hypothesis]] = field(default_factory=list)
    pool: list[Hypothesis] = field(default_factory=list)
    result: Hypothesis | None = None
    sure: bool = True


@dataclass(frozen=True)
class Ending:
    """Where a text ends by itself: at an end-of-text token, or where `stops` finds a stop string at its end.

    `sentence` tells whether a token ends a sentence, given the completion's tokens before it.
    """

    tokens: frozenset[int]
    stops: Callable[[Sequence[int]], bool] | None = None
    sentence: Callable[[Sequence[int], int], bool] | None = None

    def close(self, tokens: Sequence[int], token: int) -> Hypothesis | None:
        """Return the hypothesis that this token finishes, without an end-of-text token; None if the text continues."""
        if token in self.tokens:
            return Hypothesis(list(tokens), ended=True)
        if self.stops and self.stops([*tokens, token]):
            return Hypothesis([*tokens, token], ended=True)
        return None


@dataclass(frozen=True)
class View:
    """The models' output for some streams, whose rows follow each other.

    `logits` [rows, vocabulary] are float32; `amateur` are those of the second model, if there is one. `slack` [rows, 1]
    bounds the rounding error of a logit of either. `block` sets to -inf, in place, the scores [rows, vocabulary] of
    tokens that would repeat an n-gram. `similarity` exists for a LookAhead, which calls it once per step. `exactly`
    exists when a step is repeated for one row because rounding left it open: it returns the cosines [n] of tokens [n],
    each from a pass of its own.
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
    """A running decoder. `width` is the maximum number of rows of a stream."""

    width: int

    def step(self, streams: Sequence[Stream], view: View) -> list[Turn]: ...


@runtime_checkable
class LookAhead(Search, Protocol):
    """A search with one row that reads `candidates` tokens before it chooses one of them."""

    candidates: int
