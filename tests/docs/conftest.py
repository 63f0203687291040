"""The world that the pages are tried in, made once."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.docs import world
from tests.docs.shell import Shell
from tests.flows.conftest import environment
from tests.mediawiki.wiki import INSTALL, Wiki, is_installed
from tests.once import once, once_in_place

# What is published and scored before a reader comes to any page but the first two.
_BEFORE = """
newwiki refresh --quiet --wiki enwiki --month 2026-09 --contact you@example.org
newwiki evaluate gpt2 --quiet --decoder greedy --decoder sample:top_p=0.9
"""
OpenShell = Callable[..., Shell]


@pytest.fixture(scope="session")
def elsewhere(sample_wiki: Path, toy_checkpoint: Path, shared_folder: Path) -> Path:
    """The folder of all that is made, once for all workers."""
    return once_in_place(shared_folder / "elsewhere", lambda home: write_all(home, sample_wiki, toy_checkpoint))


@pytest.fixture(scope="session")
def api(elsewhere: Path, shared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a MediaWiki that runs."""
    if not is_installed():
        say = pytest.fail if os.environ.get("CI") else pytest.skip
        say(f"there is no MediaWiki here; run: {INSTALL}")
    imported = shared_folder / "imported"
    imported.mkdir(exist_ok=True)
    home = tmp_path_factory.mktemp("wiki")
    wiki = Wiki.start(elsewhere / "export.xml", home, imported, MW_SERVER="https://en.wikipedia.org")
    yield wiki.api_url
    wiki.stop()


def write_all(home: Path, sample_wiki: Path, toy_checkpoint: Path) -> None:
    from tests.evaluators.classifiers import bert

    export = world.write_export(sample_wiki, home / "export.xml")
    small = world.write_checkpoint(toy_checkpoint, home / "small")
    other = world.write_checkpoint(toy_checkpoint, home / "other", shift=0.01)
    models = dict.fromkeys(world.CAUSAL, other)
    models |= dict.fromkeys(world.ENCODER_DECODERS, world.write_encoder_decoder(toy_checkpoint, home / "t5"))
    world.write_embedder(toy_checkpoint, home / "embedder")
    bert(home / "stars", ["one", "two", "three", "four", "five"])
    bert(home / "classifier", ["toxic"])
    models |= dict.fromkeys(world.CLASSIFIERS, home / "classifier")
    world.write_hub(home / "hub", models)
    (home / "beside").mkdir()
    world.write_files(home / "beside", small, export, home / "stars")


@pytest.fixture(scope="session")
def new_shell(elsewhere: Path, api: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenShell]:
    """A shell in a folder of its own, with all that a reader has beside him."""
    opened = []

    def open_shell(database: Path | None = None) -> Shell:
        folder = tmp_path_factory.mktemp("reader")
        shutil.copytree(elsewhere / "beside", folder, dirs_exist_ok=True)
        if database:
            shutil.copy(database, folder / "newwiki.duckdb")
        leads = world.Elsewhere(api, elsewhere / "hub")
        scratch = tmp_path_factory.mktemp("s")
        places = {"HOME": scratch, "PYTHONPATH": world.ROOT, "NEWWIKI_EMBEDDER": elsewhere / "embedder"}
        env = environment(**{name: str(place) for name, place in places.items()})
        opened.append(Shell(folder, scratch, env, leads))
        return opened[-1]

    yield open_shell
    for shell in opened:
        shell.close()


@pytest.fixture(scope="session")
def scored(new_shell: OpenShell, shared_folder: Path) -> Path:
    """The database after a refresh and an evaluation, made once for all workers."""

    def refresh_and_evaluate(path: Path) -> None:
        shell = new_shell()
        ended = shell.run(_BEFORE)
        assert ended.returncode == 0, ended.stderr
        shutil.copy(shell.folder / "newwiki.duckdb", path)

    return once(shared_folder / "scored.duckdb", refresh_and_evaluate)
