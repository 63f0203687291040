"""Say why a query has no rows, where that is known."""

import re

import duckdb

_NEWEST = re.compile(r"\bnewest_(?:run|snapshot)\s*\(", re.IGNORECASE)
_NO_NEWEST_RUN = (
    "no row, because newest_run() and newest_snapshot() are NULL: no complete run has texts and is not hidden; "
    "`newwiki list runs` lists the runs, `newwiki evaluate MODEL --decoder greedy` writes texts"
)


def why_empty(connection: duckdb.DuckDBPyConnection, sql: str, empty: str | None = None) -> str | None:
    """Return why the query `sql` has no rows; None if that is not known.

    A query about the newest run has none without such a run. `empty` is the reason of the cookbook's question.
    """
    if _NEWEST.search(sql) and connection.sql("select newest_run()").fetchall() == [(None,)]:
        return _NO_NEWEST_RUN
    return f"no row: {empty}" if empty else None
