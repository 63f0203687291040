"""How far a run of a bundle was confirmed with the checker's own copy of its checkpoint, and what is demanded of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from flows.bundles.checked import Checked

# `replay`: of each token, whether the decoder chooses it. `anew`: completions generated once more. `reading`: articles
# read once more. `plausibility`: how likely the model finds the texts, which confirms none of them.
Kind = Literal["replay", "anew", "reading", "plausibility"]


@dataclass(frozen=True)
class Demand:
    """What a run of a dtype must meet, whatever the bundle says of its device.

    `tolerance` bounds a logit's rounding error, as a share of the largest logit's size, within which a token counts as
    chosen. The shares are of tokens: `replayed` of a run's, `each` of a single completion's, `anew` of those that are
    the same from a completion's beginning on. Beside them `spare` tokens may be others. `score` bounds the difference
    of a score of an article that is read again, absolute and relative.
    """

    tolerance: float
    replayed: float
    each: float
    anew: float
    spare: int
    score: float


# From what `make bench-replay` shows; its table stands in docs/submit.md.
DEMANDS: Mapping[str, Demand] = {
    "float32": Demand(tolerance=5e-5, replayed=0.999, each=0.9, anew=0.9, spare=0, score=1e-3),
    "bfloat16": Demand(tolerance=0.006, replayed=0.98, each=0.8, anew=0.25, spare=1, score=0.03),
    "float16": Demand(tolerance=0.001, replayed=0.99, each=0.8, anew=0.25, spare=1, score=0.01),
}


@dataclass(frozen=True)
class Replayed:
    """Of a run's `of` completions, dropped ones included, `completions` were drawn (articles, of a likelihood run).

    `confirmed` of the `looked_at` tokens in them are right; `looked_at` counts scores where the kind is `reading`, and
    texts where it is `plausibility`. A run passes with a share of `demanded`. `passed` is False, and `why` gives the
    reason, where nothing could be looked at.
    """

    run_id: str
    kind: Kind
    confirmed: int
    looked_at: int
    completions: int
    of: int
    demanded: float
    passed: bool
    why: str = ""

    @property
    def line(self) -> Checked:
        named = {
            "replay": f"{self.run_id} replayed",
            "anew": f"{self.run_id} generated again",
            "reading": f"{self.run_id} read again",
            "plausibility": f"{self.run_id} plausible",
        }
        drawn = self.completions if self.passed and self.kind != "plausibility" else 0
        return Checked(named[self.kind], drawn, self.of, self.why or self._result)

    @property
    def _result(self) -> str:
        of = f"{self.confirmed:,} of {self.looked_at:,}"
        results = {
            "replay": f"the decoder chooses {of} tokens; at least {self.demanded:.1%} are demanded",
            "anew": f"{of} tokens are the same from the beginning on; at least {self.demanded:.1%} are demanded",
            "reading": f"{of} scores are those of the model",
            "plausibility": f"claimed: the model finds {of} drawn texts as likely as its own, which confirms none",
        }
        return results[self.kind]


@dataclass(frozen=True)
class SpotCheck:
    """By `number`, `each` completions of every run were drawn, or all of a run that has fewer."""

    number: int
    each: int
    runs: Sequence[Replayed]

    @property
    def lines(self) -> list[Checked]:
        return [one.line for one in self.runs]

    @property
    def fewest(self) -> int:
        """Completions that were drawn of the run that had the fewest drawn; 0 where no run was replayed."""
        return min((one.completions for one in self.runs if one.passed and one.kind != "plausibility"), default=0)
