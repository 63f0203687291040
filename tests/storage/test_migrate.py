import math
import shutil
from collections.abc import Callable
from datetime import date, datetime
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

ROWS_OF_0_1_0 = """
insert into runs (
    run_id, snapshot_id, model, model_sha256, backend, decoder, decoder_parameters, prompt_template, prompts, seed,
    samples, keep, max_new_tokens, dtype, versions, status, started_at, finished_at
) values (
    'r', 's', 'm', 'h', 'hf', 'greedy', '{}', '{title}', 1, 0, 1, 1, 9, 'float32', '{}', 'complete', '2026-11-01',
    '2026-11-02'
);
insert into completions (run_id, page_id, sample, text, words, kept, finish_reason, truncated)
values ('r', 1, 0, 'It is.', 2, true, 'length', true);
insert into scores values ('r', 1, 0, 'bleu', 0.1, 'ok', 'e');
insert into months values ('key', 'testwiki', '2026-09', 'sha', 's', true, '2026-10-15', null);
insert into months from months;
"""


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """A file that is not there yet."""
    return Database(tmp_path / "newwiki.duckdb")


@pytest.fixture
def current(empty: Path, tmp_path: Path) -> Database:
    """A database of this version."""
    return Database(shutil.copy(empty, tmp_path / "newwiki.duckdb"))


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


def test_a_new_file_gets_every_table_and_the_record_of_it_and_migrating_again_changes_nothing(
    database: Database,
) -> None:
    write(database.path)
    assert {"snapshots", "stored_articles", "runs", "completions", "scores", "metrics"} <= tables(database.path)
    assert look(database.path, "select version, name from schema_migrations order by 1") == OURS
    before = look(database.path, "select * from schema_migrations")
    assert all(isinstance(at, datetime) for _, _, at in before)
    write(database.path)
    assert look(database.path, "select * from schema_migrations") == before


def test_an_older_file_is_brought_up_by_reading_it(current: Database, add_migration: Migration) -> None:
    with current.write() as connection:
        connection.execute("insert into scorings values ('r', 'e', now())")
    add_migration("9002_notes.sql", "alter table scorings add column note varchar; create table notes (a bigint);")
    with Database(current.path).read() as connection:
        assert connection.execute("select run_id, note from scorings").fetchall() == [("r", None)]
    assert look(current.path, "select version, name from schema_migrations order by 1") == [
        *OURS,
        (9002, "notes"),
    ]


def schema(path: Path) -> list[tuple[object, ...]]:
    """The definition of each table, with its columns, types and defaults."""
    return look(path, "select table_name, sql from duckdb_tables() order by 1")


def make_earlier(path: Path, version: int, statements: str) -> None:
    """A file with the tables of an earlier version and the record of its migrations."""
    with duckdb.connect(str(path)) as connection:
        connection.execute(statements)
        connection.execute("create table schema_migrations (version bigint, name varchar, applied_at timestamptz)")
        connection.execute("insert into schema_migrations select unnest(range(1, ?)), 'before', now()", [version + 1])
        connection.execute("create table schema_views (sha256 varchar)")


def test_database_of_0_1_0_gets_the_tables_of_a_new_one_and_keeps_its_rows(database: Database, empty: Path) -> None:
    """0.1.0 had the migrations 1 to 12, which never change."""
    files = sorted((Path(str(storage.__file__)).parent / "sql" / "migrations").glob("00[01]*.sql"))
    make_earlier(database.path, 12, "".join(file.read_text("utf-8") for file in files if int(file.name[:4]) <= 12))
    with duckdb.connect(str(database.path)) as connection:
        connection.execute(ROWS_OF_0_1_0)
    with Database(database.path).read() as connection:
        asked = "select heard_at = finished_at, kept_prompts, kept_texts, decoder_short, max_new_tokens from runs"
        assert connection.execute(asked).fetchall() == [(True, 1, 1, "greedy", 9)]
        assert connection.execute("select truncated_texts, no_answers from runs").fetchall() == [(1, 0)]
        assert connection.execute("select value from scores").fetchall() == [(0.1,)]
        assert connection.execute("select count(*) from months").fetchall() == [(1,)]
    assert schema(database.path) == schema(empty)


