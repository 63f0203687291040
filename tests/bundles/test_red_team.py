"""Every forgery is refused in one line, or stands at its true level; `python -m tests.bundles.red_team` shows which."""

import csv
import json
import re
from pathlib import Path

import pytest

import newwiki
from tests.bundles.attempts import Forgery, attempt
from tests.bundles.forgeries import FORGERIES
from tests.bundles.world import World
from tests.flows.bundles.forging import Forged

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("forgery", FORGERIES.values(), ids=lambda forgery: f"{forgery.way}: {forgery.name}")
def test_forgery_is_refused_or_stands_at_its_true_level(forgery: Forgery, world: World, tmp_path: Path) -> None:
    outcome = attempt(forgery, world, tmp_path)
    assert outcome.verdict == forgery.expected, outcome.told
    assert forgery.expected != "refused" or re.search(forgery.pattern, outcome.told), outcome.told


def test_there_are_at_least_forty_forgeries() -> None:
    assert len(FORGERIES) >= 40


def of_its_own(forgery: Forgery, number: int, world: World, folder: Path) -> Path:
    """The forged bundle, its run of texts under a seed that no other has, so that no two contradict each other."""
    folder.mkdir()
    forged = Forged(forgery.make(world, folder))
    listed = [run["run_id"] for run in json.loads(forged.members["bundle.json"])["runs"]]
    for run_id in {world.greedy} & {*listed}:
        forged.without_run(run_id)
    [writes] = [run_id for run_id in listed if run_id not in (world.greedy, world.likelihood)]
    forged.change_run(writes, seed=1_000 + number)
    forged.rename_run(writes)
    return forged.rehash().sign(world.forgers_key).write(folder.parent / "bundles" / f"{number}.newwiki")


ON_SITE = (
    "a model's name that is a formula",
    "a model's name that is markup",
    "an evaluator of ours in version 9 with 0.99 everywhere",
    "an evaluator that nobody knows",
)


@pytest.fixture(scope="module")
def site(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of forged bundles that only their level can tell, one of each kind."""
    folder = tmp_path_factory.mktemp("all")
    (folder / "bundles").mkdir()
    for number, name in enumerate(ON_SITE):
        of_its_own(FORGERIES[name], number, world, folder / str(number))
    return newwiki.site(folder / "bundles", out=folder / "site", quiet=True).parent


def cells(site: Path, name: str) -> list[dict[str, str]]:
    rows = []
    for path in site.rglob(name):
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows += [*csv.DictReader(file)]
    assert rows
    return rows


def test_no_forged_number_on_a_site_stands_above_claimed(site: Path) -> None:
    """Numbers of texts as they are in the bundle were computed again, and say no more than that."""
    numbers = [row for row in cells(site, "leaderboard.csv") if not row["run_id"].startswith("reference:")]
    levels: dict[str, set[str]] = {row["metric"]: set() for row in numbers}
    for row in numbers:
        levels[row["metric"]].add(row["level"])
    assert levels.pop("charm") == levels.pop("distinct_2") == {"claimed"}
    assert {level for metric in levels for level in levels[metric]} <= {"claimed", "recomputed scores"}
    assert all("SHA256:" in row["claimed_by"] for row in numbers), "whose word it is that the model has that name"


def test_seeds_are_shown_beside_the_decoder(site: Path) -> None:
    page = next(site.glob("snapshots/*.html"), None) or next(site.glob("samplewiki*.html"))
    assert re.search(r"seed\W{1,3}1,?0\d\d", page.read_text("utf-8"))


def test_no_cell_of_a_sites_csv_is_a_formula(site: Path) -> None:
    for path in site.rglob("*.csv"):
        with path.open(newline="", encoding="utf-8-sig") as file:
            for cell in (cell for row in csv.reader(file) for cell in row):
                is_number = re.fullmatch(r"[+-]?[\d.]+(e[+-]?\d+)?", cell)
                assert is_number or not cell.startswith(("=", "+", "-", "@", "\t")), (path, cell)


def test_no_page_of_a_site_holds_a_forgers_markup(site: Path) -> None:
    assert not [path for path in site.rglob("*.html") if "<script>document" in path.read_text("utf-8")]
