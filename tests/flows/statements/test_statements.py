"""The list of what the paper says: each has its place, something that it is about, and a verdict on whatever runs."""

from collections import Counter
from typing import get_args

import numpy as np
import pytest

from flows.statements.settings import PENALTY
from flows.statements.statement import Statement, Test, paper
from flows.statements.testing import _TESTS
from flows.statements.verdicts import FAILS, HOLDS, UNKNOWN, verdicts
from newwiki.paper_metrics import paper_metrics
from tests.flows.statements.scripted import articles, numbers, sampled, texts

STATEMENTS = paper().statements
OF_SEVERAL = {"spread", "size_spread", "model_spread"}  # over all metrics that there are


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda one: one.name)
def test_a_statement_says_where_it_stands_and_what_it_is_about(statement: Statement) -> None:
    assert statement.section and statement.quote and statement.says
    assert statement.asked_by in {"models", "decoder-grid"}
    assert set(statement.metrics) <= {one.title for one in paper_metrics()}
    assert {statement.parameter, *statement.than} - {None} <= (
        {"top_p", "top_k", "temperature", PENALTY} | {one.name for one in paper().models} | {"Wikipedia"}
    )
    assert set(statement.models) <= {one.name for one in paper().models}
    assert statement.by in {None, "medium", *paper().margins}
    assert (statement.test == "none") == (statement.why is not None)
    assert bool(statement.metrics) != (statement.test in OF_SEVERAL | {"none"})


def test_each_has_a_name_of_its_own_and_each_test_is_asked_for() -> None:
    assert not [name for name, count in Counter(one.name for one in STATEMENTS).items() if count > 1]
    assert {one.test for one in STATEMENTS} == set(get_args(Test)) == set(_TESTS)


@pytest.mark.parametrize(
    ("quoted", "kinds"),
    [
        ("when increasing the top-p value, distinct-n, essay score, and text complexity", {"trend"}),
        ("the standard deviation for each prompt is lower by design", {"spread"}),
        ("top-k value and temperature, the change in performance of the language model is small", {"small", "none"}),
        ("the parameter that has the most significant effect", {"largest"}),
        ("majority of the metrics in our evaluation framework are weakly correlated", {"weak"}),
        ("strong correlation between Flesch Score and Gunning Fox Index", {"correlation"}),
        ("larger models are actually less stable", {"size", "size_spread"}),
        ("GPT-3 > GPT-2 > BART > T5", {"model_spread"}),
        ("see an increase in the word diversity", {"trend"}),
    ],
)
def test_what_the_paper_says_is_among_them(quoted: str, kinds: set[str]) -> None:
    assert {one.test for one in STATEMENTS if quoted in one.quote} == kinds


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt2-xl", "GPT-2"),
        ("davinci-002", "GPT-3"),
        ("facebook/bart-base", "BART"),
        ("models/bart-base-wiki", "BART"),
        ("google/t5-base-lm-adapt", "T5"),
        ("facebook/opt-66b", "OPT"),
        ("bigscience/bloom", "BLOOM"),
        ("gpt2", None),
        ("bigscience/bloom-560m", None),
        ("facebook/bart-large-cnn", None),
    ],
)
def test_a_run_is_of_a_model_of_the_paper_by_the_models_name(model: str, name: str | None) -> None:
    assert [one.name for one in paper().models if one.is_called(model)] == ([name] if name else [])


def test_each_has_a_verdict_on_scripted_runs_as_the_paper_found_them() -> None:
    """Texts made so that what the paper says of GPT-3, size and top-p is so, and of BART not; by two metrics alone."""
    made = [
        (
            sampled("davinci", size=175e9, top_p=top_p),
            {"Distinct-n": texts(seed, top_p), "Rep-n": texts(seed + 9, -top_p)},
        )
        for seed, top_p in enumerate((0.5, 0.9, 0.95, 1.0))
    ]
    made.append((sampled("bart-base", size=110e6), {"Distinct-n": texts(20, -3.0), "Rep-n": texts(21, 2.36)}))
    made.append((sampled("gpt2-xl", size=1.5e9), {"Distinct-n": texts(22, 1.0), "Rep-n": texts(23, 1.22)}))
    made.append((sampled("toy", size=50e6), {"Distinct-n": texts(26, 0.5), "Rep-n": texts(27, 2.7)}))
    made.append((articles(), {"Distinct-n": texts(24)[:, :1], "Rep-n": texts(25)[:, :1]}))
    found = {one.statement: one for one in verdicts(numbers(made), STATEMENTS)}
    assert list(found) == [one.name for one in STATEMENTS]
    assert (found["top-p-distinct"].verdict, found["top-p-rep"].verdict, found["size-rep"].verdict) == (HOLDS,) * 3
    assert found["bart-distinct"].verdict == FAILS
    assert found["glm-rep"].why == "needs runs of GLM, T5, OPT, BLOOM"
    assert all((one.why is not None) == (one.verdict == UNKNOWN) for one in found.values())
    assert all(one.effect is not None for one in found.values() if one.verdict != UNKNOWN)


def test_without_a_number_each_says_what_it_takes() -> None:
    nothing = numbers([(sampled(), {"Distinct-n": np.full((20, 1), np.nan)})])
    found = verdicts(nothing, STATEMENTS)
    assert {one.verdict for one in found} == {UNKNOWN}
    assert all(one.why for one in found)
