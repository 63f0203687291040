"""The difference between two runs by one metric, as `newwiki compare` reports it."""

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
    """Run B minus run A by one metric, over the prompts that have scores of both runs from the same evaluator.

    - `mean_a`, `mean_b`: means of the prompts' means
    - `status_a`, `status_b`: `ok`, or the number of scored texts and the reason for missing scores
    - `level_a`, `level_b`: how far the numbers were verified (`newwiki.levels`)
    - `low`, `high`: the 95 % interval; `bootstrap_low`, `bootstrap_high`: the interval by the bootstrap over prompts
    - `no_interval`: the reason for a missing interval
    - `p`: from `statistics.p_values`; `p_holm`: corrected for the metrics of this pair of runs
    - `effect_size`: d_z
    - `prompts_needed_low`, `prompts_needed_high`: the range of prompts that would show the difference. The second is
      None if possibly no number would.
    - `smallest_visible`: the smallest difference that these prompts would show. This and the prompts needed are after
      the correction, at a power of 80 %.
    - `part`: the part of the snapshot's articles, or None for all articles
    - `generalizes_over`: the units that the verdict generalizes over

    Across months, one mean is the estimated mean of its run in the other month. The numbers are then unpaired, so the
    bootstrap, the effect size and the power fields are None. None marks every value that cannot be computed.
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
    """Return the names of the reported fields. `part` is included only with a stratum."""
    return [column.name for column in fields(Difference) if by or column.name != "part"]


def verdict(lacking: str | None, p: float) -> Verdict:
    if lacking == statistics.TOO_FEW:
        return "too few prompts"
    return "different" if p <= statistics.LEVEL else "cannot be told apart"


def within(end: float, span: float | None) -> float | None:
    """Clip the end of an interval of differences to `span` on either side of 0. Returns None for an infinite end."""
    if not math.isfinite(end):
        return None
    return float(end if span is None else min(max(end, -span), span))
