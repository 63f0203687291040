"""The interface of every model backend: prompts in, completions out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from newwiki.decoding.grammar import Decoder
from newwiki.records import Completion, Prompt, Reading
from newwiki.registry import models
from newwiki.request import EvaluationRequest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class StoredAnswers:
    """What a run that resumes already has from a server: the number of its completions, what each server said about
    itself, and the tokens. `uncounted` completions have no token counts."""

    completions: int = 0
    served_by: tuple[str, ...] = ()
    prompt_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    uncounted: int = 0


@dataclass(frozen=True)
class ServerBatches:
    """The batches of a run that a server works on, by id, and a function that stores the id of a further one; whether
    the run `sends` further ones, or requests its other completions one by one."""

    ids: tuple[str, ...]
    store: Callable[[str], None]
    sends: bool


@dataclass(frozen=True)
class Writing:
    """Settings of the generation that are the same for all completions of a run.

    `batch_size` None means `auto`: as many rows as fit into `memory` bytes, or into half of the free memory. With
    `strict`, each completion runs alone, in the same tensor shapes whatever else is requested. `note` receives messages
    for the user.

    Only servers read the last three: the highest cost of the run, what is `stored` of it, and its `batches`, if it has
    or sends any.
    """

    seed: int = 0
    max_new_tokens: int = EvaluationRequest.max_new_tokens
    batch_size: int | None = None
    stop: tuple[str, ...] = ()
    strict: bool = False
    note: Callable[[str], None] = lambda text: None
    memory: int | None = None
    max_cost: float | None = None
    stored: StoredAnswers = StoredAnswers()
    batches: ServerBatches | None = None


@dataclass(frozen=True)
class TokenContext:
    """Tokens to continue with exactly `room` more; seed, page id and sample number seed the continuation."""

    page_id: int
    sample: int
    tokens: tuple[int, ...]
    seed: int
    room: int


class Backend(Protocol):
    """A loaded model.

    `sha256` covers what decides its output (weights, configuration, tokenizer), never its name. `settings` holds other
    things that decide it, such as whether a prompt begins with BOS.
    """

    name: str
    sha256: str
    backend: str
    dtype: str
    settings: Mapping[str, str]
    versions: Mapping[str, str]

    def others(self, decoder: Decoder) -> Mapping[str, str]:
        """Return the hashes of the other models that the decoder reads, by decoder parameter. Raises TerminalError."""
        ...

    def complete(
        self, requests: Sequence[tuple[Prompt, int]], decoder: Decoder, writing: Writing
    ) -> Iterator[list[Completion]]:
        """Yield the completions of (prompt, sample number) pairs as they finish."""
        ...


class ArticleReader(Protocol):
    """A backend that can also score a given text.

    `reading` holds what decides its numbers besides the model: the reading window and the model's context length.
    """

    reading: Mapping[str, str]

    def readings(self, pairs: Sequence[tuple[Prompt, str]], *, standardised: bool) -> list[Reading]:
        """Score (prompt, rest) pairs, in order; the same pairs in the same order give the same bits. Raises
        TerminalError."""
        ...


class TokenWriter(Protocol):
    """A backend that can also continue from tokens and return next-token probabilities.

    `vocabulary` holds the ids of tokens that stand for text, without special tokens.
    """

    @property
    def vocabulary(self) -> Sequence[int]: ...

    def tokens(self, text: str) -> list[int]: ...

    def text(self, tokens: Sequence[int]) -> str: ...

    def continuations(
        self, contexts: Sequence[TokenContext], decoder: Decoder, writing: Writing
    ) -> Iterator[list[tuple[TokenContext, tuple[int, ...]]]]:
        """Yield exactly `room` tokens after each context, as they finish; an end-of-text token counts like any other.
        The contexts' own seeds and rooms apply, and not those of `writing`. Raises TerminalError."""
        ...

    def next_probabilities(self, sequences: Sequence[Sequence[int]], places: Sequence[int]) -> "NDArray[np.float32]":
        """Return probabilities [sequences, places, vocabulary] of the token that follows the first `place` tokens, for
        sequences of equal length. Raises TerminalError."""
        ...


def reads_articles(loader: object) -> bool:
    """Tell whether the models of this backend loader implement ArticleReader."""
    return hasattr(loader, "readings")


def goes_on_from_tokens(loader: object) -> bool:
    """Tell whether the models of this backend loader implement TokenWriter."""
    return hasattr(loader, "continuations")


# The version of our engine's output bytes. Raise it whenever the engine may write other bytes than before for the same
# request. A test compares it with the source of everything that decides them (tests/newwiki/models/test_numerics.py).
NUMERICS = 3


def numerics_of(backend: Backend) -> int | None:
    """Return the version of our engine's output bytes; None for a backend without `numerics`, where another program
    generates, whose version is in `versions`."""
    version: int | None = getattr(backend, "numerics", None)
    return version


Loader = TypeVar("Loader", bound=Callable[..., Backend])


def model(name: str) -> Callable[[Loader], Loader]:
    """Register a model loader for `--backend NAME`: it receives the model's name and the `--model-args`.

    If a loader has a function `find`, it is called with the same arguments before any model is loaded, and raises an
    error if the model is not available.
    """

    def register(loader: Loader) -> Loader:
        models.add(name, loader)
        return loader

    return register
