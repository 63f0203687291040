"""Two months of a made-up leaderboard, and the site of them, written once for all workers."""

from pathlib import Path

import pytest

import newwiki
from tests.flows.site.made_up import make
from tests.once import once


@pytest.fixture(scope="session")
def two_months(shared_folder: Path) -> Path:
    """Two months of two wikis and old articles, with 31 runs. Tests read it."""

    def write(folder: Path) -> None:
        folder.mkdir()
        make(folder / "newwiki.duckdb", last=2)

    return once(shared_folder / "made-up", write) / "newwiki.duckdb"


@pytest.fixture(scope="session")
def site(two_months: Path, shared_folder: Path) -> Path:
    """Its folder. Tests that change it copy it."""
    return once(shared_folder / "board", lambda folder: newwiki.site(out=folder, db=two_months, quiet=True))
