"""Read the tables and views from the database, with their columns, types and comments."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from storage.database import Database
from storage.fences import MEMORY, connect
from storage.migrate import create_views, migrate
from storage.queries import query, records

# A placeholder that represents all metrics. It cannot be called METRIC, because the leaderboard has a column `metric`.
_ANY_METRIC = """insert into metrics (metric, unit, direction, definition, source)
values ('any_METRIC', '', 'none', 'its definition', '')"""


@dataclass(frozen=True)
class TableColumn:
    name: str
    type: str
    comment: str | None


@dataclass(frozen=True)
class Relation:
    """A table or view; `kind` is `table` or `view`."""

    name: str
    kind: str
    comment: str | None
    columns: tuple[TableColumn, ...]


def names(database: Database) -> list[str]:
    """Return the names of all tables, views and columns, for completion in an editor."""
    with database.fenced() as connection:
        all_relations = list(relations(connection))
    return sorted(
        {relation.name for relation in all_relations}
        | {column.name for relation in all_relations for column in relation.columns}
    )


@functools.cache
def documented() -> tuple[Relation, ...]:
    """Return the tables and views of a new database, in which `METRIC` represents every metric."""
    with connect(MEMORY) as connection:
        migrate(connection, Path(":memory:"))
        connection.execute(_ANY_METRIC)
        create_views(connection)
        return tuple(_with_metric_placeholder(relation) for relation in relations(connection))


def _with_metric_placeholder(relation: Relation) -> Relation:
    columns = [
        replace(
            column,
            name=column.name.replace("any_METRIC", "METRIC"),
            comment=column.comment and column.comment.replace("any_METRIC", "METRIC"),
        )
        for column in relation.columns
    ]
    return replace(relation, columns=tuple(columns))


def relations(connection: duckdb.DuckDBPyConnection) -> Iterator[Relation]:
    """Yield the views and then the tables, each ordered by name, except the tables that record the schema itself."""
    columns: dict[str, list[TableColumn]] = {}
    for column in records(dict[str, Any], connection.execute(query("all_columns"))):
        columns.setdefault(column.pop("table_name"), []).append(TableColumn(**column))
    for name, kind, comment in connection.execute(query("relations")).fetchall():
        yield Relation(name, kind, comment, tuple(columns[name]))
