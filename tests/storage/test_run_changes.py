"""Runs are hidden, renamed and deleted, and nothing of a deleted run is left."""

from pathlib import Path
from typing import Any

import pytest

from flows.health_checks import examine_database
from newwiki.errors import UsageError
from storage import runs
from storage.comparison import contenders, every
from storage.database import Database
from storage.keys import KEYS
from storage.queries import query
from storage.run_changes import delete, former_models, hide, rename, show
from tests.flows.scored import SNAPSHOT, add_run, score
from tests.storage.conftest import Filled

_OF_RUNS = ("run_id", "run_a", "run_b")
_TYPED = {
    "VARCHAR": "x", "BIGINT": 1, "BOOLEAN": True, "DOUBLE": 0.5, "TIMESTAMP WITH TIME ZONE": "2026-09-01", "JSON": "{}",
    "BLOB": b"x", "VARCHAR[]": [], "MAP(VARCHAR, BIGINT)": {},
}  # fmt: skip


@pytest.fixture
def database(database: Database, filled: Filled) -> Database:
    """Three runs with scores by the same evaluator, of which `second` is the newest."""

    def fill() -> None:
        for run_id in ("third", "first", "second"):
            add_run(database, run_id, model="models/other" if run_id == "third" else "models/toy")
            runs.complete(database, run_id, 1)
            score(database, run_id, {"rep_4": [1, 2]})

    return filled("three runs", database, fill)


def board(database: Database, view: str = "leaderboard") -> set[str]:
    with database.read() as connection:
        rows = connection.execute(f"select run_id from {view}").fetchall()  # noqa: S608 (our own names)
        return {run_id for (run_id,) in rows}


def test_a_hidden_run_is_on_no_board_and_keeps_its_data(database: Database) -> None:
    hide(database, ["second"])
    assert board(database) == board(database, "leaderboard_rows") == {"first", "third"}
    assert [run.run_id for run in every(database)] == ["third", "first"]
    assert [run.run_id for run in contenders(database, ["toy/greedy"])] == ["first"], "the other one is hidden"
    listings: dict[str, list[Any]] = {
        "report_runs": [SNAPSHOT], "browse_runs": [SNAPSHOT], "linkable_runs": [[SNAPSHOT]], "names_of_runs": [],
    }  # fmt: skip
    for name, parameters in listings.items():
        assert {row[0] for row in database.rows(name, *parameters)} >= {"first"}, name
        assert "second" not in {row[0] for row in database.rows(name, *parameters)}, name
    assert board(database, "scores") == {"first", "second", "third"}
    with database.read() as connection:
        assert connection.execute("select newest_run()").fetchall() == [("first",)]
    hide(database, ["second"])
    show(database, ["second"])
    assert board(database) == {"first", "second", "third"}


def test_a_renamed_run_keeps_its_id_and_remembers_its_names(database: Database) -> None:
    rename(database, ["first", "second"], "models/base")
    assert [run.run_id for run in contenders(database, ["base/greedy", "second"], {"second"})] == ["second", "second"]
    assert former_models(database, "first") == {"models/toy"}
    rename(database, ["first"], "models/toy")
    assert former_models(database, "first") == {"models/toy", "models/base"}
    assert former_models(database, "third") == set()


def test_nothing_of_a_deleted_run_is_left_in_any_table(database: Database) -> None:
    """Every table that names a run, whichever it is, has a row about each of two runs; those of one go."""
    with database.write() as connection:
        every = connection.execute(query("columns_of_runs")).fetchall()
        columns = [(table, column) for table, column in every if table != "readings"]  # follows from the runs
        for table in sorted({table for table, _ in columns} - {"runs", "scores", "scorings"}):
            _insert(connection, table, "first")
            _insert(connection, table, "third")
    delete(database, ["first"])
    assert {table for table, _ in every} <= set(KEYS)
    with database.read() as connection:
        for table, column in columns:
            rows = connection.execute(f"select {column} from {table}").fetchall()  # noqa: S608 (our own names)
            left = {run_id for (run_id,) in rows}
            assert "first" not in left and "third" in left, (table, column)
        assert connection.execute("select newest_run()").fetchall() == [("second",)]


def test_doctor_finds_no_orphans_of_a_deleted_run(database: Database) -> None:
    delete(database, ["second"])
    assert _orphans(database.path) == ["2 runs without a snapshot"], "that of the two other runs was never published"
    assert board(database) == {"first", "third"}


def test_the_references_of_a_file_go_with_the_last_run_on_them(database: Database) -> None:
    for run_id in ("text-1", "text-2"):
        add_run(database, run_id, snapshot_id="file:texts")
        runs.complete(database, run_id, 1)
        score(database, run_id, {"rep_4": [1, 2]})
    score(database, "reference:file:texts", {"rep_4": [1, 2]})
    delete(database, ["text-1"])
    assert "reference:file:texts" in board(database, "scores")
    delete(database, ["text-2"])
    assert "reference:file:texts" not in board(database, "scores")


def test_a_run_that_is_being_written_is_not_deleted(database: Database) -> None:
    add_run(database, "under way")
    with pytest.raises(UsageError, match="run under way is being written by a process: stop its `newwiki evaluate`"):
        delete(database, ["first", "under way"])
    assert board(database) >= {"first"}


def _insert(connection: Any, table: str, run_id: str) -> None:
    """Stores a row about the run, with a value in each column that needs one."""
    columns = connection.execute(
        "select column_name, data_type from duckdb_columns() where table_name = ? and not is_nullable", [table]
    )
    values = {name: run_id if name in _OF_RUNS else _TYPED[kind] for name, kind in columns.fetchall()}
    names, places = ", ".join(values), ", ".join("?" * len(values))
    connection.execute(f"insert into {table} ({names}) values ({places})", [*values.values()])  # noqa: S608 (our own names)


def _orphans(path: Path) -> list[str]:
    return [words for what, state, words in examine_database(path) if what == "database"]
