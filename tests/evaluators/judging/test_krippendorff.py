"""Alpha as in the worked examples of Krippendorff 2011, Computing Krippendorff's alpha-reliability."""

import pytest

from evaluators.judging.krippendorff import alpha

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


def test_the_interval_is_about_alpha_and_the_same_each_time() -> None:
    found = alpha(units(NOMINAL))
    assert found.interval and found.alpha
    assert found.interval.low < found.alpha < found.interval.high <= 1
    assert found == alpha(units(NOMINAL))


def test_what_one_judge_says_has_no_agreement() -> None:
    assert alpha([["a"], ["b"]]).lacking == "no pair has two judges"


def test_where_all_say_the_same_of_everything_there_is_no_alpha() -> None:
    """Chance alone would agree as much."""
    assert alpha([["a", "a"], ["a", "a", "a"]]).lacking == "all judgements are the same"
