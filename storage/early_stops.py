"""Store why a run was stopped before all of its prompts were written."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from storage.database import Database, insert
from storage.queries import query

Reason = Literal["stopped when sure", "stopped when the articles that count were used up"]


@dataclass(frozen=True, kw_only=True)
class EarlyStop:
    """A run that has `prompts` of its prompts, because the verdict on it against `baseline` needed no more.

    `looks` is how often the verdict was looked at, and `sentence` states it.
    """

    run_id: str
    baseline: str
    metrics: str
    seed: int
    margin: float | None
    prompts: int
    looks: int
    verdict: str
    reason: Reason
    sentence: str


def stop(database: Database, stopped: EarlyStop) -> None:
    """Mark the run as stopped, and store why. An earlier reason of the same run is replaced."""
    with database.write() as connection:
        connection.execute("delete from early_stops where run_id = ?", [stopped.run_id])
        insert(connection, "early_stops", [stopped], stopped_at=datetime.now(UTC))
        connection.execute(query("end_run"), ["stopped", stopped.run_id])


def in_words(database: Database, run_id: str) -> str | None:
    """Return words such as `40 of 247 prompts, stopped when sure`; None for a run that is not stopped."""
    return next((words for (words,) in database.rows("stopped_run", run_id)), None)
