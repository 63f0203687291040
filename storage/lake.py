"""A DuckLake, which others read in SQL: what a database has done, copied into the lake's own tables.

Only `opened` knows of DuckLake. What is copied goes into the schema `newwiki` of any catalogue that DuckDB attaches.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb

from newwiki.errors import TerminalError, UsageError
from storage.database import Database, insert_arrow, patiently, query, transaction
from storage.push import SNAPSHOT_TABLES, Moved, Scoring, finished

SCHEME = "ducklake:"
_SCHEMA = "newwiki"
_TABLES = (*SNAPSHOT_TABLES, "runs", "completions", "evaluators", "metrics", "scores", "run_scores", "scorings")
# What a catalogue or a data path needs (postgres, httpfs …) is loaded where it is installed, and never downloaded.
_CONFIG = {"autoinstall_known_extensions": False, "autoload_known_extensions": True}
# Few rows would be kept in the catalogue otherwise, as text, in which a number's last bit is lost.
_OPTIONS = ("data_inlining_row_limit 0",)
_INSTALL = "python -c \"import duckdb; duckdb.execute('install ducklake')\""
_SECRET = re.compile(r"passw(or)?d\s*=|://[^/@\s]*:[^/@\s]*@", re.IGNORECASE)


@contextmanager
def opened(url: str, data_path: str | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """The lake at `ducklake:CATALOGUE`, which is made where there is none, with its files under `data_path`.

    Raises TerminalError where the extension is not installed or the lake cannot be used, UsageError for a password.
    """
    if _SECRET.search(url):
        raise UsageError("a password does not belong into a command; give it in the environment, such as PGPASSWORD")
    with duckdb.connect(config=_CONFIG) as connection:
        try:
            connection.execute("load ducklake")
        except duckdb.Error as error:
            raise TerminalError(
                f"DuckDB's extension for DuckLake cannot be loaded ({_told(error)}); where there is a network, install "
                f"it once: {_INSTALL}"
            ) from error
        try:
            attach(connection, url, [*_OPTIONS, *([f"data_path {_text(data_path)}"] if data_path else [])])
            yield connection
        except duckdb.Error as error:
            raise TerminalError(f"'{url}' cannot be used: {_told(error)}") from error


def attach(connection: duckdb.DuckDBPyConnection, url: str, options: Sequence[str] = ()) -> None:
    """Makes the schema `newwiki` of the catalogue at `url` the one that the connection's statements are about."""
    in_brackets = f" ({', '.join(options)})" if options else ""
    patiently(Path(url), lambda: connection.execute(f"attach {_text(url)} as lake{in_brackets}"))
    connection.execute(f"create schema if not exists lake.{_SCHEMA}")
    connection.execute(f"use lake.{_SCHEMA}")


def push(database: Database, lake: duckdb.DuckDBPyConnection, note: Callable[[str], None]) -> Moved:
    """Copies what the attached lake lacks, each snapshot, run and scoring in one transaction.

    Raises TerminalError in the end, with all else copied, where the lake holds something else under the same name.
    """
    moved, done = Moved(), finished(database, note)
    with transaction(lake):
        _make_tables(database, lake)
    there = dict(lake.execute("select snapshot_id, content_sha256 from snapshots").fetchall())
    others = {name for name, sha256 in done.snapshots.items() if there.get(name, sha256) != sha256}
    moved.refused += tuple(f"the lake holds another snapshot '{name}'" for name in sorted(others))
    for name in [name for name in done.snapshots if name not in there]:
        with transaction(lake):
            for table in SNAPSHOT_TABLES:
                _copy(database, lake, table, name)
        moved.snapshots += 1
    other_runs = _push_runs(database, lake, moved, {run: name for run, name in done.runs.items() if name not in others})
    for one in _lacking(lake, done.scorings):
        if one.snapshot_id not in others and one.run_id not in other_runs:
            with transaction(lake):
                _replace_scoring(database, lake, one)
            moved.scorings += 1
    return moved.or_refused()


def _make_tables(database: Database, lake: duckdb.DuckDBPyConnection) -> None:
    """Those that are missing, and columns that newer versions have added. Without NOT NULL, so that these are no
    contradiction."""
    there = {(table, column) for table, column, _ in lake.execute(query("lake_columns")).fetchall()}
    for table, column, kind in database.rows("lake_columns"):
        if table in _TABLES and (table, column) not in there:
            if not any(name == table for name, _ in there):
                lake.execute(f"create table {table} ({column} {kind})")
            else:
                lake.execute(f"alter table {table} add column {column} {kind}")
            there.add((table, column))


def _push_runs(database: Database, lake: duckdb.DuckDBPyConnection, moved: Moved, runs: dict[str, str]) -> set[str]:
    """Gives those that the lake holds with other texts."""
    here = {run_id: texts for run_id, *texts in database.rows("lake_texts")}
    there = {run_id: list(texts) for run_id, *texts in lake.execute(query("lake_texts")).fetchall()}
    for run_id in [run_id for run_id in runs if run_id not in there]:
        with transaction(lake):
            for table in ("completions", "runs"):
                _copy(database, lake, table, run_id)
        moved.runs += 1
    others = {run_id for run_id in runs if there.get(run_id, here[run_id]) != here[run_id]}
    moved.refused += tuple(f"the lake holds other completions of run {run_id}" for run_id in sorted(others))
    return others


def _lacking(lake: duckdb.DuckDBPyConnection, scorings: list[Scoring]) -> list[Scoring]:
    """Where the lake has as many texts scored by the evaluator or more, its scores stay."""
    there = {tuple(row[:2]): tuple(row[3:]) for row in lake.execute(query("share_scorings")).fetchall()}
    return [one for one in scorings if there.get((one.run_id, one.evaluator_id), (-1, -1)) < (one.scores, one.texts)]


def _replace_scoring(database: Database, lake: duckdb.DuckDBPyConnection, one: Scoring) -> None:
    names = [name for (name,) in database.rows("share_metric_names", one.evaluator_id)]
    described = [("evaluators", "evaluator_id", one.evaluator_id), *(("metrics", "metric", name) for name in names)]
    for table, key, value in described:
        if not lake.execute(f"select 1 from {table} where {key} = ?", [value]).fetchall():  # noqa: S608 (our own names)
            _copy(database, lake, table, value)
    keys = [one.run_id, one.evaluator_id]
    for table in (one.table, "scorings"):
        lake.execute(f"delete from {table} where run_id = ? and evaluator_id = ?", keys)  # noqa: S608
    _copy(database, lake, one.table, *keys)
    lake.execute("insert into scorings (run_id, evaluator_id, finished_at) values (?, ?, ?)", [*keys, one.finished_at])


def _copy(database: Database, lake: duckdb.DuckDBPyConnection, table: str, *keys: str) -> None:
    insert_arrow(lake, table, database.table(f"share_{table}", *keys))


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _told(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
