"""A folder of bundles is a leaderboard: what they hold, who signed it, and no two that contradict each other."""

import csv
import shutil
from pathlib import Path

import pytest

import newwiki
from flows.progress import Silent
from flows.site.sources import gathered
from newwiki.errors import TerminalError
from newwiki.settings import Settings
from newwiki.site_request import SiteRequest
from storage.database import Database
from tests.flows.bundles.conftest import NUCLEUS
from tests.flows.bundles.test_taking_in import contradicting

pytestmark = pytest.mark.slow


def runs_of(site: Path) -> dict[str, str]:
    """By decoder, who has signed."""
    with (site.parent / "data" / "runs.csv").open(newline="") as file:
        return {one["decoder"].partition(":")[0]: one["signed_by"] for one in csv.DictReader(file)}


def test_bundles_and_a_database_are_one_site_that_says_who_has_signed(
    bundle: Path, evaluated: Path, key: Path, other_key: Path, tmp_path: Path
) -> None:
    (tmp_path / "bundles").mkdir()
    (tmp_path / "trusted").mkdir()
    shutil.copy(bundle, tmp_path / "bundles")
    newwiki.submit(NUCLEUS, key=other_key, out=tmp_path / "bundles" / "b.newwiki", db=evaluated)
    for one in (key, other_key):
        shutil.copy(f"{one}.pub", tmp_path / "trusted")
    sources = (tmp_path / "bundles", evaluated)
    site = newwiki.site(*sources, key=tmp_path / "trusted", recompute=False, out=tmp_path / "site", quiet=True)
    assert runs_of(site) == {"greedy": "alice", "sample": "alice, mallory"}
    assert "alice, mallory" in (site.parent / "models.html").read_text("utf-8")


@pytest.mark.parametrize(("what", "first"), [("texts", "bundle"), ("scores", "evaluated")])
def test_two_that_contradict_each_other_are_refused_by_their_names(
    what: str, first: str, bundle: Path, evaluated: Path, key: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Two bundles, or a database and a bundle."""
    other, one = contradicting(what, bundle, evaluated, key, tmp_path), request.getfixturevalue(first)
    with pytest.raises(TerminalError) as refused:
        newwiki.site(one, other, recompute=False, out=tmp_path / "site", quiet=True)
    assert f"'{one}' and '{other}' contradict each other" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "site").exists()


def test_scores_are_computed_again_where_that_is_asked(
    bundle: Path, evaluated: Path, key: Path, tmp_path: Path
) -> None:
    other = contradicting("scores", bundle, evaluated, key, tmp_path)
    with pytest.raises(TerminalError, match=r"0\.777"):
        newwiki.site(other, recompute=True, out=tmp_path / "site", quiet=True)


def test_anchors_are_scored_as_bundles_hold_none(bundle: Path, evaluated: Path, tmp_path: Path) -> None:
    """They are those of the database that the bundle is from, and those of copying, which every site measures."""

    def anchors(database: Database) -> set[tuple[object, ...]]:
        with database.read() as connection:
            return {*connection.execute("select anchor, words, metric, evaluator_id, mean from anchors").fetchall()}

    settings = Settings(db=str(tmp_path / "none.duckdb"), entities="rules-v1")
    with gathered(SiteRequest(sources=(str(bundle),)), settings, Silent()) as found:
        assert set() != anchors(Database(evaluated)) < anchors(found.database)
    with gathered(SiteRequest(sources=(str(bundle),), recompute=False), settings, Silent()) as found:
        assert anchors(found.database) == set()
