"""What every token-by-token decoder is, and how it is registered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from newwiki.decoding.grammar import Parameter
from newwiki.registry import decoders

if TYPE_CHECKING:
    from torch import Tensor


# Standard Gumbel noise for token ids [rows, k]: the same for the same (seed, page, sample, step, token).
Noise = Callable[["Tensor"], "Tensor"]


class Step(Protocol):
    """Chooses each row's next token from logits [rows, vocabulary] in float32.

    `slack` [rows, 1] bounds how far rounding may have moved a logit. Answers with tokens [rows], and with a mask [rows]
    that is False where an error within the slack could have changed the choice.
    """

    def __call__(self, logits: "Tensor", noise: Noise, slack: "Tensor") -> "tuple[Tensor, Tensor]": ...


@dataclass(frozen=True)
class DecoderKind:
    """A decoder's name, its parameters, how to make its step from them, and where it comes from."""

    name: str
    parameters: Mapping[str, Parameter]
    make: Callable[..., Step]
    source: str
    deterministic: bool


def decoder(
    name: str, *, parameters: Mapping[str, Parameter], source: str, deterministic: bool = False
) -> Callable[[Callable[..., Step]], Callable[..., Step]]:
    """Registers a function from the parameters to a Step. A deterministic one gives one completion a prompt."""

    def register(make: Callable[..., Step]) -> Callable[..., Step]:
        decoders.add(name, DecoderKind(name, parameters, make, source, deterministic))
        return make

    return register
