"""Killed with SIGKILL at any moment and run again, a command ends with the rows of one that was never interrupted."""

import contextlib
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

from flows.demonstration import wiki
from newwiki.errors import NewWikiError
from storage.database import Database
from tests import processes
from tests.flows.conftest import Run, environment

pytestmark = pytest.mark.slow

# When something was done, in what batches and steps, and the random id of the database are all that may differ.
_CIRCUMSTANCES = {
    "cutoff", "published_at", "started_at", "finished_at", "applied_at", "versions", "heard_at", "taken_at", "sha256",
    "commits", "database_id",
}  # fmt: skip


def rows(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every table's rows, sorted, without those."""
    with duckdb.connect(str(path), read_only=True) as connection:
        tables = [name for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()]
        found = {}
        for table in tables:
            described = connection.execute(f"describe {table}").fetchall()
            columns = ", ".join(f'"{column[0]}"' for column in described if column[0] not in _CIRCUMSTANCES)
            if not columns:
                continue
            found[table] = sorted(connection.execute(f"select {columns} from {table}").fetchall(), key=repr)  # noqa: S608
    return found


def kill_when(arguments: list[str | Path], folder: Path, reached: Callable[[], bool]) -> None:
    """Starts the command, and kills it as soon as `reached` says so."""
    process = processes.start(arguments, folder, environment())
    deadline = time.monotonic() + 120
    while not reached():
        assert process.exitcode is None, "the command ended before it could be killed"
        assert time.monotonic() < deadline, "the command never got so far"
        time.sleep(0.1)  # a look at the database costs as much as it may disturb
    process.kill()
    process.join()


def staged_bytes(folder: Path) -> int:
    sizes = []
    for file in folder.glob("*.refresh-*"):
        with contextlib.suppress(FileNotFoundError):  # DuckDB's log beside it comes and goes
            sizes.append(file.stat().st_size)
    return sum(sizes)


def count(path: Path, table: str) -> int:
    try:
        with Database(path).read() as connection:
            return int(connection.execute(f"select count(*) from {table}").fetchall()[0][0])  # noqa: S608
    except (NewWikiError, duckdb.Error):
        return 0


@pytest.fixture
def large_export(tmp_path: Path) -> Path:
    """The sample wiki fifteen times over, under new titles and numbers: some seconds of reading."""
    text = wiki().read_text("utf-8")
    head, pages = text.split("  <page>\n", 1)
    body = "  <page>\n" + pages.removesuffix("</mediawiki>\n")
    path = tmp_path / "large.xml"
    with path.open("w", encoding="utf-8") as file:
        file.write(head)
        for copy in range(15):
            numbered = body.replace("<title>", f"<title>{copy} ")
            file.write(numbered.replace("    <id>", f"    <id>{copy + 1}0"))
        file.write("</mediawiki>\n")
    return path


def test_a_refresh_that_is_killed_goes_on(newwiki: Run, large_export: Path, tmp_path: Path) -> None:
    asked: list[str | Path] = ["refresh", "--dump", large_export, "--month", "2026-09", "--sample", "50"]
    whole = newwiki(*asked, "--db", "whole.duckdb")
    assert whole.returncode == 0, whole.stderr
    for _ in range(2):
        enough = staged_bytes(tmp_path) + 300_000  # some batches of verdicts
        until = partial(lambda least: staged_bytes(tmp_path) > least, enough)
        kill_when([*asked, "--db", "killed.duckdb"], tmp_path, until)
        assert not (tmp_path / "killed.duckdb").exists(), "it was published before it could be killed"
    again = newwiki(*asked, "--db", "killed.duckdb")
    assert again.returncode == 0, again.stderr
    assert "going on with an interrupted refresh" in again.stderr
    assert rows(tmp_path / "killed.duckdb") == rows(tmp_path / "whole.duckdb")
    assert not list(tmp_path.glob("*.refresh-*"))


def test_an_evaluation_that_is_killed_goes_on(
    newwiki: Run, database: Path, toy_checkpoint: Path, tmp_path: Path
) -> None:
    whole = Path(shutil.copy(database, tmp_path / "whole.duckdb"))
    asked: list[str | Path] = ["evaluate", toy_checkpoint, "--decoder", "sample:top_p=0.9", "--entities", "rules-v1"]
    asked += ["--prompts", "4", "--samples", "10", "--keep", "3", "--max-new-tokens", "80"]  # seconds, one by one
    ended = newwiki(*asked, "--db", whole)
    assert ended.returncode == 0, ended.stderr
    kill_when(
        [*asked, "--batch-size", "1", "--db", database], tmp_path, lambda: 0 < count(database, "completions") < 40
    )
    written = count(database, "completions")
    assert 0 < written < 40
    kill_when([*asked, "--batch-size", "8", "--db", database], tmp_path, lambda: count(database, "scores") > 0)
    again = newwiki(*asked, "--db", database)
    assert again.returncode == 0, again.stderr
    assert rows(database) == rows(whole)


def test_a_second_time_costs_nothing_and_changes_nothing(newwiki: Run, database: Path, toy_checkpoint: Path) -> None:
    asked: list[str | Path] = ["evaluate", toy_checkpoint, "--decoder", "greedy", "--entities", "rules-v1"]
    asked += ["--prompts", "2", "--max-new-tokens", "20", "--db", database]
    assert newwiki(*asked).returncode == 0
    before = rows(database)
    again = newwiki(*asked)
    assert again.returncode == 0, again.stderr
    assert "all 2 completions are stored already" in again.stderr
    assert rows(database) == before
