"""Scoring as a Prefect flow, whose shards run on the requested workers."""

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
    """Compute the missing scores, and return the ids of the evaluators.

    Args:
        request: The runs or files to score, and the metrics.
        settings: The settings. By default, the settings in force on the machine that runs the flow.
        runner: The executor, such as threads:4 or dask:tcp://….
        quiet: Show no progress and no notes.
    """
    settings, progress = settings or settings_in_force(None), reporter(quiet)
    with prefect_executor(runner, progress) as hired:
        return score_all(Database(Path(settings.db)), request, settings, progress, executor=hired)
