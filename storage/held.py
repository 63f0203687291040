"""What a database holds of a part of a shared folder, and what a table's rows are like."""

from dataclasses import dataclass

import pyarrow as pa

from storage.database import Database
from storage.keys import KEYS
from storage.shared import SharedPart


@dataclass(frozen=True)
class TableShape:
    """A table's columns with their types; which of them are never NULL, and which hold JSON."""

    schema: pa.Schema
    required: frozenset[str]
    json: frozenset[str]


def held(database: Database, part: SharedPart) -> pa.Table:
    """The part's rows here, in the order of their key."""
    key = KEYS[part.table]
    named = {name: value for name, value in part.keys if name in key}
    where = " and ".join(f"{name} = ?" for name in named)
    return database.table("part_rows", *named.values(), table=part.table, part=where, key=", ".join(key))


def shape_of(database: Database, table: str) -> TableShape:
    """Of a table that parts are of."""
    columns = database.rows("column_kinds", table)
    nothing = database.table("part_rows", table=table, part="false", key=", ".join(KEYS[table]))
    return TableShape(
        nothing.schema,
        frozenset(name for name, _, optional in columns if not optional),
        frozenset(name for name, kind, _ in columns if kind == "JSON"),
    )
