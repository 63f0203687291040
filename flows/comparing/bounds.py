"""Test whether a candidate is worse than a baseline by more than a bound, with paired intervals."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluators import power
from evaluators.statistics import ALIKE, LEVEL, TOO_FEW
from flows.comparing.calibration import seeing_content
from flows.comparing.difference import Difference
from flows.comparing.differences import compare
from flows.comparing.one_evaluator import agreed, by_metric
from flows.comparing.one_protocol import require_one_protocol
from flows.presenting.numbers import counted
from flows.verdict_kinds import gives_verdicts
from newwiki.errors import TerminalError, UsageError
from storage import comparison
from storage.database import Database
from storage.run_names import Contender

Outcome = Literal["failed", "passed", "not sure"]
Doubt = Literal["fail", "warn", "pass"] | None

_BOUND = re.compile(
    r"(?P<metric>\w+)\s*(?P<sign>[<>])\s*(?P<limit>[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)", re.IGNORECASE
)

COLUMNS = (
    "fails_if",
    "baseline",
    "candidate",
    "difference",
    "low",
    "high",
    "no_interval",
    "prompts",
    "baseline_level",
    "candidate_level",
    "outcome",
    "prompts_needed",
)


@dataclass(frozen=True)
class Bound:
    """A bound on the difference between candidate and baseline by a metric. The candidate fails beyond `limit`."""

    metric: str
    sign: Literal["<", ">"]
    limit: float

    def __str__(self) -> str:
        return f"{self.metric} {self.sign} {self.limit:+g}"


@gives_verdicts("gate", "prompts", given="runs and their seeds", family="the bounds of the gate")
@dataclass(frozen=True)
class GateResult:
    """The result of a bound.

    It is `failed` if the whole interval lies beyond the bound, and `not sure` if a part of it does or no interval
    exists. The intervals of a gate are simultaneous: all of them cover their differences in 95 of 100 cases.
    `prompts_needed` is the number of prompts with which a gate of this bound surely passes in four of five cases if
    the runs do not differ; None if no number is enough or the spread of the differences is unknown.
    """

    bound: Bound
    difference: Difference
    outcome: Outcome
    prompts_needed: int | None = None

    def fails(self, doubt: Doubt) -> bool:
        """Return whether the bound fails the gate. `doubt` says what a bound does that is `not sure`."""
        if self.outcome != "not sure":
            return self.outcome == "failed"
        return doubt == "fail" or (doubt is None and self.difference.no_interval == TOO_FEW)

    @property
    def row(self) -> tuple[object, ...]:
        """The values for `COLUMNS`."""
        difference = self.difference
        numbers = (
            difference.mean_a,
            difference.mean_b,
            difference.difference,
            difference.low,
            difference.high,
            difference.no_interval,
        )
        return (
            str(self.bound),
            *numbers,
            difference.prompts,
            difference.level_a,
            difference.level_b,
            self.outcome,
            self.prompts_needed,
        )


def parse_bounds(text: str) -> list[Bound]:
    """Parse bounds such as `bits_per_byte > +0.02, sbert_new < -0.01`. Raises UsageError for an invalid bound."""
    matches = [_BOUND.fullmatch(part.strip()) for part in text.split(",")]
    if not all(matches):
        wrong = next(part.strip() for part, match in zip(text.split(","), matches, strict=True) if not match)
        raise UsageError(
            f"--fail-if is written 'bits_per_byte > +0.02, sbert_new < -0.01', and '{wrong}' is no such bound"
        )
    return [
        Bound(match["metric"], "<" if match["sign"] == "<" else ">", float(match["limit"]))
        for match in matches
        if match
    ]


def bounds_of(
    database: Database,
    baseline: Contender,
    candidate: Contender,
    fail_if: str | None,
    max_loss: float | None = None,
) -> list[Bound]:
    """Return the bounds that a text states, or without one those of `default_bounds`. Raises UsageError."""
    if fail_if is not None:
        return parse_bounds(fail_if)
    return default_bounds(database, baseline, candidate, max_loss or 0.0)


def default_bounds(database: Database, baseline: Contender, candidate: Contender, max_loss: float = 0.0) -> list[Bound]:
    """Return a bound at a loss of `max_loss` for each metric that sees content on the runs' snapshot.

    Raises UsageError if none is known.
    """
    scored = by_metric(comparison.scorings_with_reading(database, [baseline.run_id, candidate.run_id]))
    both = {name: scorings for name, scorings in scored.items() if len({one.run_id for one in scorings}) > 1}
    evaluators = {name: evaluator for name, scorings in both.items() if (evaluator := agreed(scorings))}
    runs = {run.run_id: run.snapshot_id for run in (baseline, candidate)}
    seers, _ = seeing_content(database, runs, evaluators)
    if not seers:
        raise UsageError(
            "no metric is known to see content on this snapshot, which takes anchors of at least 13 articles "
            "(`newwiki score --missing` makes them); name the differences with --fail-if"
        )
    directions = dict(database.rows("directions", list(seers)))
    return [
        Bound(metric, ">", max_loss) if directions[metric] == "lower" else Bound(metric, "<", -max_loss)
        for metric in seers
    ]


def judge(
    database: Database, baseline: Contender, candidate: Contender, bounds: Sequence[Bound]
) -> tuple[list[GateResult], list[str]]:
    """Test the candidate against every bound, and return the results and notes.

    A single failed bound fails the gate, so the intervals are simultaneous: each covers 1 - 0.05 / m for m metrics
    (Bonferroni). Raises UsageError for a metric that neither run has. Raises TerminalError if the protocols differ or
    if a metric cannot be compared, so that no bound passes unchecked.
    """
    require_one_protocol(baseline, candidate, None)
    metrics = {bound.metric for bound in bounds}
    rows, notes = compare(database, baseline, candidate, metrics, level=LEVEL / len(metrics))
    by_metric = {row.metric: row for row in rows}
    if lacking := sorted({bound.metric for bound in bounds} - by_metric.keys()):
        raise TerminalError(f"nothing can be said by {', '.join(lacking)}: {'; '.join(notes)}")
    return results(bounds, by_metric), notes


def results(bounds: Sequence[Bound], by_metric: Mapping[str, Difference]) -> list[GateResult]:
    """Return the result of each bound. The intervals of the differences must be simultaneous."""
    metrics = len({bound.metric for bound in bounds})
    rows = [by_metric[bound.metric] for bound in bounds]
    return [
        GateResult(bound, row, _outcome(bound, row), _prompts_needed(bound, row, metrics))
        for bound, row in zip(bounds, rows, strict=True)
    ]


def doubts(results: Sequence[GateResult]) -> list[str]:
    """Return a note for each bound that is not sure: why, and the number of prompts that it needs."""
    return [f"{result.bound}: {_doubt(result)}" for result in results if result.outcome == "not sure"]


def _doubt(result: GateResult) -> str:
    prompts, needed = result.difference.prompts, result.prompts_needed
    if result.difference.no_interval == ALIKE:
        return (
            f"all {counted(prompts, 'prompt')} differ by the same amount, so their spread is unknown; --unless-sure "
            "warn passes"
        )
    if _is_strict(result.bound):
        return (
            "runs that do not differ lie on this bound, so no number of prompts makes them pass surely; allow a loss, "
            "such as --max-loss 0.02"
        )
    if needed is None or needed <= prompts:
        return f"{counted(prompts, 'prompt')} do not show on which side of the bound the difference lies"
    return (
        f"{counted(prompts, 'prompt')} are too few to be sure; if the runs do not differ, {needed:,} prompts or more "
        "pass surely in four of five cases"
    )


def _is_strict(bound: Bound) -> bool:
    """Return whether runs that do not differ lie on the bound or beyond it."""
    return bound.limit >= 0 if bound.sign == "<" else bound.limit <= 0


def _prompts_needed(bound: Bound, row: Difference, metrics: int) -> int | None:
    if _is_strict(bound) or not row.effect_size:
        return None
    deviation = row.difference / row.effect_size
    needed = power.prompts_needed(abs(bound.limit) / deviation, metrics)
    return int(needed) if math.isfinite(needed) else None


def _outcome(bound: Bound, row: Difference) -> Outcome:
    if row.low is None or row.high is None:
        return "not sure"
    best, worst = (row.high, row.low) if bound.sign == "<" else (row.low, row.high)
    if _beyond(bound, best):
        return "failed"
    return "not sure" if _beyond(bound, worst) else "passed"


def _beyond(bound: Bound, difference: float) -> bool:
    return difference < bound.limit if bound.sign == "<" else difference > bound.limit
