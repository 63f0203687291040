"""What curves say, in numbers and in words, on made-up scores."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from evaluators import change_point
from flows.experiments.cutoff.findings import Rows, findings, judged, month_number, month_of, seen_direction
from flows.experiments.cutoff.result_tables import CutoffFinding
from flows.experiments.cutoff.words import verdict, words
from tests.flows.experiments.cutoff.recomputed import Month, cutoff

FIRST, MONTHS, EACH = month_number(date(2025, 1, 1)), 14, 15
BITS = {"bits_per_byte": ("e1", "lower")}


def rows(change: float, *, control: bool = False, metrics: int = 1, seed: int = 0) -> Rows:
    """Numbers that rise by `change` after the sixth month, and a control's that do not; all vary by 1."""
    random = np.random.default_rng(seed)
    months = FIRST + np.repeat(np.arange(MONTHS), EACH)
    count = len(months)
    values = random.normal(size=(metrics, count)) + change * (months > FIRST + 5)
    other = random.normal(size=(metrics, count)) / 10 if control else None
    return Rows(np.arange(count), months, months, random.lognormal(6, 0.4, count), values, other)


def of_bits(rows: Rows, control: str | None = None, stated: date | None = None) -> CutoffFinding:
    [found], _ = findings(("toy", "likelihood"), control, rows, BITS, stated, 0)
    return found


def test_months_are_numbers_and_back() -> None:
    assert [month_of(month_number(day)) for day in (date(2025, 1, 31), date(2025, 12, 1))] == [
        date(2025, 1, 1),
        date(2025, 12, 1),
    ]


def test_the_month_its_interval_and_a_curve_of_all_months() -> None:
    [found], curve = findings(("toy", "likelihood"), None, rows(3.0), BITS, date(2025, 6, 30), 0)
    assert (found.month, found.low, found.high) == (date(2025, 6, 1),) * 3
    assert found.stated == date(2025, 6, 1) and found.agrees is True
    assert [one.month for one in curve] == [month_of(FIRST + month) for month in range(MONTHS)]
    assert all(one.low is not None and one.low < one.mean for one in curve) and curve[0].control_mean is None
    assert verdict([found], None) == "2025-06 [2025-06, 2025-06]"


def test_a_change_at_an_edge_says_that_it_may_lie_beyond_it() -> None:
    first = rows(0.0)
    first = Rows(first.pages, first.first, first.last, first.words, first.values + 5 * (first.last > FIRST), None)
    found = of_bits(first)
    assert (found.month, found.low, found.high) == (date(2025, 1, 1), None, date(2025, 1, 1))
    assert verdict([found], None) == "2025-01 [the first month or before, 2025-01]"
    told = words([found], None)[0]
    assert "interval up to 2025-01: the change may have begun before the first month; after it" in told
    agrees = {day: of_bits(first, stated=day).agrees for day in (date(2024, 6, 1), date(2025, 1, 5), date(2025, 2, 1))}
    assert list(agrees.values()) == [None, True, False]

    slow = rows(0.0)
    seen = np.clip((FIRST + MONTHS + 2 - slow.last) / 6, 0, 1)
    slow = Rows(slow.pages, slow.first, slow.last, slow.words, slow.values - 9 * seen, None)
    unfinished = of_bits(slow)
    assert (unfinished.verdict, unfinished.month) == (change_point.UNFINISHED, None)
    assert verdict([unfinished], None) == "cannot tell"
    assert "cannot tell the month: bits_per_byte changes, but the change may go on" in words([unfinished], None)[0]
    assert (unfinished.low, of_bits(slow, stated=date(2025, 3, 1)).agrees) == (None, None)


def test_nothing_is_told_and_said_so_where_nothing_changes() -> None:
    found = of_bits(rows(0.0))
    assert (found.verdict, found.month, found.agrees) == (change_point.NO_CHANGE, None, None)
    assert verdict([found], None) == "cannot tell"
    assert words([found], None)[0].startswith("toy under likelihood: cannot tell: no change: bits_per_byte, p 0.")
    stated = of_bits(rows(0.0), stated=date(2025, 6, 30))
    assert stated.agrees is None and "neither agree nor disagree" in words([stated], None)[1]


