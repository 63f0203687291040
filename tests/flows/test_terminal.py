"""Escape sequences in titles, names and servers' texts never reach a terminal."""

import ast
import io
import json
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from flows import cli
from flows.presenting import tables
from flows.printing import allow_any_encoding
from flows.progress import Console

_FLOWS = Path(cli.__file__).parent
_HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m"
_RAW = ("\x1b", "\x07", "\x9b", "\u202e")


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("form", tables.FORMATS)
def test_a_table_shows_them_as_text(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setenv("TERM", "dumb")
    tables.show([f"title{_HOSTILE}"], [[f"page{_HOSTILE}"]], form, title=f"heading{_HOSTILE}")
    assert "u001b" in screen.getvalue()
    assert not [one for one in _RAW if one in screen.getvalue()]


def test_a_program_gets_the_text_itself(capsys: pytest.CaptureFixture[str]) -> None:
    tables.show(["title"], [[_HOSTILE]], "csv")
    assert _HOSTILE in capsys.readouterr().out


def test_progress_and_notes_show_them_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console()
    with console.stretch(f"reading {_HOSTILE}", "pages") as bar:
        bar.update(1, 2, _HOSTILE)
    console.note(f"the wiki says {_HOSTILE}")
    said = capsys.readouterr().err
    assert said.count("u001b") == 6
    assert not [one for one in _RAW if one in said]


def test_an_error_shows_them_as_text(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["newwiki", "leaderboard", "--db", f"no{_HOSTILE}.duckdb"])
    assert cli.main() == 1
    said = capsys.readouterr().err
    assert "u001b" in said
    assert not [one for one in _RAW if one in said]


# Who may name stdout or stderr besides `flows.printing`, and what for
_STREAMS = {
    "cli.py": "the end of the process flushes them, and a closed pipe is replaced",
    "commands/sql.py": "Parquet is refused where stdout is a terminal",
    "schedule/serve.py": "Prefect's server writes its log there",
}
_CONSOLES = {"progress.py", "presenting/tables.py"}  # of rich: bars, and tables, whose lines are made visible before


@cache
def _calls() -> list[tuple[str, ast.AST, str]]:
    return [*_found_calls()]


def _found_calls() -> Iterator[tuple[str, ast.AST, str]]:
    for file in sorted(_FLOWS.rglob("*.py")):
        name = file.relative_to(_FLOWS).as_posix()
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call | ast.Attribute | ast.ImportFrom):
                yield name, node, ast.unparse(node.func if isinstance(node, ast.Call) else node)


def test_nothing_is_printed_but_by_the_one_function() -> None:
    printed = {"print", "pprint", "click.echo", "click.secho", "click.style", "traceback.print_exc", "warnings.warn"}
    streams = {"sys.stdout", "sys.stderr", "sys.__stdout__", "sys.__stderr__"}
    found = {name for name, _, words in _calls() if words in printed}
    assert found == {"printing.py"}
    assert {name for name, _, words in _calls() if words in streams} == {"printing.py", *_STREAMS}
    assert {name for name, _, words in _calls() if words.startswith("from rich.console import Console")} == _CONSOLES


def test_templates_are_rendered_by_the_one_environment() -> None:
    made = {
        name
        for name, node, words in _calls()
        if isinstance(node, ast.Call) and words.rpartition(".")[2] in ("Environment", "Template", "from_string")
    }
    assert made == {"templates.py"}


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
@pytest.mark.parametrize("form", tables.FORMATS)
def test_a_stream_without_a_character_gets_its_number(
    monkeypatch: pytest.MonkeyPatch, encoding: str, form: str
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    allow_any_encoding()
    tables.show(["name"], [["Grünau 東京"]], form)
    sys.stdout.flush()
    text = written.getvalue().decode(encoding)
    assert "u6771" in text
    if form == "json":
        assert json.loads(text) == [{"name": "Grünau 東京"}]
