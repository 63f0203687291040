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
# What commands and Python functions are made of, in flows/
FACES = ("flows.commands", "flows.api", "flows.cli", "flows.options", "flows.request_options")
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


def modules_imported(file: Path) -> set[str]:
    """With their packages, what a file imports anywhere in it; of `from a import b` both `a` and `a.b`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def is_in(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def files_of_flows() -> Iterator[tuple[str, Path]]:
    for file in sorted((ROOT / "flows").rglob("*.py")):
        yield ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"), file


def test_nothing_imports_a_face_but_a_face() -> None:
    """The commands, the API, and what makes a request's options or arguments."""
    below = [(module, file) for module, file in files_of_flows() if not is_in(module, *FACES)]
    assert len(below) > 50
    for module, file in below:
        assert {one for one in modules_imported(file) if is_in(one, *FACES)} == set(), module


def test_a_step_does_not_import_the_report() -> None:
    """Who runs a job hands it what writes the report: a command, or the job's flow."""
    for module, file in files_of_flows():
        if not is_in(module, "flows.report", *FACES) and not module.endswith(".flow"):
            assert {one for one in modules_imported(file) if is_in(one, "flows.report")} == set(), module


def test_workers_know_of_no_job() -> None:
    folders = {file.parent.name for file in (ROOT / "flows").glob("*/__init__.py")}
    jobs = {f"flows.{name}" for name in folders - {"api", "commands", "report", "workers"}}
    assert {"flows.evaluating", "flows.training"} < jobs
    for module, file in files_of_flows():
        if is_in(module, "flows.workers"):
            assert {one for one in modules_imported(file) if is_in(one, "flows.report", *jobs)} == set(), module


def loaded_by(statement: str) -> set[str]:
    program = f"import sys; {statement}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    answer = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(answer.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("asked", ["--help", "refresh --help", "snapshots export --help", "evaluate --help"])
def test_the_command_line_loads_nothing_heavy_before_a_command_needs_it(asked: str) -> None:
    statement = f"from flows.cli import cli; cli.main({asked.split()}, standalone_mode=False)"
    assert loaded_by(statement) & set(HEAVY) == set()


def test_every_file_of_a_command_is_that_command() -> None:
    files = {file.stem for file in (ROOT / "flows" / "commands").glob("*.py")} - {"__init__"}
    assert {name.replace("-", "_") for name in cli.commands} == files


def test_the_package_itself_loads_no_other_room() -> None:
    assert loaded_by("import newwiki") & (set(HEAVY) | set(ROOMS)) == {"newwiki"}
