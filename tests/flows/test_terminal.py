"""Escape sequences in titles, names and servers' texts never reach a terminal."""

import ast
import io
import sys
from pathlib import Path

import pytest

from flows import cli, tables
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


def test_whoever_prints_prints_what_is_visible() -> None:
    """A `print` or `click.echo` of anything but fixed words hands its text to `visible` first."""
    unguarded = []
    for file in sorted(_FLOWS.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "click.echo", "click.secho"):
                unguarded += [f"{file.name}:{node.lineno}" for text in node.args if not _is_guarded(text)]
    assert unguarded == []


def _is_guarded(text: ast.expr) -> bool:
    return (isinstance(text, ast.Constant | ast.Name) and ast.unparse(text).isupper()) or (
        isinstance(text, ast.Constant) or (isinstance(text, ast.Call) and ast.unparse(text.func) == "visible")
    )
