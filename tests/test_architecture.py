"""The rooms and the arrows between them: newwiki <- evaluators, storage <- flows."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from flows.cli import ALIASES, cli

ROOT = Path(__file__).parents[1]
ROOMS = {
    "newwiki": set[str](),
    "evaluators": {"newwiki"},
    "storage": {"newwiki"},
    "flows": {"newwiki", "evaluators", "storage"},
}
# What commands and Python functions are made of, in flows/
FACES = (
    "flows.commands",
    "flows.api",
    "flows.cli",
    "flows.jobs",
    "flows.options",
    "flows.catalogue",
    "flows.references",
)
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
    "textstat",
    "nltk",
)
# What the product is built on, by its owner's word: each a dependency that every installation has, and at work in it.
BUILT_ON = (
    "requests",
    "mwparserfromhell",
    "spacy",
    "textstat",
    "sentence-transformers",
    "torch",
    "transformers",
    "prefect",
    "duckdb",
)


@cache
def imports(text: str) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]


def imported(file: Path) -> Iterator[tuple[str, str]]:
    """What a file imports anywhere in it, as (module, name in it): the name is empty where it is the module itself."""
    for node in imports(file.read_text()):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        else:
            assert node.level == 0, f"{file} imports relatively"
            yield from ((str(node.module), alias.name) for alias in node.names)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_lies_below_it(room: str) -> None:
    files = sorted((ROOT / room).rglob("*.py"))
    assert files
    for file in files:
        allowed = ROOMS[room] | {room}
        if file == ROOT / "newwiki" / "__init__.py":
            allowed = allowed | {"flows"}  # the command line, handed on when it is asked for
        assert {module.split(".")[0] for module, _ in imported(file)} & set(ROOMS) <= allowed, file


def circle(root: Path) -> list[str]:
    """Modules of the rooms of which each imports the next, and the last is the first; empty where there are none.

    An import counts wherever it stands: one within a function spares time, and one for type checkers spares both, but
    for who reads the one file to understand the other they are arrows like those at the top. The one that does not
    count is from `newwiki/__init__.py` to `flows`, which it hands on.
    """
    files = [file.relative_to(root) for room in ROOMS for file in (root / room).rglob("*.py")]
    modules = {".".join(file.with_suffix("").parts).removesuffix(".__init__"): root / file for file in files}
    arrows = {
        name: {
            inner if (inner := f"{module}.{part}") in modules else module
            for module, part in imported(file)
            if (name, module.split(".")[0]) != ("newwiki", "flows")
        }
        & modules.keys() - {name}
        for name, file in modules.items()
    }
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_no_import_leads_back_to_where_it_began() -> None:
    assert circle(ROOT) == []


@pytest.mark.parametrize(
    "back",
    [
        "from newwiki.errors import NewWikiError",
        "from newwiki import errors",
        "import newwiki.errors",
        "def late():\n    from newwiki.errors import NewWikiError",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from newwiki.errors import NewWikiError",
    ],
)
def test_a_circle_is_found_wherever_its_imports_stand(tmp_path: Path, back: str) -> None:
    (tmp_path / "newwiki").mkdir()
    (tmp_path / "newwiki" / "errors.py").write_text("from newwiki.records import Metric")
    (tmp_path / "newwiki" / "records.py").write_text("from newwiki.columns import PARTS")
    (tmp_path / "newwiki" / "columns.py").write_text("import os")
    assert circle(tmp_path) == []
    (tmp_path / "newwiki" / "columns.py").write_text(back)
    assert {"newwiki.errors", "newwiki.records", "newwiki.columns"} == set(circle(tmp_path))


def modules_imported(file: Path) -> set[str]:
    """With their packages, what a file imports anywhere in it; of `from a import b` both `a` and `a.b`."""
    found: set[str] = set()
    for node in imports(file.read_text()):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        else:
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


def test_a_step_does_not_import_the_report_or_the_site() -> None:
    """Who runs a job hands it what writes the report: a command, or the job's flow. A site is made of the report's
    parts."""
    shown = ("flows.report", "flows.site")
    for module, file in files_of_flows():
        if not is_in(module, *shown, *FACES) and not module.endswith(".flow"):
            assert {one for one in modules_imported(file) if is_in(one, *shown)} == set(), module
        if is_in(module, "flows.report"):
            assert {one for one in modules_imported(file) if is_in(one, "flows.site")} == set(), module


def test_presenting_knows_of_no_page_and_of_no_job_but_the_board_that_it_lays_out() -> None:
    folders = {file.parent.name for file in (ROOT / "flows").glob("*/__init__.py")}
    others = {f"flows.{name}" for name in folders - {"presenting", "comparing"}}
    files = [(module, file) for module, file in files_of_flows() if is_in(module, "flows.presenting")]
    assert {"flows.report", "flows.site", "flows.experiments"} < others
    assert len(files) > 3
    for module, file in files:
        assert {one for one in modules_imported(file) if is_in(one, *others, *FACES)} == set(), module


def test_workers_know_of_no_job() -> None:
    folders = {file.parent.name for file in (ROOT / "flows").glob("*/__init__.py")}
    jobs = {f"flows.{name}" for name in folders - {"api", "commands", "jobs", "report", "workers"}}
    assert {"flows.evaluating", "flows.training"} < jobs
    for module, file in files_of_flows():
        if is_in(module, "flows.workers"):
            assert {one for one in modules_imported(file) if is_in(one, "flows.report", *jobs)} == set(), module


@pytest.mark.parametrize("package", BUILT_ON)
def test_what_the_product_is_built_on_is_a_dependency_and_is_used(package: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {re.split(r"[^\w-]", requirement)[0] for requirement in project["dependencies"]}
    assert package in names
    files = [file for room in ROOMS for file in (ROOT / room).rglob("*.py")]
    assert any(is_in(one, package.replace("-", "_")) for file in files for one in modules_imported(file))
    assert f"\n{package}==" in (ROOT / "constraints.txt").read_text()


def loaded_by(statement: str) -> set[str]:
    program = f"import sys; {statement}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    answer = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(answer.stdout.splitlines()[-1].split())


@pytest.mark.slow
def test_the_command_line_loads_nothing_heavy_before_a_command_needs_it() -> None:
    """Whichever is asked, one after the other: what one loads stays loaded."""
    asked = [line.split() for line in ("--help", "refresh --help", "snapshots export --help", "evaluate --help")]
    statement = f"from flows.cli import cli; [cli.main(words, standalone_mode=False) for words in {asked}]"
    assert loaded_by(statement) & set(HEAVY) == set()


def test_every_file_of_a_command_is_that_command() -> None:
    files = {file.stem for file in (ROOT / "flows" / "commands").glob("*.py")} - {"__init__"}
    aliases = {name for name, words in ALIASES.items() if name not in files}
    assert {name.replace("-", "_") for name in cli.commands.keys() - aliases} == files


@pytest.mark.slow
def test_the_package_itself_loads_no_other_room() -> None:
    assert loaded_by("import newwiki") & (set(HEAVY) | set(ROOMS)) == {"newwiki"}
