"""The Python API: what the commands do, with arguments named like their options, answering with Arrow tables.

`import newwiki` hands these functions on. Where `db` is None it is that of the settings (`NEWWIKI_DB`, newwiki.toml, or
newwiki.duckdb); `**settings` are others of them by name, such as `entities="rules-v1"`. All raise `newwiki.errors`.
"""

from flows.api.bundles import check, submit
from flows.api.evidence import build_evidence
from flows.api.experimenting import experiment
from flows.api.exporting import (
    export_every_eval_ever,
    export_hub_results,
    export_results,
    export_runs,
    export_snapshot,
    export_task,
    report,
    site,
)
from flows.api.judgements import export_pairs, import_answers, judge
from flows.api.judging import compare, gate, leaderboard
from flows.api.making import evaluate, refresh, revisit, score
from flows.api.planning import plan
from flows.api.reproducing import reproduce
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
from flows.api.training import finetune, train_scorer
from flows.exporting.document_scorer import DocumentScorer

__all__ = [
    "DocumentScorer",
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
    "verify",
]
