"""Test whether a candidate is worse than a baseline by more than a bound, with paired intervals."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evaluators.statistics import LEVEL
from flows.comparing.calibration import seeing_content
from flows.comparing.difference import Difference
from flows.comparing.differences import compare
from flows.comparing.one_evaluator import agreed, by_metric
from flows.comparing.one_protocol import require_one_protocol
from flows.verdict_kinds import gives_verdicts
from newwiki.errors import TerminalError, UsageError
from storage import comparison
from storage.database import Database
from storage.run_names import Contender

Outcome = Literal["failed", "passed", "not sure"]

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
    """

    bound: Bound
    difference: Difference
    outcome: Outcome

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
        return (str(self.bound), *numbers, difference.prompts, difference.level_a, difference.level_b, self.outcome)


def parse_bounds(text: str) -> list[Bound]:
    """Parse bounds such as `sbert < -0.01, rep_4 > +0.02`. Raises UsageError for an invalid bound."""
    matches = [_BOUND.fullmatch(part.strip()) for part in text.split(",")]
    if not all(matches):
        wrong = next(part.strip() for part, match in zip(text.split(","), matches, strict=True) if not match)
        raise UsageError(f"--fail-if is written 'sbert < -0.01, rep_4 > +0.02', and '{wrong}' is no such bound")
    return [
        Bound(match["metric"], "<" if match["sign"] == "<" else ">", float(match["limit"]))
        for match in matches
        if match
    ]


def bounds_of(database: Database, baseline: Contender, candidate: Contender, fail_if: str | None) -> list[Bound]:
    """Return the bounds that a text states, or without one those of `default_bounds`. Raises UsageError."""
    return parse_bounds(fail_if) if fail_if is not None else default_bounds(database, baseline, candidate)


def default_bounds(database: Database, baseline: Contender, candidate: Contender) -> list[Bound]:
    """Return a bound at 0 for each metric that sees content on the runs' snapshot.

    Raises UsageError if none is known.
    """
    scored = by_metric(comparison.text_scorings(database, [baseline.run_id, candidate.run_id]))
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
    return [Bound(metric, ">" if directions[metric] == "lower" else "<", 0.0) for metric in seers]


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
    return [GateResult(bound, by_metric[bound.metric], _outcome(bound, by_metric[bound.metric])) for bound in bounds]


def _outcome(bound: Bound, row: Difference) -> Outcome:
    if row.low is None or row.high is None:
        return "not sure"
    best, worst = (row.high, row.low) if bound.sign == "<" else (row.low, row.high)
    if _beyond(bound, best):
        return "failed"
    return "not sure" if _beyond(bound, worst) else "passed"


def _beyond(bound: Bound, difference: float) -> bool:
    return difference < bound.limit if bound.sign == "<" else difference > bound.limit
