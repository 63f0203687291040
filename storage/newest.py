"""Define `newest_run()` and `newest_snapshot()` in SQL: the complete run with texts that was finished last and is not
hidden, and its snapshot.

The macros are constants, which are rewritten whenever a run is completed. If a subquery selected the run, DuckDB would
read the texts and scores of all other runs too.
"""

import duckdb

from storage.queries import query

_MACROS = ("newest_run", "newest_snapshot")


def enter(connection: duckdb.DuckDBPyConnection) -> None:
    """Replace both macros."""
    for macro, value in zip(_MACROS, _newest_finished(connection), strict=True):
        connection.execute(f"create or replace macro {macro}() as {_literal(value)}")


def doubtful(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Return a sentence if the macros do not name the run that was finished last and its snapshot."""
    ((*named,),) = connection.execute("select newest_run(), newest_snapshot()").fetchall()
    newest = _newest_finished(connection)
    return (
        [f"newest_run() is {named[0]} on {named[1]}, and not {newest[0]} on {newest[1]}"]
        if tuple(named) != newest
        else []
    )


def _newest_finished(connection: duckdb.DuckDBPyConnection) -> tuple[str | None, str | None]:
    rows = connection.execute(query("newest_run")).fetchall()
    return rows[0] if rows else (None, None)


def _literal(value: str | None) -> str:
    return "null::varchar" if value is None else "'" + value.replace("'", "''") + "'"
