"""No row is there twice: every table has a key, writers that work at once keep to it, and the doctor asks."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import duckdb
import pytest

from flows.admitting.gate import admit
from newwiki.records import Completion, RunScore, Score
from newwiki.snapshot import Judged, Topic
from storage import months, references, runs, topics
from storage.database import Database
from storage.keys import KEYS, repeated
from storage.months import MonthRecord
from storage.pull import pull
from storage.push import push
from storage.shared import GatheredParts, Note
from tests.storage.earlier import undoing
from tests.storage.machines import BLEU, MAUVE, METRICS

NAME = "testwiki-2026-09"


def doubled(database: Database) -> list[tuple[str, int]]:
    with database.read() as connection:
        return repeated(connection)


def tables(connection: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    asked = "select table_name, column_name from duckdb_columns() join duckdb_tables() using (table_name)"
    for table, column in connection.execute(asked).fetchall():
        found.setdefault(table, []).append(column)
    return found


def test_every_table_has_a_key_of_columns_that_it_has(database: Database) -> None:
    with database.read() as connection:
        found = tables(connection)
    assert set(found) == set(KEYS)
    assert [table for table, key in KEYS.items() if not set(key) <= set(found[table])] == []


def test_a_row_that_is_there_twice_is_named_in_whatever_table(database: Database) -> None:
    """Whatever its other columns say."""
    assert doubled(database) == []
    with duckdb.connect(str(database.path)) as connection:
        for table, key in KEYS.items():
            connection.execute(f"delete from {table}")  # noqa: S608 (our own names)
            columns = "select column_name, is_nullable, data_type from duckdb_columns() where table_name = ?"
            known = {name: (nullable, kind) for name, nullable, kind in connection.execute(columns, [table]).fetchall()}
            for column in [name for name, (nullable, _) in known.items() if not nullable]:
                connection.execute(f"alter table {table} alter column {column} drop not null")
            for _ in range(2):
                values = ", ".join("'2026-10-01'" if known[name][1] == "DATE" else "'1'" for name in key)
                connection.execute(f"insert into {table} ({', '.join(key)}) values ({values})")  # noqa: S608
        assert sorted(repeated(connection)) == sorted((f"{table} that are there twice", 1) for table in KEYS)


SCORE = Score(1, 0, "bleu", 3.0, "ok", BLEU.evaluator_id)
_MONTH = MonthRecord("key", "testwiki", "2026-09", "sha", NAME, True, datetime(2026, 10, 15, tzinfo=UTC), None)
_WRITERS: dict[str, Callable[[Database], object]] = {
    "completions": lambda db: runs.add_completions(db, "run-a", [Completion(1, 0, "t", 1, 1, "stop", False)]),
    "evaluators and metrics": lambda db: runs.register(db, [BLEU, MAUVE], METRICS),
    "months": lambda db: months.record(db, _MONTH),
    "reference_parts": lambda db: references.add_parts(db, NAME, [(1, "entities", ["A"])], {"entities": "x"}),
    "run_scores": lambda db: runs.add_run_scores(db, "run-a", [RunScore("mauve", 0.5, None, "ok", "e", 3)]),
    "runs": lambda db: runs.complete(db, "run-a", 2),
    "scores": lambda db: runs.add_scores(db, "run-a", [SCORE]),
    "scorings": lambda db: runs.finish_scoring(db, "run-a", {BLEU.evaluator_id}),
    "topics": lambda db: topics.store(db, NAME, [Topic(1, "Q1", (), None)]),
}


def test_what_two_processes_found_missing_is_stored_once(first: Database) -> None:
    """Both have looked before either stores, so each comes with the whole; the database gives them turns."""
    for write in _WRITERS.values():
        for _ in range(2):
            write(Database(first.path))
    assert doubled(first) == []


def test_a_run_that_two_begin_at_once_is_one(first: Database, run_of: Callable[..., Any]) -> None:
    for _ in range(2):
        runs.start(first, run_of("run-b"))
    assert doubled(first) == []


@pytest.mark.parametrize("table", ["candidates", "scores"])
def test_two_pulls_at_once_take_everything_in_once(
    first: Database, third: Database, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another pull runs whole once this one has read a table of the snapshot or of the scores and not stored it yet."""
    folder = GatheredParts("elsewhere")
    push(first, folder, lambda _: None)
    read = GatheredParts.read

    def overtaken(self: GatheredParts, note: Note) -> Any:
        rows = read(self, note)
        if note.part.table == table:
            monkeypatch.setattr(GatheredParts, "read", read)
            pull(Database(third.path), admit(folder, "pull"), lambda _: None)
        return rows

    monkeypatch.setattr(GatheredParts, "read", overtaken)
    pull(third, admit(folder, "pull"), lambda _: None)
    assert GatheredParts.read is read
    assert doubled(third) == []
    with third.read() as connection:
        assert connection.execute("select count(*) from runs").fetchall() == [(1,)]


def test_rows_that_were_stored_twice_are_there_once_after_the_migration(
    database: Database, published: Callable[..., Any], selected: Callable[..., Judged]
) -> None:
    published(selected(1))
    references.add_parts(database, NAME, [(1, "entities", ["A"])], {"entities": "x"})
    months.record(database, _MONTH)
    with duckdb.connect(str(database.path)) as connection:  # as it was
        for table in ("reference_parts", "months"):
            connection.execute(f"insert into {table} from {table}")
        for statement in undoing(18):
            connection.execute(statement)
    migrated = Database(database.path)
    assert doubled(migrated) == []
    assert references.known_parts(migrated, NAME, [1], {"entities": "x"}) == {1: {"entities": ["A"]}}