def test_database_of_the_last_development_version_keeps_every_row_of_its_result_tables(
    database: Database, empty: Path
) -> None:
    """Each result table becomes a view of the same columns, in the same order, with the same values."""
    make_earlier(database.path, 49, Path(__file__).with_name("schema_0049.sql").read_text("utf-8"))
    values = {
        "VARCHAR": ("it's \"\\", "é\n\u2028", "null"), "BIGINT": (2**62, 0, -1), "BOOLEAN": (True, False, True),
        "DOUBLE": (1 / 3, math.nan, -math.inf), "DATE": (date(2026, 9, 1), date(1, 1, 1), date(2026, 9, 30)),
        "VARCHAR[]": (["a, b", 'q"\\'], [], ["[1]", "é"]),
    }  # fmt: skip
    results = "select distinct table_name from duckdb_columns() where column_name = 'experiment_id' order by 1"
    before = {}
    with duckdb.connect(str(database.path)) as connection:
        connection.execute("insert into commit_counter values (0); insert into this_database values ('here')")
        for (table,) in connection.execute(results).fetchall():
            if table != "experiments":
                kinds = connection.execute(f"describe {table}").fetchall()
                for row in (*zip(*(values[kind] for _, kind, *_ in kinds), strict=True),):
                    connection.execute(f"insert into {table} values ({', '.join('?' * len(row))})", row)  # noqa: S608
                if optional := [name for name, _, null, *_ in kinds if null == "YES"]:
                    connection.execute(f"update {table} set {optional[0]} = null where {kinds[0][0]} = 'null'")  # noqa: S608
                rows = connection.execute(f"select * from {table} order by rowid").fetchall()  # noqa: S608
                before[table] = ([column[:2] for column in kinds], list(map(repr, rows)))
    assert len(before) == 32
    with Database(database.path).read() as connection:
        for table, (columns, rows) in before.items():
            assert [column[:2] for column in connection.execute(f"describe {table}").fetchall()] == columns
            assert list(map(repr, connection.execute(f"from {table}").fetchall())) == rows, table
    assert schema(database.path) == schema(empty)


def test_database_of_a_development_version_in_between_is_refused_and_left_alone(database: Database) -> None:
    make_earlier(database.path, 30, "create table runs (run_id varchar)")
    before = database.path.read_bytes()
    for open_it in (Database(database.path).read, Database(database.path).write):
        with (
            pytest.raises(TerminalError, match=r"version between 0\.1\.0 and 0\.2\.0 \(schema 30\)"),
            open_it(),
        ):
            pass
    assert database.path.read_bytes() == before


def test_a_migration_that_fails_leaves_nothing_and_is_tried_again(current: Database, add_migration: Migration) -> None:
    before = tables(current.path)
    add_migration(
        "9002_broken.sql", "create table half (a bigint); insert into half values (1); select * from nowhere;"
    )
    for _ in range(2):
        with pytest.raises(duckdb.CatalogException, match="nowhere"):
            write(current.path)
    assert tables(current.path) == before
    assert look(current.path, "select version, name from schema_migrations order by 1") == OURS
    add_migration("9002_mended.sql", "create table whole (a bigint);")
    write(current.path)
    assert tables(current.path) == before | {"whole"}


def test_a_new_file_whose_migration_fails_is_not_half_a_database(database: Database, add_migration: Migration) -> None:
    add_migration("9002_broken.sql", "select * from nowhere;")
    with pytest.raises(duckdb.CatalogException, match="nowhere"):
        write(database.path)
    assert tables(database.path) == set()


def test_a_newer_file_is_refused(current: Database, add_migration: Migration, monkeypatch: pytest.MonkeyPatch) -> None:
    add_migration("9002_notes.sql", "create table notes (a bigint);")
    write(current.path)
    monkeypatch.undo()
    for open_it in (Database(current.path).read, Database(current.path).write):
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


def test_views_that_another_version_wrote_are_written_anew(current: Database, add_migration: Migration) -> None:
    with duckdb.connect(str(current.path)) as connection:
        connection.execute("create or replace view staleness as select 'old' as wiki")
        connection.execute("update schema_views set sha256 = 'old'")
    with Database(current.path).read() as connection:
        assert connection.execute("select * from staleness").fetchall() == []


def test_no_metric_may_bear_the_name_of_a_column_that_is_no_metric(current: Database) -> None:
    """What is refused when a metric is declared is what the views have, which know no metric yet."""
    with current.read() as connection:
        views = [connection.execute(f"describe {view}").fetchall() for view in ("leaderboard", "scores_wide", "texts")]
    assert {column[0] for view in views for column in view} - columns.RESERVED == set()
