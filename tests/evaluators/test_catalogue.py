"""Every metric has an example that a reader can compute, in the test file of the room that it comes from."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluators.scorer_metrics import is_preset, scorer_of
from newwiki.registry import Evaluator, evaluators, reading_evaluators, set_evaluators

_TESTS = Path(__file__).parents[1]


def metrics() -> set[tuple[str, str]]:
    """(test file, metric) of all that the project brings, as other tests of this process may have added their own."""
    registries = (evaluators, set_evaluators, reading_evaluators)
    ours = [one for registry in registries for one in registry.all().values() if is_ours(one)]
    return {(home(one.function.__module__), metric.name) for one in ours for metric in one.metrics}


def is_ours(evaluator: Evaluator) -> bool:
    scorer = scorer_of(evaluator)
    return is_preset(scorer) if scorer else evaluator.function.__module__.startswith("evaluators.")


def home(module: str) -> str:
    *rooms, name = module.split(".")
    return "/".join([*rooms, f"test_{name}.py"])


def examples() -> set[tuple[str, str]]:
    """(test file, metric) of all marks."""
    return {
        (file.relative_to(_TESTS).as_posix(), metric)
        for file in _TESTS.rglob("test_*.py")
        for metric in marked(file.read_text("utf-8"))
    }


def marked(source: str) -> Iterator[str]:
    """What the tests of a file are marked to show by hand."""
    for test in ast.parse(source).body:
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test_"):
            for mark in test.decorator_list:
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.by_hand":
                    yield from map(ast.literal_eval, mark.args)


def test_every_metric_has_an_example_by_hand_in_the_test_file_of_its_room() -> None:
    lacking = metrics() - examples()
    assert lacking == set(), "compute a value of each by hand in a test there, marked @pytest.mark.by_hand(METRIC)"


def test_every_example_by_hand_is_of_a_metric_of_the_room() -> None:
    strange = examples() - metrics()
    assert strange == set(), "these marks name no metric of the room that their file tests"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('@pytest.mark.by_hand("a", "b")\ndef test_it(): ...', ["a", "b"]),
        ('# @pytest.mark.by_hand("a")\ndef test_it(): ...', []),
        ('"""\n@pytest.mark.by_hand("a")\ndef test_it(): ...\n"""', []),
        ('@pytest.mark.by_hand("a")\ndef helper(): ...', []),
        ('def helper():\n    @pytest.mark.by_hand("a")\n    def test_it(): ...', []),
        ('@pytest.mark.parametrize("a", "b")\ndef test_it(): ...', []),
    ],
)
def test_only_what_marks_a_test_is_an_example(source: str, found: list[str]) -> None:
    assert [*marked(source)] == found
