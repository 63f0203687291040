import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as parquet
import pytest
import yaml

from newwiki.errors import TerminalError
from newwiki.manifest import Manifest
from newwiki.snapshot import Judged, Snapshot
from newwiki.text.prose import EXTRACTOR_VERSION
from storage.database import Database
from storage.datasets_card import card
from storage.export_snapshot import export, manifest
from storage.snapshots import resolve, text_sha256
from tests.storage.conftest import CUTOFF, DAY, SEPTEMBER, Filled

Publish = Callable[..., Snapshot]
Page = Callable[..., Judged]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def snapshot(database: Database, published: Publish, selected: Page, filled: Filled) -> Snapshot:
    few = Judged(
        page_id=9,
        title="Elbe",
        created_at=DAY,
        verdict="few_words",
        detail="3 of 500 words",
        rev_id=90,
        revised_at=DAY,
        revisions=None,
        words=3,
    )
    hidden = Judged(page_id=10, title="Oder", created_at=DAY, verdict="hidden")
    pages = (selected(8, "Rhein שלום 🙂", sha1="8" * 40), selected(7, "Lumen", sha1="7" * 40), few, hidden)
    return resolve(filled("to be exported", database, lambda: published(*pages)), "latest")


def rows(database: Database, table: str) -> list[dict[str, Any]]:
    with database.read() as connection:
        found = connection.sql(f"select * from {table} order by page_id").to_arrow_table()  # noqa: S608
    answer: list[dict[str, Any]] = found.to_pylist()
    return answer


def without_link(candidates: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "permalink"} for row in candidates]


def test_a_manifest_names_every_revision_and_no_text(database: Database, snapshot: Snapshot, out: Path) -> None:
    (path,) = export(database, "latest", "manifest", out)
    found = Manifest.read(path)
    assert [(entry.page_id, entry.rev_id, entry.sha1, entry.title) for entry in found.articles] == [
        (7, 1007, "7" * 40, "Lumen"),
        (8, 1008, "8" * 40, "Rhein שלום 🙂"),
    ]
    assert (found.window_start, found.window_end, found.cutoff) == (SEPTEMBER.start, SEPTEMBER.end, CUTOFF)
    assert found.parameters == json.loads(snapshot.parameters)
    assert (found.wiki, found.base_url, found.kind) == ("testwiki", "https://wiki.example/wiki/", "new")
    assert (found.extractor_version, found.content_sha256) == (EXTRACTOR_VERSION, snapshot.content_sha256)
    assert found.articles[0].text_sha256 == text_sha256("The Lumen is long.", "It is a river.")
    assert "river" not in path.read_text("utf-8")


def test_a_manifest_of_an_extractor_that_is_not_ours_names_no_release_of_ours(
    database: Database, snapshot: Snapshot
) -> None:
    assert manifest(database, "latest").newwiki_version
    with duckdb.connect(str(database.path)) as connection:
        connection.execute("update snapshots set extractor_version = '0'")
    assert manifest(database, "latest").newwiki_version is None


def test_parquet_holds_the_tables_rows(database: Database, snapshot: Snapshot, out: Path) -> None:
    export(database, "latest", "parquet", out)
    articles = parquet.read_table(out / "articles.parquet")
    assert articles.to_pylist() == rows(database, "articles")
    assert str(articles.schema.field("created_at").type) == "timestamp[us, tz=UTC]"
    candidates = parquet.read_table(out / "candidates.parquet").to_pylist()
    assert without_link(candidates) == rows(database, "candidates")
    assert [row["permalink"] for row in candidates] == [
        "https://wiki.example/wiki/Special:PermanentLink/1007",
        "https://wiki.example/wiki/Special:PermanentLink/1008",
        "https://wiki.example/wiki/Special:PermanentLink/90",
        None,
    ]


def test_json_lines_hold_the_same_with_times_in_utc(database: Database, snapshot: Snapshot, out: Path) -> None:
    export(database, "latest", "jsonl", out)
    for table in ("articles", "candidates"):
        lines = (out / f"{table}.jsonl").read_text("utf-8").splitlines()
        stored = [json.loads(json.dumps(row, default=lambda time: time.isoformat())) for row in rows(database, table)]
        found = [json.loads(line) for line in lines]
        assert (found if table == "articles" else without_link(found)) == stored
        assert all(row["created_at"] == "2026-09-03T10:00:00+00:00" for row in found)


LOAD = """
import sys
import datasets
folder, to = sys.argv[1:]
for table in ("", "candidates"):
    loaded = datasets.load_dataset(folder, *filter(None, [table]), cache_dir=f"{to}/cache")
    assert list(loaded) == ["test"]
    loaded["test"].to_parquet(f"{to}/loaded{table}.parquet")
"""


