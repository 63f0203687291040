"""Months on one scale: lines by hand, derivatives by differences, and coverage by `benchmarks/linking.py`."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from evaluators import linking
from evaluators.linking import Estimate, Month, Step
from evaluators.statistics import Array
from tests.evaluators.simulations import loaded

ROOT = Path(__file__).parents[2]
simulated = loaded("linking")


def month(means: list[float], apart: list[list[float]] | None = None) -> Month:
    """Runs with these means on two articles, from which each is `apart` by so much and by its opposite."""
    half = np.zeros(len(means)) if apart is None else np.array(apart)
    return of(np.stack([np.array(means) + half, np.array(means) - half], axis=1))


def of(values: Array) -> Month:
    """Runs of as many models."""
    return Month(values, np.arange(len(values)))


def all_of(number: int) -> Step:
    return Step(np.arange(number), np.arange(number))


def drawn(random: np.random.Generator, runs: int, articles: int = 40, own: float = 0.15) -> Month:
    means = np.linspace(0.2, 0.6, runs) + random.normal(0, 0.01, runs)
    return of(means[:, None] + random.normal(0, 0.2, articles) + random.normal(0, own, (runs, articles)))


def linked(months: list[Month], anchors: int, run: int, other: int | None = None) -> Estimate:
    line = linking.link(months[0], months[1], all_of(anchors))
    return linking.linked(months, [all_of(anchors)], [line], run, other)


def no_interaction(line: linking.Link) -> linking.Link:
    return linking.Link(line.intercept, line.slope, line.estimated, 0.0, 0.0, line.by_earlier, line.by_later)


def test_the_errors_of_runs_on_the_same_articles_are_correlated() -> None:
    found = of(np.array([[1.0, 2.0, 6.0], [2.0, 2.0, 5.0]]))
    assert_allclose(found.means, [3, 3])
    # Sums of squares 4 + 1 + 9 and 1 + 1 + 4, of products 2 + 1 + 6, over 3 · 2.
    assert_allclose(found.covariance, [[14 / 6, 9 / 6], [9 / 6, 6 / 6]])


def test_three_anchors_give_a_difference_and_no_slope() -> None:
    months = [month([1.0, 2.0, 3.0, 9.0]), month([2.0, 3.5, 3.5])]
    line = linking.link(months[0], months[1], all_of(3))
    assert (line.slope, line.estimated, line.intercept) == (1.0, False, 1.0)
    # The anchors gain 1, 1.5 and 0.5: a variance of 0.25, none of it explained by articles without noise.
    assert line.interaction == pytest.approx(0.25)
    gain = linking.difficulty(months, all_of(3), line)
    assert gain.value == pytest.approx(1.0)
    assert gain.error == pytest.approx(math.sqrt(0.25 / 3))
    assert gain.freedom == pytest.approx(2)
    assert (gain.high - gain.value) / gain.error == pytest.approx(4.302653, abs=1e-6)  # t of 2 degrees, from a table
    told = linked(months, 3, 3)
    assert told.value == pytest.approx(10.0)
    assert told.error == pytest.approx(math.sqrt(0.25 * (1 + 1 / 3)))


def test_fewer_anchors_are_refused() -> None:
    with pytest.raises(ValueError, match="a link needs anchors of at least 3 models, got 2"):
        linking.link(month([1.0, 2.0]), month([1.0, 2.0]), all_of(2))


def test_where_all_error_is_the_models_own_the_slope_is_the_ratio_of_standard_deviations() -> None:
    x, y = [1.0, 2.0, 3.0, 4.0, 5.0], [2.1, 3.9, 6.2, 7.8, 10.1]
    line = linking.link(month(x), month(y), all_of(5))
    assert line.estimated
    assert line.slope == pytest.approx(np.std(y) / np.std(x), rel=1e-6)
    assert line.intercept == pytest.approx(np.mean(y) - line.slope * np.mean(x))


def test_the_slope_is_that_of_the_line_nearest_the_points_where_both_months_err_alike() -> None:
    random = np.random.default_rng(1)
    shifts = random.normal(0, 1, (6, 30))
    x = np.linspace(0, 3, 6) + random.normal(0, 0.1, 6)
    y = 1.02 * np.linspace(0, 3, 6) + random.normal(0, 0.1, 6)
    months = [of(at[:, None] + shifts - shifts.mean(axis=1, keepdims=True)) for at in (x, y)]
    centred = np.stack([x - x.mean(), y - y.mean()], axis=1)
    first = np.linalg.svd(centred)[2][0]  # the first principal axis: total least squares
    line = linking.link(months[0], months[1], all_of(6))
    assert line.interaction == 0
    assert line.slope == pytest.approx(first[1] / first[0], rel=1e-6)


def test_ordinary_regression_would_attenuate_the_slope_and_this_does_not() -> None:
    random, slopes, ordinary = np.random.default_rng(0), [], []
    for _ in range(200):
        models = random.normal(0, 0.1, 24)
        months = [of(m[:, None] + random.normal(0, 0.3, (24, 50))) for m in (models, 1.2 * models)]
        slopes.append(linking.link(months[0], months[1], all_of(24)).slope)
        x, y = (one.means - one.means.mean() for one in months)
        ordinary.append(x @ y / (x @ x))
    assert np.median(ordinary) < 1.08
    assert np.median(slopes) == pytest.approx(1.2, abs=0.04)


def test_anchors_that_do_not_rise_together_give_no_slope() -> None:
    line = linking.link(month([1.0, 2.0, 3.0, 4.0, 5.0]), month([5.0, 4.0, 3.0, 2.0, 1.0]), all_of(5))
    assert (line.slope, line.estimated) == (1.0, False)


def test_what_an_article_adds_to_all_runs_moves_no_error() -> None:
    random = np.random.default_rng(2)
    months = [drawn(random, 5), drawn(random, 5)]
    rougher = [of(one.values + random.normal(0, 3, one.articles)) for one in months]
    before, after = (linked(those, 3, 3, 4) for those in (months, rougher))
    assert after.error == pytest.approx(before.error)
    # It does where a month's own level is asked for, as its articles are a draw.
    assert linked(rougher, 3, 3).error > 5 * linked(months, 3, 3).error


def test_the_sampling_error_is_that_of_the_articles_differences() -> None:
    random = np.random.default_rng(3)
    months = [drawn(random, 5, own=0.5), drawn(random, 5, own=0.5)]
    line = linking.link(months[0], months[1], all_of(3))
    assert line.interaction == 0
    found = linked(months, 3, 3, 4)
    by_article = [one.values[place] - one.values[:3].mean(axis=0) for one, place in zip(months, (3, 4), strict=True)]
    assert found.value == pytest.approx(by_article[1].mean() - by_article[0].mean())
    errors = [np.var(one, ddof=1) / len(one) for one in by_article]
    assert found.error == pytest.approx(math.sqrt(sum(errors)))


def test_over_a_month_with_the_same_anchors_the_way_is_as_long_as_past_it() -> None:
    random = np.random.default_rng(4)
    months = [drawn(random, 5, own=0.5) for _ in range(3)]
    lines = [no_interaction(linking.link(months[a], months[b], all_of(3))) for a, b in ((0, 1), (1, 2), (0, 2))]
    direct = linking.linked([months[0], months[2]], [all_of(3)], lines[2:], 3, 4)
    chained = linking.linked(months, [all_of(3), all_of(3)], lines[:2], 3, 4)
    assert chained.value == pytest.approx(direct.value)
    assert chained.error == pytest.approx(direct.error)


def test_a_chain_of_other_anchors_adds_up_errors() -> None:
    random = np.random.default_rng(5)
    months = [drawn(random, 8, own=0.5) for _ in range(3)]
    first, second = Step(np.arange(3), np.arange(3)), Step(np.arange(3, 6), np.arange(3, 6))
    lines = [linking.link(months[0], months[1], first), linking.link(months[1], months[2], second)]
    straight = linking.link(months[0], months[2], first)
    direct = linking.linked([months[0], months[2]], [first], [straight], 6, 7)
    assert linking.linked(months, [first, second], lines, 6, 7).error > direct.error


@pytest.mark.parametrize("place", range(7))
@pytest.mark.parametrize("number", [0, 1])
def test_the_derivatives_are_those_that_differences_show(number: int, place: int) -> None:
    """The error of a number that moves with one run of one month alone, against the number moved by a little."""
    random = np.random.default_rng(4)
    months = [drawn(random, 7, own=0.3), drawn(random, 7, own=0.3)]
    line = linking.link(months[0], months[1], all_of(6))
    assert line.estimated
    assert line.interaction == 0  # on which the errors' ratio would rest, which is taken as known
    moved = []
    for sign in (1, -1):
        shift = np.zeros((7, 1))
        shift[place] = sign * 1e-5
        there = [of(one.values + shift) if at == number else one for at, one in enumerate(months)]
        moved.append(linked(there, 6, 6).value)
    varies = [(np.arange(7)[:, None] == place) & (at == number) for at in range(2)]
    alone = [of(np.where(at, one.values, one.means[:, None])) for at, one in zip(varies, months, strict=True)]
    found = linking.linked(alone, [all_of(6)], [no_interaction(line)], 6)
    expected = abs(moved[0] - moved[1]) / 2e-5 * math.sqrt(months[number].covariance[place, place])
    assert found.error == pytest.approx(expected, rel=1e-3)


def test_equal_numbers_differ_by_nothing() -> None:
    months = [month([1.0, 2.0, 3.0, 4.0]), month([1.0, 2.0, 3.0, 4.0])]
    found = linked(months, 3, 3, 3)
    assert (found.value, found.error, found.p) == (0.0, 0.0, 1.0)


def test_intervals_cover_simulated_abilities_differences_and_difficulties_in_90_to_99_of_100() -> None:
    recovered = {design.words: simulated.recovered(design, 200) for design in simulated.DESIGNS[1::2]}
    for words, of_design in recovered.items():
        assert min(of_design[name] for name in simulated.WHAT[:3]) >= 0.9, words
    for name in simulated.WHAT:
        over_all = np.mean([of_design[name] for of_design in recovered.values() if name in of_design])
        assert 0.9 <= over_all <= 0.99, name


def test_an_interval_without_the_link_errors_would_cover_too_seldom() -> None:
    """What a difference of two months' means, taken as if both were one, would promise."""
    random, covered = np.random.default_rng(0), 0
    for _ in range(200):
        models: Array = random.normal(0.4, 0.1, 5)
        months = [
            simulated._month(random, models + random.normal(0, 0.03, 5) + harder, np.arange(5), 200)
            for harder in (0, 0.05)
        ]
        naive = [one.means[place] for one, place in zip(months, (3, 4), strict=True)]
        error = math.sqrt(sum(one.covariance[p, p] for one, p in zip(months, (3, 4), strict=True)))
        covered += abs((naive[1] - naive[0]) - (models[4] - models[3])) <= 1.96 * error
    assert covered < 0.75 * 200


