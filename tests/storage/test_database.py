import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from newwiki.errors import TerminalError, TransientError, UsageError
from storage.allowed_statements import split
from storage.database import Database

HOLD = """
import duckdb, sys
connection = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
connection.execute("insert into scorings values ('late', 'e', now())")
connection.close()
"""


def stored(database: Database) -> list[str]:
    with database.read() as connection:
        return [name for (name,) in connection.execute("select run_id from scorings order by run_id").fetchall()]


def add(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    connection.execute("insert into scorings values (?, 'e', now())", [name])


@pytest.fixture
def held(database: Database) -> Iterator[Callable[[float], None]]:
    """Another process has the file open for writing, until so many seconds after it is asked to let go."""
    with database.write():
        pass
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(database.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdin and holder.stdout
    assert holder.stdout.readline() == b"held\n"
    timers: list[threading.Timer] = []

    def let_go(seconds: float) -> None:
        assert holder.stdin
        timers.append(threading.Timer(seconds, holder.stdin.close))
        timers[0].start()

    yield let_go
    for timer in timers:
        timer.join()
    holder.stdin.close()
    assert holder.wait(timeout=30) == 0
    holder.stdout.close()


def test_what_is_written_is_read(database: Database) -> None:
    with database.write() as connection:
        add(connection, "a")
    assert stored(database) == stored(Database(database.path)) == ["a"]


def add_and_raise(connection: duckdb.DuckDBPyConnection, error: type[BaseException]) -> None:
    add(connection, "lost")
    raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, duckdb.Error])
def test_an_error_stores_nothing(database: Database, error: type[BaseException]) -> None:
    with database.write() as connection:
        add(connection, "before")
    with pytest.raises(error), database.write() as connection:
        add_and_raise(connection, error)
    with database.write() as connection:
        add(connection, "after")
    assert stored(database) == ["after", "before"]


def test_the_folder_of_a_new_database_is_made(tmp_path: Path) -> None:
    database = Database(tmp_path / "a" / "b" / "new.duckdb")
    with database.write():
        pass
    assert stored(database) == []


def test_where_there_is_no_database_reading_says_how_to_make_one(tmp_path: Path) -> None:
    database = Database(tmp_path / "none.duckdb")
    with pytest.raises(TerminalError, match=r"there is no database '.*'; make one with `newwiki refresh --db .*`"):
        stored(database)
    assert not database.path.exists()


def test_a_read_inside_a_read_shares_its_connection_and_another_is_refused_at_once(database: Database) -> None:
    with database.write() as connection:
        add(connection, "a")
    with database.read() as outer:
        with database.read() as inner:
            assert inner is outer
        assert stored(database) == ["a"], "the outer one is still open"
        for other in (database.write, database.fenced):
            with pytest.raises(RuntimeError, match="inside a `read`"), other():
                pass
    with database.write() as connection:
        add(connection, "b")
    assert stored(database) == ["a", "b"]


def add_twice_and_raise(database: Database) -> None:
    with database.write() as outer:
        with database.write() as inner:
            assert inner is outer
            add(inner, "lost")
        assert stored(database) == ["lost"], "a read inside sees what would be stored"
        raise ValueError("lost")


def test_a_write_inside_a_write_is_a_part_of_it(database: Database) -> None:
    with pytest.raises(ValueError, match="lost"):
        add_twice_and_raise(database)
    with database.write(), database.write() as connection:
        add(connection, "kept")
    assert stored(database) == ["kept"]


def test_reading_makes_no_change(database: Database) -> None:
    with database.write():
        pass
    before = database.path.read_bytes()
    stored(Database(database.path))
    assert database.path.read_bytes() == before
    with pytest.raises(duckdb.Error, match="read-only"), database.read() as connection:
        add(connection, "a")


@pytest.mark.parametrize("asked", ["select checksum(1)", "select corrupt", "select error('No space left')"])
def test_the_words_of_a_statement_say_nothing_of_the_file(database: Database, asked: str) -> None:
    with database.write():
        pass
    with pytest.raises(duckdb.ProgrammingError), database.read() as connection:
        connection.execute(asked)


@pytest.mark.slow
def test_reading_waits_until_another_process_has_written(database: Database, held: Callable[[float], None]) -> None:
    held(0.3)
    assert stored(database) == ["late"]


@pytest.mark.slow
def test_writing_waits_until_another_process_has_written(database: Database, held: Callable[[float], None]) -> None:
    held(0.3)
    with database.write() as connection:
        add(connection, "later")
    assert stored(database) == ["late", "later"]


