"""Allow or refuse SQL statements from users, before DuckDB runs them behind the fence of `Database.fenced`."""

import duckdb
from duckdb import StatementType

from newwiki.errors import TerminalError

READING = frozenset({StatementType.SELECT, StatementType.EXPLAIN, StatementType.MULTI})  # MULTI is PIVOT
# COPY, ATTACH, DETACH, EXPORT, SET, LOAD and PRAGMA are refused, and so are PREPARE and EXPLAIN ANALYZE, which could
# hide a refused statement.
WRITING = frozenset(
    {
        StatementType.SELECT, StatementType.MULTI, StatementType.INSERT, StatementType.UPDATE, StatementType.DELETE,
        StatementType.MERGE_INTO, StatementType.CREATE, StatementType.DROP, StatementType.ALTER,
    }
)  # fmt: skip


def split(connection: duckdb.DuckDBPyConnection, sql: str, *, writing: bool = False) -> list[duckdb.Statement]:
    """Return the statements in `sql`, in order.

    Raises TerminalError if `sql` is not valid SQL, or if a statement is not allowed.
    """
    try:
        statements: list[duckdb.Statement] = connection.extract_statements(sql)
    except duckdb.Error as error:
        raise refused(error) from None
    for statement in statements:
        kind = _kind(statement)
        if kind not in (WRITING if writing else READING):
            where = "write tables of your own and read" if writing else "read, and nothing else"
            name = kind.name.replace("_", " ") if kind else "a statement of a kind that is not known here"
            raise TerminalError(f"the query is refused: {name}; it can {where}")
    return statements


def _kind(statement: duckdb.Statement) -> StatementType | None:
    """Return the type of a statement.

    Returns None for types that DuckDB's parser knows and its Python binding lacks, such as UPDATE EXTENSIONS.
    """
    try:
        return statement.type
    except ValueError:
        return None


def refused(error: Exception) -> TerminalError:
    """Return an error with DuckDB's message about a query, without its marked-up copy of the query."""
    return TerminalError(f"the query is refused: {str(error).partition('LINE 1:')[0].strip()}")
