"""`newest_run()` is a constant in SQL, and always the one that was completed last."""

from pathlib import Path

import duckdb
import pytest

from storage import newest, runs
from storage.database import Database
from storage.migrate import create_views
from tests.flows.scored import SNAPSHOT, add_run
from tests.storage.conftest import Filled
from tests.storage.earlier import undoing


@pytest.fixture
def database(database: Database, filled: Filled) -> Database:
    def fill() -> None:
        for run_id in ("first", "second", "failed", "it's under way"):
            add_run(database, run_id)
        for run_id in ("first", "second"):
            runs.complete(database, run_id, 1)
        runs.fail(database, "failed")

    return filled("four runs", database, fill)


def said(database: Database) -> list[tuple[str | None, ...]]:
    with database.read() as connection:
        found: list[tuple[str | None, ...]] = connection.execute("select newest_run(), newest_snapshot()").fetchall()
        return found


def test_it_is_the_run_that_was_completed_last(database: Database) -> None:
    assert said(database) == [("second", SNAPSHOT)]
    runs.complete(database, "it's under way", 1)
    assert said(database) == [("it's under way", SNAPSHOT)]


def test_a_run_that_only_reads_articles_is_never_the_newest(database: Database) -> None:
    """As `newwiki evaluate --likelihood-only` makes one: questions about texts would have no row."""
    add_run(database, "reads", "likelihood", samples=0, keep=0)
    runs.complete(database, "reads", 0)
    assert said(database) == [("second", SNAPSHOT)]


def test_without_a_run_there_is_none(tmp_path: Path) -> None:
    empty = Database(tmp_path / "empty.duckdb")
    with empty.write():
        pass
    assert said(empty) == [(None, None)]


def test_a_database_of_an_earlier_version_gets_it(database: Database) -> None:
    with duckdb.connect(str(database.path)) as connection:
        connection.execute("drop macro newest_run")
        connection.execute("drop macro newest_snapshot")
        for (view,) in connection.execute("select view_name from duckdb_views() where not internal").fetchall():
            connection.execute(f"drop view {view}")
        for statement in undoing(35):
            connection.execute(statement)
    assert said(Database(database.path)) == [("second", SNAPSHOT)]


def test_views_that_are_written_anew_leave_it(database: Database) -> None:
    with database.write() as connection:
        create_views(connection)
    assert said(database) == [("second", SNAPSHOT)]


def test_one_that_is_not_the_newest_is_found(database: Database) -> None:
    with database.write() as connection:
        assert newest.doubtful(connection) == []
        connection.execute("update runs set status = 'failed' where run_id = 'second'")
        told = f"newest_run() is second on {SNAPSHOT}, and not first on {SNAPSHOT}"
        assert newest.doubtful(connection) == [told]
