"""DuckDB files, open for milliseconds.

To start DuckDB takes twenty milliseconds, whatever the file, and to attach a file to one that runs takes fewer. So a
process that has done with a file keeps its DuckDB, with nothing in it, for the next time. It serves no other file, as
it can reach no other (`storage.fences`). One with which anything has gone wrong is not kept.
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

# What DuckDB holds in memory before it puts the rest on disk, beside the file: of a machine's memory models need most
_MEMORY_LIMIT = "1GB"
_KEPT = 3  # engines that wait for their files: a database's, and those of what is made beside it
NAME = "newwiki"


@dataclass
class _Open:
    """A file at work."""

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
    """A connection to the file, which is made where there is none and it is not only to be read.

    What has not been committed at its end is not stored. What DuckDB is told of itself here (memory, threads) stays so
    for the next time: for that, `storage.fences.connect`. Raises duckdb.Error where the file cannot be opened,
    RuntimeError where this process has it open the other way.
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
    """Remove an empty file, which a full disk leaves where DuckDB was about to begin one: DuckDB does not open it.

    The lock is the one that DuckDB takes, so a file that another process has just begun is left to that process.
    """
    try:
        if place.stat().st_size:
            return
        with place.open("r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(file.fileno()).st_size or not place.is_file():
                return
            place.unlink()
    except OSError:  # nothing there, or in use: DuckDB says which
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
    """Where the log cannot be taken into the file now, whoever opens it next does that; nothing committed is lost."""
    try:
        engine.execute(f"detach {NAME}")
    except duckdb.Error:
        return False
    return True


def _end_before_fork() -> None:
    """A fork cannot go on with its parent's DuckDB, nor end it, as it does not have its threads."""
    _LOCK.acquire()
    while _IDLE:
        _IDLE.popitem()[1].close()


def _leave_in_fork() -> None:
    """What could not be ended, as a file was open, is kept as it is."""
    _LEFT.extend(_OPEN.values())
    _OPEN.clear()
    _LOCK.release()


os.register_at_fork(before=_end_before_fork, after_in_parent=_LOCK.release, after_in_child=_leave_in_fork)
