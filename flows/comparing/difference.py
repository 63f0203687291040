"""What `newwiki compare` says of two runs by one metric."""

import math
from dataclasses import dataclass, fields
from typing import Literal

from evaluators import statistics
from flows.verdict_kinds import gives_verdicts

Verdict = Literal["different", "cannot be told apart", "too few prompts"]


_OVER = "prompts"


@gives_verdicts(
    "differences",
    "prompts",
    over=_OVER,
    given="models, decoders and seeds",
    family="the metrics, and parts of the snapshot, of one pair of runs",
)
@dataclass(frozen=True, kw_only=True)
class Difference:
    """Run B minus run A by one metric, over the prompts that both have scores of from the same evaluator.

    Means are means of the prompts' means; `status_a` and `status_b` are `ok`, or say on how many of the run's texts its
    numbers stand and why not on the others; `level_a` and `level_b` say how far the numbers were verified
    (`newwiki.levels`). `low` and `high` are the 95 % interval, the others that by the bootstrap
    over prompts, and `no_interval` is why there is none. `p` is that of `statistics.p_values`, `p_holm` corrected for
    the metrics of this pair of runs. `effect_size` is d_z. Across months one mean is what its run would have in the
    other's, and nothing is paired, so bootstrap, effect size and what it would take are None. `prompts_needed_low` to
    `prompts_needed_high` prompts would show the difference, the second None where no number may do; `smallest_visible`
    is the smallest difference that these prompts would show: both after the correction, at 80 % power. `part` is which
    articles of the snapshot it is on, None for all. `generalizes_over` names the units that the verdict is about in
    general. None is what cannot be computed.
    """

    run_a: str
    run_b: str
    metric: str
    evaluator_id: str
    prompts: int
    mean_a: float
    mean_b: float
    difference: float
    low: float | None
    high: float | None
    no_interval: str | None
    bootstrap_low: float | None
    bootstrap_high: float | None
    p: float
    p_holm: float
    effect_size: float | None
    verdict: Verdict
    prompts_needed_low: float | None
    prompts_needed_high: float | None
    smallest_visible: float | None
    level_a: str
    level_b: str
    status_a: str = "ok"
    status_b: str = "ok"
    generalizes_over: str = _OVER
    part: str | None = None


def columns(by: str | None) -> list[str]:
    """The fields of a difference that are told: `part` where it is by a stratum."""
    return [one.name for one in fields(Difference) if by or one.name != "part"]


def verdict(lacking: str | None, p: float) -> Verdict:
    if lacking == statistics.TOO_FEW:
        return "too few prompts"
    return "different" if p <= statistics.LEVEL else "cannot be told apart"


def within(end: float, span: float | None) -> float | None:
    """The end of an interval of differences between two numbers that lie no further apart than `span`."""
    if not math.isfinite(end):
        return None
    return float(end if span is None else min(max(end, -span), span))