@pytest.mark.slow
def test_a_file_that_stays_busy_is_transient_and_named(
    database: Database, held: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.database._PATIENCE", 0.1)
    with pytest.raises(TransientError, match=r"newwiki\.duckdb' is in use by another program"):
        stored(database)
    with pytest.raises(TransientError, match=r"newwiki\.duckdb' is in use by another program"), database.write():
        pass
    held(0)


def test_threads_that_read_and_write_wait_for_each_other(database: Database) -> None:
    with database.write():
        pass
    failed: list[BaseException] = []

    def work(name: str) -> None:
        own = Database(database.path)
        try:
            for number in range(5):
                with own.write() as connection:
                    add(connection, f"{name}{number}")
                stored(own)
        except BaseException as error:  # noqa: BLE001 (told below)
            failed.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert stored(database) == [f"{name}{number}" for name in "abc" for number in range(5)]


@pytest.mark.parametrize("name", ["notes.duckdb", "clock.duckdb"])
def test_a_file_that_is_no_database_is_an_error_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Whatever it is called, it is not waited for."""
    monkeypatch.setattr("storage.database._PATIENCE", 0.1)
    (tmp_path / name).write_text("This is a text. " * 1000)
    for open_it in (Database(tmp_path / name).read, Database(tmp_path / name).write):
        with pytest.raises(TerminalError, match=f"{name}' cannot be opened"), open_it():
            pass


def test_times_are_utc_whatever_the_machines_zone(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        with database.write() as connection:
            connection.execute("insert into scorings values ('r', 'e', '2026-01-01T00:00:00')")
        with database.read() as connection:
            ((moment,),) = connection.execute("select finished_at from scorings").fetchall()
        assert moment.isoformat() == "2026-01-01T00:00:00+00:00"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.fixture(scope="module")
def fenced_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fenced")


@pytest.fixture(scope="module")
def fenced(fenced_folder: Path, empty: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """One connection for all statements that the fence stops, as they leave it as it is."""
    database = Database(shutil.copy(empty, fenced_folder / "newwiki.duckdb"))
    with database.write() as connection:
        add(connection, "a")
    with database.fenced() as connection:
        yield connection


def test_the_fence_lets_questions_through(fenced: duckdb.DuckDBPyConnection) -> None:
    assert fenced.execute("select count(*) from scorings").fetchall() == [(1,)]
    assert fenced.execute("select * from leaderboard").fetchall() == []
    assert fenced.execute("with a as (select 1 as x) select x + 1 from a").fetchall() == [(2,)]


def test_no_progress_is_drawn_among_the_answers(fenced: duckdb.DuckDBPyConnection) -> None:
    assert fenced.execute("select current_setting('enable_progress_bar')").fetchall() == [(False,)]


@pytest.mark.parametrize(
    "statement",
    [
        "insert into scorings select * from scorings",
        "update scorings set run_id = 'x'",
        "delete from scorings",
        "drop table scorings",
        "create table t (a int)",
        "create or replace view leaderboard as select 1",
        "alter table scorings add column a int",
        "copy scorings to '{folder}/out.csv'",
        "copy scorings from '{folder}/in.csv'",
        "copy scorings to '{folder}/newwiki.duckdb' (use_tmp_file false)",
        "copy scorings to '{folder}/newwiki.duckdb.wal' (use_tmp_file false)",
        "copy scorings to '{folder}/newwiki.duckdb.wal'",
        "explain analyze copy scorings to '{folder}/newwiki.duckdb' (use_tmp_file false)",
        "select * from read_blob('{folder}/newwiki.duckdb')",
        "attach '{folder}/newwiki.duckdb' as other",
        "export database '{folder}/export'",
        "import database '{folder}'",
        "select * from read_csv('{folder}/in.csv')",
        "select * from '{folder}/in.csv'",
        "select * from read_text('{folder}/in.csv')",
        "select * from glob('{folder}/*')",
        "select * from read_parquet('https://wiki.example/a.parquet')",
        "attach '{folder}/other.duckdb' as other",
        "attach ':memory:' as other",
        "install httpfs",
        "load httpfs",
        "load '{folder}/own.duckdb_extension'",
        "create secret s (type s3)",
        "call enable_logging(storage = 'file', storage_config = {{'path': '{folder}/log'}})",
        "set enable_external_access = true",
        "set lock_configuration = false",
        "set memory_limit = '1GB'",
        "reset enable_external_access",
        "pragma enable_profiling = 'json'",
        "set profiling_output = '{folder}/profile'",
        "select 1; delete from scorings",
        "select * from a_local_table",
    ],
)
def test_the_fence_stops_everything_else(
    fenced: duckdb.DuckDBPyConnection, fenced_folder: Path, statement: str
) -> None:
    a_local_table = duckdb.sql("select 1").to_arrow_table()
    (fenced_folder / "in.csv").write_text("secret\n1\n")
    before = {path.name: path.read_bytes() for path in fenced_folder.iterdir()}
    with pytest.raises(duckdb.Error):
        fenced.execute(statement.format(folder=fenced_folder)).fetchall()
    assert {path.name: path.read_bytes() for path in fenced_folder.iterdir()} == before
    assert fenced.execute("select run_id, evaluator_id from scorings").fetchall() == [("a", "e")]
    assert len(a_local_table) == 1


def test_a_file_of_ones_own_is_written_beside_the_database(database: Database, tmp_path: Path) -> None:
    with database.write() as connection:
        add(connection, "a")
    before = database.path.read_bytes()
    own = tmp_path / "it's mine.duckdb"
    for _ in range(2):
        with database.beside(own) as connection:
            connection.execute("create table if not exists runs_scored (run_id varchar)")
            connection.execute("insert into runs_scored select run_id from newwiki.scorings")
    with pytest.raises(duckdb.CatalogException), database.beside(own) as connection:
        connection.execute("delete from runs_scored").execute("select * from nowhere")
    with duckdb.connect(str(own), read_only=True) as connection:
        assert connection.execute("select * from runs_scored").fetchall() == [("a",), ("a",)]
    assert database.path.read_bytes() == before


@pytest.mark.parametrize("name", ["newwiki.duckdb", "other/newwiki.duckdb", "a copy.duckdb"])
def test_a_database_of_new_wiki_eval_is_nobodys_own_file(database: Database, tmp_path: Path, name: str) -> None:
    with database.write():
        pass
    shutil.copy(database.path, tmp_path / "a copy.duckdb")
    before = database.path.read_bytes()
    with pytest.raises(UsageError, match="name another"), database.beside(tmp_path / name):
        pass
    assert database.path.read_bytes() == (tmp_path / "a copy.duckdb").read_bytes() == before
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    "statement",
    [
        "insert into newwiki.scorings select * from newwiki.scorings",
        "drop table newwiki.scorings",
        "create or replace view newwiki.leaderboard as select 1",
        "create table t as select * from read_csv('{folder}/in.csv')",
        "create view v as select * from '{folder}/in.csv'",
        "create persistent secret s (type s3)",
    ],
)
def test_beside_a_file_of_ones_own_the_database_is_only_read(
    database: Database, tmp_path: Path, statement: str
) -> None:
    with database.write() as connection:
        add(connection, "a")
    (tmp_path / "in.csv").write_text("secret\n1\n")
    before = database.path.read_bytes()
    asked = statement.format(folder=tmp_path)
    with pytest.raises(duckdb.Error), database.beside(tmp_path / "mine.duckdb") as connection:
        connection.execute(asked)
    assert database.path.read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("insert into t values (1)", "INSERT"), ("update t set a = 1", "UPDATE"), ("delete from t", "DELETE"),
        ("create table u as select 1", "CREATE"), ("drop table t", "DROP"), ("set memory_limit = '1GB'", "SET"),
        ("pragma database_list", "PRAGMA"), ("load httpfs", "LOAD"), ("export database 'x'", "EXPORT"),
    ],
)  # fmt: skip
def test_what_writes_is_not_let_through_where_only_reading_is_asked_for(statement: str, kind: str) -> None:
    refused = rf"the query is refused: [A-Z ]*{kind}[A-Z ]*; it can read, and nothing else"
    with duckdb.connect() as connection, pytest.raises(TerminalError, match=refused):
        split(connection, statement)


@pytest.mark.parametrize(
    "statement",
    [
        "copy t to 'x.csv'", "attach 'x.duckdb'", "attach ':memory:' as x", "detach newwiki", "export database 'x'",
        "import database 'x'", "install httpfs", "load httpfs", "set threads = 1", "reset threads", "use newwiki",
        "pragma database_list", "call pragma_version()", "prepare p as copy t to 'x.csv'", "execute p", "begin",
        "explain analyze copy t to 'x.csv'", "select 1; copy t to 'x.csv'", "checkpoint", "vacuum",
    ],
)  # fmt: skip
def test_what_could_leave_the_two_files_is_not_let_through(statement: str) -> None:
    with duckdb.connect() as connection:
        with pytest.raises(TerminalError, match=r"the query is refused: [A-Z ]+; it can write tables of your own and"):
            split(connection, statement, writing=True)
        if not statement.startswith("explain"):
            with pytest.raises(TerminalError, match=r"the query is refused: [A-Z ]+; it can read, and nothing else"):
                split(connection, statement)
