"""Rows of runs as they leave the machine: without its paths and addresses."""

from typing import TypeVar

import pyarrow as pa

from newwiki.private_places import public_name, public_versions

Rows = TypeVar("Rows", pa.Table, pa.RecordBatch)

_PUBLIC = {"model": public_name, "versions": public_versions}


def public_runs(rows: Rows) -> Rows:
    """Return the rows with other values of `model` and `versions`, on whose paths no run's id rests. Rows of other
    tables, which do not have both columns, are returned as they are."""
    if not _PUBLIC.keys() <= set(rows.schema.names):
        return rows
    columns = []
    for field in rows.schema:
        column = rows.column(field.name)
        if public := _PUBLIC.get(field.name):
            column = pa.array([one and public(one) for one in column.to_pylist()], field.type)
        columns.append(column)
    return type(rows).from_arrays(columns, schema=rows.schema)
