"""The law of verdicts: each kind names its unit, and a null is simulated at that unit, in which few are wrong.

A class or function with a verdict that is not declared (`flows/verdict_kinds.py`) fails here, and so does a kind
without a simulation (`benchmarks/verdict_units.py`, `benchmarks/statement_verdicts.py`).
"""

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from scipy.stats import binom

from flows.experiments.experiment import every
from flows.statements.statement import Test, paper
from flows.verdict_kinds import Unit, declared, kind_of, kinds_of
from tests.evaluators.simulations import loaded

ROOT = Path(__file__).parents[2]
STATEMENTS = "statement_verdicts"  # whose nulls are by the statements' tests

# What a row is called where it says that there is something: a word, a p value, or an interval that is held against 0.
VERDICT = re.compile(r"verdict|outcome|shown|agrees|standing|p|p_(holm|holds|fails)|\w+_p|\w+_p_holm|\w+_low")
TESTS = frozenset({"LEVEL", "holm", "p_values", "sign_flip", "sign_test", "stdtr"})  # what a verdict is made with

# Rows that are a part of others, or texts and pages: by class, whose verdicts they are part of, or what they are.
PARTS = {
    "Apart": "corpus_phrases",
    "EarlyStop": "verdict_until_sure",
    "Judgement": "verdict",
    "MetricOutcome": "verdict",
    "PairedDifference": "contrast_differences",
    "Estimate": "exposure_trends",
    "ExposureMeasure": "exposure_trends",
    "_Tested": "leakage_gaps",
    "CutoffMonth": "cutoff_findings",
    "LinkedMean": "linked_months",
    "Answer": "the headline of an answer, whose units are those of its rows",
    "StoredExperiment": "the headline of an answer, whose units are those of its rows",
    "Outcome": "the headline of an answer, whose units are those of its rows",
    "VerifiabilityChecker": "an interval that no verdict is made of",
    "AgreementRow": "an interval that no verdict is made of",
    "BiasRow": "an interval that no verdict is made of",
    "LinkRow": "an interval that no verdict is made of",
    "SettingNumbers": "numbers that nothing is said of",
    "HtmlPage": "a page", "RunList": "a page", "Passage": "a page", "Examples": "a page", "Cell": "a page",
}  # fmt: skip
# Modules that test for a kind that another module declares.
TESTED_FOR = {
    "flows/comparing/differences.py": "differences",
    "flows/experiments/authorship/findings.py": "authorship_separations",
    "flows/experiments/corpora/chance.py": "corpus_phrases",
    "flows/experiments/corpora/findings.py": "corpus_phrases",
    "flows/experiments/cutoff/findings.py": "cutoff_findings",
    "flows/experiments/directions.py": "contrast_differences",
    "flows/experiments/exposure_bias/leave_out.py": "exposure_trends",
    "flows/experiments/exposure_bias/show.py": "exposure_trends",
    "flows/experiments/exposure_bias/words.py": "exposure_trends",
    "flows/experiments/fairness/findings.py": "fairness_pairs",
    "flows/experiments/leakage/blind_baseline.py": "leakage_memberships",
    "flows/experiments/leakage/gaps.py": "leakage_gaps",
    "flows/experiments/linking/compute.py": "linked_months",
    "flows/experiments/linking/words.py": "linked_months",
    "flows/experiments/exposure_bias/reproduce.py": "exposure_trends",
    "flows/experiments/metrics/pairs.py": "metric_pairs",
    "flows/statements/jackknife.py": STATEMENTS,
    "flows/statements/model_sizes.py": STATEMENTS,
    "flows/statements/verdicts.py": STATEMENTS,
}


@cache
def sources() -> dict[str, ast.Module]:
    """Every module of the product that can hold a verdict."""
    files = [file for room in ("flows", "storage") for file in (ROOT / room).rglob("*.py")]
    return {str(file.relative_to(ROOT)): ast.parse(file.read_text("utf-8")) for file in files}


@cache
def declaring() -> frozenset[str]:
    """The modules that declare a kind, which are imported by this."""
    found = frozenset(path for path, tree in sources().items() if "gives_verdicts" in names_in(tree))
    for path in found - {"flows/verdict_kinds.py"}:
        importlib.import_module(path.removesuffix(".py").replace("/", "."))
    return found


@cache
def names_in(tree: ast.AST) -> set[str]:
    every_node = list(ast.walk(tree))
    return {one.id for one in every_node if isinstance(one, ast.Name)} | {
        one.attr for one in every_node if isinstance(one, ast.Attribute)
    }


