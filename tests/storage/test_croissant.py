"""Croissant's own library reads what an exported snapshot says of itself, and the rows behind it."""

import json
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
from tests.storage.conftest import DAY

BY_SA = "https://creativecommons.org/licenses/by-sa/4.0/deed.de"
FORMS = ["parquet", "jsonl", "datasets"]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def snapshot(published: Callable[..., Snapshot], selected: Callable[..., Judged]) -> Snapshot:
    hidden = Judged(page_id=10, title="Oder", created_at=DAY, verdict="hidden")
    return published(selected(8, "Rhein שלום 🙂"), selected(7, "Lumen"), hidden)


def described(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "croissant.json").read_text("utf-8"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_croissants_library_has_nothing_against_it(
    database: Database, snapshot: Snapshot, out: Path, form: str
) -> None:
    from mlcroissant import Dataset

    export(database, "latest", form, out)
    issues = Dataset(jsonld=str(out / "croissant.json")).metadata.ctx.issues
    assert issues.errors == set()
    unknown = {one for one in issues.warnings if "schema.org/license" not in one}  # a wiki that did not say
    assert unknown == set()


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_croissants_library_reads_the_rows(database: Database, snapshot: Snapshot, out: Path, form: str) -> None:
    from mlcroissant import Dataset

    export(database, "latest", form, out)
    loaded = Dataset(jsonld=str(out / "croissant.json"))
    articles = list(loaded.records("articles"))
    assert [one["articles/page_id"] for one in articles] == [7, 8]
    assert articles[1]["articles/title"].decode() == "Rhein שלום 🙂"
    assert articles[0]["articles/created_at"] == DAY
    hidden = [one for one in loaded.records("candidates") if one["candidates/page_id"] == 10]
    assert [(one["candidates/verdict"], one["candidates/words"]) for one in hidden] == [(b"hidden", None)]


@pytest.mark.parametrize("form", FORMS)
def test_every_file_has_its_hash_and_every_column_its_meaning(
    database: Database, snapshot: Snapshot, out: Path, form: str
) -> None:
    files = {path.name: path for path in export(database, "latest", form, out) if path.suffix in (".parquet", ".jsonl")}
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


def test_who_may_use_it_is_said_as_the_wiki_says_it(database: Database, snapshot: Snapshot, out: Path) -> None:
    german = replace(snapshot, wiki="dewiki", language="de", licence="CC BY-SA 4.0", licence_url=BY_SA)
    found = describe(database, german, "https://de.wikipedia.org/wiki/", out, {})
    assert found["license"] == BY_SA
    assert (found["@context"]["@language"], found["inLanguage"]) == ("de", "de")
    assert "2 Artikel aus dewiki, angelegt vom 2026-09-01 bis zum 2026-09-30" in found["description"]
    assert f"[CC BY-SA 4.0]({BY_SA})" in found["description"] and "behält die Lizenz bei" in found["description"]
    assert "Versionsgeschichte" in found["creator"]["name"]
    unknown = describe(database, snapshot, "https://wiki.example/wiki/", out, {})
    assert "license" not in unknown and "is not known here" in unknown["description"]
