"""Write the rows of a table as JSON lines, and read untrusted lines back with checks of columns, types and bounds.

The first line names the columns, and each other line is a row, in the order of the table's key. The format is JSON, not
Parquet, because a small Parquet file can hold any number of rows.
"""

import itertools
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Annotated, Any

import pyarrow as pa
import pydantic
from typing_extensions import TypedDict

from newwiki.errors import TerminalError
from newwiki.foreign_json import first_fault, read_json
from storage.table_shapes import TableShape

_WHOLE = Annotated[int, pydantic.Field(ge=-(2**63), lt=2**63)]
_REAL = Annotated[float, pydantic.Field(allow_inf_nan=False)]
_STRICT = pydantic.ConfigDict(strict=True)
_ROWS = 10_000  # number of rows held as Python values before they become columns
_LONGEST_LINE = 8_000_000  # maximum length in bytes; a wiki page has at most 2 MB


def written(rows: pa.Table) -> bytes:
    """Return the rows as JSON lines. Raises ValueError for NaN and infinities, which JSON cannot express."""
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
    """Read the rows with the columns of the table. A column that an older version did not have is NULL.

    Raises ValueError with the problem and the line number.
    """
    if not content.endswith(b"\n"):
        raise ValueError("it does not end with a line")
    lines = _lines_of(content)
    names = _columns(next(lines), shape)
    kinds = tuple(_cell(shape, name) for name in names)
    row = pydantic.TypeAdapter(tuple[kinds], config=_STRICT)  # type: ignore[valid-type]
    documents = [(place, name) for place, name in enumerate(names) if name in shape.json]
    batches: list[pa.RecordBatch] = []
    rows: list[tuple[Any, ...]] = []
    for number, line in enumerate(lines, start=2):
        try:
            rows.append(values := row.validate_json(line))
        except pydantic.ValidationError as error:
            raise ValueError(f"line {number}: {_in_column(error, names)}") from None
        for place, name in documents:
            if values[place] is not None:
                _require_json(values[place], f"line {number}: {name}")
        if len(rows) == _ROWS:
            batches.append(_batch(rows, names, shape.schema))
            rows = []
    return pa.Table.from_batches([*batches, _batch(rows, names, shape.schema)])


def _lines_of(content: bytes) -> Iterator[bytes]:
    """Yield one line at a time.

    A list of all lines would take many times the memory if the content is mostly line ends.
    """
    start = 0
    for number in itertools.count(1):
        if start == len(content):
            return
        end = content.index(b"\n", start)
        if end - start > _LONGEST_LINE:
            raise ValueError(f"line {number}: it is {end - start:,} bytes long, and at most {_LONGEST_LINE:,} are read")
        yield content[start:end]
        start = end + 1


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


def _batch(rows: Sequence[tuple[Any, ...]], names: Sequence[str], schema: pa.Schema) -> pa.RecordBatch:
    places = {name: place for place, name in enumerate(names)}
    columns = [
        pa.array([row[places[field.name]] for row in rows], type=field.type)
        if field.name in places
        else pa.nulls(len(rows), field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _kind(kind: pa.DataType) -> Any:
    """Return the type of JSON values for an Arrow type."""
    if pa.types.is_list(kind):
        return list[_kind(kind.value_type)]  # type: ignore[misc]
    if pa.types.is_struct(kind):
        fields = TypedDict("fields", {field.name: _kind(field.type) for field in kind})  # type: ignore[misc]
        return pydantic.with_config(strict=True, extra="forbid")(fields)
    python_types = {pa.string(): str, pa.int64(): _WHOLE, pa.float64(): _REAL, pa.bool_(): bool, pa.date32(): date}
    return pydantic.AwareDatetime if pa.types.is_timestamp(kind) else python_types[kind]


def _in_column(error: pydantic.ValidationError, names: Sequence[str]) -> str:
    [fault, *_] = error.errors(include_url=False, include_input=False, include_context=False)
    column = next((names[place] for place in fault["loc"][:1] if isinstance(place, int) and place < len(names)), "")
    return f"{column}: {fault['msg']}" if column else str(fault["msg"])
