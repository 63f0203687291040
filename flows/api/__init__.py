"""The Python API: the jobs of the commands as functions, and functions that read what is stored.

`import newwiki` hands these functions on. `db` None means the database of the settings (`NEWWIKI_DB`, newwiki.toml, or
newwiki.duckdb); `**settings` are other settings by name, such as `entities="rules-v1"`. All functions raise
`newwiki.errors`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from flows.api.experimenting import experiment
from flows.api.exporting import export_results, export_runs, export_snapshot
from flows.api.stored import (
    articles,
    candidates,
    completions,
    decoders,
    metrics,
    query,
    runs,
    scores,
    snapshots,
    verify,
)
from flows.commands import bundle as _bundle
from flows.commands import compare as _compare
from flows.commands import evaluate as _evaluate
from flows.commands import evidence as _evidence
from flows.commands import export as _export
from flows.commands import finetune as _finetune
from flows.commands import gate as _gate
from flows.commands import judge as _judge
from flows.commands import leaderboard as _leaderboard
from flows.commands import plan as _plan
from flows.commands import refresh as _refresh
from flows.commands import report as _report
from flows.commands import reproduce as _reproduce
from flows.commands import score as _score
from flows.commands import site as _site
from flows.commands import snapshots as _snapshots
from flows.commands import train_scorer as _train_scorer
from flows.commands import verdict as _verdict
from flows.exporting.document_scorer import DocumentScorer
from flows.jobs.python_function import python_function

if TYPE_CHECKING:
    from flows.api.verdict_callback import VerdictCallback

build_evidence: Callable[..., pa.Table] = python_function(_evidence.build_evidence)
check: Callable[..., pa.Table] = python_function(_bundle.check)
compare: Callable[..., pa.Table] = python_function(_compare.compare)
evaluate: Callable[..., pa.Table] = python_function(_evaluate.evaluate)
export_every_eval_ever: Callable[..., list[Path]] = python_function(_export.export_every_eval_ever)
export_hub_results: Callable[..., list[Path]] = python_function(_export.export_hub_results)
export_pairs: Callable[..., int] = python_function(_judge.export_pairs)
export_task: Callable[..., list[Path]] = python_function(_export.export_task)
finetune: Callable[..., pa.Table] = python_function(_finetune.finetune)
gate: Callable[..., pa.Table] = python_function(_gate.gate)
import_answers: Callable[..., int] = python_function(_judge.import_answers)
judge: Callable[..., pa.Table] = python_function(_judge.judge_pairs)
leaderboard: Callable[..., pa.Table] = python_function(_leaderboard.leaderboard)
plan: Callable[..., pa.Table] = python_function(_plan.plan)
refresh: Callable[..., pa.Table] = python_function(_refresh.refresh)
report: Callable[..., Path] = python_function(_report.report)
reproduce: Callable[..., pa.Table] = python_function(_reproduce.reproduce)
revisit: Callable[..., pa.Table] = python_function(_snapshots.revisit)
score: Callable[..., pa.Table] = python_function(_score.score)
site: Callable[..., Path] = python_function(_site.site)
submit: Callable[..., Path] = python_function(_bundle.submit)
train_scorer: Callable[..., pa.Table] = python_function(_train_scorer.train_scorer)
verdict: Callable[..., pa.Table] = python_function(_verdict.verdict)

__all__ = [
    "DocumentScorer",
    "VerdictCallback",
    "articles",
    "build_evidence",
    "candidates",
    "check",
    "compare",
    "completions",
    "decoders",
    "evaluate",
    "experiment",
    "export_every_eval_ever",
    "export_hub_results",
    "export_pairs",
    "export_results",
    "export_runs",
    "export_snapshot",
    "export_task",
    "finetune",
    "gate",
    "import_answers",
    "judge",
    "leaderboard",
    "metrics",
    "plan",
    "query",
    "refresh",
    "report",
    "reproduce",
    "revisit",
    "runs",
    "score",
    "scores",
    "site",
    "snapshots",
    "submit",
    "train_scorer",
    "verdict",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Return the callback of a training, whose base class takes seconds to import."""
    if name == "VerdictCallback":
        from flows.api.verdict_callback import VerdictCallback

        return VerdictCallback
    raise AttributeError(f"module 'flows.api' has no attribute '{name}'")
