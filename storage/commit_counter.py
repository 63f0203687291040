"""Count committed transactions beside the database, to detect when the database has lost some of them.

DuckDB drops the torn tail of a damaged write-ahead log without an error. A single missing byte loses the last
transaction, and a flipped byte in the header loses all transactions. Each transaction therefore counts itself in the
table `commit_counter`. After the commit, the file `NAME.duckdb.commits` repeats the count. If the file's count is
higher than the table's, the database has lost transactions. A lower count in the file is harmless: the process ended
between the commit and the write of the file.
"""

import logging
import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import duckdb
import pydantic

from storage.queries import first_row, query

ENDING = ".commits"

_Count = Annotated[int, pydantic.Field(ge=0)]


class _Loss(pydantic.BaseModel):
    """A loss that was found when the database was opened.

    `transactions` is the number of lost transactions, and `rows` the approximate number of lost rows by table.
    """

    transactions: _Count
    rows: dict[str, _Count]

    @property
    def words(self) -> str:
        rows = ", ".join(f"about {count:,} rows of {table}" for table, count in self.rows.items())
        transactions = "transaction" if self.transactions == 1 else f"{self.transactions:,} transactions"
        return f"its last {transactions} ({rows or 'which changed rows and added none'})"


class _Counted(pydantic.BaseModel):
    """The content of the file beside the database."""

    database_id: str
    commits: _Count
    rows: dict[str, _Count]
    lost: list[_Loss] = []


def path_of(database: Path) -> Path:
    """Return the path of the file that counts the commits of this database."""
    return database.with_name(f"{database.name}{ENDING}")


def count(connection: duckdb.DuckDBPyConnection) -> None:
    """Count the open transaction. Call this function last before the commit."""
    connection.execute(query("count_commit"))


def repeat(connection: duckdb.DuckDBPyConnection, database: Path) -> None:
    """Write the count and the number of rows of each table to the file beside the database.

    Call this function after the commit.
    """
    database_id, commits = _stored(connection)
    before = _read(database)
    lost = before.lost if before and before.database_id == database_id else []
    counted = _Counted(database_id=database_id, commits=commits, rows=_rows(connection), lost=lost)
    file = path_of(database)
    unfinished = file.with_name(f"{file.name}.{os.getpid()}")
    # On a full disk or in a read-only folder, DuckDB's own write fails and ends the command, so this write may fail.
    with suppress(OSError):
        unfinished.write_text(counted.model_dump_json(), "utf-8")
        unfinished.replace(file)


def report_loss(connection: duckdb.DuckDBPyConnection, database: Path) -> None:
    """Warn if the file beside the database counts transactions that the database lacks.

    The loss is recorded in that file, so that `newwiki doctor` reports it until the file is deleted.
    """
    before = _read(database)
    if before is None:
        return
    database_id, commits = _stored(connection)
    if before.database_id != database_id or before.commits <= commits:
        return
    here = _rows(connection)
    missing = {table: rows - here.get(table, 0) for table, rows in before.rows.items() if rows > here.get(table, 0)}
    loss = _Loss(transactions=before.commits - commits, rows=missing)
    logging.getLogger("newwiki").warning("newwiki: %s", _sentence(database, loss))
    counted = _Counted(database_id=database_id, commits=commits, rows=here, lost=[*before.lost, loss])
    with suppress(OSError):  # the next opening of the database reports the loss again
        path_of(database).write_text(counted.model_dump_json(), "utf-8")


def losses(connection: duckdb.DuckDBPyConnection, database: Path) -> list[str]:
    """Return one sentence for each loss that was recorded for this database."""
    counted = _read(database)
    if counted is None or counted.database_id != _stored(connection)[0]:
        return []
    return [_sentence(database, loss) for loss in counted.lost]


def _sentence(database: Path, loss: _Loss) -> str:
    return (
        f"'{database}' has lost {loss.words}: its write-ahead log was damaged, or an older copy was put in its place. "
        "Run the commands that wrote them again: each one resumes and adds what is missing. "
        f"Then delete '{path_of(database)}'"
    )


def _stored(connection: duckdb.DuckDBPyConnection) -> tuple[str, int]:
    row = first_row(connection.execute(query("commit_count")))
    assert row, "the migration writes the only row of commit_counter"
    return row[0], row[1]


def _rows(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    return dict(connection.execute(query("stored_rows")).fetchall())


def _read(database: Path) -> _Counted | None:
    """Read the file beside the database. Returns None if the file is missing or invalid."""
    try:
        return _Counted.model_validate_json(path_of(database).read_bytes())
    except (OSError, pydantic.ValidationError):
        return None
