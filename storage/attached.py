"""Open DuckDB files for milliseconds at a time.

Starting DuckDB takes about 20 milliseconds for any file; attaching a file to a running engine takes less. A process
therefore keeps an engine after it detaches the file, and uses that engine again for the same file. An engine serves no
other file, because it can reach no other file (`storage.fences`). An engine that had an error is closed.
"""

import fcntl
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from storage.fences import CREATED_AS, MEMORY, connect, quoted, spilled

# The memory that DuckDB may use before it spills to disk beside the file. The models need most of a machine's memory.
_MEMORY_LIMIT = "1GB"
_KEPT = 3  # idle engines: one for the database, the others for files that are written beside it
NAME = "newwiki"


@dataclass
class _Open:
    """A file that is open in this process."""

    engine: duckdb.DuckDBPyConnection
    read_only: bool
    connections: int = 1
    sound: bool = True


_LOCK = threading.RLock()
_OPEN: dict[Path, _Open] = {}
_IDLE: dict[Path, duckdb.DuckDBPyConnection] = {}
_LEFT: list[object] = []


@contextmanager
def attached(path: Path, *, read_only: bool) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a connection to the file. Unless `read_only`, a missing file is created.

    Changes that are not committed when the context ends are lost. Settings of DuckDB (memory, threads) persist until
    the engine is closed; `storage.fences.connect` opens a connection with its own settings. Raises duckdb.Error if the
    file cannot be opened, and RuntimeError if this process has the file open in the other mode.
    """
    place = Path(os.path.abspath(path))
    with _LOCK:
        file = _open(place, read_only=read_only)
    sound = False
    try:
        with file.engine.cursor() as connection:
            connection.execute(f"use {NAME}")
            yield connection
        sound = True
    finally:
        with _LOCK:
            file.sound &= sound
            _leave(place, file)


def _open(place: Path, *, read_only: bool) -> _Open:
    file = _OPEN.get(place)
    if file and file.read_only == read_only:
        file.connections += 1
        return file
    if file:
        raise RuntimeError(f"'{place}' is open here already, {'to read' if file.read_only else 'to write'}")
    engine = _IDLE.pop(place, None) or _engine(place)
    try:
        if not read_only:
            _remove_empty(place)
        engine.execute(f"attach {quoted(place)} as {NAME} ({'read_only' if read_only else 'read_write'})")
    except BaseException:
        engine.close()
        raise
    _OPEN[place] = file = _Open(engine, read_only)
    return file


def _engine(place: Path) -> duckdb.DuckDBPyConnection:
    settings = CREATED_AS | {"memory_limit": _MEMORY_LIMIT, "temp_directory": str(spilled(place))}
    return connect(MEMORY, others=[place], settings=settings)


def _remove_empty(place: Path) -> None:
    """Remove an empty file, which DuckDB cannot open.

    A full disk can leave an empty file when DuckDB begins a new database. The lock is also the lock that DuckDB takes,
    so a file that another process has just begun is left to that process.
    """
    try:
        if place.stat().st_size:
            return
        with place.open("r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(file.fileno()).st_size or not place.is_file():
                return
            place.unlink()
    except OSError:  # the file is missing or in use: DuckDB reports which
        return
    logging.getLogger("newwiki").warning(
        "newwiki: '%s' was empty, as a full disk leaves a file; a new database replaces it", place
    )


def _leave(place: Path, file: _Open) -> None:
    file.connections -= 1
    if file.connections or _OPEN.get(place) is not file:
        return
    del _OPEN[place]
    if not (file.sound and not spilled(place).exists() and _is_detached(file.engine)):
        file.engine.close()
        return
    _IDLE[place] = file.engine
    while len(_IDLE) > _KEPT:
        _IDLE.pop(next(iter(_IDLE))).close()


def _is_detached(engine: duckdb.DuckDBPyConnection) -> bool:
    """Detach the file, and return whether that succeeded.

    Detaching fails if the write-ahead log cannot be merged into the file now. The next process that opens the file
    merges the log, so no committed data is lost.
    """
    try:
        engine.execute(f"detach {NAME}")
    except duckdb.Error:
        return False
    return True


def _end_before_fork() -> None:
    """Close the idle engines before a fork. The child lacks their threads, so it can neither use nor close them."""
    _LOCK.acquire()
    while _IDLE:
        _IDLE.popitem()[1].close()


def _leave_in_fork() -> None:
    """Keep references to the engines that were in use at the fork, so that the child never closes them."""
    _LEFT.extend(_OPEN.values())
    _OPEN.clear()
    _LOCK.release()


os.register_at_fork(before=_end_before_fork, after_in_parent=_LOCK.release, after_in_child=_leave_in_fork)
