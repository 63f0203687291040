"""What a refresh has found so far, in a file beside the database, so that the database changes only by publishing.

The file holds the cutoff of the first attempt: a refresh that goes on after an interruption cuts at the same moment.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Self

import duckdb

from newwiki.errors import TransientError
from newwiki.records import Judged
from storage.database import insert, transaction


class Staging:
    """One refresh under way. `cutoff` is when its first attempt began, or what was asked for."""

    def __init__(self, path: Path, cutoff: datetime) -> None:
        self._path = path
        self.cutoff = cutoff

    @classmethod
    def open(cls, database: Path, snapshot_id: str, cutoff: datetime) -> Self:
        """Takes up what an interrupted refresh for this snapshot has left, or begins."""
        path = _path(database, snapshot_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        with _connect(path) as connection:
            if not connection.execute("select 1 from duckdb_tables() where table_name = 'request'").fetchone():
                connection.execute((files("storage") / "sql" / "staging.sql").read_text("utf-8"))
                connection.execute("insert into request values (?, ?)", [snapshot_id, cutoff])
            (found,) = connection.execute("select cutoff from request").fetchall()[0]
        return cls(path, found)

    def add(self, pages: Sequence[Judged]) -> None:
        """Stores verdicts. Raises TransientError where another process has stored some of them meanwhile."""
        with _connect(self._path) as connection:
            insert(connection, "judged", pages)

    def done(self) -> set[int]:
        """The page ids that have their verdict."""
        with _connect(self._path) as connection:
            return {page_id for (page_id,) in connection.execute("select page_id from judged").fetchall()}

    def pages(self) -> list[Judged]:
        with _connect(self._path) as connection:
            rows = connection.execute("select * from judged order by page_id").fetchall()
        return [Judged(*row) for row in rows]

    @classmethod
    def discard_leftover(cls, database: Path, snapshot_id: str) -> None:
        """Removes what a refresh has left that was killed between publishing and tidying up."""
        _remove(_path(database, snapshot_id))

    def discard(self) -> None:
        _remove(self._path)


@contextmanager
def _connect(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """One transaction. Raises TransientError where another process is at work on the same refresh."""
    try:
        with duckdb.connect(str(path)) as connection:
            connection.execute("set TimeZone = 'UTC'")
            with transaction(connection):
                yield connection
    except (duckdb.ConstraintException, duckdb.IOException) as error:
        raise TransientError(f"another process is at work on {path.name}; wait for it to end") from error


def _path(database: Path, snapshot_id: str) -> Path:
    return database.with_name(f"{database.name}.refresh-{snapshot_id}")


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.with_name(path.name + ".wal").unlink(missing_ok=True)
