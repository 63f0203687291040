"""The rooms and the arrows between them: newwiki <- evaluators, storage <- flows."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.cli import cli

ROOT = Path(__file__).parents[1]
ROOMS = {
    "newwiki": set[str](),
    "evaluators": {"newwiki"},
    "storage": {"newwiki"},
    "flows": {"newwiki", "evaluators", "storage"},
}
HEAVY = (
    "torch",
    "transformers",
    "spacy",
    "prefect",
    "sentence_transformers",
    "duckdb",
    "pyarrow",
    "mwxml",
    "mwparserfromhell",
)


def imported(file: Path) -> Iterator[str]:
    """The packages that a file imports anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively"
            yield str(node.module).split(".")[0]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_lies_below_it(room: str) -> None:
    files = sorted((ROOT / room).rglob("*.py"))
    assert files
    for file in files:
        allowed = ROOMS[room] | {room}
        if file == ROOT / "newwiki" / "__init__.py":
            allowed = allowed | {"flows"}  # the command line, handed on when it is asked for
        assert set(imported(file)) & set(ROOMS) <= allowed, file


def loaded_by(statement: str) -> set[str]:
    program = f"import sys; {statement}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    answer = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(answer.stdout.splitlines()[-1].split())


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["--help", "refresh --help", "snapshots export --help", "evaluate --help"])
def test_the_command_line_loads_nothing_heavy_before_a_command_needs_it(asked: str) -> None:
    statement = f"from flows.cli import cli; cli.main({asked.split()}, standalone_mode=False)"
    assert loaded_by(statement) & set(HEAVY) == set()


def test_every_file_of_a_command_is_that_command() -> None:
    files = {file.stem for file in (ROOT / "flows" / "commands").glob("*.py")} - {"__init__"}
    assert {name.replace("-", "_") for name in cli.commands} == files


@pytest.mark.slow
def test_the_package_itself_loads_no_other_room() -> None:
    assert loaded_by("import newwiki") & (set(HEAVY) | set(ROOMS)) == {"newwiki"}
