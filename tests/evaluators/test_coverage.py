"""What intervals and tests promise, by simulation: the designs of `benchmarks/interval_coverage.py` with fewer draws.

A new estimator, or a new rule on when there is no interval, must keep this. Four standard errors of the simulation are
allowed for beside the two points that are promised.
"""

import math
from pathlib import Path

import pytest

from evaluators.statistics import FEWEST
from tests.evaluators.simulations import loaded

ROOT = Path(__file__).parents[2]
DRAWS = 1_000
MARGIN = 4 * math.sqrt(0.05 * 0.95 / DRAWS)
TWO_POINTS = 0.02


simulated = loaded("interval_coverage")


@pytest.mark.parametrize("prompts", simulated.PROMPTS)
@pytest.mark.parametrize("design", simulated.DESIGNS, ids=lambda design: design.words)
def test_an_interval_covers_the_mean_in_95_of_100_cases_or_is_not_given(design: object, prompts: int) -> None:
    found = simulated.coverage(design, prompts, DRAWS)
    if prompts < FEWEST:
        assert found.lacking == 1
    elif found.lacking < 1:
        assert found.covered >= 0.95 - TWO_POINTS - MARGIN
        assert found.covered <= (1 if design.wide else 0.95 + TWO_POINTS + MARGIN)  # type: ignore[attr-defined]


def test_even_prompts_of_which_there_are_enough_always_have_an_interval() -> None:
    for prompts in (FEWEST, 20, 100):
        assert simulated.coverage(simulated.DESIGNS[0], prompts, 200).lacking == 0


@pytest.mark.parametrize("prompts", [10, 20, 100])
@pytest.mark.parametrize("design", simulated.DIFFERENCES, ids=lambda design: design.words)
def test_runs_of_one_mean_are_called_different_in_5_of_100_cases(design: object, prompts: int) -> None:
    found = simulated.errors(design, prompts, DRAWS // 2)
    assert found["different"] <= 0.05 + TWO_POINTS + math.sqrt(2) * MARGIN
    assert found["different"] <= found["p"] <= found["sign flips"]
    assert (prompts < FEWEST) == (found["different"] == 0)


def test_a_visible_difference_is_seen_as_often_as_is_said() -> None:
    for tests in (1, 20):
        seen, held = simulated.real_power(40, tests, 150)
        assert seen == pytest.approx(0.8, abs=0.14)
        assert held == pytest.approx(0.8, abs=0.14)


def test_the_page_has_a_place_for_each_table_and_the_designs_of_today() -> None:
    page = (ROOT / "docs" / "compare.md").read_text("utf-8")
    assert "| a | b |" in simulated.written_into(page, "coverage", dict.fromkeys(simulated.TABLES, "| a | b |"))
    for design in (*simulated.DESIGNS, *simulated.DIFFERENCES):
        assert f"\n| {design.words} |" in page, "run `make bench-coverage`"
    with pytest.raises(ValueError, match="no place for the table 'other'"):
        simulated.written_into(page, "coverage", {"other": ""})
