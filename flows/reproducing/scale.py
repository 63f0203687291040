"""Scale the protocol of a paper: its numbers times the scale, but no less than the necessary minimum."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluators.statistics import FEWEST

# Shorter texts rarely contain a complete sentence, and their n-grams cannot repeat
TOKENS = 64


@dataclass(frozen=True)
class Scaled:
    """A number of the paper's protocol, and its scaled value."""

    what: str
    paper: int
    here: int

    @property
    def words(self) -> str:
        return f"{self.what}: {self.here:,}" + ("" if self.here == self.paper else f" ({self.paper:,} in the paper)")


def prompts(paper: int, scale: float, available: int | None = None, at_least: int = FEWEST) -> Scaled:
    """Return the scaled number of prompts: at least as many as an interval needs, and at most all available prompts."""
    scaled = _scaled(paper, scale, at_least)
    return Scaled("prompts", paper, scaled if available is None else min(scaled, available))


def samples(paper: int, scale: float) -> Scaled:
    return Scaled("samples", paper, _scaled(paper, scale, 1))


def kept(paper: int, scale: float) -> Scaled:
    return Scaled("kept", paper, _scaled(paper, scale, 1))


def tokens(paper: int, scale: float) -> Scaled:
    return Scaled("tokens at most", paper, _scaled(paper, scale, TOKENS))


def whole(what: str, paper: int, scale: float, at_least: int) -> Scaled:
    """Return the scaled value of any other count."""
    return Scaled(what, paper, _scaled(paper, scale, at_least))


def words(scaled: Sequence[Scaled]) -> str:
    return "; ".join(number.words for number in scaled)


def _scaled(paper: int, scale: float, at_least: int) -> int:
    return min(paper, max(round(paper * scale), at_least))
