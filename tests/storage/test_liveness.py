"""A run whose process has died is told from one that is being written."""

import multiprocessing
import os
import signal
import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from newwiki.records import Completion, Run
from storage import liveness, runs
from storage.database import Database
from storage.liveness import SILENT, heartbeat, state, this_process

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
TEXT = Completion(1, 0, "t", 1, 1, "stop", False)
_FORKS = multiprocessing.get_context("forkserver")


def begins_and_is_killed(path: Path, run: Run) -> None:
    runs.start(Database(path), run)
    runs.add_completions(Database(path), run.run_id, [TEXT])
    os.kill(os.getpid(), signal.SIGKILL)


def told(database: Database) -> list[tuple[Any, ...]]:
    """What the column says, and what the view."""
    with database.read() as connection:
        asked = "select runs.run_id, status, state from runs join run_states using (run_id) order by all"
        return list(connection.execute(asked).fetchall())


@pytest.mark.slow
def test_a_run_whose_process_was_killed_is_interrupted_at_once(database: Database, run_of: Callable[..., Run]) -> None:
    process = _FORKS.Process(target=begins_and_is_killed, args=(database.path, run_of("dead")))
    process.start()
    process.join()
    runs.start(database, run_of("alive"))
    assert (runs.status(database, "dead"), runs.status(database, "alive")) == ("interrupted", "running")
    [(run_id, heard_at)] = runs.interrupted(database)
    assert run_id == "dead" and heard_at and datetime.now(UTC) - heard_at < timedelta(minutes=2)
    assert told(database) == [("alive", "running", "running"), ("dead", "interrupted", "interrupted")]
    runs.start(database, run_of("dead"))
    assert runs.status(database, "dead") == "running"
    runs.complete(database, "dead", 1)
    assert runs.interrupted(database) == []
    assert told(database)[1] == ("dead", "complete", "complete")


def test_who_is_on_another_machine_counts_as_dead_after_a_silence() -> None:
    elsewhere = "other-host/pid:[1] 1 1"
    assert state("running", NOW - SILENT / 2, elsewhere, NOW) == "running"
    assert state("running", NOW - SILENT * 2, elsewhere, NOW) == "interrupted"
    assert state("running", None, None, NOW) == "interrupted"
    assert [state(one, None, None, NOW) for one in ("complete", "failed", "interrupted")] == [
        "complete", "failed", "interrupted",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_process_here_is_asked_itself() -> None:
    long_ago = NOW - SILENT * 100
    assert state("running", long_ago, this_process(), NOW) == "running", "a slow batch is no death"
    place, pid, start = this_process().rsplit(" ", 2)
    assert socket.gethostname() in place
    assert state("running", NOW, f"{place} {pid} {start}0", NOW) == "interrupted", "its number was given to another"
    gone = _FORKS.Process(target=int)
    gone.start()
    gone.join()
    assert state("running", NOW, f"{place} {gone.pid} {start}", NOW) == "interrupted"


def test_the_database_alone_goes_by_the_silence(database: Database, run_of: Callable[..., Run]) -> None:
    runs.start(database, run_of("a"))
    assert told(database) == [("a", "running", "running")]
    with database.write() as connection:
        connection.execute("update runs set heard_at = now() - interval 6 minutes")
    assert told(database) == [("a", "running", "interrupted")]
    assert database.table("run_list").to_pylist()[0]["status"] == "interrupted"
    assert "process" not in database.table("run_list").column_names


def test_a_batch_that_takes_long_is_no_silence(
    database: Database, run_of: Callable[..., Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.start(database, run_of("a"))
    with database.write() as connection:
        connection.execute("update runs set heard_at = now() - interval 1 hour")
    monkeypatch.setattr(liveness, "_BEAT", 0.01)
    deadline = datetime.now(UTC) + timedelta(seconds=30)
    with heartbeat(database, "a"):
        while told(database) != [("a", "running", "running")]:
            assert datetime.now(UTC) < deadline


def test_a_run_that_has_ended_says_nothing_of_its_machine(database: Database, run_of: Callable[..., Run]) -> None:
    for number, end in enumerate((lambda r: runs.complete(database, r, 1), lambda r: runs.fail(database, r),
                                  lambda r: runs.interrupt(database, r))):  # fmt: skip
        runs.start(database, run_of(f"run-{number}"))
        end(f"run-{number}")
    with database.read() as connection:
        found = connection.execute("select status, process from runs order by run_id").fetchall()
    assert found == [("complete", None), ("failed", None), ("interrupted", None)]
