"""What a database names, for a shell that completes a line: at once, or nothing."""

from pathlib import Path
from typing import Any

import duckdb

from newwiki.errors import NewWikiError
from storage.attached import attached
from storage.migrate import is_current
from storage.queries import query


def names(path: Path, asked: str) -> list[tuple[Any, ...]]:
    """What the named query answers; nothing where there is no file, it is no database, one with other views than this
    program's, or another process writes into it. Nothing is made, changed or waited for."""
    if not path.is_file():
        return []
    try:
        with attached(path, read_only=True) as connection:
            if not is_current(connection, path):
                return []
            found: list[tuple[Any, ...]] = connection.execute(query(asked)).fetchall()
            return found
    except (duckdb.Error, OSError, RuntimeError, NewWikiError):
        return []
