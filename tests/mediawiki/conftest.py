"""Real wikis for the tests, each over its own export, all of them ended when the tests are."""

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from .exports import add_to_export, stubs
from .wiki import INSTALL, Wiki, is_installed

StartWiki = Callable[..., Wiki]


@pytest.fixture(scope="session")
def wiki(tmp_path_factory: pytest.TempPathFactory, shared_folder: Path) -> Iterator[StartWiki]:
    """`wiki(export)` is a wiki over that export; keywords are environment variables of serve.sh."""
    if not is_installed():
        say = pytest.fail if os.environ.get("CI") else pytest.skip
        say(f"there is no MediaWiki here; run: {INSTALL}")
    started: list[Wiki] = []
    imported = shared_folder / "imported"
    imported.mkdir(exist_ok=True)

    def start(export: Path, **environment: str) -> Wiki:
        home = tmp_path_factory.mktemp("mediawiki")
        started.append(Wiki(api_url="", home=home, compiled=imported))
        return Wiki.start(export, home, imported, **environment)

    yield start
    for each in started:
        each.stop()


@pytest.fixture(scope="session")
def running_sample(wiki: StartWiki, sample_wiki: Path) -> Wiki:
    return wiki(sample_wiki)


@pytest.fixture
def served_sample(running_sample: Wiki) -> Iterator[Wiki]:
    """The project's sample wiki; no fault outlives the test that asked for it."""
    running_sample.reset()
    yield running_sample
    running_sample.reset()


@pytest.fixture(scope="session")
def crowded_export(sample_wiki: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample wiki with 520 stubs in September 2026, the first and the last of them in its outermost seconds."""
    september = stubs(520, datetime(2026, 9, 1, tzinfo=UTC), datetime(2026, 9, 30, 23, 59, 59, tzinfo=UTC))
    return add_to_export(sample_wiki, tmp_path_factory.mktemp("exports") / "crowded.xml", september)


@pytest.fixture(scope="session")
def running_crowd(wiki: StartWiki, crowded_export: Path) -> Wiki:
    return wiki(crowded_export)


@pytest.fixture
def served_crowd(running_crowd: Wiki) -> Wiki:
    """A wiki whose September takes more than one list and many batches of texts."""
    running_crowd.reset()
    return running_crowd
