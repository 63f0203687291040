"""Measure the error of `newwiki plan`: runs of 2 and of 8 prompts by the toy checkpoint predict a run of 13.

    python benchmarks/plan_error.py [--samples 40] [--rounds 3]

Each round makes the small runs in one database and the large run in another, with 64 tokens per completion. The seconds
are elapsed time of writing and scoring only, so the machine should be otherwise idle. The first round does not count,
because it includes the one-time work of a process.
"""

import argparse
import shutil
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table
from sample_texts import WIKI, toy_checkpoint

from evaluators.scoring import select
from flows.evaluating.generate import generate, load_model
from flows.evaluating.generate import plan as named
from flows.planning.costs import plan
from flows.planning.rates import rates
from flows.progress import Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition, refresh
from flows.scoring.score_run import LoadedEvaluators, score_run
from newwiki.decoding.grammar import parse
from newwiki.models.backend import Backend
from newwiki.request import EvaluationRequest, PlanRequest
from newwiki.settings import Settings
from newwiki.snapshot import Window
from newwiki.sources.dump import DumpSource
from storage.database import Database

SMALL, LARGE = (2, 8), 13  # prompts
METRICS = "rep_4,bleu,entity_overlap,flesch_reading_ease"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    table = Table("round", "predicted, s", "measured, s", "off by")
    with tempfile.TemporaryDirectory() as folder, toy_checkpoint(20) as checkpoint:
        published = Path(folder) / "published.duckdb"
        refresh(Database(published), DumpSource(str(WIKI)), SnapshotDefinition(Window.month("2026-09")), Silent())
        model = load_model("hf", str(checkpoint), {})
        for number in range(options.rounds + 1):
            trial, there = (Database(shutil.copy(published, f"{folder}/{number}-{name}")) for name in ("a", "b"))
            for prompts in SMALL:
                _evaluate(trial, model, prompts, options.samples)
            measured = _evaluate(there, model, LARGE, options.samples)
            known = rates(trial).changed(load_seconds=0)
            asked = PlanRequest(prompts=LARGE, samples=options.samples, keep=options.samples // 2)
            predicted = plan(asked, known).seconds
            if number:
                table.add_row(str(number), f"{predicted:.2f}", f"{measured:.2f}", f"{predicted / measured - 1:+.0%}")
    Console(highlight=False).print(table)


def _evaluate(database: Database, model: Backend, prompts: int, samples: int) -> float:
    """Return the seconds of writing and scoring."""
    (decoder,) = parse("sample:top_p=0.9")
    request = EvaluationRequest(
        models=("toy",), decoder=("sample:top_p=0.9",), prompts=prompts, samples=samples, keep=samples // 2,
        max_new_tokens=64,
    )  # fmt: skip
    evaluators = LoadedEvaluators(select(METRICS), Settings(entities="rules-v1"))
    run = named(database, model, decoder, request)
    start = time.perf_counter()
    generate(database, run, model, decoder, Silent())
    score_run(database, run.run, run.articles, evaluators, Silent())
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