@pytest.mark.slow
def test_datasets_loads_the_folder(database: Database, snapshot: Snapshot, out: Path, tmp_path: Path) -> None:
    """By Hugging Face's own library, in a process of its own, which finds the tables by the card."""
    export(database, "latest", "datasets", out)

    program = [sys.executable, "-c", LOAD, str(out), str(tmp_path)]
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hub")}
    ended = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    articles, candidates = (
        parquet.read_table(tmp_path / f"loaded{table}.parquet").to_pylist() for table in ("", "candidates")
    )
    assert articles == rows(database, "articles")
    assert without_link(candidates) == rows(database, "candidates")


def test_the_data_card_says_what_its_readers_must_know(database: Database, snapshot: Snapshot, out: Path) -> None:
    export(database, "latest", "datasets", out)
    _, header, text = (out / "README.md").read_text("utf-8").split("---\n", 2)
    assert yaml.safe_load(header)["license"] == "unknown"
    named = {one["config_name"] for one in yaml.safe_load(header)["configs"]}
    assert named == {path.stem for path in (out / "data").iterdir() if parquet.read_metadata(path).num_rows}
    assert "articles" in named and "facts" not in named, "datasets refuses a table without rows"
    assert yaml.safe_load(header)["language"] == ["en"]
    for said in (
        "2 articles of testwiki, created from 2026-09-01 to 2026-09-30",
        "| few_words | 1 | 25.0 % |",
        snapshot.content_sha256,
        snapshot.parameters,
        "newwiki snapshots rebuild manifest.json",
        "is not known here",
        "`permalink`",
    ):
        assert said in text


BY_SA = "https://creativecommons.org/licenses/by-sa/4.0/deed.en"


@pytest.mark.parametrize(
    ("licence", "url", "header", "said"),
    [
        ("CC BY-SA 4.0", BY_SA, {"license": "cc-by-sa-4.0"}, f"licence as [CC BY-SA 4.0]({BY_SA})."),
        (None, "http://creativecommons.org/publicdomain/zero/1.0/", {"license": "cc0-1.0"}, "publicdomain/zero/1.0/)."),
        ("Ours: all's free", None, {"license": "other", "license_name": "Ours: all's free"}, "as Ours: all's free."),
        (None, None, {"license": "unknown"}, "did not say"),
    ],
)
def test_the_card_names_the_licence_that_the_wiki_names(
    snapshot: Snapshot, licence: str | None, url: str | None, header: dict[str, str], said: str
) -> None:
    _, head, text = card(replace(snapshot, licence=licence, licence_url=url, language=None), [], []).split("---\n", 2)
    named = yaml.safe_load(head)
    assert {name: named[name] for name in header} == header
    assert "language" not in named
    assert said in text


@pytest.mark.parametrize("form", ["manifest", "jsonl", "datasets"])
def test_exporting_again_gives_the_same_bytes(database: Database, snapshot: Snapshot, out: Path, form: str) -> None:
    first = {path: path.read_bytes() for path in export(database, "latest", form, out)}
    for path in first:
        if path.name != "manifest.json":
            path.write_bytes(b"half")
    again = export(database, "latest", form, out)
    assert {path: path.read_bytes() for path in again} == first
    assert {path for path in out.rglob("*") if path.is_file()} == set(first)


def test_a_folder_that_holds_something_else_is_left_alone(
    database: Database, snapshot: Snapshot, out: Path, published: Publish, selected: Page
) -> None:
    out.mkdir()
    (out / "thesis.tex").write_text("years of work")
    with pytest.raises(TerminalError, match="holds something else than a snapshot; name a new folder"):
        export(database, "latest", "parquet", out)
    assert [path.name for path in out.iterdir()] == ["thesis.tex"]
    (out / "thesis.tex").unlink()

    other = published(selected(7), name="testwiki-2026-10")
    export(database, snapshot.snapshot_id, "parquet", out)
    before = (out / "articles.parquet").read_bytes()
    with pytest.raises(TerminalError, match="holds snapshot testwiki-2026-09, and another content"):
        export(database, other.snapshot_id, "parquet", out)
    assert (out / "articles.parquet").read_bytes() == before


def test_a_snapshot_whose_links_were_changed_is_not_exported(database: Database, snapshot: Snapshot, out: Path) -> None:
    with duckdb.connect(str(database.path)) as connection:
        connection.execute("update stored_articles set permalink = 'https://elsewhere.example/7' where page_id = 7")
    with pytest.raises(TerminalError, match="not as it was published; see `newwiki snapshots verify`"):
        export(database, "latest", "manifest", out)
    assert not (out / "manifest.json").exists()
