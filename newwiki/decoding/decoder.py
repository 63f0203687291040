"""What every decoder is, and how it is registered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from newwiki.decoding.grammar import EVERYWHERE, Decoder, Setting
from newwiki.decoding.stream import Search
from newwiki.registry import decoders


@dataclass(frozen=True)
class DecoderKind:
    """A decoder's name, its parameters, how to make its search from them, and where it comes from."""

    name: str
    parameters: Mapping[str, Setting]
    make: Callable[..., Search]
    source: str
    is_deterministic: Callable[[Decoder], bool]

    def search(self, decoder: Decoder) -> Search:
        """Raises UsageError where the parameters do not go together."""
        return self.make(**{key: value for key, value in decoder.parameters.items() if key not in EVERYWHERE})


def decoder(
    name: str,
    *,
    parameters: Mapping[str, Setting],
    source: str,
    deterministic: bool | Callable[[Decoder], bool] = False,
) -> Callable[[Callable[..., Search]], Callable[..., Search]]:
    """Registers a function from the parameters to a Search. A deterministic decoder gives one completion a prompt."""

    def register(make: Callable[..., Search]) -> Callable[..., Search]:
        is_deterministic = deterministic if callable(deterministic) else lambda decoder: bool(deterministic)
        decoders.add(name, DecoderKind(name, {**parameters, **EVERYWHERE}, make, source, is_deterministic))
        return make

    return register
