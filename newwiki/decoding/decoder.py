"""Define and register decoders."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from newwiki.decoding.grammar import EVERYWHERE, Decoder, Setting
from newwiki.decoding.stream import Search
from newwiki.registry import decoders


@dataclass(frozen=True)
class DecoderKind:
    """A decoder's name, its parameters, the function that makes its search from them, and its source."""

    name: str
    parameters: Mapping[str, Setting]
    make: Callable[..., Search]
    source: str
    is_deterministic: Callable[[Decoder], bool]

    def search(self, decoder: Decoder) -> Search:
        """Make the search. Raises UsageError if the parameters contradict each other."""
        return self.make(**{key: value for key, value in decoder.parameters.items() if key not in EVERYWHERE})


def decoder(
    name: str,
    *,
    parameters: Mapping[str, Setting],
    source: str,
    deterministic: bool | Callable[[Decoder], bool] = False,
) -> Callable[[Callable[..., Search]], Callable[..., Search]]:
    """Register a function from parameters to a Search. A deterministic decoder gives one completion per prompt."""

    def register(make: Callable[..., Search]) -> Callable[..., Search]:
        is_deterministic = deterministic if callable(deterministic) else lambda decoder: bool(deterministic)
        decoders.add(name, DecoderKind(name, {**parameters, **EVERYWHERE}, make, source, is_deterministic))
        return make

    return register
