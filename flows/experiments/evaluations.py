"""The runs that an experiment reads: those that fit are taken, the others are made."""

from dataclasses import dataclass, fields
from typing import Any

from flows.evaluating.evaluate_all import HERE, RunSteps, evaluate_all
from flows.evaluating.generate import PlannedRun
from flows.progress import Progress
from flows.workers.shards import Executor
from newwiki.records import Run
from newwiki.request import EvaluationRequest
from newwiki.settings import Settings
from storage.database import Database


@dataclass(frozen=True)
class Evaluations:
    """Where they are made, and how: `steps` are those of a run, which an executor may share out."""

    database: Database
    settings: Settings
    progress: Progress
    steps: RunSteps = HERE
    executor: Executor | None = None

    def make(self, asked: EvaluationRequest, **instead: Any) -> list[Run]:
        """The scored runs of what is asked, in its order, with other values `instead` of some of its fields."""
        values = {one.name: getattr(asked, one.name) for one in fields(EvaluationRequest)}
        noting = _Noting(self.steps)
        request = EvaluationRequest(**{**values, **instead})
        evaluate_all(self.database, request, self.settings, self.progress, executor=self.executor, work=noting)
        return noting.runs


class _Noting(RunSteps):
    """The steps of a run, and which runs they were."""

    def __init__(self, steps: RunSteps) -> None:
        self._steps = steps
        self.runs: list[Run] = []

    def write(self, database: Database, planned: PlannedRun, *rest: Any, **options: Any) -> None:
        self._steps.write(database, planned, *rest, **options)

    def score(self, database: Database, planned: PlannedRun, *rest: Any) -> None:
        self._steps.score(database, planned, *rest)
        self.runs.append(planned.run)
