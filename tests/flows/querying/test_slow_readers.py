"""Whoever takes long over an answer keeps nobody from the database."""

import ast
import io
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.database import Database
from tests.flows.conftest import command, environment

pytestmark = pytest.mark.slow

_FLOWS = Path(__file__).parents[3] / "flows"
_HOLDING = {"read", "write", "fenced", "beside"}
_TELLING = {"print", "echo", "show", "tell", "markdown", "render", "write_text", "writelines", "send", "note"}
_ROWS = 60_000  # most of a megabyte, where a pipe takes 64 kB


@pytest.mark.parametrize("asked", [(), ("--write", "mine.duckdb")], ids=["sql", "sql --write"])
def test_a_writer_gets_in_while_nobody_has_read_the_answer(database: Path, tmp_path: Path, asked: tuple[str]) -> None:
    query = f"select range, 'word' from range({_ROWS})"  # noqa: S608
    words = command("sql", query, "--db", database, "--format", "csv", *asked)
    pager = subprocess.Popen(words, stdout=subprocess.PIPE, env=environment(), cwd=tmp_path)
    assert pager.stdout
    first = pager.stdout.read(1)  # the answer has begun, and the pipe is full
    begun = time.monotonic()
    with Database(database).write() as connection:
        connection.execute("create table written (a bigint)")
        connection.execute("drop table written")
    assert time.monotonic() - begun < 10
    assert pager.poll() is None, "it has all been taken: the answer is too small to tell"
    assert (first + pager.stdout.read()).count(b"\n") == _ROWS + 1
    assert pager.wait() == 0


def test_a_large_answer_stands_in_a_file_and_not_in_memory(
    database: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from flows.progress import Silent
    from flows.querying import statements as answers

    monkeypatch.setattr(answers, "_IN_MEMORY", 1000)
    kept: list[answers.Kept] = []
    with Database(database).fenced() as connection:
        answers.ask(connection, "from range(100000); select 'b' as b", "csv", kept)
    assert not isinstance(kept[0]._file._file, io.BytesIO)
    assert isinstance(kept[1]._file._file, io.BytesIO)
    answers.tell(kept, "csv", Silent())
    assert capsys.readouterr().out.endswith("99999\n\nb\nb\n")


def calls_while_held(tree: ast.AST) -> Iterator[str]:
    """What is called inside `with ….read()` and its like that tells somebody something."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.With):
            continue
        opened = [one.func.attr for item in node.items for one in ast.walk(item.context_expr)
                  if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)]  # fmt: skip
        if _HOLDING & set(opened):
            for inner in (one for statement in node.body for one in ast.walk(statement)):
                if isinstance(inner, ast.Call):
                    name = inner.func.attr if isinstance(inner.func, ast.Attribute) else getattr(inner.func, "id", "")
                    if name in _TELLING:
                        yield f"line {inner.lineno}: {name}"


def test_nothing_is_told_while_the_database_is_open() -> None:
    found = {
        str(file): told
        for file in sorted(_FLOWS.rglob("*.py"))
        if (told := list(calls_while_held(ast.parse(file.read_text("utf-8")))))
    }
    assert found == {}
    held = "with database.read() as connection:\n    tables.show(columns, connection.fetchall(), form)"
    assert list(calls_while_held(ast.parse(held))) == ["line 2: show"]
