"""What an experiment has stored, as a test asks for it."""

from pathlib import Path
from typing import Any

from storage.database import Database


def rows(db: Path, sql: str) -> list[dict[str, Any]]:
    """The answer, a `dict` a row. It needs no fence, which takes longer than most questions."""
    with Database(db).read() as connection:
        found: list[dict[str, Any]] = connection.sql(sql).to_arrow_table().to_pylist()
        return found
