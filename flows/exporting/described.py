"""The common description of a run for all exports: its numbers, their evaluators, and the model's name on the Hub."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from flows.exporting.lm_eval_task import task_name
from flows.progress import Progress
from newwiki.errors import TerminalError, UsageError
from newwiki.results_request import is_on_the_hub
from storage.database import Database
from storage.public_rows import public_row
from storage.run_names import Contender

Number = Mapping[str, Any]


@dataclass(frozen=True)
class DescribedRun:
    """A run with its snapshot (`run`, a row of `results_run`), its finished numbers and their evaluators.

    `scorers` holds the evaluators' fingerprints by id. `wiki_url` is the address of the wiki, or None if the snapshot
    has no single address.
    """

    run: Mapping[str, Any]
    numbers: Sequence[Number]
    scorers: Mapping[str, Mapping[str, Any]]
    wiki_url: str | None

    @property
    def run_id(self) -> str:
        return str(self.run["run_id"])

    @property
    def task(self) -> str:
        """The snapshot's name as a task: `newwiki_enwiki_2026_10`."""
        return task_name(self.run["snapshot_id"])

    @property
    def known(self) -> list[Number]:
        """The numbers that exist."""
        return [number for number in self.numbers if number["mean"] is not None]

    @property
    def left_out(self) -> dict[str, str]:
        """The reason for each metric without a number.

        The key names the evaluator if another evaluator has a number.
        """
        known = {number["metric"] for number in self.known}

        def name(number: Number) -> str:
            metric = str(number["metric"])
            return f"{metric} by {number['evaluator_id']}" if metric in known else metric

        return {name(number): number["status"] for number in self.numbers if number["mean"] is None}

    def note_left_out(self, progress: Progress) -> None:
        """Write a note that lists the metrics without a number."""
        if left_out := self.left_out:
            words = ", ".join(f"{name} ({reason})" for name, reason in left_out.items())
            progress.note(f"left out of run {self.run_id}, as there is no number: {words}")

    @property
    def as_of(self) -> datetime:
        """The time of the newest number."""
        newest: datetime = max(number["finished_at"] for number in self.numbers)
        return newest

    @property
    def versions(self) -> dict[str, Any]:
        """The circumstances of the run: versions of libraries, device, batch size, stop strings."""
        versions: dict[str, Any] = json.loads(self.run["versions"])
        return versions

    @property
    def decoder_parameters(self) -> dict[str, Any]:
        parameters: dict[str, Any] = json.loads(self.run["decoder_parameters"])
        return parameters


def describe(database: Database, named: Contender, *, by_evaluator: bool = True) -> DescribedRun:
    """Describe a run with the numbers of every evaluator, or else with those of the leaderboard's columns.

    Raises TerminalError for a run without numbers, and for a snapshot's articles, which no model wrote.
    """
    with database.read():
        rows_of_run = database.records(dict[str, Any], "results_run", named.run_id)
        if not rows_of_run:
            raise TerminalError(f"{named.run_id} is no run of a model, so it has no results; export it as a table")
        if by_evaluator:
            rows = database.records(dict[str, Any], "results_by_evaluator", named.run_id)
        else:
            rows = database.records(dict[str, Any], "results", named.run_id)
        if all(number["mean"] is None for number in rows):
            raise TerminalError(f"run {named.run_id} has no scores; score it with `newwiki score --run {named.run_id}`")
        scorers = _fingerprints(database, [number["evaluator_id"] for number in rows])
        addresses = [address for (address,) in database.rows("permalink_bases", named.snapshot_id)]
    return DescribedRun(public_row(rows_of_run[0]), rows, scorers, addresses[0] if len(addresses) == 1 else None)


def hub_names(runs: Sequence[Contender], model_id: str | None) -> dict[str, str]:
    """Return the name of each model on the Hub: `model_id`, or the model's own name.

    Raises UsageError for a name that is invalid on the Hub, and if `model_id` would name several models.
    """
    models = list(dict.fromkeys(run.model for run in runs))
    if model_id and len(models) > 1:
        raise UsageError(f"--model-id names one model, and these runs are of {', '.join(models)}; export one at a time")
    return {model: model_id or _hub_name(model) for model in models}


def require_own_file(path: Path, run_id: str, run_in: Callable[[str], object]) -> None:
    """Raise TerminalError if an existing file does not hold the results of this run.

    `run_in` returns the run id in the text of a file. It raises ValueError, KeyError, TypeError or AttributeError for
    text of another shape.
    """
    if not path.exists():
        return
    try:
        is_own = run_in(path.read_text("utf-8")) == run_id
    except (ValueError, KeyError, TypeError, AttributeError):
        is_own = False
    if not is_own:
        raise TerminalError(f"'{path}' holds something else than run {run_id}; name another file or folder")


def _hub_name(model: str) -> str:
    if not is_on_the_hub(model):
        raise UsageError(f"'{model}' is not a valid name on the Hub (ORG/NAME): name the model with --model-id")
    return model


def _fingerprints(database: Database, evaluator_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the name, version, model, weights, parameters, dependencies, dtype and backend of each evaluator by id."""
    rows = map(public_row, database.records(dict[str, Any], "evaluators_described", list(evaluator_ids)))
    return {
        row["evaluator_id"]: row
        | {"parameters": json.loads(row["parameters"]), "dependencies": json.loads(row["dependencies"])}
        for row in rows
    }
