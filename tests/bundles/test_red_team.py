"""Every forgery is refused in one line, or stands at its true level; `python -m tests.bundles.red_team` shows which."""

import csv
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import newwiki
from tests.bundles.attempts import Forgery, attempt
from tests.bundles.forgeries import FORGERIES
from tests.bundles.world import World

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=lambda forgery: f"{forgery.way}: {forgery.name}")
def test_forgery_is_refused_or_stands_at_its_true_level(forgery: Forgery, world: World, tmp_path: Path) -> None:
    outcome = attempt(forgery, world, tmp_path)
    assert outcome.verdict == forgery.expected, outcome.told
    assert forgery.expected != "refused" or re.search(forgery.pattern, outcome.told), outcome.told


def test_there_are_at_least_forty_forgeries() -> None:
    assert len(FORGERIES) >= 40


@pytest.fixture(scope="module")
def sites(world: World, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A site of each forged bundle that can only be told by its level; two forgeries of one run contradict each other,
    so that they cannot be on one site."""
    built = []
    for number, forgery in enumerate(FORGERIES.values()):
        if forgery.expected == "claimed" and forgery.way == "bundle":
            folder = tmp_path_factory.mktemp(f"site-{number}")
            bundle = forgery.make(world, folder)
            built.append(newwiki.site(bundle, out=folder / "site", quiet=True).parent)
    return built


def cells(site: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    for path in site.rglob("*.csv"):
        with path.open(newline="", encoding="utf-8-sig") as file:
            yield from ((path, row) for row in csv.DictReader(file))
