"""A counter of committed transactions beside the database, which tells when the database has lost some of them.

DuckDB drops the torn tail of a damaged write-ahead log without an error: one missing byte loses the last transaction, a
flipped byte in the header all of them. So each transaction counts itself in the table `commit_counter`, and once it is
committed, `NAME.duckdb.commits` repeats the count. A file that counts further than its table has seen transactions that
the database no longer holds. The opposite is harmless: the process ended between the commit and the file.
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
    """Transactions that were gone when the database was opened, and about how many rows they held, by table."""

    transactions: _Count
    rows: dict[str, _Count]

    @property
    def words(self) -> str:
        rows = ", ".join(f"about {count:,} rows of {table}" for table, count in self.rows.items())
        many = "transaction" if self.transactions == 1 else f"{self.transactions:,} transactions"
        return f"its last {many} ({rows or 'which changed rows and added none'})"


class _Counted(pydantic.BaseModel):
    """What the file beside the database says."""

    database_id: str
    commits: _Count
    rows: dict[str, _Count]
    lost: list[_Loss] = []


def path_of(database: Path) -> Path:
    """The file that counts the commits of this database."""
    return database.with_name(f"{database.name}{ENDING}")


def count(connection: duckdb.DuckDBPyConnection) -> None:
    """Count the transaction that is open; call it last before the commit."""
    connection.execute(query("count_commit"))


def repeat(connection: duckdb.DuckDBPyConnection, database: Path) -> None:
    """Write the count and the number of rows of each table beside the database; call it after the commit."""
    database_id, commits = _stored(connection)
    before = _read(database)
    lost = before.lost if before and before.database_id == database_id else []
    found = _Counted(database_id=database_id, commits=commits, rows=_rows(connection), lost=lost)
    file = path_of(database)
    unfinished = file.with_name(f"{file.name}.{os.getpid()}")
    # A full disk or a read-only folder ends the command where it matters: at DuckDB's own files.
    with suppress(OSError):
        unfinished.write_text(found.model_dump_json(), "utf-8")
        unfinished.replace(file)


def report_loss(connection: duckdb.DuckDBPyConnection, database: Path) -> None:
    """Warn when the file beside the database counts transactions that the database lacks, and record the loss there,
    so that `newwiki doctor` reports it until the file is deleted."""
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
    found = _Counted(database_id=database_id, commits=commits, rows=here, lost=[*before.lost, loss])
    with suppress(OSError):  # the next opening says it again
        path_of(database).write_text(found.model_dump_json(), "utf-8")


def losses(connection: duckdb.DuckDBPyConnection, database: Path) -> list[str]:
    """One sentence for each loss that was recorded for this database."""
    found = _read(database)
    if found is None or found.database_id != _stored(connection)[0]:
        return []
    return [_sentence(database, loss) for loss in found.lost]


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
    """None where there is no file, or none that could be written whole."""
    try:
        return _Counted.model_validate_json(path_of(database).read_bytes())
    except (OSError, pydantic.ValidationError):
        return None
