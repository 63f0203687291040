"""One DuckDB file: short writes, retrying reads, and a fence around other people's SQL.

DuckDB lets one process at a time write, and none read meanwhile. So every connection here lives for milliseconds, and
whoever finds the file taken tries again for a while.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from newwiki.errors import TerminalError, UsageError
from storage.attached import attached
from storage.failures import failure, first_line, is_busy, told
from storage.fences import CREATED_AS, connect, quoted
from storage.keys import KEYS
from storage.migrate import is_current, is_ours, keep_current, migrate
from storage.outputs import safe_of_ones_own
from storage.queries import Row, query, records, require_identifier

_PATIENCE = 60.0  # seconds that a busy file is waited for
# Threads of one process take turns: a file cannot be open there to read and to write at once.
_ONE_AT_A_TIME = threading.RLock()
# As the fence of `storage.fences` still lets `copy … to` write over the database's own file and its log
_NO_FILES = "set disabled_filesystems = 'LocalFileSystem'"
_LOCK = "set lock_configuration = true"

T = TypeVar("T")


class Database:
    """The file at `path`, made and migrated when first written to."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._checked = False
        self._read: duckdb.DuckDBPyConnection | None = None
        self._written: duckdb.DuckDBPyConnection | None = None

    @contextmanager
    def write(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """One transaction: all that happens inside is stored together, or, after an error, not at all. Inside another
        `write` it is a part of that one."""
        with _ONE_AT_A_TIME:
            if self._written:
                yield self._written
                return
            self._require_no_read("a `write` inside a `read` would wait for itself")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._open(read_only=False) as connection:
                if not self._checked:
                    migrate(connection, self.path)
                    self._checked = True
                with transaction(connection):
                    self._written = connection
                    try:
                        yield connection
                    finally:
                        self._written = None
            keep_current(self.path)

    @contextmanager
    def read(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A read-only connection; inside another `read` it is that one, as opening takes longer than most questions,
        and inside a `write` it is that, and sees what will be stored.

        Raises TerminalError where there is no database yet.
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
        """A read-only connection that can reach no file, no network and no extension, for SQL from outside.

        `limits` are DuckDB's settings, such as `memory_limit`; no SQL can lift them.
        """
        self._require_no_read("a `fenced` inside a `read` would, at its end, let go of the file for both")
        self._require()
        with _ONE_AT_A_TIME:
            connection = patiently(self.path, lambda: connect(self.path, read_only=True, settings=limits))
            try:
                with told(self.path):
                    _teach_manners(connection)
                    for setting in (_NO_FILES, _LOCK):
                        connection.execute(setting)
                    yield connection
            finally:
                connection.close()

    @contextmanager
    def beside(self, own: Path) -> Iterator[duckdb.DuckDBPyConnection]:
        """One transaction in a file of the user's own, made where there is none; this database is `newwiki` in it, to
        read. Both files and no other can be reached: what may be asked is for `storage.allowed_statements` to say.

        Raises UsageError where `own` is a database of New-Wiki Eval, or would bear the name `newwiki`.
        """
        self._require()
        if safe_of_ones_own(own, self.path).stem == "newwiki":
            raise UsageError(f"'{own}' cannot be written: `newwiki` is the database itself there; name another file")
        with _ONE_AT_A_TIME:
            connection = patiently(own, lambda: connect(own, others=[self.path], settings=CREATED_AS))
            try:
                if is_ours(connection):
                    raise UsageError(f"'{own}' is a database of New-Wiki Eval, which only it writes; name another file")
                place = quoted(os.path.abspath(self.path))
                patiently(self.path, lambda: connection.execute(f"attach {place} as newwiki (read_only)"))
                _teach_manners(connection)
                connection.execute(_LOCK)
                with transaction(connection):
                    yield connection
            finally:
                connection.close()

    def rows(self, name: str, *parameters: object) -> list[tuple[Any, ...]]:
        """What the named query answers."""
        with self.read() as connection:
            found: list[tuple[Any, ...]] = connection.execute(query(name), list(parameters)).fetchall()
            return found

    def records(self, kind: Callable[..., Row], name: str, *parameters: object) -> list[Row]:
        """The same, each row a record (or a `dict`) whose fields have the columns' names."""
        with self.read() as connection:
            return records(kind, connection.execute(query(name), list(parameters)))

    def table(self, name: str, *parameters: object, **parts: str) -> pa.Table:
        """What the named query answers, with its columns' names and types; `parts` stand in for what it leaves open."""
        with self.read() as connection:
            return connection.sql(query(name, **parts), params=list(parameters)).to_arrow_table()

    def _require_no_read(self, reason: str) -> None:
        with _ONE_AT_A_TIME:
            if self._read:
                raise RuntimeError(reason)

    def _require(self) -> None:
        """Raises TerminalError where there is no database; one of an earlier version is migrated."""
        if self._checked and self.path.is_file():
            return
        with self._current():
            pass

    @contextmanager
    def _current(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Opened to read, after it has been migrated where it is of an earlier version."""
        if not self.path.is_file():
            raise TerminalError(
                f"there is no database '{self.path}'; make one with `newwiki refresh --db {self.path}`, or name another"
            )
        with ExitStack() as opened:
            connection = opened.enter_context(self._open(read_only=True))
            if not self._checked and not is_current(connection, self.path):
                opened.close()
                self._bring_up()
                connection = opened.enter_context(self._open(read_only=True))
            self._checked = True
            yield connection

    def _bring_up(self) -> None:
        if not os.access(self.path, os.W_OK):
            raise TerminalError(
                f"'{self.path}' has other views than this version of New-Wiki Eval, and cannot be written to replace "
                "them: copy it to a folder of your own, and name the copy"
            )
        with self.write():
            pass

    @contextmanager
    def _open(self, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        with _ONE_AT_A_TIME, ExitStack() as open_files:
            connection = patiently(
                self.path, lambda: open_files.enter_context(attached(self.path, read_only=read_only))
            )
            with told(self.path):
                _teach_manners(connection)
                yield connection


def patiently(path: Path, open_it: Callable[[], T]) -> T:
    """What `open_it` gives once nobody else has the file. Raises TransientError where that takes too long,
    TerminalError where the file cannot be opened at all."""
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
    """Times in UTC, and no progress bar on stdout among the answers.

    In a notebook without ipywidgets there is no bar, and DuckDB refuses to be told so.
    """
    connection.execute("set TimeZone = 'UTC'")
    asked = "select system.main.current_setting('enable_progress_bar')"  # which no macro in the file can replace
    if connection.execute(asked).fetchall() == [(True,)]:
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
    """Adds dataclass records to a table in one statement, column by name; `constants` are the same in every row."""
    if records:
        insert_arrow(connection, table, _columns(records, constants))


def insert_new(
    connection: duckdb.DuckDBPyConnection, table: str, records: Sequence[Any] | pa.Table, **constants: object
) -> None:
    """Like `insert`, leaving out what the table has already under the same key (`storage.keys`).

    `constants` among the key narrow down which rows are looked at; they stand in every row.
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
