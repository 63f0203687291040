"""Which statements of SQL from outside are let through, before the fence (`Database.fenced`) that holds them."""

import duckdb
from duckdb import StatementType

from newwiki.errors import TerminalError

READING = frozenset({StatementType.SELECT, StatementType.EXPLAIN, StatementType.MULTI})  # MULTI is PIVOT
# No COPY, ATTACH, DETACH, EXPORT, SET, LOAD or PRAGMA, and nothing that could hide one (PREPARE, EXPLAIN ANALYZE).
WRITING = frozenset(
    {
        StatementType.SELECT, StatementType.MULTI, StatementType.INSERT, StatementType.UPDATE, StatementType.DELETE,
        StatementType.MERGE_INTO, StatementType.CREATE, StatementType.DROP, StatementType.ALTER,
    }
)  # fmt: skip


def split(connection: duckdb.DuckDBPyConnection, sql: str, *, writing: bool = False) -> list[duckdb.Statement]:
    """The statements in it, in order. Raises TerminalError where it is no SQL, or one of them is not let through."""
    try:
        found: list[duckdb.Statement] = connection.extract_statements(sql)
    except duckdb.Error as error:
        raise refused(error) from None
    for statement in found:
        kind = _kind(statement)
        if kind not in (WRITING if writing else READING):
            where = "write tables of your own and read" if writing else "read, and nothing else"
            name = kind.name.replace("_", " ") if kind else "a statement of a kind that is not known here"
            raise TerminalError(f"the query is refused: {name}; it can {where}")
    return found


def _kind(statement: duckdb.Statement) -> StatementType | None:
    """None for one that DuckDB's parser has and its binding lacks, such as UPDATE EXTENSIONS."""
    try:
        return statement.type
    except ValueError:
        return None


def refused(error: Exception) -> TerminalError:
    """What DuckDB says of a query, without its drawing of where."""
    return TerminalError(f"the query is refused: {str(error).partition('LINE 1:')[0].strip()}")
