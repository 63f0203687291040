"""Run statements in sequence, and keep their results until the database is closed and stdout can receive them.

The reader of stdout, such as a pager, may take an hour, and an open database would block all writers. Results stay in
memory up to a limit, and larger results go to an unnamed temporary file.
"""

from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import count
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO

import duckdb
import pyarrow as pa

from flows.presenting import tables
from flows.printing import machine_output, say
from flows.progress import Progress
from newwiki.errors import UsageError
from storage.allowed_statements import refused, split

FORMATS = (*tables.FORMATS, "parquet")
_ROWS = 10_000  # rows per batch
_SHOWN = 1000  # maximum rows of a table for people
_IN_MEMORY = 32 << 20  # maximum bytes of a result in memory


class Kept:
    """The result of a statement, of which the first `rows` rows were read."""

    def __init__(self, reader: pa.RecordBatchReader, most: int | None) -> None:
        """Read the result completely, or stop after at least `most` rows.

        Raises TerminalError if the statement fails.
        """
        self.schema = _distinct(reader.schema)
        self._file = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 (it is closed by `batches`)
        self.rows = 0
        with pa.ipc.new_stream(self._file, self.schema) as writer:
            for batch in _batches(reader, self.schema):
                writer.write_batch(batch)
                self.rows += batch.num_rows
                if most is not None and self.rows >= most:
                    break

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the batches. A result can be read only once."""
        with self._file:
            self._file.seek(0)
            yield from pa.ipc.open_stream(self._file)


def ask(
    connection: duckdb.DuckDBPyConnection, sql: str, form: str, answers: list[Kept], *, writing: bool = False
) -> None:
    """Run all statements of `sql`, and append their results to `answers`, including those before a failure.

    Raises UsageError without a statement, or for several statements in a format that holds one result. Raises
    TerminalError for a statement that DuckDB refuses.
    """
    statements = split(connection, sql, writing=writing)
    if not statements:
        raise UsageError('there is no query; write one: newwiki sql "select * from leaderboard"')
    if form == "parquet" and len(statements) > 1:
        raise UsageError("a Parquet file holds the result of one query; ask them one by one")
    for statement in statements:
        try:
            relation = connection.sql(statement)
            if relation is not None:
                answers.append(Kept(relation.to_arrow_reader(_ROWS), _SHOWN + 1 if form == "table" else None))
        except duckdb.Error as error:
            raise refused(error) from None


def tell(answers: Iterable[Kept], form: str, progress: Progress) -> None:
    """Write the results to stdout in one of `FORMATS`."""
    for number, result in enumerate(answers):
        if number and form != "json":
            say()
        _write(result, form, progress)


def _write(result: Kept, form: str, progress: Progress) -> None:
    schema = result.schema
    if form == "parquet":
        _parquet(schema, result.batches(), machine_output().buffer)
        return
    columns, rows = schema.names, _rows(schema, result.batches())
    if form == "table":
        shown = [row for _, row in zip(range(_SHOWN), rows, strict=False)]
        tables.show(columns, shown, form)
        if next(rows, None) is not None:
            progress.note(f"these are the first {_SHOWN:,} rows; --format csv, json or parquet has all of them")
    else:
        tables.show(columns, rows, form)


def _distinct(schema: pa.Schema) -> pa.Schema:
    """Rename repeated columns as DuckDB does: `a`, `a` become `a`, `a_1`."""
    names: list[str] = []
    for name in schema.names:
        numbered = (f"{name}_{number}" for number in count(1))
        names.append(
            name
            if name not in names
            else next(candidate for candidate in numbered if candidate not in schema.names + names)
        )
    return pa.schema([field.with_name(name) for field, name in zip(schema, names, strict=True)])


def _batches(reader: pa.RecordBatchReader, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the batches during the computation, which may still fail."""
    try:
        for batch in reader:
            yield batch.rename_columns(schema.names)
    except (OSError, pa.ArrowException) as error:
        raise refused(error) from None


def _parquet(schema: pa.Schema, batches: Iterator[pa.RecordBatch], out: BinaryIO) -> None:
    from pyarrow.parquet import ParquetWriter

    try:
        writer = ParquetWriter(out, schema)
    except pa.ArrowNotImplementedError as error:
        raise UsageError(f"a column has a type that Parquet has not; cast it in the query: {error}") from None
    with writer:
        for batch in batches:
            writer.write_batch(batch)


def _rows(schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[Any, ...]]:
    intervals = [pa.types.is_interval(kind) for kind in schema.types]
    for batch in batches:
        try:
            columns = [column.to_pylist(maps_as_pydicts="lossy") for column in batch.columns]
        except (ValueError, OverflowError) as error:
            raise UsageError(f"a column holds what Python has no value for ({error}); cast it: ::varchar") from None
        for place in (place for place, is_interval in enumerate(intervals) if is_interval):
            columns[place] = [_interval(cell) for cell in columns[place]]
        yield from zip(*columns, strict=True)


def _interval(cell: Any) -> timedelta | str | None:
    """Convert an interval to a duration. An interval with months has no fixed length and becomes text."""
    if cell is None:
        return None
    rest = timedelta(days=cell.days, microseconds=cell.nanoseconds // 1000)
    return f"{cell.months} months {rest}" if cell.months else rest
