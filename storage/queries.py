"""The SQL that is asked, by name: a file of `sql/queries` a topic, a query a section under `-- name: NAME`.

The convention is aiosql's, and its own tools read these files. The library does not run them here: on DuckDB it gives
each query a connection of its own, which stands outside our transactions, it hands on no Arrow, and it takes the slice
`[1:2]` for a parameter. What is left of it is the reading.
"""

import functools
import re
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any, TypeVar

import duckdb

Row = TypeVar("Row")

_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]*")
_PART = re.compile(r"[a-z0-9_]+( = \?)?((, | and )[a-z0-9_]+( = \?)?)*")


def query(name: str, **parts: str) -> str:
    """The text of the query; `parts` are identifiers and conditions for what stands in braces in it.

    Raises ValueError for a part that is anything else: values are parameters, and never part of the text.
    """
    for part in parts.values():
        if not _PART.fullmatch(part):
            raise ValueError(f"{part!r} cannot be part of a query: only names, commas and `NAME = ?` can")
    return filled(_queries()[name], {f"{{{mark}}}": part for mark, part in parts.items()})


def filled(text: str, parts: Mapping[str, str]) -> str:
    """The text with each mark replaced, all in one pass, so that no part is searched for another mark."""
    marks = "|".join(map(re.escape, parts))
    return re.sub(marks, lambda mark: parts[mark[0]], text) if marks else text


def require_identifier(name: str) -> str:
    """The name, where it can stand in SQL text as it is. Raises ValueError where it cannot."""
    if not _IDENTIFIER.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a table or column")
    return name


def records(kind: Callable[..., Row], answer: duckdb.DuckDBPyConnection) -> list[Row]:
    """What was just asked, each row a record (or a `dict`) whose fields have the columns' names.

    Raises TypeError where a field has no column, or a column no field.
    """
    names = [column[0] for column in answer.description or []]
    return [kind(**dict(zip(names, row, strict=True))) for row in answer.fetchall()]


def first_row(answer: duckdb.DuckDBPyConnection) -> tuple[Any, ...] | None:
    """The first row of what was just asked, if there is one.

    All of it is read: DuckDB's own `fetchone` leaves an answer half-read, and the connection taken by it.
    """
    rows: list[tuple[Any, ...]] = answer.fetchall()
    return rows[0] if rows else None


def sections(*texts: str) -> dict[str, str]:
    """By name, what stands under each `-- name: NAME`. Raises ValueError where a name stands twice."""
    parts = [part for text in texts for part in _NAME.split(text)[1:]]
    names = parts[::2]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"several queries have the name {', '.join(repeated)}")
    return {name: f"{sql.strip()}\n" for name, sql in zip(names, parts[1::2], strict=True)}


@functools.cache
def _queries() -> dict[str, str]:
    folder = files("storage") / "sql" / "queries"
    return sections(*(file.read_text("utf-8") for file in folder.iterdir()))
