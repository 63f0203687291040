"""`python -m tests.bundles.kills [40]`: commands that take in foreign data, killed at random moments and run again.

Whatever the moment, the second run ends well, and leaves what a run leaves that nobody disturbed: the same rows, the
same files, and nothing else.
"""

import hashlib
import os
import random
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from tests import processes
from tests.bundles.world import BATCH, METRICS, World
from tests.flows.conftest import environment

# When something was done here; all else must be the same.
_MOMENTS = {"applied_at", "heard_at", "taken_in_at", "judged_at", "checked_at", "process"}
# It counts transactions, and a command that was killed after one carries it out again.
_COUNTER = "commit_counter"
# Files of DuckDB's and of this program's own, which may lie beside a database
_BESIDE = (".wal", ".commits", ".tmp")

Left = dict[str, object]


@dataclass(frozen=True)
class Job:
    """A command that is killed: `database` is copied before it, and `arguments` are given that copy and the folder."""

    name: str
    database: Callable[[World], Path]
    arguments: Callable[[World, Path, Path], list[object]]


JOBS = (
    Job("pull", lambda world: world.empty, lambda world, db, out: ["pull", world.shared.as_uri(), "--db", db]),
    Job(
        "check",
        lambda world: world.database,
        lambda world, db, out: ["check", world.bundle, "--metrics", METRICS, "--format", "json", "--db", db],
    ),
    Job("site", lambda world: world.database, lambda world, db, out: ["site", "--db", db, "--out", out / "site"]),
    Job(
        "judge",
        lambda world: world.unjudged,
        lambda world, db, out: [
            *("judge", world.greedy, world.nucleus, "--judge", BATCH, "--import", world.answers, "--db", db),
            *("--across", "samples", "--across", "keep"),
        ],
    ),
)


@dataclass
class Killed:
    """How often each command was killed, and what was wrong afterwards, a sentence each."""

    kills: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


def kill(world: World, folder: Path, kills: int, seed: int = 0) -> Killed:
    """Kills each command in turn. One that ends before it is killed counts as no kill and is tried again."""
    draw, killed = random.Random(seed), Killed(dict.fromkeys((job.name for job in JOBS), 0))
    wanted, seconds = {}, {}
    processes.run(["--version"], folder, environment())  # the first process waits until the libraries are imported
    for job in JOBS:
        began = time.monotonic()
        wanted[job.name] = _run(job, world, _prepared(job, world, folder / f"{job.name}-undisturbed"))
        seconds[job.name] = time.monotonic() - began
    number = attempts = 0
    while number < kills and attempts < 4 * kills:
        job, attempts = JOBS[number % len(JOBS)], attempts + 1
        place = _prepared(job, world, folder / f"{job.name}-{attempts}")
        after = draw.uniform(0, seconds[job.name])
        if not _killed(job, world, place, after):
            seconds[job.name] *= 0.7
            shutil.rmtree(place)
            continue
        number += 1
        killed.kills[job.name] += 1
        try:
            if differences := _differences(wanted[job.name], _run(job, world, place)):
                killed.wrong.append(f"{job.name}, killed after {after:.2f} s: {differences}")
        except AssertionError as error:
            killed.wrong.append(f"{job.name}, killed after {after:.2f} s: {error}")
        shutil.rmtree(place)
    return killed


def _prepared(job: Job, world: World, place: Path) -> Path:
    place.mkdir()
    shutil.copy(job.database(world), place / "newwiki.duckdb")
    return place


def _arguments(job: Job, world: World, place: Path) -> list[object]:
    return [*job.arguments(world, place / "newwiki.duckdb", place), "--quiet"]


def _killed(job: Job, world: World, place: Path, after: float) -> bool:
    """Whether it was still at work."""
    process = processes.start(_arguments(job, world, place), place, environment())
    process.join(after)
    was_alive = process.exitcode is None
    process.kill()
    process.join()
    return was_alive


def _run(job: Job, world: World, place: Path) -> Left:
    """What the command leaves once it has ended by itself."""
    done = processes.run(_arguments(job, world, place), place, environment())
    assert done.returncode == 0, f"it ends with {done.returncode}: {done.stderr.strip()}"
    files = [path for path in place.rglob("*") if path.is_file() and not path.name.startswith("newwiki.duckdb")]
    left: Left = {str(path.relative_to(place)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    left["files beside the database"] = sorted(
        path.name for path in place.iterdir() if path.name not in ("newwiki.duckdb", "site") and not _is_beside(path)
    )
    left["output"] = done.stdout.replace(str(place), "")
    return left | _rows(place / "newwiki.duckdb")


def _is_beside(path: Path) -> bool:
    return path.name.startswith("newwiki.duckdb") and path.suffix in _BESIDE


def _rows(path: Path) -> Left:
    with duckdb.connect(str(path), read_only=True) as connection:
        tables = [name for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()]
        return {table: _of_table(connection, table) for table in sorted(tables) if table != _COUNTER}


def _of_table(connection: duckdb.DuckDBPyConnection, table: str) -> list[tuple[Any, ...]]:
    found = connection.execute(f'from "{table}"')
    kept = [place for place, column in enumerate(found.description) if column[0] not in _MOMENTS]
    return sorted((tuple(row[place] for place in kept) for row in found.fetchall()), key=repr)


def _differences(wanted: Left, found: Left) -> str:
    """The names of what is not the same; empty where all is."""
    return ", ".join(sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name)))


def main(kills: int) -> int:
    from tests.bundles.red_team import genuine

    began = time.monotonic()
    with TemporaryDirectory() as name:
        (folder := Path(name, "kills")).mkdir()
        killed = kill(genuine(Path(name)), folder, kills)
    counted = ", ".join(f"{command} {times}" for command, times in killed.kills.items())
    print(f"{len(killed.wrong)} of {sum(killed.kills.values())} kills lost something ({counted};", end=" ")
    print(f"{time.monotonic() - began:.0f} s)")
    for sentence in killed.wrong:
        print(f"  {sentence[:200]}")
    return bool(killed.wrong)


if __name__ == "__main__":
    os.environ["HF_HUB_OFFLINE"] = "1"
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 40))
