"""How much of a paper's protocol is carried out: its numbers times the scale, and no fewer than it takes."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluators.statistics import FEWEST

# A text of fewer tokens has hardly a sentence that ends, and n-grams that cannot repeat
TOKENS = 64


@dataclass(frozen=True)
class Scaled:
    """A number of the paper's protocol, and what it is here."""

    what: str
    paper: int
    here: int

    @property
    def words(self) -> str:
        return f"{self.what}: {self.here:,}" + ("" if self.here == self.paper else f" ({self.paper:,} in the paper)")


def prompts(paper: int, scale: float, there: int | None = None, at_least: int = FEWEST) -> Scaled:
    """At least as many as an interval takes, and no more than there are."""
    asked = _scaled(paper, scale, at_least)
    return Scaled("prompts", paper, asked if there is None else min(asked, there))


def samples(paper: int, scale: float) -> Scaled:
    return Scaled("samples", paper, _scaled(paper, scale, 1))


def kept(paper: int, scale: float) -> Scaled:
    return Scaled("kept", paper, _scaled(paper, scale, 1))


def tokens(paper: int, scale: float) -> Scaled:
    return Scaled("tokens at most", paper, _scaled(paper, scale, TOKENS))


def whole(what: str, paper: int, scale: float, at_least: int) -> Scaled:
    """Of anything else that is counted."""
    return Scaled(what, paper, _scaled(paper, scale, at_least))


def words(scaled: Sequence[Scaled]) -> str:
    return "; ".join(one.words for one in scaled)


def _scaled(paper: int, scale: float, at_least: int) -> int:
    return min(paper, max(round(paper * scale), at_least))
