"""Statements asked one after the other, and each answer written to stdout as it comes: no result is held whole."""

import sys
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, BinaryIO

import duckdb
import pyarrow as pa

from flows import tables
from flows.progress import Progress
from newwiki.errors import UsageError
from storage.statements import refused, split

FORMATS = (*tables.FORMATS, "parquet")
_ROWS = 10_000  # at a time
_SHOWN = 1000  # rows of a table for people


def answer(
    connection: duckdb.DuckDBPyConnection, sql: str, form: str, progress: Progress, *, writing: bool = False
) -> None:
    """Asks all of `sql`, and writes the answers in one of `FORMATS`.

    Raises UsageError for no statement, or several where the format holds one result; TerminalError for what is refused.
    """
    statements = split(connection, sql, writing=writing)
    if not statements:
        raise UsageError('there is no query; write one: newwiki sql "select * from leaderboard"')
    if form == "parquet" and len(statements) > 1:
        raise UsageError("a Parquet file holds the result of one query; ask them one by one")
    for number, statement in enumerate(statements):
        try:
            asked = connection.sql(statement)
            if asked is None:
                continue
            if number and form != "json":
                print()
            _write(asked.to_arrow_reader(_ROWS), form, progress)
        except duckdb.Error as error:
            raise refused(error) from None


def _write(reader: pa.RecordBatchReader, form: str, progress: Progress) -> None:
    if form == "parquet":
        _parquet(reader, sys.stdout.buffer)
        return
    columns, rows = reader.schema.names, _rows(reader)
    if form == "table":
        shown = [row for _, row in zip(range(_SHOWN), rows, strict=False)]
        tables.show(columns, shown, form)
        if next(rows, None) is not None:
            progress.note(f"these are the first {_SHOWN:,} rows; --format csv, json or parquet has all of them")
    else:
        tables.show(columns, rows, form)


def _parquet(reader: pa.RecordBatchReader, out: BinaryIO) -> None:
    from pyarrow.parquet import ParquetWriter

    try:
        writer = ParquetWriter(out, reader.schema)
    except pa.ArrowNotImplementedError as error:
        raise UsageError(f"a column has a type that Parquet has not; cast it in the query: {error}") from None
    with writer:
        for batch in reader:
            writer.write_batch(batch)


def _rows(reader: pa.RecordBatchReader) -> Iterator[tuple[Any, ...]]:
    intervals = [pa.types.is_interval(kind) for kind in reader.schema.types]
    for batch in reader:
        columns = [column.to_pylist(maps_as_pydicts="lossy") for column in batch.columns]
        for place in (place for place, is_interval in enumerate(intervals) if is_interval):
            columns[place] = [_interval(cell) for cell in columns[place]]
        yield from zip(*columns, strict=True)


def _interval(cell: Any) -> timedelta | str | None:
    """A length of time; one with months has no fixed length, and is told in words."""
    if cell is None:
        return None
    rest = timedelta(days=cell.days, microseconds=cell.nanoseconds // 1000)
    return f"{cell.months} months {rest}" if cell.months else rest
