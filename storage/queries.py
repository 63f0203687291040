"""Read SQL queries by name: each file of `sql/queries` covers a topic, with a query under each `-- name: NAME`.

The format is that of aiosql, whose tools can read these files. The aiosql library does not run the queries, because on
DuckDB it opens a separate connection for each query, outside the open transaction. It also returns no Arrow tables, and
reads the slice `[1:2]` as a parameter. This module therefore only reads the files.
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
    """Return the text of a query. `parts` are identifiers and conditions that replace the placeholders in braces.

    Raises ValueError for a part of any other form, because values are parameters and never part of the text.
    """
    for part in parts.values():
        if not _PART.fullmatch(part):
            raise ValueError(f"{part!r} cannot be part of a query: only names, commas and `NAME = ?` can")
    return filled(_queries()[name], {f"{{{mark}}}": part for mark, part in parts.items()})


def filled(text: str, parts: Mapping[str, str]) -> str:
    """Return the text with all marks replaced in one pass, so that replacements are not searched for marks."""
    marks = [mark for mark in parts if mark in text]
    return re.sub("|".join(map(re.escape, marks)), lambda mark: parts[mark[0]], text) if marks else text


def require_identifier(name: str) -> str:
    """Return the name if it needs no quotes in SQL text. Raises ValueError otherwise."""
    if not _IDENTIFIER.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a table or column")
    return name


def records(kind: Callable[..., Row], answer: duckdb.DuckDBPyConnection) -> list[Row]:
    """Return the rows of an executed query as records (or `dict`s), whose fields have the names of the columns.

    Raises TypeError if a field has no column, or a column has no field.
    """
    names = [column[0] for column in answer.description or []]
    return [kind(**dict(zip(names, row, strict=True))) for row in answer.fetchall()]


def first_row(answer: duckdb.DuckDBPyConnection) -> tuple[Any, ...] | None:
    """Return the first row of an executed query; None if there is none.

    The function reads all rows, because `fetchone` of DuckDB leaves the result unread and the connection in use.
    """
    rows: list[tuple[Any, ...]] = answer.fetchall()
    return rows[0] if rows else None


def sections(*texts: str) -> dict[str, str]:
    """Return the text under each `-- name: NAME`, by name. Raises ValueError for a repeated name."""
    parts = [part for text in texts for part in _NAME.split(text)[1:]]
    names = parts[::2]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"several queries have the name {', '.join(repeated)}")
    return {name: f"{sql.strip()}\n" for name, sql in zip(names, parts[1::2], strict=True)}


@functools.cache
def _queries() -> dict[str, str]:
    folder = files("storage") / "sql" / "queries"
    return sections(*(file.read_text("utf-8") for file in folder.iterdir()))
