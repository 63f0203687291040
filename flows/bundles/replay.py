"""The result of a replay with the checker's own copy of the checkpoint, and the demands on a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from flows.bundles.checked import Checked

# `replay`: test whether the decoder chooses each token. `anew`: generate the completions again. `reading`: read the
# articles again. `plausibility`: compute how likely the model finds the texts, which confirms none of them.
Kind = Literal["replay", "anew", "reading", "plausibility"]


@dataclass(frozen=True)
class Demand:
    """The demands on a run with a certain dtype, independent of the device that the bundle states.

    - `tolerance`: the rounding error of a logit, as a share of the largest logit, within which a token counts as chosen
    - `replayed`: the minimum share of confirmed tokens over a run
    - `each`: the minimum share of confirmed tokens in each completion
    - `anew`: the minimum share of tokens before the first difference, after a second generation
    - `spare`: the number of tokens that may differ in addition
    - `score`: the maximum absolute and relative difference of a score after a second reading
    """

    tolerance: float
    replayed: float
    each: float
    anew: float
    spare: int
    score: float


# The values come from `make bench-replay`, whose table is in docs/submit.md.
DEMANDS: Mapping[str, Demand] = {
    "float32": Demand(tolerance=5e-5, replayed=0.999, each=0.9, anew=0.9, spare=0, score=1e-3),
    "bfloat16": Demand(tolerance=0.006, replayed=0.98, each=0.8, anew=0.25, spare=1, score=0.03),
    "float16": Demand(tolerance=0.001, replayed=0.99, each=0.8, anew=0.25, spare=1, score=0.01),
}


@dataclass(frozen=True)
class Replayed:
    """The replay of a run.

    `completions` of the run's `of` completions were drawn, including dropped ones; for likelihood runs, both count
    articles. `confirmed` of the `looked_at` tokens are correct. `looked_at` counts scores for `reading` and texts for
    `plausibility`. A run passes with a share of `demanded`. If nothing could be checked, `passed` is False and `why`
    gives the reason.
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
        share = f"{self.confirmed:,} of {self.looked_at:,}"
        results = {
            "replay": f"the decoder chooses {share} tokens; at least {self.demanded:.1%} are demanded",
            "anew": f"{share} tokens are the same from the beginning on; at least {self.demanded:.1%} are demanded",
            "reading": f"{share} scores are those of the model",
            "plausibility": f"claimed: the model finds {share} drawn texts as likely as its own, which confirms none",
        }
        return results[self.kind]


@dataclass(frozen=True)
class SpotCheck:
    """The replay of all runs. `number` drew `each` completions of every run, or all completions of a smaller run."""

    number: int
    each: int
    runs: Sequence[Replayed]

    @property
    def lines(self) -> list[Checked]:
        return [run.line for run in self.runs]

    @property
    def fewest(self) -> int:
        """The smallest number of drawn completions among the replayed runs, or 0 if no run was replayed."""
        return min((run.completions for run in self.runs if run.passed and run.kind != "plausibility"), default=0)
