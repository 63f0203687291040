"""Reproduce a paper: plan the possible parts, run them, and compare the results with the paper's numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from flows.experiments.answering import answer
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import named
from flows.progress import Progress
from flows.reproducing.chosen_models import choose_models, refuse_unknown
from flows.reproducing.matching import Match, Ours, match, numbers_by_row
from flows.reproducing.step import NO_COMMAND, Outcome, Reader, Reproduction, Step, Task, every
from newwiki.errors import NewWikiError
from newwiki.experiment_request import ExperimentRequest
from newwiki.papers import published
from newwiki.papers.published import Exhibit, Number
from newwiki.reproduce_request import ReproduceRequest
from newwiki.request import EvaluationRequest
from newwiki.settings import Settings
from newwiki.snapshot import Snapshot
from storage import experiments, snapshots
from storage.database import Database


@dataclass(frozen=True)
class PlannedStep:
    """A step of a paper with its tasks."""

    step: Step
    tasks: Sequence[Task]


@dataclass(frozen=True)
class PlannedPaper:
    """A paper and its planned steps."""

    reproduction: Reproduction
    steps: Sequence[PlannedStep]

    @property
    def tasks(self) -> list[Task]:
        return [task for step in self.steps for task in step.tasks]


@dataclass(frozen=True)
class ReproducedPaper:
    """A paper with all of its numbers compared with ours, and the outcome of each task."""

    reproduction: Reproduction
    tasks: Sequence[tuple[Task, Outcome]]
    matches: Sequence[Match]


def plan(database: Database, request: ReproduceRequest, settings: Settings) -> list[PlannedPaper]:
    """Plan the reproduction of each paper. Raises UsageError for an unknown paper, snapshot or stand-in."""
    papers = published.named(request.paper)
    refuse_unknown(papers, request.stand_ins)
    new = snapshots.resolve(database, request.snapshot)
    old = _old(database, request, new)
    planned = []
    for paper in papers:
        models = choose_models(paper, request.stand_ins, _loading(request))
        planned.append(plan_paper(Reproduction(paper, request, settings, database, models, new, old)))
    return planned


def plan_paper(reproduction: Reproduction) -> PlannedPaper:
    """Return the tasks of all exhibits of a paper."""
    steps = [(step, step.exhibits(reproduction.paper)) for step in every()]
    return PlannedPaper(
        reproduction, [PlannedStep(step, step.tasks(reproduction, filled)) for step, filled in steps if filled]
    )


def carry_out(planned: PlannedPaper, progress: Progress) -> ReproducedPaper:
    """Run the tasks. Stored texts and scores are reused.

    If a task fails, its numbers are missing with the reason, and the other tasks continue.
    """
    reproduction = planned.reproduction
    evaluations = Evaluations(reproduction.database, reproduction.settings, progress)
    outcomes = {task.name: _outcome(evaluations, task, progress) for task in planned.tasks}
    readers = [
        paper.step.reader(reproduction, {task.name: outcomes[task.name] for task in paper.tasks})
        for paper in planned.steps
    ]
    fills = [paper.step.fills for paper in planned.steps]
    matches = []
    for exhibit in reproduction.paper.exhibits:
        here = [reader for reader, does in zip(readers, fills, strict=True) if does(reproduction.paper, exhibit)]
        for row, number in numbers_by_row(reproduction.paper, exhibit):
            matches.append(match(reproduction.paper, exhibit, row, number, _read_number(here, exhibit, number)))
    return ReproducedPaper(reproduction, [(task, outcomes[task.name]) for task in planned.tasks], matches)


def _read_number(readers: Sequence[Reader], exhibit: Exhibit, number: Number) -> Ours | str:
    """Return the first number that a step found, or else the reason why the exhibit has none."""
    readings = [reading for reader in readers if (reading := reader(exhibit, number)) is not None]
    ours = next((candidate for candidate in readings if not isinstance(candidate, str)), None)
    if ours is not None:
        return ours
    return exhibit.why or next(iter(readings), NO_COMMAND)


def _outcome(evaluations: Evaluations, task: Task, progress: Progress) -> Outcome:
    try:
        if not task.experiment:
            return _evaluated(evaluations, task.request)
        answer_id = answer(named(task.experiment), evaluations, cast(ExperimentRequest, task.request))
        stored = experiments.stored(evaluations.database, answer_id)
        return Outcome(answer=answer_id, verdict=stored.headline)
    except NewWikiError as error:
        progress.note(f"{task.name} failed: {error}")
        return Outcome(failed=str(error))


def _evaluated(evaluations: Evaluations, request: EvaluationRequest) -> Outcome:
    own = Evaluations(evaluations.database, evaluations.settings, evaluations.progress, load=evaluations.load)
    runs = own.write(request)
    return Outcome(runs=runs, scored_by=frozenset(own.scored_by))


def _old(database: Database, request: ReproduceRequest, new: Snapshot) -> Snapshot | None:
    """Return the snapshot of old articles, or None if there is no such snapshot.

    Raises UsageError if the named snapshot does not exist.
    """
    if request.old:
        return snapshots.resolve(database, request.old)
    known = [name for (name,) in database.rows("old_snapshots", new.wiki)]
    return snapshots.resolve(database, known[0]) if known else None


def _loading(request: ReproduceRequest) -> Mapping[str, str]:
    return {"dtype": request.dtype, **request.model_args}
