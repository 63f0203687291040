"""Scoring as a Prefect flow, its shards done by the workers that were asked for."""

from pathlib import Path

from prefect import flow

from flows.progress import reporter
from flows.scoring.score_all import score_all
from flows.settings_in_force import settings_in_force
from flows.workers.prefect_executor import prefect_executor
from newwiki.request import ScoringRequest
from newwiki.settings import Settings
from storage.database import Database


@flow(name="newwiki-score", flow_run_name="score with {runner}")
def score(request: ScoringRequest, settings: Settings | None = None, *, runner: str, quiet: bool = False) -> set[str]:
    """Scores what lacks scores. Gives the ids of the evaluators.

    Args:
        request: What is scored, and by what.
        settings: Those in force where it runs, unless they are given.
        runner: Who does the work, such as threads:4 or dask:tcp://….
        quiet: No progress, no notes.
    """
    settings, progress = settings or settings_in_force(None), reporter(quiet)
    with prefect_executor(runner, progress) as hired:
        return score_all(Database(Path(settings.db)), request, settings, progress, executor=hired)
