"""What every model backend is: prompts in, completions out."""

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
class Writing:
    """How completions are asked for, the same for all of a run.

    `batch_size` None means `auto`, whose rows take so many bytes of `memory`, or half of what is free; `strict` runs
    each completion alone, in the same shapes whatever else is asked for; `note` is told what a person should know.
    """

    seed: int = 0
    max_new_tokens: int = EvaluationRequest.max_new_tokens
    batch_size: int | None = None
    stop: tuple[str, ...] = ()
    strict: bool = False
    note: Callable[[str], None] = lambda text: None
    memory: int | None = None


@dataclass(frozen=True)
class TokenContext:
    """Tokens that a model continues with exactly `room` more, drawn by seed, page id and sample."""

    page_id: int
    sample: int
    tokens: tuple[int, ...]
    seed: int
    room: int


class Backend(Protocol):
    """A loaded model.

    `sha256` is of what decides its output (weights, configuration, tokenizer), never of its name; `settings` are what
    else does, such as whether a prompt begins with BOS.
    """

    name: str
    sha256: str
    backend: str
    dtype: str
    settings: Mapping[str, str]
    versions: Mapping[str, str]

    def others(self, decoder: Decoder) -> Mapping[str, str]:
        """The hashes of the other models that the decoder reads, by its parameters. Raises TerminalError."""
        ...

    def complete(
        self, requests: Sequence[tuple[Prompt, int]], decoder: Decoder, writing: Writing
    ) -> Iterator[list[Completion]]:
        """Completions of (prompt, sample number) pairs, as they are done."""
        ...


class ArticleReader(Protocol):
    """What a backend is, too, that tells how likely a text is that is given.

    `reading` is what decides its numbers besides the model: the window that it reads in, the model's own context.
    """

    reading: Mapping[str, str]

    def readings(self, pairs: Sequence[tuple[str, str]], *, standardised: bool) -> list[Reading]:
        """What the model makes of (prompt, rest) pairs, in their order; the same pairs in the same order give the same
        bits. Raises TerminalError."""
        ...


class TokenWriter(Protocol):
    """What a backend is, too, that goes on from tokens and tells what the next one would be.

    `vocabulary` are the ids of tokens that stand for text, without special ones.
    """

    @property
    def vocabulary(self) -> Sequence[int]: ...

    def tokens(self, text: str) -> list[int]: ...

    def text(self, tokens: Sequence[int]) -> str: ...

    def continuations(
        self, contexts: Sequence[TokenContext], decoder: Decoder, writing: Writing
    ) -> Iterator[list[tuple[TokenContext, tuple[int, ...]]]]:
        """The tokens after each context, as they are done: a token that ends a text is one like any other. Contexts
        have their own seed and room in the place of the writing's. Raises TerminalError."""
        ...

    def next_probabilities(self, sequences: Sequence[Sequence[int]], places: Sequence[int]) -> "NDArray[np.float32]":
        """The probabilities [sequences, places, vocabulary] of the token that comes after so many tokens of sequences
        of one length. Raises TerminalError."""
        ...


def reads_articles(loader: object) -> bool:
    """Whether this loader of a backend gives models that are an ArticleReader."""
    return hasattr(loader, "readings")


def goes_on_from_tokens(loader: object) -> bool:
    """Whether this loader of a backend gives models that are a TokenWriter."""
    return hasattr(loader, "continuations")


def numerics_of(backend: Backend) -> int | None:
    """The version of our engine's bytes; None for a backend that has no `numerics`, as another program computes, whose
    version stands in `versions`."""
    version: int | None = getattr(backend, "numerics", None)
    return version


Loader = TypeVar("Loader", bound=Callable[..., Backend])


def model(name: str) -> Callable[[Loader], Loader]:
    """Registers what loads a model for `--backend NAME`: it gets the model's name and the `--model-args`.

    A loader that has a function `find` is asked by it, with the same arguments, before any model is loaded: it raises
    where the model is not to be had.
    """

    def register(loader: Loader) -> Loader:
        models.add(name, loader)
        return loader

    return register
