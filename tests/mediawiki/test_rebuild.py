"""A manifest and the wiki that it names give the same snapshot again, or the names of the pages that are gone."""

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from subprocess import CompletedProcess

import pytest
import requests

from tests import processes

from .conftest import StartWiki
from .exports import growing, write_export
from .refreshing import Refreshed, environment, refresh
from .wiki import Wiki

pytestmark = pytest.mark.slow


def newwiki(folder: Path, *arguments: object) -> CompletedProcess[str]:
    return processes.run(arguments, folder, environment())


@pytest.fixture(scope="module")
def own_wiki(wiki: StartWiki, sample_wiki: Path) -> Wiki:
    """A sample wiki that tests may change, if they mend it afterwards."""
    return wiki(sample_wiki)


@pytest.fixture(scope="module")
def original(own_wiki: Wiki, tmp_path_factory: pytest.TempPathFactory) -> Refreshed:
    database = tmp_path_factory.mktemp("original") / "original.duckdb"
    return refresh(database, "--api", own_wiki.api_url, "--month", "2026-09")


@pytest.fixture(scope="module")
def manifest(original: Refreshed) -> Path:
    folder = original.path.parent
    ended = newwiki(
        folder, "snapshots", "export", "latest", "--format", "manifest", "--out", "out", "--db", original.path
    )
    assert ended.returncode == 0, ended.stderr
    return folder / "out" / "manifest.json"


def test_the_sha1_is_mediawikis_own(original: Refreshed, own_wiki: Wiki) -> None:
    articles = {row["rev_id"]: row["sha1"] for row in original.rows("articles")}
    assert articles == _sha1s(own_wiki, original)
    assert len(articles) > 10


@pytest.mark.parametrize("kind", ["api", "dump"])
def test_a_rebuilt_snapshot_is_the_same(
    original: Refreshed, manifest: Path, own_wiki: Wiki, tmp_path: Path, kind: str
) -> None:
    place = own_wiki.api_url if kind == "api" else own_wiki.export(tmp_path / "written.xml")
    ended = newwiki(tmp_path, "snapshots", "rebuild", manifest, f"--{kind}", place, "--db", "again.duckdb")
    assert ended.returncode == 0, ended.stderr
    assert f"13 articles, content {original.content_sha256}: rebuilt" in ended.stdout
    assert "its candidates are these articles alone" in ended.stdout
    again = Refreshed(tmp_path / "again.duckdb")
    assert again.rows("articles") == original.rows("articles")
    assert again.rows("snapshots", "candidates, published_at") == original.rows("snapshots", "candidates, published_at")
    assert {row["detail"] for row in again.rows("candidates")} == {"rebuilt from a manifest"}
    assert again.funnel == {"selected": 13}
    assert newwiki(tmp_path, "snapshots", "verify", "latest", "--db", "again.duckdb").returncode == 0
    newwiki(tmp_path, "snapshots", "export", "latest", "--format", "manifest", "--out", "out", "--db", "again.duckdb")
    assert (tmp_path / "out" / "manifest.json").read_bytes() == manifest.read_bytes()


def test_a_snapshot_that_is_there_is_compared_and_left_as_it_is(
    original: Refreshed, manifest: Path, own_wiki: Wiki
) -> None:
    before = _sha256(original.path)
    ended = newwiki(manifest.parent, "snapshots", "rebuild", manifest, "--api", own_wiki.api_url, "--db", original.path)
    assert (ended.returncode, ended.stdout.strip().endswith("as in the database")) == (0, True), ended.stderr
    assert _sha256(original.path) == before


@pytest.mark.parametrize("kind", ["api", "dump"])
def test_a_page_that_was_deleted_meanwhile_is_named_and_nothing_is_published(
    manifest: Path, own_wiki: Wiki, tmp_path: Path, kind: str
) -> None:
    gone = json.loads(manifest.read_text("utf-8"))["articles"][3]
    own_wiki.delete(gone["title"])
    place = own_wiki.api_url if kind == "api" else own_wiki.export(tmp_path / "written.xml")
    ended = newwiki(tmp_path, "snapshots", "rebuild", manifest, f"--{kind}", place, "--db", "again.duckdb")
    own_wiki.restore(gone["title"])
    assert ended.returncode == 1
    named = f"'{gone['title']}' (page {gone['page_id']}, revision {gone['rev_id']}) is gone from the wiki"
    assert ended.stdout.splitlines() == [named]
    assert not (tmp_path / "again.duckdb").exists()


def test_a_page_that_was_renamed_meanwhile_is_rebuilt_under_its_name_of_then(
    original: Refreshed, manifest: Path, wiki: StartWiki, sample_wiki: Path, tmp_path: Path
) -> None:
    other = wiki(sample_wiki)
    other.move("Fletch Harbour", to="Fletch Port")
    ended = newwiki(tmp_path, "snapshots", "rebuild", manifest, "--api", other.api_url, "--db", "again.duckdb")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert Refreshed(tmp_path / "again.duckdb").rows("articles") == original.rows("articles")


def test_real_pages_are_rebuilt_from_their_wiki_and_from_its_dump(
    wiki: StartWiki, beside: Callable[[str], Path], tmp_path: Path
) -> None:
    """Wikitext as people write it; each page grows to it in ten edits."""
    first, last = datetime(2024, 5, 2, tzinfo=UTC), datetime(2024, 5, 9, tzinfo=UTC)
    texts = {file.stem.replace("_", " "): file.read_text("utf-8") for file in sorted(beside("wikitext").glob("*.txt"))}
    histories = [growing(title[0].upper() + title[1:], text, first, last, 10) for title, text in texts.items()]
    real = wiki(write_export(tmp_path / "real.xml", histories))
    asked = ("--api", real.api_url, "--month", "2024-05", "--min-words", "100")
    original = refresh(tmp_path / "original.duckdb", *asked)
    assert {row["rev_id"]: row["sha1"] for row in original.rows("articles")} == _sha1s(real, original)
    newwiki(tmp_path, "snapshots", "export", "latest", "--format", "manifest", "--out", "out", "--db", original.path)
    for kind, place in (("api", real.api_url), ("dump", real.export(tmp_path / "written.xml"))):
        again = Refreshed(tmp_path / f"{kind}.duckdb")
        ended = newwiki(tmp_path, "snapshots", "rebuild", "out/manifest.json", f"--{kind}", place, "--db", again.path)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert again.content_sha256 == original.content_sha256
        assert again.rows("articles") == original.rows("articles")


def _sha1s(wiki: Wiki, refreshed: Refreshed) -> dict[int, str]:
    """What MediaWiki itself says of the articles' revisions."""
    rev_ids = [row["rev_id"] for row in refreshed.rows("articles")]
    asked = {"action": "query", "format": "json", "formatversion": "2", "prop": "revisions", "rvprop": "ids|sha1"}
    found: dict[int, str] = {}
    for start in range(0, len(rev_ids), 50):
        revids = "|".join(map(str, rev_ids[start : start + 50]))
        for page in requests.get(wiki.api_url, {**asked, "revids": revids}, timeout=60).json()["query"]["pages"]:
            found |= {revision["revid"]: revision["sha1"] for revision in page["revisions"]}
    return found


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
