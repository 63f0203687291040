"""Make the runs that an experiment reads: reuse the stored runs that fit, and generate the missing ones."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from flows.evaluating.evaluate_all import HERE, RunSteps, evaluate_all
from flows.evaluating.generate import PlannedRun, load_model
from flows.progress import Progress
from flows.workers.shards import Executor
from newwiki.errors import UsageError
from newwiki.experiment_request import ExperimentRequest
from newwiki.models.backend import Backend, reads_articles
from newwiki.records import Run
from newwiki.registry import models
from newwiki.request import GENERATION_FIELDS, EvaluationRequest
from newwiki.settings import Settings
from storage.database import Database


class LastModel:
    """Load models and keep the last one, so that evaluating one model on several snapshots loads it once."""

    def __init__(self) -> None:
        self._key: object = None
        self._loaded: Backend | None = None

    def __call__(self, backend: str, name: str, arguments: dict[str, str]) -> Backend:
        key = (backend, name, arguments)
        if self._loaded is None or key != self._key:
            self._loaded = None  # memory may not hold two models
            self._loaded, self._key = load_model(*key), key
        return self._loaded


@dataclass(frozen=True)
class Evaluations:
    """The database, settings and executor with which runs are made.

    `steps` are the steps of a run, which an executor may distribute. `scored_by` collects the ids of the evaluators
    that were used.
    """

    database: Database
    settings: Settings
    progress: Progress
    steps: RunSteps = HERE
    executor: Executor | None = None
    load: LastModel = field(default_factory=LastModel)
    scored_by: set[str] = field(default_factory=set)

    def make(self, request: ExperimentRequest, **instead: Any) -> list[Run]:
        """Make and return the scored runs that `request` asks for, with the fields in `instead` replaced.

        First come the runs that read the articles, if the backend can read; then the runs that write them, model by
        model.

        Raises UsageError if there would be no runs.
        """
        shared = {option.name: getattr(request, option.name) for option in fields(EvaluationRequest)} | instead
        reads = reads_articles(models.get(request.backend))
        if not reads and not request.decoder:
            raise UsageError(f"backend '{request.backend}' reads no articles; say by --decoder how it is to write them")
        runs: list[Run] = []
        if reads:
            runs += self._evaluate(EvaluationRequest(**_reading(shared)))
        return [*runs, *self.write(request, **instead)] if request.decoder else runs

    def write(self, request: EvaluationRequest, **instead: Any) -> list[Run]:
        """Make and return only the runs that write the articles."""
        shared = {option.name: getattr(request, option.name) for option in fields(EvaluationRequest)} | instead
        return self._evaluate(EvaluationRequest(**shared))

    def _evaluate(self, request: EvaluationRequest) -> list[Run]:
        noting = _Noting(self.steps)
        scorers = evaluate_all(
            self.database, request, self.settings, self.progress, executor=self.executor, work=noting, load=self.load
        )
        self.scored_by.update(scorers)
        return list({run.run_id: run for run in noting.runs}.values())


def _reading(shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request fields for the same models and articles, without the generation fields."""
    remaining = {name: value for name, value in shared.items() if name not in GENERATION_FIELDS}
    return {**remaining, "likelihood_only": True, "metrics": "all"}


class _Noting(RunSteps):
    """The steps of a run, which also record the runs that they processed."""

    def __init__(self, steps: RunSteps) -> None:
        self._steps = steps
        self.runs: list[Run] = []

    def write(self, database: Database, planned: PlannedRun, *rest: Any, **options: Any) -> None:
        self._steps.write(database, planned, *rest, **options)

    def score(self, database: Database, planned: PlannedRun, *rest: Any) -> None:
        self._steps.score(database, planned, *rest)
        self.runs.append(planned.run)

    def read(self, database: Database, planned: PlannedRun, *rest: Any) -> set[str]:
        evaluator_ids = self._steps.read(database, planned, *rest)
        self.runs.append(planned.run)
        return evaluator_ids
