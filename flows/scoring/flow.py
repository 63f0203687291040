"""Scoring as a Prefect flow, its shards done by the workers that were asked for."""

from pathlib import Path
from typing import Any

from prefect import flow

from flows.progress import reporter
from flows.scoring.score_all import score_all
from flows.workers.prefect_executor import prefect_executor
from newwiki.settings import Settings
from storage.database import Database


@flow(name="newwiki-score", flow_run_name="score with {runner}")
def score(db: str, *, settings: Settings, runner: str, asked: dict[str, Any], quiet: bool = False) -> set[str]:
    """Scores what lacks scores; `asked` is what `score_all` takes. Gives the ids of the evaluators."""
    progress = reporter(quiet)
    with prefect_executor(runner, progress) as hired:
        return score_all(Database(Path(db)), settings, progress, executor=hired, **asked)
