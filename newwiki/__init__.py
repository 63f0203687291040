"""New-Wiki Eval: evaluates language models on the Wikipedia articles that have just been written."""

import importlib.util
import sys
from pathlib import Path

from newwiki.allocator import keep_few_kernels
from newwiki.records import Metric, SetScore, Unscorable
from newwiki.registry import evaluator, set_evaluator

__all__ = ["Metric", "SetScore", "Unscorable", "evaluator", "main", "set_evaluator"]

keep_few_kernels()


def main() -> None:
    """The command line. Names what shadows our packages first: other projects have a folder `flows` too."""
    home = Path(__file__).resolve().parent.parent
    for package in ("evaluators", "storage", "flows"):
        spec = importlib.util.find_spec(package)
        found = Path(spec.origin).resolve() if spec and spec.origin else None
        if found is None or found.parent.parent != home:
            where = found or (list(spec.submodule_search_locations or []) if spec else "nowhere")
            sys.exit(f"newwiki: its package '{package}' is hidden by {where}; run newwiki from another folder")
    from flows import cli

    cli.leave(cli.main())
