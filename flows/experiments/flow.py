"""An experiment as a Prefect flow, with the missing runs as its tasks."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from prefect import flow

from evaluators.scorer_metrics import add_scorers
from flows.evaluating.evaluate_all import RunSteps
from flows.evaluating.flow import RunTasks
from flows.experiments.answering import answer
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Experiment
from flows.progress import reporter
from flows.settings_in_force import settings_in_force
from flows.workers.prefect_executor import prefect_executor
from newwiki.experiment_request import AnyExperimentRequest
from newwiki.settings import Settings
from storage.database import Database


def flow_of(experiment: Experiment) -> Any:
    """Return a flow that takes the experiment's request as its parameter."""

    def run(
        request: AnyExperimentRequest,
        settings: Settings | None = None,
        *,
        runner: str | None = None,
        quiet: bool = False,
    ) -> str:
        settings, progress = settings or settings_in_force(None), reporter(quiet)
        add_scorers(settings.scorers)
        with prefect_executor(runner, progress) if runner else nullcontext() as hired:
            steps = RunSteps() if hired else RunTasks()
            evaluations = Evaluations(Database(Path(settings.db)), settings, progress, steps, hired)
            return answer(experiment, evaluations, request)

    run.__annotations__["request"] = experiment.request
    title = f"{experiment.name} on {{request.snapshot}}"
    return flow(name=f"newwiki-experiment-{experiment.name}", flow_run_name=title, description=experiment.help)(run)
