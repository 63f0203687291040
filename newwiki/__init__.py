"""New-Wiki Eval evaluates language models on newly written Wikipedia articles.

This module has what a Python program needs: the decorators for your own metrics, and functions that do what the
commands do and return Arrow tables (see `docs/python.md`).
"""

# ruff: noqa: F405 (names of `flows.api` that type checkers read, and that `__getattr__` imports)

import importlib
import importlib.metadata
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newwiki.allocator import keep_few_kernels, share_freed_memory
from newwiki.records import Metric, SetScore, Unscorable
from newwiki.registry import evaluator, set_evaluator

if TYPE_CHECKING:
    from flows.api import *  # noqa: F403

__all__ = [
    "DocumentScorer",
    "Metric",
    "SetScore",
    "Unscorable",
    "VerdictCallback",
    "articles",
    "build_evidence",
    "candidates",
    "check",
    "compare",
    "completions",
    "decoders",
    "evaluate",
    "evaluator",
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
    "main",
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
    "set_evaluator",
    "site",
    "snapshots",
    "submit",
    "train_scorer",
    "verdict",
    "verify",
]

keep_few_kernels()
share_freed_memory()


def main() -> None:
    """Run the command line. Exits if another package hides one of ours: other projects have a folder `flows` too."""
    if hidden := _hidden():
        sys.exit(f"newwiki: {hidden}")
    from flows import cli

    cli.leave(cli.main())


def __getattr__(name: str) -> Any:
    """Return a name of `flows.api`, which is imported when one of its names is first used, or the version."""
    if name == "__version__":
        return importlib.metadata.version("newwiki-eval")
    if name not in __all__:
        raise AttributeError(f"module 'newwiki' has no attribute '{name}'")
    if hidden := _hidden():
        raise ImportError(hidden)
    return getattr(importlib.import_module("flows.api"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _hidden() -> str | None:
    """Return a message if another package hides one of ours under the same name."""
    home = Path(__file__).resolve().parent.parent
    for package in ("evaluators", "storage", "flows"):
        spec = importlib.util.find_spec(package)
        origin = Path(spec.origin).resolve() if spec and spec.origin else None
        if origin is None or origin.parent.parent != home:
            where = origin or (list(spec.submodule_search_locations or []) if spec else "nowhere")
            return f"its package '{package}' is hidden by {where}: run newwiki from another folder"
    return None
