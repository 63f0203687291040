"""Write the rows of a query to a file in batches, as Parquet or as JSON lines."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from operator import methodcaller
from pathlib import Path
from typing import Literal

import pyarrow as pa

from newwiki.visible import in_json
from storage.database import Database
from storage.folders import whole
from storage.public_rows import public_rows
from storage.queries import query

RowsForm = Literal["parquet", "jsonl"]

_BATCH = 50_000  # maximum number of rows in memory

Write = Callable[[pa.RecordBatch], None]


def write_rows(
    database: Database, name: str, each: Sequence[Sequence[object]], path: Path, form: RowsForm = "parquet"
) -> pa.Schema:
    """Write the rows of the named query for each list of parameters (at least one), in their order.

    Returns the columns with their types. The database is open for one list of parameters at a time, so that other
    processes can write to it in between.
    """
    with whole(path) as part, ExitStack() as opened:
        write: Write | None = None
        for parameters in each:
            with database.read() as connection:
                reader = connection.sql(query(name), params=list(parameters)).to_arrow_reader(_BATCH)
                write = write or opened.enter_context(_WRITERS[form](part, reader.schema))
                for batch in reader:
                    write(public_rows(batch))
    return reader.schema


@contextmanager
def _parquet(path: Path, schema: pa.Schema) -> Iterator[Write]:
    import pyarrow.parquet as parquet

    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        yield writer.write_batch


@contextmanager
def _json_lines(path: Path, schema: pa.Schema) -> Iterator[Write]:
    with path.open("w", encoding="utf-8", newline="\n") as file:

        def write(batch: pa.RecordBatch) -> None:
            for row in batch.to_pylist():
                line = json.dumps(row, default=methodcaller("isoformat"), ensure_ascii=False)
                file.write(f"{in_json(line)}\n")

        yield write


_WRITERS: dict[RowsForm, Callable[[Path, pa.Schema], AbstractContextManager[Write]]] = {
    "parquet": _parquet,
    "jsonl": _json_lines,
}
