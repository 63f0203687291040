"""The complete run that was written last, for questions: `newest_run()` and `newest_snapshot()` in SQL.

They are constants, written anew with each run that is completed: where a run is named by what a subquery finds, DuckDB
reads all other runs' texts and scores too.
"""

import duckdb

from storage.queries import query

_MACROS = ("newest_run", "newest_snapshot")


def enter(connection: duckdb.DuckDBPyConnection) -> None:
    """Writes both anew."""
    for macro, value in zip(_MACROS, _found(connection), strict=True):
        connection.execute(f"create or replace macro {macro}() as {_literal(value)}")


def doubtful(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """A sentence where they say another run, or another snapshot, than was written last."""
    ((*said,),) = connection.execute("select newest_run(), newest_snapshot()").fetchall()
    found = _found(connection)
    return [f"newest_run() is {said[0]} on {said[1]}, and not {found[0]} on {found[1]}"] if tuple(said) != found else []


def _found(connection: duckdb.DuckDBPyConnection) -> tuple[str | None, str | None]:
    rows = connection.execute(query("newest_run")).fetchall()
    return rows[0] if rows else (None, None)


def _literal(value: str | None) -> str:
    return "null::varchar" if value is None else "'" + value.replace("'", "''") + "'"
