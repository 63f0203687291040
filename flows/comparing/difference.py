"""A row of a comparison: the difference of two runs by one metric, and how far its numbers were verified."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal

from evaluators import statistics
from flows.verdict_kinds import gives_verdicts
from newwiki.levels import VERIFIED, legend
from storage import verifications
from storage.database import Database

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
    status_a: str = "ok"
    status_b: str = "ok"
    level_a: str = VERIFIED
    level_b: str = VERIFIED
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


def with_levels(database: Database, rows: Sequence[Difference]) -> tuple[list[Difference], list[str]]:
    """The rows with the level of each run's number, and notes on levels below `verified`: what they mean, and in words
    what a level says of a run beside its name."""
    levels = verifications.levels(database, {run_id for row in rows for run_id in (row.run_a, row.run_b)})
    metrics: dict[tuple[str, str], dict[str, None]] = {}
    found, there = [], set[str]()
    for row in rows:
        level_a, level_b = (levels[run_id, row.evaluator_id] for run_id in (row.run_a, row.run_b))
        for run_id, one in ((row.run_a, level_a), (row.run_b, level_b)):
            if one.level != VERIFIED:
                there.add(one.level)
                if one.words != one.level:
                    metrics.setdefault((run_id, one.words), {})[row.metric] = None
        found.append(replace(row, level_a=level_a.level, level_b=level_b.level))
    notes = [f"{', '.join(names)} of {run_id}: {words}" for (run_id, words), names in metrics.items()]
    return found, [*notes, *(f"{level}: {meaning}" for level, meaning in legend(there))]


def leveled(number: str, level: str) -> str:
    """The number with its level, unless it is `verified`: `0.41 (claimed)`."""
    return number if level == VERIFIED else f"{number} ({level})"
