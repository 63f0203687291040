"""Remove the paths and addresses of this machine from rows before they leave it."""

import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

import pyarrow as pa

from newwiki.private_places import (
    private_in_id,
    public_decoder,
    public_described,
    public_name,
    public_parameters,
    public_versions,
)

Rows = TypeVar("Rows", pa.Table, pa.RecordBatch)

# By the name of a column, in any table.
_PUBLIC: Mapping[str, Callable[[str], str]] = {
    "model": lambda name: " + ".join(map(public_name, name.split(" + "))),  # an evaluator may have several models
    "judge_name": public_name,
    "served_by": public_name,
    "decoder": public_decoder,
    "decoder_short": public_decoder,
    "decoder_parameters": public_parameters,
    "versions": public_versions,
    "row": lambda text: _public_json(text),
}
_OF_EVALUATORS = {"parameters": public_described, "dependencies": public_described}


def public_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of any table without private paths and addresses."""
    functions = public_columns(row)
    return {name: value and functions[name](value) if name in functions else value for name, value in row.items()}


def public_rows(rows: Rows) -> Rows:
    """Return the rows without private paths and addresses, as `public_row` does."""
    functions = public_columns(rows.schema.names)
    columns = []
    for field in rows.schema:
        column = rows.column(field.name)
        if public := functions.get(field.name):
            column = pa.array([text and public(text) for text in column.to_pylist()], field.type)
        columns.append(column)
    return type(rows).from_arrays(columns, schema=rows.schema)


def _public_json(text: str) -> str:
    """Return a row that is stored as JSON without private paths.

    A row without private paths stays unchanged byte for byte.
    """
    row = json.loads(text)
    public = public_row(row)
    return text if public == row else json.dumps(public, ensure_ascii=False)


def public_columns(columns: Collection[str]) -> Mapping[str, Callable[[str], str]]:
    """Return the functions that make the text of a column public, for each column that may hold a private path.

    The column `parameters` of snapshots holds no private path, and must not change because the content hash depends on
    it.
    """
    functions = {**_PUBLIC, **_OF_EVALUATORS} if "evaluator_id" in columns else _PUBLIC
    return {name: function for name, function in functions.items() if name in columns}


def why_run_stays(row: Mapping[str, Any]) -> str | None:
    """Return why a run cannot leave this machine; None if it can.

    The id of such a run depends on a private path, so the run would have another id without the path.
    """
    private = private_in_id(*(row[name] for name in ("backend", "model", "decoder", "versions")))
    if private is None:
        return None
    remedy = (
        "score the file again with a --model and a --decoder that are no absolute paths"
        if row["backend"] == "file"
        else "evaluate again with a relative path, such as amateur=models/small"
    )
    return f"the id of run {row['run_id']} rests on the private path in '{private}'; {remedy}"


def why_evaluator_stays(row: Mapping[str, Any]) -> str | None:
    """Return why the scores of an evaluator cannot leave this machine; None if they can."""
    if public_row(row) == dict(row):
        return None
    return (
        f"the id of evaluator {row['evaluator_id']} ({row['name']}) rests on a private path; score, or judge, again "
        "with a model that is named by a relative path or a hub id"
    )
