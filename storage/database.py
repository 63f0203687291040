"""One DuckDB file: short writes, retrying reads, and a fence around other people's SQL.

DuckDB lets one process at a time write, and none read meanwhile. So every connection here lives for milliseconds, and
whoever finds the file taken tries again for a while.
"""

import functools
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pyarrow as pa

from newwiki.errors import TerminalError, TransientError, UsageError
from storage.migrate import is_current, is_ours, migrate

_PATIENCE = 60.0  # seconds that a busy file is waited for
_OFFLINE = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
# DuckDB 1.4 and later open what this writes
_CREATED_AS = {"storage_compatibility_version": "v1.4.0"}
_BUSY = ("Could not set lock", "different configuration", "Unique file handle conflict")
# Threads of one process take turns: a file cannot be open there to read and to write at once.
_ONE_AT_A_TIME = threading.RLock()
# The second because the first still lets `copy … to` write over the database's own file and its log.
_FENCE = ("set enable_external_access = false", "set disabled_filesystems = 'LocalFileSystem'")
_LOCK = "set lock_configuration = true"

T = TypeVar("T")


@functools.cache
def query(name: str) -> str:
    """The text of `sql/queries/NAME.sql`."""
    return (files("storage") / "sql" / "queries" / f"{name}.sql").read_text("utf-8")


class Database:
    """The file at `path`, made and migrated when first written to."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._checked = False
        self._read: duckdb.DuckDBPyConnection | None = None

    @contextmanager
    def write(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """One transaction: all that happens inside is stored together, or, after an error, not at all."""
        with _ONE_AT_A_TIME:
            if self._read:
                raise RuntimeError("a `write` inside a `read` would wait for itself")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._connect(read_only=False, config=_OFFLINE | _CREATED_AS) as connection:
            if not self._checked:
                migrate(connection, self.path)
                self._checked = True
            with transaction(connection):
                yield connection

    @contextmanager
    def read(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A read-only connection; inside another `read` it is that one, as opening takes longer than most questions.

        Raises TerminalError where there is no database yet.
        """
        with _ONE_AT_A_TIME:
            if self._read:
                yield self._read
                return
            self._require()
            with self._connect(read_only=True, config=_OFFLINE) as connection:
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
        self._require()
        with self._connect(read_only=True, config=_OFFLINE | limits) as connection:
            for setting in (*_FENCE, _LOCK):
                connection.execute(setting)
            yield connection

    @contextmanager
    def beside(self, own: Path) -> Iterator[duckdb.DuckDBPyConnection]:
        """One transaction in a file of the user's own, made where there is none; this database is `newwiki` in it, to
        read. Both files and no other can be reached: what may be asked is for `storage.statements` to say.

        Raises UsageError where `own` is a database of New-Wiki Eval, or would bear the name `newwiki`.
        """
        self._require()
        if own.stem == "newwiki" or (own.exists() and own.samefile(self.path)):
            raise UsageError(f"'{own}' cannot be written: `newwiki` is the database itself there; name another file")
        with _ONE_AT_A_TIME:
            connection = patiently(own, lambda: duckdb.connect(str(own), config=_OFFLINE | _CREATED_AS))
            try:
                if is_ours(connection):
                    raise UsageError(f"'{own}' is a database of New-Wiki Eval, which only it writes; name another file")
                name = str(self.path).replace("'", "''")
                patiently(self.path, lambda: connection.execute(f"attach '{name}' as newwiki (read_only)"))
                _teach_manners(connection)
                for setting in (_FENCE[0], _LOCK):
                    connection.execute(setting)
                with transaction(connection):
                    yield connection
            finally:
                connection.close()

    def rows(self, name: str, *parameters: object) -> list[tuple[Any, ...]]:
        """What the named query answers."""
        with self.read() as connection:
            found: list[tuple[Any, ...]] = connection.execute(query(name), list(parameters)).fetchall()
            return found

    def table(self, name: str, *parameters: object) -> pa.Table:
        """What the named query answers, with its columns' names and types."""
        with self.read() as connection:
            return connection.sql(query(name), params=list(parameters)).to_arrow_table()

    def _require(self) -> None:
        if not self.path.is_file():
            raise TerminalError(
                f"there is no database '{self.path}'; make one with `newwiki refresh --db {self.path}`, or name another"
            )
        if not self._checked:
            with self._connect(read_only=True, config=_OFFLINE) as connection:
                current = is_current(connection, self.path)
            if not current:
                with self.write():
                    pass
            self._checked = True

    @contextmanager
    def _connect(self, *, read_only: bool, config: dict[str, Any]) -> Iterator[duckdb.DuckDBPyConnection]:
        with _ONE_AT_A_TIME:
            connection = patiently(
                self.path, lambda: duckdb.connect(str(self.path), read_only=read_only, config=config)
            )
            try:
                _teach_manners(connection)
                yield connection
            finally:
                connection.close()


def patiently(path: Path, open_it: Callable[[], T]) -> T:
    """What `open_it` gives once nobody else has the file. Raises TransientError where that takes too long,
    TerminalError where the file cannot be opened at all."""
    deadline = time.monotonic() + _PATIENCE
    pause = 0.005
    while True:
        try:
            return open_it()
        except (duckdb.IOException, duckdb.ConnectionException, duckdb.ResourceInUseException) as error:
            if not any(words in str(error) for words in _BUSY):
                raise TerminalError(f"'{path}' cannot be opened: {_first_line(error)}") from error
            if time.monotonic() > deadline:
                raise TransientError(f"'{path}' is in use by another program: {_first_line(error)}") from error
        time.sleep(pause)
        pause = min(pause * 2, 0.5)


def _teach_manners(connection: duckdb.DuckDBPyConnection) -> None:
    """Times in UTC, and no progress bar on stdout among the answers.

    In a notebook without ipywidgets there is no bar, and DuckDB refuses to be told so.
    """
    connection.execute("set TimeZone = 'UTC'")
    if connection.execute("select current_setting('enable_progress_bar')").fetchall() == [(True,)]:
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
    connection: duckdb.DuckDBPyConnection, table: str, records: Sequence[Any], run_id: str, keys: Sequence[str]
) -> None:
    """Like `insert`, for rows of one run, leaving out those whose `keys` the run has already."""
    if records:
        connection.register("incoming", _columns(records, {"run_id": run_id}))
        names = ", ".join(keys)
        stored = f"(select {names} from {table} where run_id = ?)"  # noqa: S608 (our own names)
        connection.execute(
            f"insert into {table} by name select * from incoming anti join {stored} using ({names})",  # noqa: S608
            [run_id],
        )
        connection.unregister("incoming")


def _columns(records: Sequence[Any], constants: Mapping[str, object]) -> pa.Table:
    names = [field.name for field in fields(records[0])]
    columns = {name: [getattr(record, name) for record in records] for name in names}
    return pa.table(columns | {name: [value] * len(records) for name, value in constants.items()})


def insert_arrow(connection: duckdb.DuckDBPyConnection, table: str, incoming: pa.Table) -> None:
    connection.register("incoming", incoming)
    connection.execute(f"insert into {table} by name select * from incoming")  # noqa: S608 (our own table's name)
    connection.unregister("incoming")


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
