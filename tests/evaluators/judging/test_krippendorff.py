"""Alpha as in the worked examples of Krippendorff 2011, Computing Krippendorff's alpha-reliability."""

from pathlib import Path
from typing import Any

import pytest

from evaluators.judging.krippendorff import FEWEST_UNITS, alpha
from tests.evaluators.simulations import loaded

ROOT = Path(__file__).parents[3]
simulated = loaded("judges_agreement")

# A space is a unit that this observer has not judged.
DICHOTOMOUS = ("0100000010", "1110010000")
NOMINAL = ("aabbdcccedda", "babbbccceddd")
MISSING = ("123321412   ", "1233224125 3", " 3332342251 ", "12332441251 ")


def units(observers: tuple[str, ...]) -> list[list[str]]:
    return [[one for one in unit if one != " "] for unit in zip(*observers, strict=True)]


@pytest.mark.parametrize(
    ("observers", "published"),
    [
        pytest.param(DICHOTOMOUS, 0.095, id="section A: two observers, dichotomous"),
        pytest.param(NOMINAL, 0.692, id="section B: two observers, nominal"),
    ],
)
def test_alpha_is_that_of_the_published_example(observers: tuple[str, ...], published: float) -> None:
    assert alpha(units(observers)).alpha == pytest.approx(published, abs=5e-4)


def test_alpha_is_that_of_four_observers_with_missing_data() -> None:
    """Section C: the twelfth unit has one judgement, and does not count."""
    found = alpha(units(MISSING))
    assert found.alpha == pytest.approx(0.743, abs=5e-4)
    assert found.units == 11


def test_the_order_of_judges_and_names_is_of_no_matter() -> None:
    renamed = [["ab"["01".index(one)] for one in reversed(unit)] for unit in units(DICHOTOMOUS)]
    assert alpha(renamed).alpha == alpha(units(DICHOTOMOUS)).alpha


def test_the_interval_is_about_alpha_within_its_range() -> None:
    found = alpha(units(NOMINAL))
    assert found.interval and found.alpha
    assert -1 <= found.interval.low < found.alpha < found.interval.high <= 1


@pytest.mark.parametrize("pairs", [FEWEST_UNITS, 10, 20])
@pytest.mark.parametrize("case", simulated.JUDGES, ids=lambda case: case.words)
def test_of_100_intervals_93_or_more_hold_the_truth_however_few_the_pairs(case: Any, pairs: int) -> None:
    share, _ = simulated.covered(case, pairs, 400)
    assert share >= 0.93 - 0.025  # two standard errors of 400 draws


def test_judges_who_agree_on_every_pair_are_not_certain_to_agree_on_the_next() -> None:
    found = alpha([["a", "a"], ["b", "b"], ["a", "a"], ["b", "b"]])
    assert found.alpha == 1.0 and found.interval
    assert found.interval.low < 0.5 and found.interval.high == 1.0


def test_too_few_pairs_have_no_interval_and_say_so() -> None:
    found = alpha([["a", "a"], ["a", "b"]])
    assert (found.interval, found.lacking) == (None, "too few pairs for an interval")
    assert found.alpha is not None


def test_the_page_has_the_judges_of_today() -> None:
    page = (ROOT / "docs" / "judge.md").read_text("utf-8")
    for case in simulated.JUDGES:
        assert f"\n| {case.words} |" in page, "run `make bench-judges`"


def test_what_one_judge_says_has_no_agreement() -> None:
    assert alpha([["a"], ["b"]]).lacking == "no pair has two judges"


def test_where_all_say_the_same_of_everything_there_is_no_alpha() -> None:
    """Chance alone would agree as much."""
    assert alpha([["a", "a"], ["a", "a", "a"]]).lacking == "all judgements are the same"