def test_the_page_has_a_place_for_the_table_and_the_designs_of_today() -> None:
    page = (ROOT / "docs" / "linking.md").read_text("utf-8")
    assert "| a | b |" in simulated.written_into(page, "linking", {"recovered": "| a | b |"})
    for design in simulated.DESIGNS:
        assert f"\n| {design.words} |" in page, "run `make bench-linking`"


def test_leaving_out_a_model_moves_the_scale_by_its_influence() -> None:
    months = [month([1.0, 2.0, 3.0, 4.0]), month([1.1, 2.0, 2.9, 5.0])]

    def gained(step: Step) -> float:
        return linking.difficulty(months, step, linking.link(months[0], months[1], step)).value

    found = linking.influences(months[0], months[1], all_of(4))
    for one in found:
        some = np.delete(np.arange(4), one.model)
        assert (one.share, one.shift) == (0.25, pytest.approx(gained(Step(some, some)) - gained(all_of(4))))
    assert min(found, key=lambda one: one.p or 1.0).model == 3
    assert linking.influences(month([1.0, 2.0, 3.0]), month([1.0, 2.5, 3.0]), all_of(3))[0].p is None


@pytest.mark.parametrize("design", simulated.BROKEN, ids=lambda design: design.words)
def test_intervals_hold_unless_many_anchors_changed_alike(design: Any) -> None:
    found = simulated.broken(design, 100)
    if design.anchors < linking.FEWEST_MODELS:
        assert found is None
        return
    assert found
    expected = design.wrong * design.changed / design.anchors
    assert found["moved"] == pytest.approx(expected, abs=0.015)
    if not design.wrong or design.changed == 1:
        assert min(found[name] for name in simulated.WHAT[:3]) >= 0.87
    if design.changed == design.anchors:
        assert max(found[name] for name in simulated.WHAT[:3]) <= 0.3
    if not design.wrong:
        assert found["named"] <= 0.13  # 5 %, and three standard errors of 100 draws


def test_the_page_has_the_broken_designs_of_today() -> None:
    page = (ROOT / "docs" / "linking.md").read_text("utf-8")
    for design in simulated.BROKEN:
        assert f"\n| {design.words} |" in page, "run `make bench-linking`"
