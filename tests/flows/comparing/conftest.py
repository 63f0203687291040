"""A snapshot on which runs are compared. It knows the metrics by which most tests score, as a new one is added to the
views, which takes longer than to store its scores."""

import shutil
from pathlib import Path

import pytest

from newwiki.records import Metric
from storage import runs
from storage.database import Database
from tests.flows.comparing.many_runs import add_anchors
from tests.flows.scored import RULES, SPACY
from tests.once import once

METRICS = ("bleu", "information_density", "rep_4", "sbert")


@pytest.fixture(scope="session")
def described(published: Path, shared_folder: Path) -> Path:
    def add(path: Path) -> None:
        shutil.copy(published, path)
        runs.register(
            Database(path), [RULES, SPACY], [Metric(name, "", None, None, "higher", "", "") for name in METRICS]
        )

    return once(shared_folder / "described.duckdb", add)


@pytest.fixture
def stored(described: Path, tmp_path: Path) -> Database:
    return Database(shutil.copy(described, tmp_path / "newwiki.duckdb"))


@pytest.fixture
def anchored(fourteen_runs: Path, tmp_path: Path) -> Database:
    """Fourteen runs with anchors by which sbert sees content and rep_4 does not."""
    database = Database(Path(shutil.copy(fourteen_runs, tmp_path / "anchored.duckdb")))
    add_anchors(database, sbert=(0.1, 0.7), rep_4=(0.0, 0.0))
    return database
