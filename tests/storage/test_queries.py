"""Queries stand under their names in files by topic, and none is asked for that is not there."""

import ast
import re
from functools import cache
from pathlib import Path

import duckdb
import pytest

from storage.queries import first_row, query, records, sections

ROOT = Path(__file__).parents[2]
# What takes a query's name, and as which of its arguments.
_ASKING = {"query": 0, "rows": 0, "table": 0, "records": 1, "write_rows": 1, "show_query": 1, "names": 1}


@cache
def asked() -> list[tuple[str, str]]:
    """Where a query is asked, and a pattern of its name: a name that is put together is one of several."""
    return [
        (f"{file.relative_to(ROOT)}:{node.lineno}", pattern)
        for room in ("storage", "flows")
        for file in sorted((ROOT / room).rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and (pattern := _name(node))
    ]


def _name(call: ast.Call) -> str | None:
    function = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    place = _ASKING.get(function, len(call.args))
    name = call.args[place] if place < len(call.args) else None
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        return name.value
    if isinstance(name, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else r"\w+" for part in name.values)
    return None


@cache
def named() -> list[str]:
    files = sorted((ROOT / "storage" / "sql" / "queries").glob("*.sql"))
    return [name for file in files for name in re.findall(r"^-- name: (.*)$", file.read_text("utf-8"), re.MULTILINE)]


def test_every_query_has_a_name_of_its_own() -> None:
    assert len(named()) > 80
    assert sorted(named()) == sorted(set(named()))
    with pytest.raises(ValueError, match="several queries have the name b"):
        sections("-- name: a\nselect 1;\n\n-- name: b\nselect 2;\n-- name: b\nselect 3;\n")


def test_every_name_that_is_asked_for_is_there() -> None:
    patterns = asked()
    assert len(patterns) > 80
    assert [one for one in patterns if not any(re.fullmatch(one[1], name) for name in named())] == []


def test_every_query_is_asked_for() -> None:
    patterns = {pattern for _, pattern in asked()}
    assert [name for name in named() if not any(re.fullmatch(pattern, name) for pattern in patterns)] == []


def test_a_section_is_what_stands_under_its_name() -> None:
    text = "-- About the file.\n\n-- name: one\n-- What it gives.\nselect 1;\n\n-- name: other\nselect '-- name: no';\n"
    assert sections(text) == {"one": "-- What it gives.\nselect 1;\n", "other": "select '-- name: no';\n"}


def test_what_a_query_leaves_open_is_put_in() -> None:
    text = query("part_rows", table="runs", part="run_id = ?", key="run_id")
    assert text.endswith("\nselect * from runs where run_id = ? order by run_id;\n")


def test_a_record_has_its_fields_from_the_columns_of_their_names() -> None:
    answer = duckdb.execute("select 2 as b, 1 as a")
    assert records(dict, answer) == [{"a": 1, "b": 2}]
    with pytest.raises(TypeError, match="'c'"):
        records(lambda *, a, b: (a, b), duckdb.execute("select 1 as a, 2 as c"))


def test_no_record_is_filled_by_the_places_of_a_row() -> None:
    """`Run(*row)` goes wrong in silence where a column is added; `records` goes by names."""
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for room in ("newwiki/snapshot.py", "newwiki/records.py", "newwiki/manifest.py", "storage", "flows")
        for file in ([ROOT / room] if room.endswith(".py") else sorted((ROOT / room).rglob("*.py")))
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id[0].isupper()
        for one in node.args
        if isinstance(one, ast.Starred) and isinstance(one.value, ast.Name | ast.Subscript)
        if len(node.args) == 1
    ]
    assert found == []


def test_the_first_row_leaves_nothing_of_the_answer_unread() -> None:
    with duckdb.connect() as connection:
        assert first_row(connection.execute("from range(1_000_000)")) == (0,)
        assert connection.fetchall() == []
        assert first_row(connection.execute("from range(0)")) is None


def test_no_answer_is_left_half_read() -> None:
    """`first_row` reads all of one: what `fetchone` leaves unread takes the connection."""
    rooms = ("newwiki", "evaluators", "storage", "flows")
    files = [file for room in rooms for file in (ROOT / room).rglob("*.py")]
    assert len(files) > 300
    assert [str(file.relative_to(ROOT)) for file in files if ".fetchone(" in file.read_text("utf-8")] == []
