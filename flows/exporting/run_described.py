"""What a record of Every Eval Ever is made of, and what it and the rows behind it are called."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from flows.exporting.fingerprints import fingerprints
from flows.exporting.lm_eval_task import task_name
from flows.progress import Progress
from newwiki.errors import TerminalError
from storage.comparison import Contender
from storage.database import Database
from storage.public_rows import public_row

SCHEMA_VERSION = "0.3.0"


@dataclass(frozen=True)
class Described:
    """What a record is made of: the run with its snapshot, its finished numbers, and who made them."""

    run: Mapping[str, Any]
    model_id: str
    numbers: Sequence[Mapping[str, Any]]
    scorers: Mapping[str, Mapping[str, Any]]
    wiki_url: str | None

    @property
    def task(self) -> str:
        return task_name(self.run["snapshot_id"])

    @property
    def known(self) -> list[Mapping[str, Any]]:
        return [one for one in self.numbers if one["mean"] is not None]

    @property
    def left_out(self) -> dict[str, str]:
        """The metrics without a number, and why there is none; by whom, where another evaluator has one."""
        known = {one["metric"] for one in self.known}
        return {
            f"{one['metric']} by {one['evaluator_id']}" if one["metric"] in known else one["metric"]: one["status"]
            for one in self.numbers
            if one["mean"] is None
        }

    def tell_left_out(self, progress: Progress) -> None:
        if left_out := self.left_out:
            said = ", ".join(f"{name} ({why})" for name, why in left_out.items())
            progress.note(f"left out of run {self.run['run_id']}, as there is no number: {said}")

    @property
    def as_of(self) -> datetime:
        """When the newest of its numbers was there."""
        newest: datetime = max(one["finished_at"] for one in self.numbers)
        return newest

    @property
    def evaluation_id(self) -> str:
        return f"{self.task}/{self.model_id}/{self.as_of.timestamp()}/{self.run['run_id']}"

    def result_id(self, metric: str, evaluator_id: str) -> str:
        """Of one of its numbers; what the rows of the texts refer to."""
        return f"{self.run['run_id']}/{metric}/{evaluator_id}"

    @property
    def path(self) -> Path:
        """Within the datastore: `data/COLLECTION/ORG/NAME/UUID.json`."""
        named = uuid.UUID(bytes=sha256(self.run["run_id"].encode()).digest()[:16], version=4)
        return Path("data", self.task, *self.model_id.split("/"), f"{named}.json")


def describe(database: Database, named: Contender, model_id: str) -> Described:
    """Raises TerminalError for a run that has no numbers, and for a snapshot's articles, which no model wrote."""
    run = database.records(dict[str, Any], "results_run", named.run_id)
    if not run:
        raise TerminalError(f"{named.run_id} is no run of a model, so it has no results; export it as a table")
    numbers = database.records(dict[str, Any], "results_by_evaluator", named.run_id)
    if all(one["mean"] is None for one in numbers):
        raise TerminalError(f"run {named.run_id} has no scores; score it with `newwiki score --run {named.run_id}`")
    scorers = fingerprints(database, [one["evaluator_id"] for one in numbers])
    bases = [base for (base,) in database.rows("permalink_bases", named.snapshot_id)]
    return Described(public_row(run[0]), model_id, numbers, scorers, bases[0] if len(bases) == 1 else None)
