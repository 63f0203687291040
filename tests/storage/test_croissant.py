"""Croissant's own library reads what an exported snapshot says of itself, and the rows behind it."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest

from newwiki.snapshot import Judged, Snapshot
from storage.croissant import describe
from storage.database import Database
from storage.export_snapshot import export
from storage.snapshots import resolve
from tests.storage.conftest import DAY, publish_pages

BY_SA = "https://creativecommons.org/licenses/by-sa/4.0/deed.de"


@pytest.fixture(scope="module", params=["parquet", "jsonl", "datasets"])
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def snapshot(stored: Database) -> Snapshot:
    return resolve(stored, "latest")


@pytest.fixture(scope="module")
def stored(empty: Path, selected: Callable[..., Judged], tmp_path_factory: pytest.TempPathFactory) -> Database:
    database = Database(shutil.copy(empty, tmp_path_factory.mktemp("stored") / "newwiki.duckdb"))
    hidden = Judged(page_id=10, title="Oder", created_at=DAY, verdict="hidden")
    publish_pages(database, selected(8, "Rhein שלום 🙂"), selected(7, "Lumen"), hidden)
    return database


@pytest.fixture(scope="module")
def exported(stored: Database, form: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """The folder of an export in each form, and its files."""
    out = tmp_path_factory.mktemp("exported") / "out"
    return out, [*export(stored, "latest", form, out)]


def described(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "croissant.json").read_text("utf-8"))
    return found


@pytest.mark.slow
def test_croissants_library_has_nothing_against_it_and_reads_the_rows(exported: tuple[Path, list[Path]]) -> None:
    from mlcroissant import Dataset

    out, _ = exported
    loaded = Dataset(jsonld=str(out / "croissant.json"))
    issues = loaded.metadata.ctx.issues
    assert issues.errors == set()
    unknown = {one for one in issues.warnings if "schema.org/license" not in one}  # a wiki that did not say
    assert unknown == set()
    articles = list(loaded.records("articles"))
    assert [one["articles/page_id"] for one in articles] == [7, 8]
    assert articles[1]["articles/title"].decode() == "Rhein שלום 🙂"
    assert articles[0]["articles/created_at"] == DAY
    hidden = [one for one in loaded.records("candidates") if one["candidates/page_id"] == 10]
    assert [(one["candidates/verdict"], one["candidates/words"]) for one in hidden] == [(b"hidden", None)]


def test_every_file_has_its_hash_and_every_column_its_meaning(exported: tuple[Path, list[Path]], form: str) -> None:
    out, paths = exported
    files = {path.name: path for path in paths if path.suffix in (".parquet", ".jsonl")}
    found = described(out)
    assert found["conformsTo"] == "http://mlcommons.org/croissant/1.1"
    assert {one["@id"] for one in found["distribution"]} == set(files)
    for one in found["distribution"]:
        assert out / one["contentUrl"] == files[one["@id"]]
        assert one["sha256"] == sha256(files[one["@id"]].read_bytes()).hexdigest()
    for one in found["recordSet"]:
        assert all(field["description"]["en"] for field in one["field"]), one["name"]
        if form != "jsonl":
            columns = parquet.read_schema(files[f"{one['name']}.parquet"]).names
            assert [field["name"] for field in one["field"]] == columns


def test_who_may_use_it_is_said_as_the_wiki_says_it(stored: Database, snapshot: Snapshot, tmp_path: Path) -> None:
    german = replace(snapshot, wiki="dewiki", language="de", licence="CC BY-SA 4.0", licence_url=BY_SA)
    found = describe(stored, german, "https://de.wikipedia.org/wiki/", tmp_path, {})
    assert found["license"] == BY_SA
    assert (found["@context"]["@language"], found["inLanguage"]) == ("de", "de")
    assert "2 Artikel aus dewiki, angelegt vom 2026-09-01 bis zum 2026-09-30" in found["description"]
    assert f"[CC BY-SA 4.0]({BY_SA})" in found["description"] and "behält die Lizenz bei" in found["description"]
    assert "Versionsgeschichte" in found["creator"]["name"]
    unknown = describe(stored, snapshot, "https://wiki.example/wiki/", tmp_path, {})
    assert "license" not in unknown and "is not known here" in unknown["description"]
