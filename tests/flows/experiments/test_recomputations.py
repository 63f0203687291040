"""The law of recomputation: every experiment, and every kind of verdict, has a test that computes its numbers again.

Such a test reads raw texts or scores by SQL, takes plain Python, numpy and scipy to them, and is marked with
`recomputes` (`recomputed.py`). A new experiment or kind fails here until it has one.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from flows.experiments.experiment import every
from flows.verdict_kinds import declared
from tests.flows.test_verdict_units import declaring

TESTS = Path(__file__).parents[2]
OURS = {"evaluators", "flows", "storage", "newwiki", "benchmarks"}


@cache
def marked() -> Mapping[str, list[Path]]:
    """By kind the files of the tests that compute it again."""
    found: dict[str, list[Path]] = {}
    for file in TESTS.rglob("test_*.py"):
        text = file.read_text("utf-8")
        for kind in _kinds_in(ast.parse(text)) if "recomputes(" in text else ():
            found.setdefault(kind, []).append(file)
    return found


def _kinds_in(tree: ast.Module) -> Iterator[str]:
    for test in tree.body:
        for mark in getattr(test, "decorator_list", []):
            if isinstance(mark, ast.Call) and ast.unparse(mark.func).split(".")[-1] == "recomputes":
                yield from (str(ast.literal_eval(kind)) for kind in mark.args)


def test_every_kind_of_verdict_is_computed_again() -> None:
    declaring()
    assert set(marked()) == set(declared())


def test_every_experiment_is_computed_again() -> None:
    folders = {file.parent.name for files in marked().values() for file in files}
    assert {one.name.replace("-", "_") for one in every()} <= folders


def test_what_computes_again_takes_nothing_of_the_product() -> None:
    helpers = sorted(TESTS.rglob("recomputed.py"))
    assert helpers
    for file in helpers:
        imports = [one for one in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(one, ast.ImportFrom)]
        names = [
            ast.unparse(one) for one in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(one, ast.Import)
        ]
        taken = {str(one.module).split(".")[0] for one in imports} | {name.split()[1].split(".")[0] for name in names}
        assert not taken & OURS, file
