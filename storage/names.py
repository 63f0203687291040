"""Read names from a database for shell completion, without waiting."""

from pathlib import Path
from typing import Any

import duckdb

from newwiki.errors import NewWikiError
from storage.attached import attached
from storage.migrate import is_current
from storage.queries import query


def names(path: Path, query_name: str) -> list[tuple[Any, ...]]:
    """Return the rows of the named query, or an empty list if they cannot be read at once.

    The list is empty if the file is missing, is no database, or has other views than this program's. It is also empty
    if another process is writing to the file. The file is never created, changed or waited for.
    """
    if not path.is_file():
        return []
    try:
        with attached(path, read_only=True) as connection:
            if not is_current(connection, path):
                return []
            rows: list[tuple[Any, ...]] = connection.execute(query(query_name)).fetchall()
            return rows
    except (duckdb.Error, OSError, RuntimeError, NewWikiError):
        return []
