"""Read and write one DuckDB file: short writes, reads that retry, and a sandbox for SQL from users.

DuckDB lets one process at a time write, and no other process can read meanwhile. Every connection therefore stays open
for milliseconds only, and a process that finds the file busy retries for a while.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import fields
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import duckdb
import pyarrow as pa

from newwiki.errors import TerminalError, UsageError
from storage import commit_counter
from storage.attached import attached
from storage.failures import described_errors, failure, first_line, is_busy
from storage.fences import CREATED_AS, connect, quoted
from storage.keys import KEYS
from storage.migrate import is_current, is_ours, keep_current, migrate
from storage.outputs import safe_of_ones_own
from storage.queries import Row, query, records, require_identifier

_PATIENCE = 60.0  # seconds to wait for a busy file
# Threads of one process take turns, because a process cannot have the file open for reading and for writing at once.
_ONE_AT_A_TIME = threading.RLock()
# The fence of `storage.fences` does not stop `copy … to` from overwriting the database's own file and its log, so file
# access is disabled too.
_NO_FILES = "set disabled_filesystems = 'LocalFileSystem'"
_LOCK = "set lock_configuration = true"

P = ParamSpec("P")
T = TypeVar("T")


class Database:
    """The database file at `path`, which is created and migrated by the first write."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._checked = False
        self._read: duckdb.DuckDBPyConnection | None = None
        self._written: duckdb.DuckDBPyConnection | None = None

    @property
    def is_there(self) -> bool:
        """Return whether the file exists and is not empty. A full disk can leave an empty file."""
        return self.path.is_file() and self.path.stat().st_size > 0

    @contextmanager
    def write(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open one transaction: all changes inside are stored together, or none of them after an error.

        Inside another `write`, the changes become part of the outer transaction.
        """
        with _ONE_AT_A_TIME:
            if self._written:
                yield self._written
                return
            self._require_no_read("a `write` inside a `read` would wait for itself")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._open(read_only=False) as connection:
                if not self._checked:
                    migrate(connection, self.path)
                    commit_counter.report_loss(connection, self.path)
                    self._checked = True
                with transaction(connection):
                    self._written = connection
                    try:
                        yield connection
                    finally:
                        self._written = None
                    commit_counter.count(connection)
                commit_counter.repeat(connection, self.path)
            keep_current(self.path)

    @contextmanager
    def read(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open a read-only connection.

        Inside another `read` the connection is shared, because opening a file takes longer than most queries. Inside a
        `write` the connection is that of the transaction, and sees its uncommitted changes. Raises TerminalError if the
        database does not exist.
        """
        with _ONE_AT_A_TIME:
            if connection := self._written or self._read:
                yield connection
                return
            with self._current() as connection:
                self._read = connection
                try:
                    yield connection
                finally:
                    self._read = None

    @contextmanager
    def fenced(self, **limits: str | int) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open a read-only connection that can reach no other file, no network and no extension, for SQL from users.

        `limits` are DuckDB's settings, such as `memory_limit`; no SQL can lift them.
        """
        self._require_no_read("a `fenced` inside a `read` would close the file for both when it ends")
        self._require()
        with _ONE_AT_A_TIME:
            connection = patiently(self.path, lambda: connect(self.path, read_only=True, settings=limits))
            try:
                with described_errors(self.path):
                    _teach_manners(connection)
                    for setting in (_NO_FILES, _LOCK):
                        connection.execute(setting)
                    yield connection
            finally:
                connection.close()

    @contextmanager
    def beside(self, own: Path) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open one transaction in the user's own file, with this database attached to it read-only as `newwiki`.

        A missing file is created. The connection reaches these two files and no others. `storage.allowed_statements`
        decides which statements may run. Raises UsageError if `own` is a database of New-Wiki Eval or has the name
        `newwiki`.
        """
        self._require()
        if safe_of_ones_own(own, self.path).stem == "newwiki":
            raise UsageError(f"'{own}' cannot be written: SQL names the database `newwiki`; name another file")
        with _ONE_AT_A_TIME:
            connection = patiently(own, lambda: connect(own, others=[self.path], settings=CREATED_AS))
            try:
                if is_ours(connection):
                    raise UsageError(f"'{own}' is a database of New-Wiki Eval, which SQL cannot change; name another")
                place = quoted(os.path.abspath(self.path))
                patiently(self.path, lambda: connection.execute(f"attach {place} as newwiki (read_only)"))
                _teach_manners(connection)
                connection.execute(_LOCK)
                with transaction(connection):
                    yield connection
            finally:
                connection.close()

    def rows(self, name: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Return the rows of the named query."""
        with self.read() as connection:
            rows: list[tuple[Any, ...]] = connection.execute(query(name), list(parameters)).fetchall()
            return rows

    def records(self, kind: Callable[..., Row], name: str, *parameters: object) -> list[Row]:
        """Return the rows of the named query as records (or `dict`s), whose fields have the names of the columns."""
        with self.read() as connection:
            return records(kind, connection.execute(query(name), list(parameters)))

    def table(self, name: str, *parameters: object, **parts: str) -> pa.Table:
        """Return the result of the named query as an Arrow table.

        `parts` replace the placeholders in the query's text.
        """
        with self.read() as connection:
            return connection.sql(query(name, **parts), params=list(parameters)).to_arrow_table()

    def _require_no_read(self, reason: str) -> None:
        with _ONE_AT_A_TIME:
            if self._read:
                raise RuntimeError(reason)

    def _require(self) -> None:
        """Migrate a database of an earlier version. Raises TerminalError if the database does not exist."""
        if self._checked and self.is_there:
            return
        with self._current():
            pass

    @contextmanager
    def _current(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open the database for reading, after migrating it if it is of an earlier version."""
        if not self.is_there:
            reason = f"'{self.path}' is an empty file, which a full disk can leave: " if self.path.is_file() else ""
            raise TerminalError(
                f"{reason}there is no database '{self.path}'; make one with `newwiki refresh --db {self.path}`, or "
                "name another with --db"
            )
        with ExitStack() as opened:
            connection = opened.enter_context(self._open(read_only=True))
            if not self._checked and not is_current(connection, self.path):
                opened.close()
                self._bring_up()
                connection = opened.enter_context(self._open(read_only=True))
            if not self._checked:
                commit_counter.report_loss(connection, self.path)
            self._checked = True
            yield connection

    def _bring_up(self) -> None:
        if not os.access(self.path, os.W_OK):
            raise TerminalError(
                f"'{self.path}' was written by another version of New-Wiki Eval and is read-only, so it cannot be "
                "migrated: copy it to a folder where you can write, and name the copy with --db"
            )
        with self.write():
            pass

    @contextmanager
    def _open(self, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        with _ONE_AT_A_TIME, ExitStack() as open_files:
            connection = patiently(
                self.path, lambda: open_files.enter_context(attached(self.path, read_only=read_only))
            )
            with described_errors(self.path):
                _teach_manners(connection)
                yield connection


def in_one_read(function: Callable[Concatenate[Database, P], T]) -> Callable[Concatenate[Database, P], T]:
    """Run the function, whose first argument is the database, in one `read`, so that all its queries see one state.

    No other process can write meanwhile, so the function must end within seconds.
    """

    @wraps(function)
    def reading(database: Database, /, *args: P.args, **named: P.kwargs) -> T:
        with database.read():
            return function(database, *args, **named)

    return reading


def patiently(path: Path, open_it: Callable[[], T]) -> T:
    """Call `open_it` until no other process has the file, and return its result.

    Raises TransientError if the file stays busy for 60 seconds, and TerminalError if it cannot be opened at all.
    """
    deadline = time.monotonic() + _PATIENCE
    pause = 0.005
    while True:
        try:
            return open_it()
        except duckdb.Error as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise failure(path, error) or TerminalError(
                    f"'{path}' cannot be opened: {first_line(error)}"
                ) from error
        time.sleep(pause)
        pause = min(pause * 2, 0.5)


def _teach_manners(connection: duckdb.DuckDBPyConnection) -> None:
    """Set the time zone to UTC, and turn off the progress bar, which would mix with the output on stdout."""
    connection.execute("set TimeZone = 'UTC'")
    with suppress(duckdb.Error):  # a notebook without ipywidgets has no progress bar, and refuses the setting
        connection.execute("set enable_progress_bar = false")


@contextmanager
def transaction(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    connection.begin()
    try:
        yield
    except BaseException:
        connection.rollback()
        raise
    connection.commit()


def insert(connection: duckdb.DuckDBPyConnection, table: str, records: Sequence[Any], **constants: object) -> None:
    """Add dataclass records to a table in one statement, with columns matched by name.

    `constants` are columns with the same value in every row.
    """
    if records:
        insert_arrow(connection, table, _columns(records, constants))


def insert_new(
    connection: duckdb.DuckDBPyConnection, table: str, records: Sequence[Any] | pa.Table, **constants: object
) -> None:
    """Add records to a table like `insert`, without those whose key the table has already (`storage.keys`).

    `constants` are columns with the same value in every row. Those that belong to the key also limit which stored rows
    are compared.
    """
    if not len(records):
        return
    incoming = records if isinstance(records, pa.Table) else _columns(records, constants)
    key, narrowed = KEYS[table], [name for name in KEYS[table] if name in constants]
    stored = f"(select {', '.join(key)} from {table}"  # noqa: S608 (our own names)
    stored += f" where {' and '.join(f'{name} = ?' for name in narrowed)})" if narrowed else ")"
    connection.register("incoming", incoming)
    connection.execute(
        f"insert into {table} by name select * from incoming anti join {stored} using ({', '.join(key)})",  # noqa: S608
        [constants[name] for name in narrowed],
    )
    connection.unregister("incoming")


def _columns(records: Sequence[Any], constants: Mapping[str, object]) -> pa.Table:
    names = [field.name for field in fields(records[0])]
    columns = {name: [getattr(record, name) for record in records] for name in names}
    return pa.table(columns | {name: [value] * len(records) for name, value in constants.items()})


def insert_arrow(connection: duckdb.DuckDBPyConnection, table: str, incoming: pa.Table) -> None:
    connection.register("incoming", incoming)
    connection.execute(f"insert into {require_identifier(table)} by name select * from incoming")  # noqa: S608
    connection.unregister("incoming")
