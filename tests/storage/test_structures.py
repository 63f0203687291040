"""What stands beside the prose is published with the articles, hashed, moved and exported."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as parquet
import pytest

from flows.admitting.gate import admit
from newwiki.errors import TerminalError
from newwiki.snapshot import Judged, Snapshot
from newwiki.text.language import load_language
from newwiki.text.structure import structure_json
from storage import hashes, strata, structures
from storage.database import Database
from storage.export_snapshot import export
from storage.pull import pull
from storage.push import push
from storage.shared import GatheredParts
from storage.snapshots import resolve, verify
from storage.staging import Staging
from tests.storage.conftest import CUTOFF, Filled

Publish = Callable[..., Snapshot]
Page = Callable[..., Judged]
NAME = "testwiki-2026-09"
TABLES = ("article_structure", "article_facts", "article_citations", "article_tags")
WIKITEXT = "{{AI-generated|date=June 2026}}{{Infobox river|name=Lumen|length=2,140 km}}A [[river]].<ref>{{cite web|url=https://a.example/b|date=2019}}</ref>"


@pytest.fixture
def snapshot(database: Database, published: Publish, selected: Page, filled: Filled) -> Snapshot:
    """A page with an infobox, one without whose holes are not counted, and one of which nothing is known."""
    language = load_language("en")
    pages = (
        selected(7, "Lumen", structure=structure_json(WIKITEXT, language, holes={"Xyzzy": 2, "Plugh": 1}), words=900),
        selected(8, "Rhine", structure=structure_json("No box.", language), words=700),
        selected(9, "Elbe", words=500),
    )
    return resolve(filled("structured", database, lambda: published(*pages)), NAME)


def rows(database: Database, table: str) -> list[tuple[Any, ...]]:
    with database.read() as connection:
        return connection.execute(f"select * exclude (snapshot_id) from {table} order by all").fetchall()  # noqa: S608


def test_it_is_published_with_the_articles(database: Database, snapshot: Snapshot) -> None:
    templates = [{"template": name, "uses": 1} for name in ("AI-generated", "Cite web", "Infobox river")]
    holes = [{"template": "Xyzzy", "holes": 2}, {"template": "Plugh", "holes": 1}]
    assert rows(database, "article_structure") == [
        (7, "2", 1, 1, templates, 1, 0, 0, 3, holes, 1),
        (8, "2", 0, 0, [], 0, 0, 0, None, None, 0),
    ]
    assert rows(database, "article_tags") == [
        (7, 1, "machine_generated", "AI-generated", "{{AI-generated|date=June 2026}}")
    ]
    assert rows(database, "article_facts") == [
        (7, 1, "Infobox river", "length", "2,140 km"),
        (7, 1, "Infobox river", "name", "Lumen"),
    ]
    assert rows(database, "article_citations") == [(7, 1, "Cite web", "a.example", "2019")]
    assert verify(database, NAME) == []


def test_the_content_hash_knows_nothing_of_it(snapshot: Snapshot, tmp_path: Path, selected: Page) -> None:
    from storage import snapshots

    pages = [selected(7, "Lumen", words=900), selected(8, "Rhine", words=700), selected(9, "Elbe", words=500)]
    articles = [snapshots.article(page) for page in pages]
    without = snapshots.content_sha256(articles, snapshot.parameters, snapshot.extractor_version)
    assert without == snapshot.content_sha256


def test_holes_are_shown_by_template_and_are_null_where_nobody_counted(database: Database, snapshot: Snapshot) -> None:
    assert rows(database, "holes") == [(7, "Plugh", 1), (7, "Xyzzy", 2)]
    assert database.rows("frequent_holes", NAME) == [("(all)", 3, 1), ("Xyzzy", 2, 1), ("Plugh", 1, 1)]
    assert database.rows("frequent_holes", "another") == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("update article_facts set value = '9'", "article_facts.value is not what was published"),
        ("update article_structure set links = 9", "article_structure.links is not what was published"),
        ("update article_structure set holes = 2", "page 7 has 2 holes, and the sum by template differs"),
        ("delete from article_citations", "page 7 has 1 citations, and 0 are stored"),
        ("delete from article_tags", "page 7 has 1 maintenance templates, and 0 are stored"),
        ("update article_tags set kind = 'hoax'", "article_tags.kind is not what was published"),
    ],
)
def test_a_change_is_seen(database: Database, snapshot: Snapshot, change: str, told: str) -> None:
    with duckdb.connect(str(database.path)) as connection:
        connection.execute(change)
    assert told in verify(database, NAME)


def test_facts_are_known_or_there_are_none_or_nobody_knows(
    database: Database, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = structures.known_facts(database, NAME, [7, 8, 9])
    assert found == {7: [("length", "2,140 km"), ("name", "Lumen")], 8: [], 9: None}
    monkeypatch.setattr(structures, "STRUCTURE_VERSION", "of a later day")
    assert structures.known_facts(database, NAME, [7, 8]) == {7: None, 8: None}


def test_it_is_pushed_and_pulled(database: Database, snapshot: Snapshot, tmp_path: Path) -> None:
    folder, other = GatheredParts("elsewhere"), Database(tmp_path / "other.duckdb")
    push(database, folder, print)
    pull(other, admit(folder, "pull"), print)
    assert {table: rows(other, table) for table in TABLES} == {table: rows(database, table) for table in TABLES}
    assert verify(other, NAME) == []


def test_what_an_older_version_has_pushed_has_none(
    database: Database, snapshot: Snapshot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, other = GatheredParts("elsewhere"), Database(tmp_path / "other.duckdb")
    older = tuple(table for table in hashes.TABLES if table not in TABLES)
    monkeypatch.setattr("storage.push.SNAPSHOT_TABLES", older)  # which had no hashes of these either
    push(database, folder, print)
    pull(other, admit(folder, "pull"), print)
    assert [rows(other, table) for table in TABLES] == [[], [], [], []]
    assert verify(other, NAME) == []


@pytest.mark.parametrize("form", ["jsonl", "datasets"])
def test_it_is_exported(database: Database, snapshot: Snapshot, tmp_path: Path, form: str) -> None:
    files = {path.stem: path for path in export(database, NAME, form, tmp_path / "out")}
    read = _read_json if form == "jsonl" else _read_parquet
    assert [row["page_id"] for row in read(files["structure"])] == [7, 8]
    assert [(row["title"], row["parameter"], row["value"]) for row in read(files["facts"])] == [
        ("Lumen", "length", "2,140 km"), ("Lumen", "name", "Lumen"),
    ]  # fmt: skip
    [tag] = read(files["tags"])
    assert (tag["title"], tag["kind"]) == ("Lumen", "machine_generated")
    [citation] = read(files["citations"])
    assert (citation["host"], citation["permalink"]) == (
        "a.example",
        "https://wiki.example/wiki/Special:PermanentLink/1007",
    )


def _read_json(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _read_parquet(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return found


def test_a_refresh_that_an_older_version_began_goes_on(database: Database, selected: Page) -> None:
    staging = Staging.open(database.path, NAME, CUTOFF)
    staging.add([selected(7)])
    with duckdb.connect(str(database.path) + f".refresh-{NAME}") as connection:
        connection.execute("alter table judged drop column structure")
    staging = Staging.open(database.path, NAME, CUTOFF)
    staging.add([selected(8, structure="{}")])
    assert [page.structure for page in staging.pages()] == [None, "{}"]


def test_verdicts_by_other_rules_are_not_taken_over(database: Database, selected: Page) -> None:
    staging = Staging.open(database.path, NAME, CUTOFF)
    staging.add([selected(7)])
    staging.keep("list", "an answer")
    with duckdb.connect(str(database.path) + f".refresh-{NAME}") as connection:
        connection.execute("alter table request drop column rules")  # as an older version created it
    staging = Staging.open(database.path, NAME, CUTOFF)
    assert (staging.pages(), staging.recall("list"), staging.cutoff) == ([], ["an answer"], CUTOFF)


def test_strata_are_those_of_the_type(database: Database, snapshot: Snapshot) -> None:
    with database.read() as connection:
        found = connection.execute("select distinct stratum from strata").fetchall()
    assert sorted(name for (name,) in found) == sorted(strata.STRATA)


def test_each_article_is_in_one_part_of_each_stratum(database: Database, snapshot: Snapshot) -> None:
    assert sorted(row for row in rows(database, "(select * exclude (place) from strata)")) == sorted(
        (page, stratum, value)
        for stratum, values in {
            "length": {7: "long", 8: "medium", 9: "short"},
            "holes": {7: "3 or more", 8: "unknown", 9: "unknown"},
            "citations": {7: "1 to 5", 8: "none", 9: "unknown"},
            "infobox": {7: "yes", 8: "no", 9: "unknown"},
            "topic": dict.fromkeys((7, 8, 9), "unknown"),
            "age": dict.fromkeys((7, 8, 9), "2026-09"),
            "tags": {7: "machine_generated", 8: "none", 9: "unknown"},
        }.items()
        for page, value in values.items()
    )


def test_what_is_not_known_is_told_with_its_remedy(database: Database, published: Publish, selected: Page) -> None:
    published(selected(7), selected(8))
    with pytest.raises(TerminalError, match=r"not stored here.*newwiki snapshots rebuild .* --db NEW\.duckdb"):
        strata.parts(database, "infobox", [NAME])
    with pytest.raises(TerminalError, match=f"`newwiki snapshots topics {NAME}` does"):
        strata.pages(database, "topic", NAME)
    with pytest.raises(TerminalError, match=r"holes of .* were not counted.*; refresh its window and cutoff again"):
        strata.parts(database, "holes", [NAME])
    assert strata.parts(database, "length", ["file:abc"]) == []
