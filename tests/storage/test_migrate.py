import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import duckdb
import pytest

import storage
from newwiki import columns
from newwiki.errors import TerminalError
from storage.database import Database

Migration = Callable[[str, str], None]

OURS = [
    (int(file.name[:4]), file.stem[5:])
    for file in sorted((Path(str(storage.__file__)).parent / "sql" / "migrations").glob("*.sql"))
]


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """A file that is not there yet."""
    return Database(tmp_path / "newwiki.duckdb")


@pytest.fixture
def add_migration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Migration:
    """A later version of the program, with one more migration."""

    def add(name: str, statements: str) -> None:
        later = tmp_path / "later" / name
        shutil.copytree(Path(str(storage.__file__)).parent / "sql", later / "sql")
        (later / "sql" / "migrations" / name).write_text(statements)
        monkeypatch.setattr("storage.migrate.files", lambda package: later)

    return add


def look(path: Path, question: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(question).fetchall()


def write(path: Path) -> None:
    with Database(path).write():
        pass


def tables(path: Path) -> set[object]:
    return {name for (name,) in look(path, "select table_name from duckdb_tables()")}


def test_a_new_file_gets_every_table_and_the_record_of_it(database: Database) -> None:
    write(database.path)
    assert {"snapshots", "stored_articles", "runs", "completions", "scores", "metrics"} <= tables(database.path)
    assert look(database.path, "select version, name from schema_migrations order by 1") == OURS
    assert all(isinstance(at, datetime) for (at,) in look(database.path, "select applied_at from schema_migrations"))


def test_migrating_again_changes_nothing(database: Database) -> None:
    write(database.path)
    before = look(database.path, "select * from schema_migrations")
    for _ in range(2):
        write(database.path)
    assert look(database.path, "select * from schema_migrations") == before


def test_an_older_file_is_brought_up_by_reading_it(database: Database, add_migration: Migration) -> None:
    with database.write() as connection:
        connection.execute("insert into scorings values ('r', 'e', now())")
    add_migration("9002_notes.sql", "alter table scorings add column note varchar; create table notes (a bigint);")
    with Database(database.path).read() as connection:
        assert connection.execute("select run_id, note from scorings").fetchall() == [("r", None)]
    assert look(database.path, "select version, name from schema_migrations order by 1") == [
        *OURS,
        (9002, "notes"),
    ]


def test_a_migration_that_fails_leaves_nothing_and_is_tried_again(database: Database, add_migration: Migration) -> None:
    write(database.path)
    before = tables(database.path)
    add_migration(
        "9002_broken.sql", "create table half (a bigint); insert into half values (1); select * from nowhere;"
    )
    for _ in range(2):
        with pytest.raises(duckdb.CatalogException, match="nowhere"):
            write(database.path)
    assert tables(database.path) == before
    assert look(database.path, "select version, name from schema_migrations order by 1") == OURS
    add_migration("9002_mended.sql", "create table whole (a bigint);")
    write(database.path)
    assert tables(database.path) == before | {"whole"}


def test_a_new_file_whose_migration_fails_is_not_half_a_database(database: Database, add_migration: Migration) -> None:
    add_migration("9002_broken.sql", "select * from nowhere;")
    with pytest.raises(duckdb.CatalogException, match="nowhere"):
        write(database.path)
    assert tables(database.path) == set()


def test_a_newer_file_is_refused(database: Database, add_migration: Migration, monkeypatch: pytest.MonkeyPatch) -> None:
    add_migration("9002_notes.sql", "create table notes (a bigint);")
    write(database.path)
    monkeypatch.undo()
    for open_it in (Database(database.path).read, Database(database.path).write):
        with (
            pytest.raises(TerminalError, match=r"newer version \(schema 9002, here \d+\); upgrade newwiki-eval"),
            open_it(),
        ):
            pass


def test_another_programs_file_is_refused_and_left_alone(database: Database) -> None:
    with duckdb.connect(str(database.path)) as connection:
        connection.execute("create table customers (name varchar)")
    for open_it in (Database(database.path).read, Database(database.path).write):
        with pytest.raises(TerminalError, match="is not a New-Wiki Eval database: it holds other tables"), open_it():
            pass
    assert tables(database.path) == {"customers"}


@pytest.mark.parametrize("columns", ["version varchar", "id bigint, name varchar"])
def test_another_programs_migrations_are_not_ours(database: Database, columns: str) -> None:
    """The name `schema_migrations` is a common one."""
    with duckdb.connect(str(database.path)) as connection:
        connection.execute(f"create table schema_migrations ({columns})")
        connection.execute("create table customers (name varchar)")
    with pytest.raises(TerminalError, match="is not a New-Wiki Eval database"), Database(database.path).read():
        pass


def test_views_that_another_version_wrote_are_written_anew(database: Database, add_migration: Migration) -> None:
    write(database.path)
    with duckdb.connect(str(database.path)) as connection:
        connection.execute("create or replace view staleness as select 'old' as wiki")
        connection.execute("update schema_views set sha256 = 'old'")
    with Database(database.path).read() as connection:
        assert connection.execute("select * from staleness").fetchall() == []


def test_no_metric_may_bear_the_name_of_a_column_that_is_no_metric(database: Database) -> None:
    """What is refused when a metric is declared is what the views have, which know no metric yet."""
    with database.write() as connection:
        views = [connection.execute(f"describe {view}").fetchall() for view in ("leaderboard", "scores_wide", "texts")]
    assert {column[0] for view in views for column in view} - columns.RESERVED == set()
