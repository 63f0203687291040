"""A database that has lost committed transactions says so when it is opened."""

import logging
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage import commit_counter
from storage.attached import attached
from storage.database import Database

COMMITS = 6


@pytest.fixture(scope="module")
def torn_off(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database whose last six transactions, of ten rows each, stand in its write-ahead log alone."""
    folder, copied = tmp_path_factory.mktemp("whole"), tmp_path_factory.mktemp("copied")
    path = folder / "newwiki.duckdb"
    database = Database(path)
    with database.write():
        pass
    with attached(path, read_only=False):  # which keeps DuckDB from taking the log into the file
        for _ in range(COMMITS):
            with database.write() as connection:
                connection.execute(
                    "insert into scorings select 'run', range::varchar, ? from range(10)", [datetime.now(UTC)]
                )
        for file in folder.iterdir():
            shutil.copy(file, copied)
    assert {file.name for file in copied.iterdir()} == {path.name, f"{path.name}.wal", f"{path.name}.commits"}
    return copied / path.name


def damaged(torn_off: Path, folder: Path, *, keep: int | None = None, flip: int | None = None) -> Path:
    """A copy whose log is cut to `keep` bytes, or has another byte at `flip`."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(torn_off.parent, folder)
    log = folder / f"{torn_off.name}.wal"
    content = bytearray(log.read_bytes())
    if flip is not None:
        content[flip] ^= 0xFF
    log.write_bytes(content[:keep])
    return folder / torn_off.name


def scorings(path: Path) -> int:
    with Database(path).read() as connection:
        [(count,)] = connection.execute("select count(*) from scorings").fetchall()
    return int(count)


def test_a_whole_log_loses_nothing(torn_off: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = damaged(torn_off, tmp_path / "a")
    assert scorings(path) == 10 * COMMITS
    assert not caplog.records


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_log_cut_anywhere_is_reported_with_all_that_it_lost(
    torn_off: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, data: st.DataObject
) -> None:
    caplog.clear()
    size = (torn_off.parent / f"{torn_off.name}.wal").stat().st_size
    path = damaged(torn_off, tmp_path / "cut", keep=data.draw(st.integers(0, size - 1)))
    left = scorings(path)
    lost = 10 * COMMITS - left
    assert lost % 10 == 0
    assert lost > 0
    [record] = caplog.records
    assert record.levelno == logging.WARNING
    many = "last transaction" if lost == 10 else f"last {lost // 10} transactions"
    assert f"has lost its {many} (about {lost} rows of scorings" in record.getMessage()


def test_a_flipped_byte_in_the_header_of_the_log_is_reported(
    torn_off: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = damaged(torn_off, tmp_path / "flipped", flip=3)
    assert scorings(path) == 0
    assert "has lost its last 6 transactions" in caplog.text


def test_a_loss_is_said_once_and_stays_recorded_while_work_goes_on(
    torn_off: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = damaged(torn_off, tmp_path / "b", keep=0)
    for _ in range(2):
        with Database(path).write() as connection:
            connection.execute("insert into scorings values ('run', 'again', now())")
    assert len(caplog.records) == 1
    with Database(path).read() as connection:
        [sentence] = commit_counter.losses(connection, path)
    assert "Run the commands that wrote them again" in sentence
    commit_counter.path_of(path).unlink()
    with Database(path).read() as connection:
        assert commit_counter.losses(connection, path) == []


def test_an_older_copy_in_the_place_of_a_database_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "newwiki.duckdb"
    with Database(path).write():
        pass
    shutil.copy(path, tmp_path / "older.duckdb")
    with Database(path).write() as connection:
        connection.execute("insert into scorings values ('run', 'e', now())")
    shutil.copy(tmp_path / "older.duckdb", path)
    assert scorings(path) == 0
    assert "has lost its last transaction (about 1 rows of scorings)" in caplog.text


@pytest.mark.parametrize("left", [None, b"", b"{", b'{"database_id": "x", "commits": -1, "rows": {}}'])
def test_a_counter_that_is_missing_or_torn_itself_raises_no_alarm(
    left: bytes | None, torn_off: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = damaged(torn_off, tmp_path / "c")
    commit_counter.path_of(path).unlink()
    if left is not None:
        commit_counter.path_of(path).write_bytes(left)
    assert scorings(path) == 10 * COMMITS
    assert not caplog.records


def test_a_new_database_beside_the_counter_of_another_raises_no_alarm(
    torn_off: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / torn_off.name
    shutil.copy(commit_counter.path_of(torn_off), tmp_path)
    with Database(path).write():
        pass
    assert not caplog.records
