"""The evaluation as a Prefect flow, with one task for each step of a run and the leaderboard as an artifact."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from prefect import flow, task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE

from evaluators.scorer_metrics import add_scorers
from flows.comparing.board import board
from flows.evaluating.evaluate_all import RunSteps, check, evaluate_all, refuse_workers
from flows.evaluating.generate import PlannedRun
from flows.presenting.brief_board import brief
from flows.progress import reporter
from flows.settings_in_force import settings_in_force
from flows.workers.prefect_executor import prefect_executor
from flows.workers.retrying import RETRIES
from newwiki.request import EvaluationRequest
from newwiki.settings import Settings
from storage import snapshots
from storage.database import Database


def evaluate_in_flow(
    database: Database, request: EvaluationRequest, settings: Settings, *, runner: str | None, quiet: bool
) -> set[str]:
    """Check the request, then run the `evaluate` flow.

    The check comes first because Prefect stores the parameters of a flow, and a mistyped request may contain a secret.
    """
    check(database, request, settings)
    if runner:
        refuse_workers(request)
    scorers: set[str] = evaluate(request, settings, runner=runner, quiet=quiet)
    return scorers


@flow(name="newwiki-evaluate", flow_run_name="evaluate on {request.snapshot}")
def evaluate(
    request: EvaluationRequest, settings: Settings | None = None, *, runner: str | None = None, quiet: bool = False
) -> set[str]:
    """Generate and score every model with every decoder in sequence. Finished work is not repeated.

    Returns the ids of the evaluators that scored.

    Args:
        request: The models, the generation settings and the metrics.
        settings: The settings. By default, the settings in force on the machine that runs the flow.
        runner: An executor such as threads:4 or dask:tcp://…. It divides each run into shards, and each shard is a
            task.
        quiet: Show no progress and no notes.
    """
    settings, progress = settings or settings_in_force(None), reporter(quiet)
    database = Database(Path(settings.db))
    add_scorers(settings.scorers)
    with prefect_executor(runner, progress) if runner else nullcontext() as hired:
        scorers = evaluate_all(
            database, request, settings, progress, executor=hired, work=RunSteps() if hired else RunTasks()
        )
    _show_leaderboard(database, request.snapshot, scorers)
    return scorers


class RunTasks(RunSteps):
    """The steps of a run as Prefect tasks, which are retried after transient errors."""

    def write(self, database: Database, planned: PlannedRun, *rest: Any, **options: Any) -> None:
        _task("generate", planned)(super().write)(database, planned, *rest, **options)

    def score(self, database: Database, planned: PlannedRun, *rest: Any) -> None:
        _task("score", planned)(super().score)(database, planned, *rest)

    def read(self, database: Database, planned: PlannedRun, *rest: Any) -> set[str]:
        ids: set[str] = _task("read", planned)(super().read)(database, planned, *rest)
        return ids


def _task(name: str, planned: PlannedRun) -> Any:
    title = f"{name} {planned.run.decoder}"
    return task(name=name, task_run_name=title, cache_policy=NO_CACHE, **RETRIES)


def _show_leaderboard(database: Database, snapshot: str, scorers: set[str]) -> None:
    name = snapshots.resolve(database, snapshot).snapshot_id
    shown = board(database, name, prefer=scorers)
    heads, rows = brief(database, shown)
    table = [dict(zip(heads, row, strict=True)) for row in rows]
    key = f"leaderboard-{name}".lower().replace("_", "-")
    description = "\n\n".join([f"Every run on {name}, and the articles themselves", *shown.notes])
    create_table_artifact(table=table, key=key, description=description)
