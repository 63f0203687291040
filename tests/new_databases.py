"""A new database is a copy of an empty one, because making one takes a second of processor time: most of it goes into
the tables, the views and their comments.

The tests of tests/storage that are about making one do it themselves, and so do the processes of
tests/flows/test_cold.py and tests/test_wheel.py.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
import pytest

from storage.database import Database
from storage.migrate import migrate
from tests.once import once

ABOUT = frozenset({"test_database.py", "test_migrate.py"})
_PLACE = "TESTS_EMPTY_DATABASE"
_open = Database._open


@contextmanager
def copied(template: Path) -> Iterator[None]:
    """Copy `template` for every new database of this process and of the forks of `tests.processes`. The first one to
    need the template makes it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(_PLACE, str(template))
        patch.setattr(Database, "_open", _open_copy)
        yield


def copied_in_fork() -> None:
    """Do the same in a fork, for as long as it lives."""
    if _PLACE in os.environ:
        Database._open = _open_copy  # type: ignore[method-assign]


@contextmanager
def _open_copy(self: Database, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
    is_copy = not read_only and _copy(self.path)
    with _open(self, read_only=read_only) as connection:
        if is_copy:
            connection.execute("update this_database set database_id = left(md5(uuid()::varchar), 12)")
        yield connection


def _copy(path: Path) -> bool:
    """Whether the file is a copy now. What the copy fails of, DuckDB fails of too, and says it."""
    if _PLACE in os.environ and not path.exists():
        with suppress(OSError):
            shutil.copy(_made(Path(os.environ[_PLACE])), path)
            return True
    return False


def _made(template: Path) -> Path:
    def make(path: Path) -> None:
        with _open(Database(path), read_only=False) as connection:
            migrate(connection, path)

    return once(template, make)
