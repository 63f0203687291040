"""Store the answers of experiments, each in one transaction with the rows that support it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from storage.database import Database, insert
from storage.queries import first_row, query, records
from storage.result_tables import table_of

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class StoredExperiment:
    """An answer of an experiment.

    `request` is the question and `read` is all data that the answer was computed from, both as JSON. `methods` is JSON
    that describes how the answer was computed; None if an earlier version computed it. `generalizes_over` names the
    units over which the verdict generalizes; None if the verdict names none.
    """

    experiment_id: str
    name: str
    version: str
    snapshot_id: str
    request: str
    read: str
    verdict: str
    generalizes_over: str | None
    words: Sequence[str]
    made_at: datetime
    methods: str | None = None

    @property
    def headline(self) -> str:
        """Return the verdict with the units over which it generalizes."""
        return f"{self.verdict} (over {self.generalizes_over})" if self.generalizes_over else self.verdict


def keep(database: Database, answer: StoredExperiment, rows: Sequence[Sequence[Any]]) -> None:
    """Store an answer and the rows of its result tables, unless the answer is stored already.

    An answer that an earlier version stored without methods gets them.
    """
    with database.write() as connection:
        cursor = connection.execute("select 1 from experiments where experiment_id = ?", [answer.experiment_id])
        if not first_row(cursor):
            insert(connection, "experiments", [answer])
            for table_rows in filter(None, rows):
                table_of(type(table_rows[0])).insert(connection, answer.experiment_id, table_rows)
        else:
            connection.execute(query("keep_methods"), [answer.methods, answer.experiment_id])


def stored(database: Database, experiment_id: str) -> StoredExperiment:
    [answer] = database.records(StoredExperiment, "experiment", experiment_id)
    return answer


def on_snapshot(database: Database, snapshot_id: str) -> list[StoredExperiment]:
    """Return the newest answer to each question on a snapshot."""
    return database.records(StoredExperiment, "experiments_on", snapshot_id)


def rows(database: Database, kind: type[T], experiment_id: str) -> list[T]:
    """Return the rows of an answer in the result table of this kind, in the order in which they were stored."""
    with database.read() as connection:
        return records(kind, table_of(kind).rows(connection, experiment_id))
