"""Two months of a made-up leaderboard, and the site of them, written once."""

from pathlib import Path

import pytest

import newwiki
from tests.flows.site.made_up import make


@pytest.fixture(scope="session")
def two_months(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two months of two wikis and old articles, with 31 runs. Tests read it."""
    return make(tmp_path_factory.mktemp("made_up") / "newwiki.duckdb", last=2).path


@pytest.fixture(scope="session")
def site(two_months: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its folder. Tests that change it copy it."""
    return newwiki.site(out=tmp_path_factory.mktemp("site") / "board", db=two_months, quiet=True).parent
