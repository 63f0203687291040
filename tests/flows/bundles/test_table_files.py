"""Rows as lines of JSON: what comes back is what was written, and what is no row of the table is named."""

import json
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
import pytest

from flows.bundles import table_files
from storage.table_shapes import TableShape, shape_of

SHAPE = TableShape(
    pa.schema(
        {
            "name": pa.string(),
            "count": pa.int64(),
            "value": pa.float64(),
            "yes": pa.bool_(),
            "at": pa.timestamp("us", tz="UTC"),
            "day": pa.date32(),
            "words": pa.list_(pa.string()),
            "uses": pa.list_(pa.struct({"template": pa.string(), "uses": pa.int64()})),
            "asked": pa.string(),
        }
    ),
    required=frozenset({"name"}),
    json=frozenset({"asked"}),
)
ROW: dict[str, Any] = {
    "name": "a “b”\n\0\u2028",
    "count": 2**63 - 1,
    "value": 0.1 + 0.2,
    "yes": True,
    "at": datetime(2026, 9, 1, 12, 0, 0, 5, tzinfo=UTC),
    "day": date(2026, 9, 1),
    "words": ["a", "b"],
    "uses": [{"template": "t", "uses": 1}],
    "asked": '{"a": 1}',
}
PLAIN = {**ROW, "at": "2026-09-01T12:00:00.000005+00:00", "day": "2026-09-01"}


def content(*rows: dict[str, Any]) -> bytes:
    lines = [[*ROW], *([*row.values()] for row in rows)]
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def test_rows_come_back_as_they_were() -> None:
    rows = pa.Table.from_pylist([ROW, dict.fromkeys(ROW) | {"name": ""}], schema=SHAPE.schema)
    assert table_files.read(table_files.written(rows), SHAPE).equals(rows)
    nothing = SHAPE.schema.empty_table()
    assert table_files.read(table_files.written(nothing), SHAPE).equals(nothing)


def test_a_column_that_an_older_version_had_not_is_null() -> None:
    read = table_files.read(b'["name","count"]\n["a",1]\n', SHAPE)
    assert read.to_pylist() == [dict.fromkeys(ROW) | {"name": "a", "count": 1}]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"count": 1.5}, "line 2: count: Input should be a valid integer"),
        ({"count": "1"}, "line 2: count: Input should be a valid integer"),
        ({"count": True}, "line 2: count: Input should be a valid integer"),
        ({"count": 2**63}, "line 2: count: Input should be less than"),
        ({"count": 10**400}, "line 2: count"),
        ({"value": float("nan")}, "line 2: value: Input should be a finite number"),
        ({"value": float("inf")}, "line 2: value: Input should be a finite number"),
        ({"value": "0.5"}, "line 2: value: Input should be a valid number"),
        ({"name": None}, "line 2: name: Input should be a valid string"),
        ({"name": ["a"]}, "line 2: name: Input should be a valid string"),
        ({"name": "\ud800"}, "line 2"),
        ({"yes": 1}, "line 2: yes: Input should be a valid boolean"),
        ({"at": "2026-09-01T12:00:00"}, "line 2: at: Input should have timezone info"),
        ({"at": "tomorrow"}, "line 2: at: Input should be a valid datetime"),
        ({"day": "2026-13-01"}, "line 2: day: Input should be a valid date"),
        ({"words": "a"}, "line 2: words: Input should be a valid array"),
        ({"uses": [{"template": "t"}]}, "line 2: uses: Field required"),
        ({"uses": [{"template": "t", "uses": 1, "more": 1}]}, "line 2: uses: Extra inputs"),
        ({"asked": "{"}, "line 2: asked is not valid JSON"),
        ({"asked": "NaN"}, "line 2: asked is not valid JSON: NaN"),
        ({"asked": "[" * 100_000}, "line 2: asked is nested too deeply"),
        ({"asked": '{"a": 1, "a": 2}'}, "line 2: asked is not valid JSON: an object holds the key 'a' twice"),
    ],
)
def test_what_is_no_row_is_named_with_its_line_and_column(changes: dict[str, Any], expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        table_files.read(content(PLAIN | changes), SHAPE)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (b"", "does not end with a line"),
        (b'["name"]', "does not end with a line"),
        (b'["name"]\n["a"]', "does not end with a line"),
        (b"{}\n", "line 1"),
        (b'["name","name"]\n', "names a column twice"),
        (b'["count"]\n', "has no column 'name'"),
        (b'["name","x"]\n', "a column 'x', which is unknown here; upgrade"),
        (b'["name"]\n["a","b"]\n', "line 2: Tuple should have at most 1 item"),
        (b'["name"]\n["a"],["b"]\n', "line 2"),
        (b'["name"]\n\xff\n', "line 2"),
        (b'["name"]\n' + b"[" * 100_000 + b"\n", "line 2"),
    ],
)
def test_what_is_no_table_is_told(written: bytes, expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        table_files.read(written, SHAPE)


def test_the_tables_own_shapes_are_those_of_the_database() -> None:
    runs = shape_of("runs")
    assert {"versions", "protocol", "decoder_parameters", "prompt_sheet"} == runs.json
    assert "run_id" in runs.required and "seed" not in runs.required
    assert runs.schema.field("knowledge_cutoff").type == pa.date32()
