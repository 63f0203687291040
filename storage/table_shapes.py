"""Describe the columns of each table, and check rows from untrusted sources against this description."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import duckdb
import pyarrow as pa

from newwiki.errors import TerminalError
from newwiki.foreign_json import read_json
from storage.fences import MEMORY, connect
from storage.keys import KEYS
from storage.migrate import create_tables
from storage.queries import query


@dataclass(frozen=True)
class TableShape:
    """The columns of a table with their types, and which of them are never NULL or hold JSON."""

    schema: pa.Schema
    required: frozenset[str]
    json: frozenset[str]


def shape_of(table: str) -> TableShape:
    """Return the shape of a table in `storage.keys`."""
    return _shapes()[table]


def conforming(table: str, rows: pa.Table, keys: Mapping[str, str]) -> pa.Table:
    """Return the rows with the columns of their table, in its order. Columns that an older version lacked are NULL.

    Raises ValueError for:

    - a column that is unknown, missing, repeated or of another type
    - NULL in a required column, a number that is not finite, a text that is not Unicode, or invalid JSON
    - rows that do not have the values in `keys`, or a repeated row
    """
    shape = shape_of(table)
    columns = _columns(rows, shape)
    for name in shape.required:
        if columns[name].null_count:
            raise ValueError(f"a row has no {name}")
    for name, column in zip(columns.column_names, columns.columns, strict=True):
        _require_values(name, column, is_json=name in shape.json)
    for name, value in keys.items():
        if name in columns.column_names and columns[name].unique().to_pylist() not in ([], [value]):
            raise ValueError(f"it holds rows of another {name} than '{value}'")
    key = list(KEYS[table])
    if columns.select(key).group_by(key, use_threads=False).aggregate([]).num_rows < columns.num_rows:
        raise ValueError("it holds a row twice")
    return columns


def _columns(rows: pa.Table, shape: TableShape) -> pa.Table:
    names = rows.column_names
    if len(set(names)) < len(names):
        raise ValueError("it names a column twice")
    if unknown := sorted(set(names) - set(shape.schema.names)):
        raise ValueError(
            f"it has a column '{unknown[0][:60]}', which is unknown here; upgrade newwiki-eval if a newer one wrote it"
        )
    if missing := sorted(shape.required - set(names)):
        raise ValueError(f"it has no column '{missing[0]}'")
    columns = [
        _typed(rows[field.name], field) if field.name in names else pa.nulls(rows.num_rows, field.type)
        for field in shape.schema
    ]
    return pa.Table.from_arrays(columns, schema=shape.schema)


def _typed(column: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
    """Return the column with the type of its field.

    Raises ValueError if the types do not correspond, or if a value does not fit the type of the field.
    """
    kind = column.type
    same = (
        kind == field.type
        or pa.types.is_null(kind)
        or (pa.types.is_large_string(kind) and pa.types.is_string(field.type))
        or (pa.types.is_timestamp(kind) and kind.tz is not None and pa.types.is_timestamp(field.type))
        or (pa.types.is_nested(kind) and pa.types.is_nested(field.type))
    )
    if not same:
        raise ValueError(f"its column {field.name} holds {kind}, and not {field.type}")
    try:
        return column.cast(field.type)
    except pa.ArrowException as error:
        raise ValueError(f"its column {field.name} is not {field.type}: {str(error).splitlines()[0][:200]}") from None


def _require_values(name: str, column: pa.ChunkedArray, *, is_json: bool) -> None:
    try:
        column.validate(full=True)
        is_read = is_json or pa.types.is_nested(column.type) or pa.types.is_temporal(column.type)
        nested = column.to_pylist() if is_read else []
    except (pa.ArrowException, ValueError, OverflowError) as error:
        raise ValueError(f"its column {name} cannot be read: {str(error).splitlines()[0][:200]}") from None
    numbers = column.to_pylist() if pa.types.is_floating(column.type) else nested
    for value in nested if is_json else numbers:
        if is_json and value is not None:
            _require_json(name, value)
        elif any(isinstance(leaf, float) and not math.isfinite(leaf) for leaf in _leaves(value)):
            raise ValueError(f"its column {name} holds a number that is not finite")


def _require_json(name: str, text: str) -> None:
    try:
        read_json(text, f"its column {name}")
    except TerminalError as error:
        raise ValueError(str(error)) from None


def _leaves(value: object) -> Iterator[object]:
    """Yield the values inside nested lists and structures."""
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    else:
        yield value


@cache
def _shapes() -> dict[str, TableShape]:
    """Return the shapes of the tables of a new database."""
    with connect(MEMORY) as connection:
        connection.execute("set TimeZone = 'UTC'")
        create_tables(connection)
        return {table: _shape(connection, table) for table in KEYS if not table.startswith("schema_")}


def _shape(connection: duckdb.DuckDBPyConnection, table: str) -> TableShape:
    columns = connection.execute(query("column_kinds"), [table]).fetchall()
    rows = query("part_rows", table=table, part="false", key=", ".join(KEYS[table]))
    nothing = connection.sql(rows).to_arrow_table()
    return TableShape(
        nothing.schema,
        frozenset(name for name, _, optional in columns if not optional),
        frozenset(name for name, kind, _ in columns if kind == "JSON"),
    )