def classes_with_verdicts() -> Iterator[tuple[str, str]]:
    for path, tree in sources().items():
        for one in ast.walk(tree):
            if isinstance(one, ast.ClassDef) and any(
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and VERDICT.fullmatch(field.target.id)
                for field in one.body
            ):
                yield path, one.name


def test_every_row_with_a_verdict_declares_its_units() -> None:
    declaring()
    undeclared = {
        f"{path}: {name}"
        for path, name in classes_with_verdicts()
        if name not in PARTS
        and kind_of(getattr(importlib.import_module(path.removesuffix(".py").replace("/", ".")), name)) is None
    }
    assert not undeclared


def test_every_module_that_tests_declares_a_kind_or_tests_for_one() -> None:
    testing = {path for path, tree in sources().items() if path.startswith("flows/") and TESTS & names_in(tree)}
    assert testing - declaring() == set(TESTED_FOR)
    assert set(TESTED_FOR.values()) <= set(declared())


def test_every_experiment_has_a_kind_of_verdict() -> None:
    for one in every():
        folder = f"flows/experiments/{one.name.replace('-', '_')}/"
        ours = [tree for path, tree in sources().items() if path.startswith(folder)]
        imported = {node.module for tree in ours for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert any(path.startswith(folder) for path in declaring()) or "flows.statements.reading" in imported, one.name


HEADLINES = {  # by experiment, the kind of verdict that its answer is
    "authorship": "authorship_separations", "contrast": "contrast_differences", "corpora": "corpus_phrases",
    "cutoff": "cutoff_findings", "decoder-grid": STATEMENTS, "exposure-bias": "exposure_trends",
    "fairness": "fairness_pairs", "leakage": "leakage_gaps", "linking": "linked_months", "metrics": "metric_pairs",
    "models": STATEMENTS, "verifiability": "verifiability_differences",
}  # fmt: skip


def test_the_units_that_an_answer_counts_are_those_that_its_verdict_generalizes_over() -> None:
    """A page says on how many of them it rests: months are not counted in articles."""
    declaring()
    assert set(HEADLINES) == {one.name for one in every()}
    for name, headline in HEADLINES.items():
        kind = declared()[headline]
        assert re.match(rf"{kind.counted}\b", kind.over), name


def test_a_kind_names_known_units_and_says_them() -> None:
    declaring()
    for kind in declared().values():
        assert kind.units and set(kind.units) <= set(get_args(Unit))
        assert kind.over in kind.sentence and kind.given and kind.family
        assert kinds_of([[], [1]]) == []


units = loaded("verdict_units")
statements = loaded("statement_verdicts")
SLOW = {  # by kind, with so many draws
    "differences": 40, "gate": 40, "fairness_pairs": 40, "fairness_disparities": 30, "corpus_phrases": 40,
    "cutoff_findings": 40, "metric_pairs": 40, "verdict": 40, "verdict_until_sure": 40, "verifiability_differences": 40,
}  # fmt: skip


def test_every_kind_has_a_null_at_its_unit() -> None:
    declaring()
    assert [one.kind for one in units.SIMULATIONS] == list(dict.fromkeys(one.kind for one in units.SIMULATIONS))
    assert {one.kind for one in units.SIMULATIONS} | {STATEMENTS} == set(declared())


def test_every_test_of_a_statement_has_a_null() -> None:
    nulls = {statement.test for truth in statements.TRUTHS if not truth.is_so for statement in truth.statements}
    assert nulls == {one for one in get_args(Test) if one != "none"}
    assert {one.test for one in paper().statements} <= nulls | {"none"}


def most(draws: int, rate: float = 0.05) -> int:
    """As many wrong draws come of this rate in all but one of a thousand simulations."""
    return int(binom.ppf(0.999, draws, rate))


def test_the_limit_tells_headlines_that_are_no_family_from_those_that_are() -> None:
    """0.11 is what two models and three metrics had, 0.32 what a slope over two models had."""
    assert most(200) < 0.11 * 200
    assert most(40) < 0.32 * 40


@pytest.mark.parametrize(
    "simulation",
    [pytest.param(one, id=one.kind, marks=[pytest.mark.slow] if one.kind in SLOW else []) for one in units.SIMULATIONS],
)
def test_nothing_is_called_something_in_at_most_5_of_100_cases_and_something_is_found(simulation: Any) -> None:
    draws = SLOW.get(simulation.kind, 200)
    assert units.called(simulation, 0.0, draws) * draws <= most(draws)
    found = units.called(simulation, simulation.effect, 20, seed=1)
    assert found * 20 >= binom.ppf(0.001, 20, simulation.power)
