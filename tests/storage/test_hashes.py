"""No change to any column of anything that belongs to a snapshot goes unseen."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path

import duckdb
import pytest

from flows.admitting.gate import admit
from newwiki.snapshot import Deletion, Judged, Nearest, Requests, Selection, Site, TemplateSource, Topic, Window
from newwiki.text.language import load_language
from newwiki.text.structure import structure_json
from storage import hashes, topics
from storage.database import Database
from storage.hashes import ELSEWHERE, TABLES
from storage.held import held
from storage.pull import pull
from storage.push import of_snapshot, push
from storage.shared import GatheredParts
from storage.snapshots import first_hashed, parameters_json, publish, verify
from tests.storage.conftest import Filled
from tests.storage.earlier import undoing

NAME = "testwiki-2026-09"
TEMPLATES = (TemplateSource("Beds", 21, "{{{1}}} beds"),)
# Another value of each type, by what it was.
_OTHERS = {
    "BIGINT": "{} + 1",
    "VARCHAR": "concat({}, 'x')",
    "VARCHAR[]": "list_append({}, 'Q0')",
    'STRUCT("template" VARCHAR, uses BIGINT)[]': "list_append({}, {{'template': 'X', 'uses': 1}})",
    'STRUCT("template" VARCHAR, holes BIGINT)[]': "list_append({}, {{'template': 'X', 'holes': 1}})",
    "JSON": "'[0]'",
    "DOUBLE": "nextafter(coalesce({}, 0), 1e9)",
    "TIMESTAMP WITH TIME ZONE": "{} + interval 1 microsecond",
}


@pytest.fixture
def whole(database: Database, selected: Callable[..., Judged], filled: Filled) -> Database:
    """A snapshot with a row in every table that belongs to one."""
    return filled("whole", database, lambda: fill(database, selected))


def fill(database: Database, selected: Callable[..., Judged], templates: Sequence[TemplateSource] = TEMPLATES) -> None:
    wikitext = "{{hoax}}{{Infobox river|length=1 km}}<ref>{{Cite web|url=https://a.example|date=2019}}</ref>"
    about = {"detail": "none", "origin": "original", "headings": "[]"}
    about["structure"] = structure_json(wikitext, load_language("en"), holes={"Xyzzy": 1}) or ""
    pages = [selected(7, "Lumen", sha1="a", **about), selected(8, "Rhine", sha1="b", **about)]
    window = Window.month("2026-09")
    publish(
        database, NAME, Site("testwiki", "en", "https://wiki.example/wiki/Main_Page", "CC BY-SA", "https://cc.example"),
        window,
        datetime(2026, 10, 15, tzinfo=UTC), parameters_json(window, Selection(), "new"), pages,
        [Requests("logs", 3, 1, 500, 0.5)], [Nearest(7, "Rhine", NAME, 0.25), Nearest(8)],
        templates,
        [
            Deletion(page_id=page, deleted_at=window.end, comment="G3", route="speedy", criterion="G3", kinds=("hoax",))
            for page in (7, 8)
        ],
    )  # fmt: skip
    topics.store(database, NAME, [Topic(page, "Q1", ("Q5",), "Human") for page in (7, 8)])


def columns(database: Database) -> Iterator[tuple[str, str, str]]:
    """Of all tables that name a snapshot."""
    with database.read() as connection:
        found = connection.execute(
            "select table_name, column_name, data_type from duckdb_columns() join duckdb_tables() using (table_name) "
            "where table_name in (select table_name from duckdb_columns() where column_name = 'snapshot_id')"
        ).fetchall()
    return iter(found)


def test_every_table_that_names_a_snapshot_belongs_to_it_or_does_not(whole: Database) -> None:
    assert {table for table, *_ in columns(whole)} == set(TABLES) | ELSEWHERE


def test_a_change_of_one_value_of_any_column_is_named(whole: Database) -> None:
    assert verify(whole, NAME) == []
    unseen = set()
    checked = [one for one in columns(whole) if one[0] in TABLES and one[1] != "snapshot_id"]
    of_tables = [[one for one in checked if one[0] == table] for table in TABLES]
    with duckdb.connect(str(whole.path)) as connection:
        connection.execute("set TimeZone = 'UTC'")
        for changed in zip_longest(*of_tables):  # one column of each table at a time
            connection.begin()
            for table, column, kind in filter(None, changed):
                change(connection, table, column, kind)
            assert connection.execute("select count(*) from snapshots").fetchall() == [(1,)]
            told = hashes.changes(connection, NAME)
            names = {f"{table}.{column}" for table, column, _ in filter(None, changed)}
            unseen |= {name for name in names if not any(f"{name} is not" in one for one in told)}
            assert len(told) == len(names), "no other column is named"
            connection.rollback()
    assert unseen == set()


def test_a_change_of_a_hash_is_named(whole: Database) -> None:
    of_hashes = [one for one in columns(whole) if one[0] == "snapshot_hashes" and one[1] != "snapshot_id"]
    with duckdb.connect(str(whole.path)) as connection:
        connection.execute("set TimeZone = 'UTC'")
        for table, column, kind in of_hashes:
            connection.begin()
            change(connection, table, column, kind)
            assert hashes.changes(connection, NAME), column
            connection.rollback()


def change(connection: duckdb.DuckDBPyConnection, table: str, column: str, kind: str) -> None:
    where = f"where rowid = (select min(rowid) from {table} where {column} is not null)"  # noqa: S608
    connection.execute(f"update {table} set {column} = {_OTHERS[kind].format(column)} {where}")  # noqa: S608


@pytest.mark.parametrize("table", [table for table in TABLES if table != "snapshots"])
def test_rows_that_are_gone_or_new_are_named(whole: Database, table: str) -> None:
    for change in (
        f"delete from {table} where rowid = (select min(rowid) from {table})",  # noqa: S608
        f"update {table} set snapshot_id = 'x' where rowid = (select min(rowid) from {table})",  # noqa: S608
        f"insert into {table} select * from {table} limit 1",  # noqa: S608
    ):
        with duckdb.connect(str(whole.path)) as connection:
            connection.execute("set TimeZone = 'UTC'")
            connection.begin()
            connection.execute(change)
            assert any(f"{table}: " in one and "were hashed" in one for one in hashes.changes(connection, NAME)), change
            connection.rollback()


def test_a_column_that_a_later_version_adds_is_hashed_by_its_migration(
    whole: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    from storage import migrate

    added = {9002: ("more", "alter table candidates add column more varchar default 'x'")}
    numbered = migrate._numbered()
    monkeypatch.setattr(migrate, "_numbered", lambda: {**numbered, **added})
    assert verify(Database(whole.path), NAME) == []
    with duckdb.connect(str(whole.path)) as connection:
        connection.execute("update candidates set more = 'y' where page_id = 7")
    [told] = verify(Database(whole.path), NAME)
    assert told.startswith("candidates.more is not what it was on 20") and "hashed for the first time" in told


def test_topics_are_hashed_when_they_are_looked_up(whole: Database) -> None:
    topics.store(whole, NAME, [Topic(7, "Q2", (), None)])
    assert verify(whole, NAME) == []
    with whole.write() as connection:
        connection.execute("update topics set topic = 'Human'")
    assert verify(whole, NAME) == ["topics.topic is not what was looked up"]


def test_a_snapshot_from_before_is_hashed_once_and_says_since_when(
    database: Database, selected: Callable[..., Judged]
) -> None:
    fill(database, selected, templates=())
    with duckdb.connect(str(database.path)) as connection:  # as it was before the hashes
        for statement in undoing(18):
            connection.execute(statement)
    assert verify(Database(database.path), NAME) == []
    since = first_hashed(Database(database.path), NAME)
    assert since and since.date() == datetime.now(UTC).date()
    with duckdb.connect(str(database.path)) as connection:
        connection.execute("update snapshots set cutoff = cutoff + interval 1 day")
    [told] = [one for one in verify(Database(database.path), NAME) if "cutoff" in one]
    assert told == f"snapshots.cutoff is not what it was on {since:%Y-%m-%d}, when it was hashed for the first time"


def test_hashes_go_along_with_what_is_pushed_and_pulled(whole: Database, tmp_path: Path) -> None:
    folder = GatheredParts("elsewhere")
    push(whole, folder, lambda _: None)
    other = Database(tmp_path / "other.duckdb")
    pull(other, admit(folder, "pull"), lambda _: None)
    assert verify(other, NAME) == []
    hashes_of_it = of_snapshot("snapshot_hashes", NAME)
    assert held(other, hashes_of_it) == held(whole, hashes_of_it)


def test_what_was_changed_before_it_was_pushed_is_refused(whole: Database, tmp_path: Path) -> None:
    with duckdb.connect(str(whole.path)) as connection:
        connection.execute("update candidates set detail = 'other' where page_id = 7")
    folder = GatheredParts("elsewhere")
    push(whole, folder, lambda _: None)
    other = Database(tmp_path / "other.duckdb")
    with pytest.raises(Exception, match=r"is not what its hashes say: candidates\.detail is not what was published"):
        pull(other, admit(folder, "pull"), lambda _: None)
    assert other.rows("snapshot_list") == []


def test_what_an_older_version_has_pushed_is_hashed_as_it_is_taken_in(
    whole: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = GatheredParts("elsewhere")
    monkeypatch.setattr("storage.push.SNAPSHOT_TABLES", TABLES)
    push(whole, folder, lambda _: None)
    other = Database(tmp_path / "other.duckdb")
    pull(other, admit(folder, "pull"), lambda _: None)
    with other.write() as connection:
        connection.execute("update candidates set detail = 'other' where page_id = 7")
    assert verify(other, NAME) == ["candidates.detail is not what was taken in"]
