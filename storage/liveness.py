"""Whether who writes a run is alive: by its process if that is one of this machine, elsewhere by when it was heard.

A process that is killed can say nothing, so `running` in the database is only what was said last.
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

SILENT = timedelta(minutes=5)  # after which a process elsewhere counts as dead; the view run_states says so too
_BEAT = 60.0  # seconds


def this_process() -> str:
    """HOST/NAMESPACE PID START: the numbers of processes hold within a namespace, and come again."""
    return f"{_here()} {os.getpid()} {_start_of(os.getpid())}"


def state(status: str, heard_at: datetime | None, process: str | None, now: datetime | None = None) -> str:
    """`status`, or `interrupted` for a run that is said to be running and whose process is dead."""
    if status != "running":
        return status
    alive = _lives(process) if process else None
    if alive is None:
        alive = heard_at is not None and (now or datetime.now(UTC)) - heard_at < SILENT
    return "running" if alive else "interrupted"


@contextmanager
def heartbeat(database: "Database", run_id: str) -> Iterator[None]:
    """Says every minute that the run is being written, however long one batch takes."""
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(_BEAT):
            with (
                contextlib.suppress(NewWikiError, duckdb.Error),
                database.write() as connection,
            ):  # the next one is as good
                connection.execute("update runs set heard_at = now() where run_id = ?", [run_id])

    thread = threading.Thread(target=beat, name=f"heartbeat of {run_id}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _lives(process: str) -> bool | None:
    """None where it cannot be asked, as it is another machine's."""
    place, pid, start = process.rsplit(" ", 2)
    if place != _here():
        return None
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's
    return _start_of(int(pid)) == start


def _here() -> str:
    try:
        namespace = os.readlink("/proc/self/ns/pid")
    except OSError:
        namespace = ""
    return f"{socket.gethostname()}/{namespace}".replace(" ", "_")


def _start_of(pid: int) -> str:
    """When it was started, in ticks since the machine was; `-` where the system does not say."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return "-"
    return told.rpartition(")")[2].split()[19]
