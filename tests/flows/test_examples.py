"""The examples in the help of every command, run as they are printed, in one process."""

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from flows.cli import cli
from flows.listing import listing
from tests.docs import world
from tests.flows import in_process
from tests.flows.conftest import environment

pytestmark = pytest.mark.slow

_PAGES = "tests/docs runs it, or the same with other models"
_ON_A_WIKI = "it reads a wiki; tests/mediawiki does"
# Examples that are not run here, and why.
NOT_RUN = {
    "newwiki browse --port 8080": "it serves until Ctrl-C; tests/flows/report/test_browse.py opens it",
    "newwiki demo --out demo": "tests/flows/test_demo.py runs it",
    "newwiki doctor --model gpt2": "tests/newwiki/models/test_trial.py tries a checkpoint",
    "newwiki judge gpt2/greedy gpt2/sample:top_p=0.9 --judge anna": "a person answers; tests/flows/judging does",
    "newwiki refresh --wiki enwiki --month 2026-09": _ON_A_WIKI,
    "newwiki snapshots rebuild enwiki-2026-09.manifest.json": _ON_A_WIKI,
    "newwiki snapshots revisit enwiki-2026-09": _ON_A_WIKI,
    "newwiki snapshots topics latest": _ON_A_WIKI,
    "newwiki schedule --once": "it reads a wiki; tests/flows/schedule does what is due",
    "newwiki score --missing --metrics all": f"it takes every model that scores; {_PAGES}",
    "newwiki finetune gpt2 --out tuned --snapshot enwiki-2026-08": f"it trains; {_PAGES}",
    "newwiki train-scorer ratings.csv --out stars": f"it trains; {_PAGES}",
    "newwiki evaluate gpt2 --decoder 'sample:top_p=[0.5,0.9]' --prompts 100": f"a second evaluation; {_PAGES}",
    "newwiki watch checkpoints --decoder greedy": f"it watches until Ctrl-C; {_PAGES}",
    "newwiki report --snapshot latest --out report.html": f"it takes ten seconds; {_PAGES}",
    "newwiki site --out board": f"it takes six seconds; {_PAGES}",
    "newwiki site bundles --key trusted --out board": "it recomputes every score; tests/flows/bundles does so",
    "newwiki doctor --board": "a folder without newwiki.toml has no board; tests/flows/schedule examines one",
    "newwiki doctor": f"it loads every evaluator; {_PAGES}",
    "newwiki compare gpt2/greedy mine/greedy --fail-if 'sbert<-0.01'": (
        "so few prompts pass no gate; tests/flows/comparing/test_every_month.py runs one"
    ),
    "newwiki verdict checkpoints/step-500 gpt2/greedy --until-sure --margin 0.02": (
        "it evaluates a checkpoint; tests/flows/evaluating/test_until_sure.py does"
    ),
}
_EXPERIMENTS = "newwiki experiment "  # each takes several models; tests/flows/experiments runs each on a small one

# Evaluators that load in no time.
SMALL = {"NEWWIKI_EMBEDDER": "embedder", "NEWWIKI_ENTITIES": "rules-v1"}
# What must be done before an example, as a reader would have done it.
BEFORE = {
    "newwiki runs show gpt2/greedy --snapshot enwiki-2026-09": (
        "newwiki runs hide gpt2/greedy --snapshot enwiki-2026-09"
    ),
}
# What is beside a reader who has no bucket.
IN_PART = {"s3://bucket/newwiki": "bucket"}


def examples(above: click.Group = cli) -> Iterator[str]:
    """All examples in the order of the help, each once."""
    found: dict[str, None] = {}
    for command in above.commands.values():
        if not command.hidden:
            found |= dict.fromkeys(listing(command).examples)
            if isinstance(command, click.Group):
                found |= dict.fromkeys(examples(command))
    yield from found


@pytest.fixture(scope="module")
def reader(toy_checkpoint: Path, sample_wiki: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of someone who has published September and evaluated two models on it."""
    folder = tmp_path_factory.mktemp("reader")
    checkpoint = world.write_checkpoint(toy_checkpoint, folder / "gpt2")
    shutil.copytree(checkpoint, folder / "distilgpt2")
    world.write_checkpoint(toy_checkpoint, folder / "mine", shift=0.01)
    world.write_files(folder, checkpoint, world.write_export(sample_wiki, folder / "export.xml"), checkpoint)
    shutil.copy(folder / "enwiki-pages-meta-history.xml.bz2", folder / "history.xml.bz2")
    world.write_embedder(toy_checkpoint, folder / "embedder")
    for command in (
        "newwiki refresh --dump history.xml.bz2 --month 2026-09",
        "newwiki evaluate gpt2 --decoder greedy --decoder sample:top_p=0.9 --samples 2 --keep 2",
        "newwiki evaluate mine --decoder greedy",
    ):
        run(command, folder)
    return folder


def run(command: str, folder: Path) -> None:
    """Run a line of a shell; what it redirects is dropped."""
    ended = in_process.run(shlex.split(command.partition(" > ")[0])[1:], folder, environment(**SMALL))
    assert ended.returncode == 0, f"{command}\n{ended.stderr}"


def test_every_example_of_the_help_works_as_it_is_printed(reader: Path) -> None:
    """Each finds the database as it was, so that no example depends on another one's changes to it."""
    shutil.copy(reader / "newwiki.duckdb", reader / "before")
    failed = []
    for example in examples():
        if example in NOT_RUN or example.startswith(_EXPERIMENTS):
            continue
        for written in reader.glob("newwiki.duckdb*"):
            written.unlink()
        shutil.copy(reader / "before", reader / "newwiki.duckdb")
        try:
            for line in filter(None, (BEFORE.get(example), example)):
                run(re.sub("|".join(map(re.escape, IN_PART)), lambda found: IN_PART[found[0]], line), reader)
        except AssertionError as error:
            failed.append(str(error))
    assert failed == []


def test_what_is_not_run_is_an_example() -> None:
    assert {*NOT_RUN, *BEFORE} - set(examples()) == set()
