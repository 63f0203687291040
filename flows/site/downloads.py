"""A table of the site as files: CSV, JSON and Parquet, the same bytes for the same rows."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet

from flows.tables import in_spreadsheet, plain
from newwiki.visible import in_json

TEXT, WHOLE, REAL, MOMENT, DAY = pa.string(), pa.int64(), pa.float64(), pa.timestamp("us", "UTC"), pa.date32()

Columns = Mapping[str, pa.DataType]


def table_of(columns: Columns, records: Iterable[Mapping[str, Any]]) -> pa.Table:
    """The records under these columns; what they have besides is left out."""
    return pa.Table.from_pylist(
        [{name: one[name] for name in columns} for one in records], pa.schema([*columns.items()])
    )


def _csv(table: pa.Table) -> bytes:
    """For people: in columns of text, no cell is a formula of a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.column_names)
    writer.writerows(map(in_spreadsheet, row.values()) for row in table.to_pylist())
    return text.getvalue().encode()


def _json(table: pa.Table) -> bytes:
    """A list of objects, each on a line of its own."""
    rows = [in_json(json.dumps(row, default=plain, ensure_ascii=False)) for row in table.to_pylist()]
    return ("[\n" + ",\n".join(rows) + "\n]\n" if rows else "[]\n").encode()


def _parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue()


FORMS: dict[str, Callable[[pa.Table], bytes]] = {"csv": _csv, "json": _json, "parquet": _parquet}


def write(path: Path, table: pa.Table) -> list[Path]:
    """Writes the table in each form, as `path` with its ending; gives the files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    files = []
    for form, made in FORMS.items():
        files.append(path.with_name(f"{path.name}.{form}"))
        files[-1].write_bytes(made(table))
    return files
