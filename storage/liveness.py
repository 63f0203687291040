"""Determine whether the process that writes a run is alive.

A process on this machine is checked directly. A process on another machine counts as alive while its heartbeat is
recent. A killed process cannot update its run, so the stored status `running` may be out of date.
"""

import contextlib
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from newwiki.errors import NewWikiError

if TYPE_CHECKING:
    from storage.database import Database

# A process on another machine counts as dead after this time without a heartbeat, as in the view run_states.
SILENT = timedelta(minutes=5)
_BEAT = 60.0  # seconds between heartbeats


def this_process() -> str:
    """Return HOST/NAMESPACE PID START, which identifies this process.

    Process ids are valid within a namespace only, and the system reuses them.
    """
    return f"{_here()} {os.getpid()} {_start_of(os.getpid())}"


def state(status: str, heard_at: datetime | None, process: str | None, now: datetime | None = None) -> str:
    """Return `status`, or `interrupted` for a run with the status `running` whose process is dead."""
    if status != "running":
        return status
    alive = _lives(process) if process else None
    if alive is None:
        alive = heard_at is not None and (now or datetime.now(UTC)) - heard_at < SILENT
    return "running" if alive else "interrupted"


@contextmanager
def heartbeat(database: "Database", run_id: str) -> Iterator[None]:
    """Record a heartbeat of the run every minute, however long a batch takes."""
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(_BEAT):
            with (
                contextlib.suppress(NewWikiError, duckdb.Error),
                database.write() as connection,
            ):  # a missed heartbeat is harmless
                connection.execute("update runs set heard_at = now() where run_id = ?", [run_id])

    thread = threading.Thread(target=beat, name=f"heartbeat of {run_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _lives(process: str) -> bool | None:
    """Return whether a process is alive; None for a process on another machine, which cannot be checked."""
    place, pid, start = process.rsplit(" ", 2)
    if place != _here():
        return None
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # the process belongs to another user
    return _start_of(int(pid)) == start


def _here() -> str:
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        namespace = ""
    return f"{socket.gethostname()}/{namespace}".replace(" ", "_")


def _start_of(pid: int) -> str:
    """Return when a process was started, in clock ticks since the machine's start.

    Returns `-` if the system does not state it.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return "-"
    return stat.rpartition(")")[2].split()[19]
