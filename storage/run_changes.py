"""Hide, show, rename and delete stored runs. Each function changes all of its runs in one transaction."""

from collections.abc import Sequence

import duckdb

from newwiki.errors import UsageError
from storage import newest, runs, summaries
from storage.database import Database
from storage.keys import KEYS
from storage.queries import query

_REFERENCES = "reference:"


def hide(database: Database, run_ids: Sequence[str]) -> None:
    """Take runs off all boards. Their rows stay."""
    with database.write() as connection:
        connection.execute(query("hide_runs"), [list(run_ids)])
        _choose_again(connection)


def show(database: Database, run_ids: Sequence[str]) -> None:
    """Put hidden runs on the boards again."""
    with database.write() as connection:
        connection.execute("delete from hidden_runs where run_id in (select unnest(?))", [list(run_ids)])
        _choose_again(connection)


def rename(database: Database, run_ids: Sequence[str], model: str) -> None:
    """Give the model of runs another name, and remember the former one, by which shared folders know these runs."""
    with database.write() as connection:
        connection.execute(query("keep_former_models"), [list(run_ids), model])
        connection.execute("update runs set model = ? where run_id in (select unnest(?))", [model, list(run_ids)])


def former_models(database: Database, run_id: str) -> set[str]:
    """Return the names that the model of a run had before."""
    return {model for (model,) in database.rows("former_models", run_id)}


def delete(database: Database, run_ids: Sequence[str]) -> None:
    """Delete runs with all rows about them: completions, scores, judgements, origins and others.

    The references of a file of texts go with the last run on them. Answers of experiments stay as they were given.
    Raises UsageError if a process is writing one of the runs.
    """
    if running := [run_id for run_id in run_ids if runs.status(database, run_id) == "running"]:
        raise UsageError(f"run {running[0]} is being written by a process: stop its `newwiki evaluate` first")
    with database.write() as connection:
        without_runs = connection.execute(query("references_of_only"), [list(run_ids)]).fetchall()
        gone = [*run_ids, *(f"{_REFERENCES}{name}" for (name,) in without_runs)]
        for table, column in _columns_of_runs(connection):
            connection.execute(f"delete from {table} where {column} in (select unnest(?))", [gone])  # noqa: S608 (our own names)
        _choose_again(connection)


def _columns_of_runs(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Return every column of a table that names a run, as (table, column)."""
    rows = connection.execute(query("columns_of_runs")).fetchall()
    return [(table, column) for table, column in rows if table in KEYS]


def _choose_again(connection: duckdb.DuckDBPyConnection) -> None:
    """Choose again what depends on the runs that boards show: the evaluators of the columns, and the newest run."""
    summaries.choose_columns(connection)
    newest.enter(connection)
