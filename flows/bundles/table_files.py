"""Rows of a table as lines of JSON, and lines that nobody vouches for as rows of that table: columns, types and bounds.

The first line names the columns, each other one is a row in the order of its table's key. JSON and not Parquet, as a
small file of the latter may hold any number of rows.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any

import pyarrow as pa
import pydantic
from typing_extensions import TypedDict

from newwiki.errors import TerminalError
from newwiki.foreign_json import read_json
from storage.table_shapes import TableShape

_WHOLE = Annotated[int, pydantic.Field(ge=-(2**63), lt=2**63)]
_REAL = Annotated[float, pydantic.Field(allow_inf_nan=False)]
_STRICT = pydantic.ConfigDict(strict=True)


def written(rows: pa.Table) -> bytes:
    """Raises ValueError for a number that JSON has not."""
    return b"".join(_lines(rows))


def _lines(rows: pa.Table) -> Iterator[bytes]:
    yield _line(rows.column_names)
    for batch in rows.to_batches(max_chunksize=10_000):
        for row in batch.to_pylist():
            yield _line([*row.values()])


def _line(values: Sequence[Any]) -> bytes:
    text = json.dumps(values, default=_plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return f"{text}\n".encode()


def _plain(value: date) -> str:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value.isoformat()


def read(content: bytes, shape: TableShape) -> pa.Table:
    """The rows with the columns of the table; a column that an older version had not yet is NULL.

    Raises ValueError with what is wrong, and in which line.
    """
    head, *lines = content.split(b"\n")
    if not lines or lines.pop():
        raise ValueError("it does not end with a line")
    names = _columns(head, shape)
    kinds = tuple(_cell(shape, name) for name in names)
    row = pydantic.TypeAdapter(tuple[kinds], config=_STRICT)  # type: ignore[valid-type]
    documents = [(place, name) for place, name in enumerate(names) if name in shape.json]
    rows = []
    for number, line in enumerate(lines, start=2):
        try:
            rows.append(values := row.validate_json(line))
        except pydantic.ValidationError as error:
            raise ValueError(f"line {number}: {_in_column(error, names)}") from None
        for place, name in documents:
            if values[place] is not None:
                _require_json(values[place], f"line {number}: {name}")
    return _table(rows, names, shape.schema)


def _columns(head: bytes, shape: TableShape) -> list[str]:
    try:
        names = pydantic.TypeAdapter(list[str], config=_STRICT).validate_json(head)
    except pydantic.ValidationError as error:
        raise ValueError(f"line 1: {first_fault(error)}") from None
    if unknown := sorted(set(names) - set(shape.schema.names)):
        raise ValueError(
            f"it has a column '{unknown[0][:60]}', which is unknown here; upgrade newwiki-eval if a newer one wrote it"
        )
    if missing := sorted(shape.required - set(names)):
        raise ValueError(f"it has no column '{missing[0]}'")
    if len(set(names)) < len(names):
        raise ValueError("it names a column twice")
    return names


def _cell(shape: TableShape, name: str) -> Any:
    kind = _kind(shape.schema.field(name).type)
    return kind if name in shape.required else kind | None


def _require_json(text: str, where: str) -> None:
    try:
        read_json(text, where)
    except TerminalError as error:
        raise ValueError(str(error)) from None


def _table(rows: Sequence[tuple[Any, ...]], names: Sequence[str], schema: pa.Schema) -> pa.Table:
    places = {name: place for place, name in enumerate(names)}
    columns = [
        pa.array([row[places[field.name]] for row in rows], type=field.type)
        if field.name in places
        else pa.nulls(len(rows), field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _kind(kind: pa.DataType) -> Any:
    """What stands in JSON for a value of an Arrow type."""
    if pa.types.is_list(kind):
        return list[_kind(kind.value_type)]  # type: ignore[misc]
    if pa.types.is_struct(kind):
        fields = TypedDict("fields", {field.name: _kind(field.type) for field in kind})  # type: ignore[misc]
        return pydantic.with_config(strict=True, extra="forbid")(fields)
    found = {pa.string(): str, pa.int64(): _WHOLE, pa.float64(): _REAL, pa.bool_(): bool, pa.date32(): date}
    return pydantic.AwareDatetime if pa.types.is_timestamp(kind) else found[kind]


def first_fault(error: pydantic.ValidationError) -> str:
    """The first of what is wrong, in pydantic's words, and where."""
    [fault, *_] = error.errors(include_url=False, include_input=False, include_context=False)
    place = ".".join(map(str, fault["loc"]))
    return f"{place}: {fault['msg']}" if place else str(fault["msg"])


def _in_column(error: pydantic.ValidationError, names: Sequence[str]) -> str:
    [fault, *_] = error.errors(include_url=False, include_input=False, include_context=False)
    column = next((names[place] for place in fault["loc"][:1] if isinstance(place, int) and place < len(names)), "")
    return f"{column}: {fault['msg']}" if column else str(fault["msg"])