def test_what_the_control_shows_too_is_no_cutoff() -> None:
    both = rows(3.0)
    both = Rows(both.pages, both.first, both.last, both.words, both.values, both.values + 0.1)
    assert of_bits(both, "older").verdict == change_point.NO_CHANGE or of_bits(both, "older").verdict == "no variance"
    alone = rows(3.0, control=True)
    assert of_bits(alone, "older").month == date(2025, 6, 1)


def test_a_control_with_a_change_of_its_own_is_told() -> None:
    model, older = of_bits(rows(0.0), "older"), of_bits(rows(3.0, seed=1))
    other = CutoffFinding(**{**vars(older), "model": "older"})
    told = words([model, other], "older")
    assert any(sentence.startswith("older itself changes after 2025-06") for sentence in told)
    assert verdict([model, other], "older") == "cannot tell"


def test_other_metrics_are_corrected_for_their_number_and_the_decisive_one_is_not() -> None:
    names = {"bits_per_byte": ("e1", "lower"), **{f"m{number}": ("e2", "lower") for number in range(9)}}
    found, _ = findings(("toy", "greedy"), None, rows(0.55, metrics=10, seed=4), names, None, 0)
    made = judged(found, None)
    assert made[0].p == made[0].p_holm
    others = made[1:]
    assert all(one.p is not None and one.p_holm is not None and one.p_holm >= one.p for one in others)
    lost = [one for one in others if one.p is not None and one.p <= 0.05 < (one.p_holm or 0)]
    assert lost and all(one.verdict == change_point.NO_CHANGE and one.month is None for one in lost)


def test_a_headline_about_several_models_is_corrected_for_their_number() -> None:
    """The control, of which it does not speak, is not among them."""
    found = of_bits(rows(0.6, seed=4), None)
    each = [replace(found, model=name, p=p, p_holm=p) for name, p in (("a", 0.03), ("b", 0.04), ("control", 0.03))]
    assert [one.p_holm for one in judged(each, "control")] == pytest.approx([0.06, 0.06, 0.03])


def test_few_months_are_told_with_how_many_it_takes() -> None:
    whole = rows(3.0)
    few = whole.last < FIRST + 5
    found = of_bits(
        Rows(whole.pages[few], whole.first[few], whole.last[few], whole.words[few], whole.values[:, few], None)
    )
    assert found.verdict == change_point.TOO_FEW_MONTHS and found.p is None
    assert words([found], None)[0].endswith("5 months and 75 articles, and 8 months are needed")


@pytest.mark.parametrize(
    ("metric", "direction"),
    [
        ("bits_per_byte", "lower"),
        ("min_k_percent", "higher"),
        ("copied_5grams", "higher"),
        ("bleu", "higher"),
        ("bits_per_token", None),
        ("tokens", None),
    ],
)
def test_which_way_having_read_moves_a_metric(metric: str, direction: str | None) -> None:
    known = {
        "bits_per_byte": "lower", "min_k_percent": "none", "copied_5grams": "none", "bleu": "higher",
        "bits_per_token": "lower", "tokens": "none",
    }  # fmt: skip
    assert seen_direction(metric, known) == direction


def test_which_of_the_last_months_may_be_meant_is_that_of_a_recomputation() -> None:
    """Slow changes that end about the last month, where several of their shapes are cut off alike. Both draw, so that a
    month whose p is near the level may be held by one and not by the other."""
    told, last = set(), FIRST + MONTHS - 1
    for seed in range(6):
        drawn = rows(0.0, seed=seed)
        seen = np.clip((last - 3 + seed % 4 - drawn.last) / 3, 0, 1)
        found = of_bits(replace(drawn, values=drawn.values - 2.2 * seen))
        months = []
        for month in range(FIRST, last + 1):
            here = drawn.last == month
            months.append(Month(month, (drawn.values[0] - 2.2 * seen)[here].tolist(), drawn.words[here].tolist()))
        ours = cutoff(months)
        near, sure = ([month for month, p in ours.months.items() if p > level] for level in (0.012, 0.03))
        assert ours.p < 0.05
        if found.verdict == change_point.UNFINISHED:
            assert last in near
        else:
            assert (found.verdict, last in sure) == ("found", False)
            assert found.month == month_of(ours.month) and found.low and found.high
            assert month_of(near[0]) <= found.low <= month_of(sure[0])
            assert month_of(sure[-1]) <= found.high <= month_of(near[-1])
        told.add(found.verdict)
    assert told == {change_point.UNFINISHED, "found"}
