"""Measure the speedup of two workers over one worker on the same evaluation, in alternating turns.

    python benchmarks/runner_speed.py [processes|dask|threads] [turns]

In each turn both executors do the same work, each in its own database: the articles of the sample wiki are written, and
scored by the core metrics with the rule-based entity finder. The time runs from the first shard to the last stored
score. It excludes Prefect's server and the one-time work of workers (importing torch, loading model and embedder); for
the latter, each executor gets a small run before its first turn. Every worker has one thread, so two workers use two
cores and one worker uses one.
"""

import resource
import shutil
import statistics
import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from flows.demonstration import wiki
from flows.evaluating.evaluate_all import evaluate_all
from flows.progress import Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition, refresh
from flows.workers.prefect_executor import PrefectExecutor, prefect_executor
from newwiki.request import EvaluationRequest
from newwiki.sample import toy
from newwiki.settings import Settings
from newwiki.snapshot import Window
from newwiki.sources.dump import DumpSource
from newwiki.text.language import load_language
from newwiki.text.prose import extract_prose
from storage.database import Database

REQUEST = EvaluationRequest(models=(), decoder=("sample:top_p=0.9",), samples=40, keep=20, max_new_tokens=256)
SETTINGS = Settings(entities="rules-v1")


def prepare(folder: Path) -> tuple[Database, Path]:
    """Make a snapshot of the sample wiki, and train a checkpoint on its earlier pages."""
    database, source = Database(folder / "bench.duckdb"), DumpSource(str(wiki()))
    refresh(database, source, SnapshotDefinition(Window.month("2026-09")), Silent())
    window, cutoff = Window.month("2026-08"), Window.month("2026-09").end
    texts = [page.wikitext or "" for batch in source.pages(window, cutoff, set()) for page in batch.pages]
    toy.train([extract_prose(text, load_language("en")) for text in texts], folder / "toy", steps=20)
    return database, folder / "toy"


def timed(hired: PrefectExecutor, database: Database, model: Path, request: EvaluationRequest) -> float:
    start = time.perf_counter()
    evaluate_all(database, replace(request, models=(str(model),)), SETTINGS, Silent(), executor=hired)
    return time.perf_counter() - start


def bench(kind: str, turns: int, folder: str) -> None:
    database, model = prepare(Path(folder))
    databases = {1: database, 2: Database(shutil.copy(database.path, f"{folder}/second.duckdb"))}
    seconds: dict[int, list[float]] = {1: [], 2: []}
    with prefect_executor(f"{kind}:1", Silent()) as one, prefect_executor(f"{kind}:2", Silent()) as two:
        for hired in (one, two):
            hired.setting = replace(hired.setting, threads=1)
            few = replace(REQUEST, samples=2, keep=1, max_new_tokens=16)
            timed(hired, databases[hired.workers], model, few)
        for turn in range(turns):
            for hired in (one, two) if turn % 2 else (two, one):
                request = replace(REQUEST, seed=turn + 1)
                seconds[hired.workers].append(timed(hired, databases[hired.workers], model, request))
                print(f"{kind}:{hired.workers}: {seconds[hired.workers][-1]:.1f} s", flush=True)
    ratios = [two / one for one, two in zip(seconds[1], seconds[2], strict=True)]
    print(
        f"two workers take {statistics.median(ratios):.2f} of the time of one ({', '.join(f'{r:.2f}' for r in ratios)})"
    )


if __name__ == "__main__":
    from prefect import flow  # must follow `flows`, which disables Prefect's telemetry

    with TemporaryDirectory() as place:
        flow(name="newwiki-bench-runners")(bench)(
            sys.argv[1] if len(sys.argv) > 1 else "processes", int((sys.argv[2:] or ["3"])[0]), place
        )
    megabytes = {
        "coordinator": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "largest worker": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
    }
    print(", ".join(f"{who} {size:,.0f} MB at most" for who, size in megabytes.items()))
