"""The tables and views as they describe themselves: their columns, types and comments."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from storage.database import Database
from storage.fences import MEMORY, connect
from storage.migrate import create_views, migrate
from storage.queries import query, records

# Stands for every metric where the columns of all metrics are meant. No column can be named METRIC itself, as
# `metric` is a column of the leaderboard's own.
_ANY_METRIC = """insert into metrics (metric, unit, direction, definition, source)
values ('any_METRIC', '', 'none', 'its definition', '')"""


@dataclass(frozen=True)
class TableColumn:
    name: str
    type: str
    comment: str | None


@dataclass(frozen=True)
class Relation:
    """A `kind` is `table` or `view`."""

    name: str
    kind: str
    comment: str | None
    columns: tuple[TableColumn, ...]


def names(database: Database) -> list[str]:
    """All tables, views and columns, for people who type."""
    with database.fenced() as connection:
        found = list(relations(connection))
    return sorted({one.name for one in found} | {column.name for one in found for column in one.columns})


def documented() -> list[Relation]:
    """Those of a fresh database, in which `METRIC` stands for every metric."""
    with connect(MEMORY) as connection:
        migrate(connection, Path(":memory:"))
        connection.execute(_ANY_METRIC)
        create_views(connection)
        return [_of_any_metric(one) for one in relations(connection)]


def _of_any_metric(relation: Relation) -> Relation:
    columns = [
        replace(
            one,
            name=one.name.replace("any_METRIC", "METRIC"),
            comment=one.comment and one.comment.replace("any_METRIC", "METRIC"),
        )
        for one in relation.columns
    ]
    return replace(relation, columns=tuple(columns))


def relations(connection: duckdb.DuckDBPyConnection) -> Iterator[Relation]:
    """Views before tables, each by name, but for the record of the schema itself."""
    for name, kind, comment in connection.execute(query("relations")).fetchall():
        yield Relation(name, kind, comment, tuple(records(TableColumn, connection.execute(query("columns"), [name]))))
