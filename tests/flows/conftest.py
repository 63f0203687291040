"""A published snapshot of the sample wiki, and the command line as a stranger runs it."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from flows.demonstration import wiki
from flows.progress import Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition, refresh
from newwiki.snapshot import Window
from newwiki.sources.dump import DumpSource
from storage.database import Database
from tests import processes
from tests.flows import in_process as here
from tests.flows.comparing.many_runs import add_fourteen_runs
from tests.flows.trained import add_august
from tests.once import once

Run = Callable[..., CompletedProcess[str]]


@pytest.fixture(scope="session")
def published(shared_folder: Path) -> Path:
    """The sample wiki's September, published by the step. Tests copy it."""
    september = SnapshotDefinition(Window.month("2026-09"))

    def publish(folder: Path) -> None:
        refresh(Database(folder / "newwiki.duckdb"), DumpSource(str(wiki())), september, Silent())

    return once(shared_folder / "published", publish) / "newwiki.duckdb"


@pytest.fixture
def database(published: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(published, tmp_path / "newwiki.duckdb"))


@pytest.fixture(scope="session")
def two_months(published: Path, shared_folder: Path) -> Path:
    """The sample wiki's August beside its September. Tests that change it copy it."""

    def add(folder: Path) -> None:
        folder.mkdir()
        add_august(published, folder / "newwiki.duckdb")

    return once(shared_folder / "two-months", add) / "newwiki.duckdb"


@pytest.fixture(scope="session")
def fourteen_runs(published: Path, shared_folder: Path) -> Path:
    """Fourteen runs with made-up scores by nine metrics, on September. Tests that change it copy it."""

    def add(folder: Path) -> None:
        folder.mkdir()
        add_fourteen_runs(Database(shutil.copy(published, folder / "newwiki.duckdb")))

    return once(shared_folder / "fourteen-runs", add) / "newwiki.duckdb"


def environment(**extra: str) -> dict[str, str]:
    """No settings of the person who runs the tests, no network."""
    of_theirs = ("NEWWIKI_", "PREFECT_", "COLUMNS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(of_theirs)}
    return kept | {"NO_COLOR": "1"} | extra


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "newwiki", *map(str, arguments)]


@pytest.fixture
def newwiki(tmp_path: Path) -> Run:
    """Runs `newwiki ARGUMENTS` in an empty folder, and gives its exit status and what it wrote."""

    def run(*arguments: str | Path, **extra: str) -> CompletedProcess[str]:
        return processes.run(arguments, tmp_path, environment(**extra))

    return run


@pytest.fixture
def in_process(tmp_path: Path) -> Run:
    """The same as `newwiki`, in this process."""

    def run(*arguments: str | Path, **extra: str) -> CompletedProcess[str]:
        return here.run(arguments, tmp_path, environment(**extra))

    return run
