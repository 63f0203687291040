"""Two runs on the prompts that they have in common: what differs, how surely, and what it would take to tell."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from evaluators import statistics
from flows.steps.agreement import agreed, apart, by_metric, remedy
from newwiki.errors import TerminalError, UsageError, did_you_mean
from storage import comparison
from storage.comparison import Contender, Scoring
from storage.database import Database

Verdict = Literal["different", "cannot be told apart"]


@dataclass(frozen=True)
class Difference:
    """Run B minus run A by one metric, over the prompts that both have scores of from the same evaluator.

    Means are means of the prompts' means. `low` and `high` are the 95 % interval by Student's t, the others that by the
    bootstrap over prompts. `p` is that of the paired sign-flip test, `p_holm` corrected for the metrics of this pair of
    runs. `effect_size` is d_z. `prompts_needed` is how many prompts would show a difference this small,
    `smallest_visible` the smallest difference that these prompts would show, both at 80 % power. None is what cannot be
    computed.
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
    bootstrap_low: float | None
    bootstrap_high: float | None
    p: float
    p_holm: float
    effect_size: float | None
    verdict: Verdict
    prompts_needed: float | None
    smallest_visible: float | None


def compare(
    database: Database, a: Contender, b: Contender, metrics: Collection[str] | None = None, seed: int = 0
) -> tuple[list[Difference], list[str]]:
    """The differences by metric, and notes on what is left out. `metrics` None are all that both have.

    Raises UsageError for a metric that neither has, and TerminalError where nothing can be compared.
    """
    shared, notes = _evaluators(database, a, b, metrics)
    runs = [*dict.fromkeys([a.run_id, b.run_id])]
    means = comparison.page_means(database, runs, shared)
    values = means.values[[0, len(runs) - 1]]
    if a.snapshot_id != b.snapshot_id:
        values = values[:, :, np.isin(means.pages, comparison.common_articles(database, a.snapshot_id, b.snapshot_id))]
    differences = (values[1] - values[0]).T
    common = np.isfinite(differences).any(axis=0)
    if not common.any():
        raise TerminalError(
            f"{a.run_id} and {b.run_id} have no prompt in common: they are on {a.snapshot_id} and {b.snapshot_id}; "
            "compare runs on the same prompts of one snapshot"
        )
    names = np.array(list(shared), object)
    if not common.all():
        notes.append(f"left out, as no prompt has a number from both: {', '.join(names[~common])}")
    chosen = {name: shared[name] for name in names[common]}
    rows = _differences(a, b, chosen, values[:, common], differences[:, common], seed)
    most = max(row.prompts for row in rows)
    if statistics.smallest_p(most) * len(rows) > statistics.LEVEL:
        notes.append(
            f"{most} prompts are too few to tell anything apart by {len(rows)} metric{'s' * (len(rows) > 1)}; "
            "evaluate more prompts, or name fewer metrics with --metrics"
        )
    return rows, notes


def compare_all(
    database: Database, names: Sequence[str], metrics: str = "all", seed: int = 0
) -> list[tuple[Contender, Contender, list[Difference], list[str]]]:
    """The first of the runs with each of the others, with what `compare` says of the two.

    Raises UsageError unless the names mean two runs or more.
    """
    if len(names) < 2:
        raise UsageError("name two runs or more; `newwiki leaderboard` lists them")
    first, *others = comparison.contenders(database, names)
    if len({first, *others}) <= len(others):
        raise UsageError("two of these names mean the same run; `newwiki leaderboard` lists the runs")
    wanted = None if metrics == "all" else [name.strip() for name in metrics.split(",")]
    return [(first, other, *compare(database, first, other, wanted, seed)) for other in others]


def _evaluators(
    database: Database, a: Contender, b: Contender, metrics: Collection[str] | None
) -> tuple[dict[str, str], list[str]]:
    """By metric the evaluator that both runs are compared by."""
    found = by_metric(comparison.text_scorings(database, [a.run_id, b.run_id]))
    if unknown := sorted(set(metrics or ()) - set(found)):
        known = ", ".join(found) or "none"
        raise UsageError(
            f"neither run has texts scored by '{unknown[0]}'{did_you_mean(unknown[0], found) or ';'} they have: {known}"
        )
    wanted = {name: scorings for name, scorings in found.items() if metrics is None or name in metrics}
    both = {a.run_id, b.run_id}
    of_both = {name: scorings for name, scorings in wanted.items() if {s.run_id for s in scorings} == both}
    shared = {name: evaluator for name, scorings in of_both.items() if (evaluator := agreed(scorings))}
    notes = _left_out(database, wanted, of_both, shared)
    if not shared:
        reason = "; ".join(notes) or "they have no scores: newwiki score --missing"
        raise TerminalError(f"nothing is left to compare {a.run_id} and {b.run_id} by: {reason}")
    return shared, notes


def _left_out(
    database: Database,
    wanted: dict[str, list[Scoring]],
    of_both: dict[str, list[Scoring]],
    shared: dict[str, str],
) -> list[str]:
    notes = []
    if disputed := {name: scorings for name, scorings in of_both.items() if name not in shared}:
        who = apart(database, disputed)
        notes.append(f"left out, as the evaluators differ: {who}; score both by one: {remedy(disputed)}")
    if single := [name for name in wanted if name not in of_both]:
        notes.append(
            f"left out, as only one of the runs has it: {', '.join(single)}; {remedy(single)} scores the other"
        )
    return notes


def _differences(
    a: Contender,
    b: Contender,
    evaluators: dict[str, str],
    values: comparison.Array,
    differences: comparison.Array,
    seed: int,
) -> list[Difference]:
    estimate = statistics.differences_estimate(differences)
    low, high = statistics.differences_bootstrap(differences, seed)
    p = statistics.sign_flip(differences, seed)
    corrected = statistics.holm(p)
    effects = statistics.effect_size(differences)
    deviations = statistics.spread(differences)
    paired = np.where(np.isfinite(differences.T), values, np.nan)
    means = np.nanmean(paired, axis=2)
    return [
        Difference(
            a.run_id,
            b.run_id,
            metric,
            evaluator,
            int(estimate.clusters[n]),
            float(means[0, n]),
            float(means[1, n]),
            float(estimate.mean[n]),
            _number(estimate.low[n]),
            _number(estimate.high[n]),
            _number(low[n]),
            _number(high[n]),
            float(p[n]),
            float(corrected[n]),
            _number(effects[n]),
            "different" if corrected[n] <= statistics.LEVEL else "cannot be told apart",
            _number(statistics.prompts_needed(float(effects[n]))),
            _number(statistics.visible_effect(int(estimate.clusters[n])) * deviations[n]),
        )
        for n, (metric, evaluator) in enumerate(evaluators.items())
    ]


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
