"""What a refresh has found so far, in a file beside the database, so that the database changes only by publishing.

The file holds the cutoff of the first attempt: a refresh that goes on after an interruption cuts at the same moment.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from glob import escape
from importlib.resources import files
from pathlib import Path
from typing import Self

import duckdb

from newwiki.errors import TransientError
from newwiki.snapshot import Judged, Requests
from storage.attached import attached
from storage.database import insert, transaction
from storage.failures import is_busy, told
from storage.queries import first_row, query, records


class Staging:
    """One refresh under way. `cutoff` is when its first attempt began, or what was asked for."""

    def __init__(self, path: Path, cutoff: datetime) -> None:
        self._path = path
        self._kept: duckdb.DuckDBPyConnection | None = None
        self.cutoff = cutoff

    @classmethod
    def open(cls, database: Path, snapshot_id: str, cutoff: datetime) -> Self:
        """Takes up what an interrupted refresh for this snapshot has left, or begins."""
        path = _path(database, snapshot_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        with _connect(path) as connection:
            if not first_row(connection.execute("select 1 from duckdb_tables() where table_name = 'request'")):
                connection.execute((files("storage") / "sql" / "staging.sql").read_text("utf-8"))
                connection.execute("insert into request values (?, ?)", [snapshot_id, cutoff])
            connection.execute("alter table judged add column if not exists structure json")  # of older versions
            (found,) = connection.execute("select cutoff from request").fetchall()[0]
        return cls(path, found)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keeps the file open for what is done meanwhile, each time in a transaction of its own: opening takes longer
        than most of it. Raises TransientError where another process is at work on it."""
        with _connection(self._path) as self._kept:
            try:
                yield
            finally:
                self._kept = None

    def add(self, pages: Sequence[Judged], requests: Sequence[Requests] = ()) -> None:
        """Stores verdicts, and what they have cost. Raises TransientError where another process has stored some."""
        with self._connect() as connection:
            insert(connection, "judged", pages)
            insert(connection, "requests", requests)

    def keep(self, question: str, answer: str) -> None:
        """Stores the next answer to a question. Raises TransientError where another process has stored it."""
        with self._connect() as connection:
            connection.execute(
                "insert into remembered select $1, count(*), $2 from remembered where question = $1", [question, answer]
            )

    def recall(self, question: str) -> list[str]:
        """The answers to a question that are stored, in their order."""
        with self._connect() as connection:
            asked = "select answer from remembered where question = ? order by number"
            return [answer for (answer,) in connection.execute(asked, [question]).fetchall()]

    def requests(self) -> list[Requests]:
        """What all attempts have asked for, a row a kind."""
        with self._connect() as connection:
            return records(Requests, connection.execute(query("staged_requests")))

    def done(self) -> set[int]:
        """The page ids that have their verdict."""
        with self._connect() as connection:
            return {page_id for (page_id,) in connection.execute("select page_id from judged").fetchall()}

    def passed(self) -> set[int]:
        """The page ids that have passed."""
        with self._connect() as connection:
            found = connection.execute("select page_id from judged where verdict = 'selected'").fetchall()
        return {page_id for (page_id,) in found}

    def pages(self) -> list[Judged]:
        with self._connect() as connection:
            return records(Judged, connection.execute("select * from judged order by page_id"))

    @contextmanager
    def _connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        if not self._kept:
            with _connect(self._path) as connection:
                yield connection
            return
        with _one_at_work(self._path), transaction(self._kept):
            yield self._kept

    @classmethod
    def discard_leftover(cls, database: Path, snapshot_id: str) -> None:
        """Removes what a refresh has left that was killed between publishing and tidying up."""
        _remove(_path(database, snapshot_id))

    @classmethod
    def leftovers(cls, database: Path, beginning: str) -> list[str]:
        """The snapshots whose names begin so and whose refresh has left a file."""
        before = f"{database.name}.refresh-"
        names = [path.name.removeprefix(before) for path in database.parent.glob(f"{escape(before + beginning)}*")]
        return sorted(name for name in names if not name.endswith(".wal"))

    def discard(self) -> None:
        _remove(self._path)


@contextmanager
def _connect(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """One transaction. Raises TransientError where another process is at work on the same refresh."""
    with _connection(path) as connection, _one_at_work(path), transaction(connection):
        yield connection


@contextmanager
def _connection(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with ExitStack() as open_file:
        with _one_at_work(path):
            connection = open_file.enter_context(attached(path, read_only=False))
        connection.execute("set TimeZone = 'UTC'")
        yield connection


@contextmanager
def _one_at_work(path: Path) -> Iterator[None]:
    """Raises TransientError where another process is, and what `told` makes of all else that fails under the file."""
    with told(path):
        try:
            yield
        except (duckdb.ConstraintException, duckdb.IOException) as error:
            if isinstance(error, duckdb.IOException) and not is_busy(error):
                raise
            raise TransientError(f"another process is at work on {path.name}; wait for it to end") from error


def _path(database: Path, snapshot_id: str) -> Path:
    return database.with_name(f"{database.name}.refresh-{snapshot_id}")


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.with_name(path.name + ".wal").unlink(missing_ok=True)
