"""A lake gets what is done, once, and others read it there. Here it is a DuckDB file; the real thing where it is."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import pytest

from newwiki.errors import TerminalError, UsageError
from newwiki.records import Score
from storage import runs
from storage.database import Database
from storage.lake import attach, opened, push
from storage.push import SNAPSHOT_TABLES
from tests.storage.machines import BLEU, score, texts, write

Lake: TypeAlias = Any  # a connection of duckdb's
TABLES = (*SNAPSHOT_TABLES, "runs", "completions", "evaluators", "metrics", "scores", "run_scores", "scorings")
NOTHING = "0 snapshots, 0 runs and 0 scorings"


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    with duckdb.connect() as connection:
        attach(connection, f"{tmp_path}/it's a lake.duckdb")
        yield connection


def rows_of(connection: Lake) -> dict[str, list[tuple[Any, ...]]]:
    return {table: sorted(connection.execute(f"from {table}").fetchall(), key=repr) for table in TABLES}


def rows_here(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    with database.read() as connection:
        return rows_of(connection)


def test_all_that_is_done_is_in_the_lake_once(first: Database, lake: Lake) -> None:
    assert push(first, lake, print).told() == "1 snapshots, 1 runs and 4 scorings"
    assert rows_of(lake) == rows_here(first)
    assert push(first, lake, print).told() == NOTHING
    assert rows_of(lake) == rows_here(first)


def test_the_lakes_columns_have_the_types_that_they_have_here(first: Database, lake: Lake) -> None:
    push(first, lake, print)
    with first.read() as connection:
        for table in TABLES:
            assert connection.table(table).description == lake.table(table).description


def test_tables_of_others_in_the_lake_are_left_alone(first: Database, lake: Lake) -> None:
    lake.execute("create table lake.main.runs as select 42 as distance")
    push(first, lake, print)
    assert lake.execute("from lake.main.runs").fetchall() == [(42,)]


def test_what_is_not_done_stays_here(second: Database, lake: Lake, run_of: Any) -> None:
    runs.start(second, run_of("run-a"))
    runs.add_completions(second, "run-a", texts()[:3])
    push(second, lake, print)
    assert (rows_of(lake)["runs"], rows_of(lake)["completions"], rows_of(lake)["scores"]) == ([], [], [])


def test_two_machines_fill_one_lake(first: Database, second: Database, lake: Lake, run_of: Any) -> None:
    write(second, run_of("run-b"), texts(of="other"))
    score(second, "run-b", value=30)
    push(first, lake, print)
    assert push(second, lake, print).told() == "0 snapshots, 1 runs and 2 scorings"
    means = lake.execute("select run_id, avg(value) from scores group by all order by all").fetchall()
    assert means == [("reference:testwiki-2026-09", 101.5), ("run-a", 21.5), ("run-b", 31.5)]


def test_a_scoring_that_has_grown_takes_the_place_of_the_old_one(first: Database, second: Database, lake: Lake) -> None:
    push(first, lake, print)
    more = [Score(page, 1, "bleu", 50.0, "ok", BLEU.evaluator_id) for page in (1, 2, 3)]
    runs.add_scores(first, "run-a", more)
    assert push(first, lake, print).told() == "0 snapshots, 0 runs and 1 scorings"
    assert rows_of(lake) == rows_here(first)


def test_an_interruption_leaves_no_half_and_the_rest_goes_on(
    first: Database, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = first.table

    def die(name: str, *keys: object) -> Any:
        if name == "share_runs":
            raise KeyboardInterrupt
        return asked(name, *keys)

    with monkeypatch.context() as patched:
        patched.setattr(first, "table", die)
        with pytest.raises(KeyboardInterrupt):
            push(first, lake, print)
    there = rows_of(lake)
    assert (len(there["snapshots"]), there["completions"], there["runs"]) == (1, [], [])
    assert push(first, lake, print).told() == "0 snapshots, 1 runs and 4 scorings"
    assert rows_of(lake) == rows_here(first)


def test_other_texts_of_a_run_and_their_scores_stay_out(
    first: Database, second: Database, lake: Lake, run_of: Any
) -> None:
    write(second, run_of("run-a"), texts(of="changed"))
    write(second, run_of("run-b"), texts())
    score(second, "run-a")
    push(first, lake, print)
    lake.execute("delete from scores")
    with pytest.raises(TerminalError, match=r"^the lake holds other completions of run run-a; all else .* 1 runs"):
        push(second, lake, print)
    assert {row[0] for row in rows_of(lake)["scores"]} == set()
    assert {row[0] for row in rows_of(lake)["runs"]} == {"run-a", "run-b"}


def test_another_snapshot_of_the_name_stays_out_with_all_that_is_about_it(
    first: Database, second: Database, lake: Lake, run_of: Any
) -> None:
    with second.write() as connection:
        connection.execute("update snapshots set content_sha256 = 'another'")
    write(second, run_of("run-b"), texts())
    push(first, lake, print)
    before = rows_of(lake)
    with pytest.raises(TerminalError, match=r"^the lake holds another snapshot 'testwiki-2026-09'"):
        push(second, lake, print)
    assert rows_of(lake) == before


def test_a_lake_of_an_older_version_gets_the_columns_that_it_lacks(first: Database, lake: Lake) -> None:
    push(first, lake, print)
    lake.execute("alter table completions drop column served_by")
    lake.execute("delete from completions")
    lake.execute("delete from runs")
    push(first, lake, print)
    assert rows_of(lake) == rows_here(first)


def test_a_password_in_the_url_is_refused_and_not_repeated() -> None:
    for url in ("ducklake:postgres:dbname=x PassWord=pw1", "ducklake:postgres:postgresql://me:pw1@lumen/x"):
        with pytest.raises(UsageError, match="a password does not belong into a command") as told, opened(url):
            pass
        assert "pw1" not in str(told.value)


def extension() -> bool:
    """Whether DuckLake is installed here, which is never done by a test."""
    try:
        duckdb.connect(config={"autoinstall_known_extensions": False}).execute("load ducklake")
    except duckdb.Error:
        return False
    return True


@pytest.mark.skipif(extension(), reason="DuckDB's extension for DuckLake is installed")
def test_without_its_extension_a_ducklake_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with (
        pytest.raises(
            TerminalError, match=r"^DuckDB's extension .* cannot be loaded .*duckdb.execute\('install ducklake"
        ),
        opened(f"ducklake:{tmp_path}/results.ducklake"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not extension(), reason="DuckDB's extension for DuckLake is not installed")
def test_a_ducklake_gets_it_all_once_to_the_last_bit(first: Database, tmp_path: Path) -> None:
    with first.write() as connection:
        connection.execute("update scores set value = 0.38285714285714284 where value is not null")
    url, folder = f"ducklake:{tmp_path}/results.ducklake", tmp_path / "files"
    for told in ("1 snapshots, 1 runs and 4 scorings", NOTHING):
        with opened(url, f"{folder}/") as lake:
            assert push(first, lake, print).told() == told
            assert rows_of(lake) == rows_here(first)
            assert folder.is_dir()
