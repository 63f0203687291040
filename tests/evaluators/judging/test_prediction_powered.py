"""A model's judgements corrected by people's: what it is worth, and how often the interval holds the truth."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluators.judging.prediction_powered import corrected
from evaluators.judging.preference import preference
from tests.evaluators.simulations import loaded

ROOT = Path(__file__).parents[3]
simulated = loaded("corrected_judges")
PEOPLE = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0.5, 0.5, 1]


@cache
def simulated_of(case: Any) -> Any:
    """200 simulations, as with 100 of them chance alone would make one of these cases fail now and then."""
    return simulated.simulate(case, 200)


@pytest.mark.parametrize("case", simulated.CASES, ids=lambda case: case.words)
def test_of_100_corrected_intervals_90_to_99_hold_the_truth(case: Any) -> None:
    found = simulated_of(case)
    assert 0.90 <= found.corrected <= 0.99
    assert found.corrected_width < 1.03 * found.people_width


@pytest.mark.parametrize("case", simulated.CASES, ids=lambda case: case.words)
def test_those_of_a_model_that_leans_do_not(case: Any) -> None:
    assert simulated_of(case).model < 0.9


def test_the_estimate_is_the_papers() -> None:
    """λ mean_N(f) + mean_n(Y - λ f), with λ = Cov(Y, f) / ((1 + n / N) Var(f)) by numpy."""
    random = np.random.default_rng(1)
    people = random.choice([0, 0.5, 1], size=40)
    model = np.where(random.random(40) < 0.7, people, 1.0)
    alone = random.choice([0, 0.5, 1, 1], size=160)
    weight = np.cov(people, model)[0, 1] / ((1 + 40 / 160) * np.concatenate([model, alone]).var())
    found = corrected(people, model, alone)
    assert found
    assert 0 < found.weight < 1
    assert found.weight == pytest.approx(weight)
    assert found.win_rate == pytest.approx(weight * alone.mean() + (people - weight * model).mean())


def test_a_model_that_says_always_the_same_adds_nothing_to_people() -> None:
    found, alone = corrected(PEOPLE, [1] * 14, [1] * 300), preference(PEOPLE)
    assert found
    assert (found.weight, found.win_rate) == (0, pytest.approx(alone.win_rate))
    assert [found.interval.low, found.interval.high] == pytest.approx([alone.interval.low, alone.interval.high])


def test_a_model_that_says_what_people_say_narrows_their_interval() -> None:
    found, alone = corrected(PEOPLE, PEOPLE, PEOPLE * 20), preference(PEOPLE)
    assert found
    assert found.win_rate == pytest.approx(alone.win_rate)
    assert found.interval.high - found.interval.low < 0.9 * (alone.interval.high - alone.interval.low)


def test_a_dozen_pairs_by_people_correct_nothing() -> None:
    assert corrected(PEOPLE[:12], PEOPLE[:12], [1] * 300) is None


def test_without_a_pair_of_its_own_the_model_adds_nothing() -> None:
    assert corrected(PEOPLE, PEOPLE, []) is None


def test_the_page_has_the_cases_of_today() -> None:
    page = (ROOT / "docs" / "judge.md").read_text("utf-8")
    assert "| a | b |" in simulated.written_into(page, "judges", {"corrected": "| a | b |"})
    for case in simulated.CASES:
        assert f"\n| {case.words} |" in page, "run `make bench-judges`"
