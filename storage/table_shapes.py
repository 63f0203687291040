"""What the rows of each table are like, for whoever reads rows that nobody vouches for."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from storage.database import Database
from storage.keys import KEYS


@dataclass(frozen=True)
class TableShape:
    """A table's columns with their types; which of them are never NULL, and which hold JSON."""

    schema: pa.Schema
    required: frozenset[str]
    json: frozenset[str]


def shape_of(table: str) -> TableShape:
    """Of a table in `storage.keys`."""
    return _shapes()[table]


@cache
def _shapes() -> dict[str, TableShape]:
    """Those of a database that has just been made."""
    with TemporaryDirectory() as folder:
        database = Database(Path(folder) / "empty.duckdb")
        with database.write():
            return {table: _shape(database, table) for table in KEYS if not table.startswith("schema_")}


def _shape(database: Database, table: str) -> TableShape:
    columns = database.rows("column_kinds", table)
    nothing = database.table("part_rows", table=table, part="false", key=", ".join(KEYS[table]))
    return TableShape(
        nothing.schema,
        frozenset(name for name, _, optional in columns if not optional),
        frozenset(name for name, kind, _ in columns if kind == "JSON"),
    )
