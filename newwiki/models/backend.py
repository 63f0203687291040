"""What every model backend is: prompts in, completions out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from newwiki.decoding.grammar import Decoder
from newwiki.records import Completion, Prompt
from newwiki.registry import models


class Backend(Protocol):
    """A loaded model. `sha256` is of what decides its output (weights, configuration, tokenizer), never of its name."""

    name: str
    sha256: str
    backend: str
    dtype: str
    versions: Mapping[str, str]

    def complete(
        self,
        requests: Sequence[tuple[Prompt, int]],
        decoder: Decoder,
        *,
        seed: int,
        max_new_tokens: int,
        batch_size: int | None,
    ) -> Iterator[list[Completion]]:
        """Completions of (prompt, sample number) pairs, in batches as they are done; no `batch_size` means `auto`."""
        ...


Loader = TypeVar("Loader", bound=Callable[..., Backend])


def model(name: str) -> Callable[[Loader], Loader]:
    """Registers what loads a model for `--backend NAME`: it gets the model's name and the `--model-args`."""

    def register(loader: Loader) -> Loader:
        models.add(name, loader)
        return loader

    return register
