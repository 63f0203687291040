import fcntl
import multiprocessing
import os
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import duckdb
import pytest

from newwiki.errors import TerminalError
from storage.attached import attached
from storage.database import Database


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A table with one row."""
    path = tmp_path / "a reader's.duckdb"
    with attached(path, read_only=False) as connection:
        connection.execute("create table numbers as select 1 as number")
    return path


def numbers(path: Path) -> list[int]:
    with attached(path, read_only=True) as connection:
        return [number for (number,) in connection.execute("select number from numbers order by 1").fetchall()]


def add(path: Path, number: int) -> None:
    with attached(path, read_only=False) as connection:
        connection.execute("insert into numbers values (?)", [number])


def add_and_tell(path: Path, told: Path) -> None:
    """What a fork does."""
    add(path, 2)
    told.write_text(str(numbers(path)))


def end_duckdb(path: Path) -> None:
    with attached(path, read_only=True):
        raise duckdb.FatalException("the database has been invalidated")


def opened_elsewhere(path: Path) -> subprocess.CompletedProcess[str]:
    """Another process opens it to write."""
    code = "import duckdb, sys; duckdb.connect(sys.argv[1]).execute('insert into numbers values (9)')"
    return subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)


@pytest.mark.slow
def test_a_file_is_locked_while_it_is_attached_and_no_longer(file: Path) -> None:
    for read_only in (True, False):
        with attached(file, read_only=read_only):
            assert "Could not set lock" in opened_elsewhere(file).stderr
    assert opened_elsewhere(file).returncode == 0
    assert numbers(file) == [1, 9]


@pytest.mark.slow
@pytest.mark.parametrize("is_at_work", [False, True])
def test_a_fork_of_a_process_that_has_had_a_file_has_it_too(file: Path, tmp_path: Path, is_at_work: bool) -> None:
    assert numbers(file) == [1]
    fork = multiprocessing.get_context("fork").Process(target=add_and_tell, args=(file, tmp_path / "told"))
    with attached(tmp_path / "other.duckdb", read_only=False) if is_at_work else nullcontext():
        fork.start()
    fork.join(60)  # what it exits with is no matter: where a Prefect flow has run that is always 1
    assert (tmp_path / "told").read_text() == "[1, 2]"
    assert numbers(file) == [1, 2]


def test_nothing_is_left_beside_a_file(file: Path) -> None:
    add(file, 2)
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_two_files_at_once_are_told_apart(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.duckdb"
    with attached(other, read_only=False) as connection:
        connection.execute("create table numbers as select 7 as number")
        assert numbers(file) == [1]
        with attached(file, read_only=False) as first:
            first.execute("insert into numbers values (2)")
            assert connection.execute("select number from numbers").fetchall() == [(7,)]
    assert (numbers(file), numbers(other)) == ([1, 2], [7])


def test_one_file_twice_is_one_way_only(file: Path) -> None:
    with attached(file, read_only=True):
        assert numbers(file) == [1]
        with pytest.raises(RuntimeError, match="is open here already, to read"):
            add(file, 2)
        assert numbers(file.parent / "." / file.name) == [1]
    add(file, 2)
    assert numbers(file) == [1, 2]


def test_what_was_not_committed_is_not_stored(file: Path) -> None:
    with attached(file, read_only=False) as connection:
        connection.begin()
        connection.execute("insert into numbers values (2)")
    assert numbers(file) == [1]


def test_a_name_means_the_same_wherever_one_stands(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert numbers(Path(file.name)) == [1]
    assert numbers(Path(os.path.relpath(file, tmp_path))) == [1]


def test_what_is_no_database_is_refused_and_the_next_file_is_opened(file: Path, tmp_path: Path) -> None:
    (tmp_path / "text.duckdb").write_text("no database " * 1000)
    with pytest.raises(duckdb.IOException, match="not a valid DuckDB database file"):
        add(tmp_path / "text.duckdb", 1)
    with pytest.raises(duckdb.IOException, match="database does not exist"):
        numbers(tmp_path / "none.duckdb")
    assert numbers(file) == [1]


def test_what_memory_does_not_hold_goes_beside_the_file_and_away_again(file: Path) -> None:
    beside = file.with_name(f"{file.name}.tmp")
    with attached(file, read_only=False) as connection:
        before = connection.execute("select current_setting('memory_limit')").fetchall()
        connection.execute("set memory_limit = '30MB'")
        connection.execute("create temp table many as select range as number, hash(range) as word from range(5000000)")
        assert [*beside.iterdir()]
    assert not beside.exists()
    with attached(file, read_only=True) as connection:
        assert connection.execute("select current_setting('memory_limit')").fetchall() == before


def test_a_file_in_another_folder_spills_there(file: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert numbers(file) == [1]
    with attached(elsewhere / "b.duckdb", read_only=False) as connection:
        found = connection.execute("select current_setting('temp_directory')").fetchall()
    assert found == [(str(elsewhere / "b.duckdb.tmp"),)]


def test_after_an_error_that_ends_duckdb_another_is_started(file: Path) -> None:
    with pytest.raises(duckdb.FatalException):
        end_duckdb(file)
    assert numbers(file) == [1]
    add(file, 2)
    assert numbers(file) == [1, 2]


def test_a_database_is_read_by_two_who_name_it_at_once(tmp_path: Path) -> None:
    path = tmp_path / "newwiki.duckdb"
    with Database(path).write():
        pass
    with Database(path).read(), Database(path).read() as connection:
        assert connection.execute("select count(*) from snapshots").fetchall() == [(0,)]


def test_an_empty_file_that_a_full_disk_left_is_replaced_and_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "empty.duckdb"
    path.touch()
    with pytest.raises(TerminalError, match=r"is an empty file, which a full disk can leave: there is no database"):
        Database(path).rows("complete_months", "enwiki")
    assert not path.stat().st_size
    with Database(path).write():
        pass
    assert "was empty, as a full disk leaves a file; a new database replaces it" in caplog.text
    assert Database(path).rows("complete_months", "enwiki") == []


@pytest.mark.slow
def test_an_empty_file_that_another_process_has_just_begun_is_left_to_it(tmp_path: Path) -> None:
    path, locked = tmp_path / "begun.duckdb", tmp_path / "locked"
    path.touch()
    held = multiprocessing.get_context("fork").Process(target=hold_lock, args=(path, locked))
    held.start()
    try:
        while not locked.exists():
            time.sleep(0.01)
        with pytest.raises(duckdb.Error), attached(path, read_only=False):
            pass
        assert path.is_file()
    finally:
        held.terminate()
        held.join()


def hold_lock(path: Path, locked: Path) -> None:
    """What the other process does."""
    with path.open("r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        locked.touch()
        time.sleep(60)


def test_a_file_that_is_no_database_is_never_removed(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("x")
    with pytest.raises(duckdb.Error), attached(path, read_only=False):
        pass
    assert path.read_text() == "x"
