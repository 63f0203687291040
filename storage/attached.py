"""DuckDB files, open for milliseconds.

To start DuckDB takes some twenty milliseconds, whatever the file, and to attach a file to one that runs takes three.
So a process starts it once. A file is attached, and locked against other processes, only while it is at work.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

# No extension is fetched or loaded
OFFLINE = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
# DuckDB 1.4 and later open what this writes
CREATED_AS = {"storage_compatibility_version": "v1.4.0"}


@dataclass
class _Attached:
    """A file, by what name and how, and by how many connections."""

    name: str
    read_only: bool
    used: int = 0


class _Engine:
    """A DuckDB in memory, and the files that are attached to it."""

    def __init__(self) -> None:
        self.connection = duckdb.connect(":memory:", config=OFFLINE | CREATED_AS)
        self.files: dict[Path, _Attached] = {}

    def attach(self, path: Path, *, read_only: bool) -> str:
        file = self.files.get(path)
        if file and file.read_only != read_only:
            raise RuntimeError(f"'{path}' is open here already, {'to read' if file.read_only else 'to write'}")
        if not file:
            taken = {one.name for one in self.files.values()}
            file = _Attached(next(name for name in _names() if name not in taken), read_only)
            quoted, how = str(path).replace("'", "''"), "read_only" if read_only else "read_write"
            self.connection.execute(f"attach '{quoted}' as {file.name} (type duckdb, {how})")
            self.files[path] = file
        file.used += 1
        return file.name

    def detach(self, path: Path) -> None:
        file = self.files[path]
        file.used -= 1
        if not file.used:
            del self.files[path]
            self.connection.execute(f"detach {file.name}")


def _names() -> Iterator[str]:
    number = 0
    while True:
        yield f"newwiki_{number}"
        number += 1


_LOCK = threading.RLock()
_running: _Engine | None = None
_LEFT: list[_Engine] = []


@contextmanager
def attached(path: Path, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to the file, which is made where there is none and it is not only to be read.

    What has not been committed at its end is not stored. Raises duckdb.Error where the file cannot be opened.
    """
    place = Path(os.path.abspath(path))
    with _LOCK:
        engine = _engine()
        name = engine.attach(place, read_only=read_only)
    try:
        with engine.connection.cursor() as connection:
            connection.execute(f"use {name}")
            yield connection
    except (duckdb.FatalException, duckdb.InternalException):
        _forget(engine)  # it answers nothing any more, whatever the file
        raise
    finally:
        with _LOCK:
            if engine is _running:
                engine.detach(place)


def _engine() -> _Engine:
    global _running
    if _running is None:
        _running = _Engine()
    return _running


def _end_before_fork() -> None:
    """A fork cannot go on with its parent's engine, nor end it, as it does not have its threads."""
    global _running
    with _LOCK:
        if _running and not _running.files:
            _running.connection.close()
            _running = None


def _leave_in_fork() -> None:
    """What could not be ended, as a file was open, is kept as it is."""
    global _running
    if _running:
        _LEFT.append(_running)
        _running = None


def _forget(engine: _Engine) -> None:
    global _running
    with _LOCK:
        if engine is _running:
            _running = None
    engine.connection.close()


os.register_at_fork(before=_end_before_fork, after_in_child=_leave_in_fork)
