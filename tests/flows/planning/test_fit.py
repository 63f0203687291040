"""Runs of different size tell apart what any run costs and what each item does."""

import pytest

from flows.planning.linear_fit import Fit, fit


def seconds(*sizes: float, a_run: float = 2.0, an_item: float = 0.5) -> list[float]:
    return [a_run + size * an_item for size in sizes]


def near(found: Fit, a_run: float, an_item: float) -> bool:
    return found.apart and (found.a_run, found.an_item) == pytest.approx((a_run, an_item))


def test_two_runs_of_different_size_give_both_parts() -> None:
    assert near(fit("aa", [4, 12], seconds(4, 12)), 2, 0.5)


@pytest.mark.parametrize("sizes", [[7], [7, 7], [7, 13.9]])
def test_runs_of_much_the_same_size_give_no_cost_of_any_run(sizes: list[float]) -> None:
    assert fit("a" * len(sizes), sizes, seconds(*sizes)) == Fit(0, 2 / sizes[-1] + 0.5, apart=False)


def test_kinds_have_prices_of_their_own_and_what_any_run_costs_in_common() -> None:
    cheap, dear = seconds(10, 40), seconds(20, an_item=3)
    assert near(fit(["a", "a", "b"], [10, 40, 20], cheap + dear), 2, (50 * 0.5 + 20 * 3) / 70)


def test_kinds_of_one_size_each_are_not_compared_with_one_another() -> None:
    found = fit("ab", [10, 100], [10, 20])
    assert (found.a_run, found.apart) == (0, False)
    assert found.an_item == pytest.approx(30 / 110)


def test_a_run_that_cost_less_than_nothing_costs_nothing() -> None:
    assert near(fit("aa", [10, 20], [10, 20]), 0, 1)
    steeper = fit("aa", [10, 20], [10, 22])
    assert steeper.a_run == 0 and 1 < steeper.an_item < 1.1


def test_items_that_seem_to_cost_nothing_are_charged_all_that_they_can_have_cost() -> None:
    assert fit("aa", [10, 20], [5, 4]) == Fit(0, 4 / 20, apart=False)


def test_a_run_that_was_held_up_for_a_day_hardly_counts() -> None:
    found = fit("aaaa", [10, 20, 40, 20], [*seconds(10, 20, 40), 86400])
    assert found.a_run == pytest.approx(2, rel=0.01) and found.an_item == pytest.approx(0.5, rel=0.01)
