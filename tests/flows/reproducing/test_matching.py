"""Whether our interval holds a paper's number, and when that is not asked."""

from dataclasses import replace

import pytest

from evaluators.statistics import ALIKE, TOO_FEW
from flows.reproducing import scale
from flows.reproducing.matching import FAILS, HOLDS, NOT_RUN, UNKNOWN, UNLIKE, Match, Ours, match, numbers_by_row
from newwiki.papers.published import Paper, papers

PAPER = papers()["003"]
TABLE = PAPER.table("3")
GPT2 = 2  # the row of the table


def found(title: str, ours: Ours | str, row: int = GPT2) -> Match:
    """Ours beside the number of GPT-2 in table 3: 60.456 for FK-Score, 5.048 for the essay score."""
    [number] = [one for place, one in numbers_by_row(PAPER, TABLE) if place == row and one.metric.title == title]
    return match(PAPER, TABLE, row, number, ours)


def ours(value: float, low: float | None, high: float | None, lacking: str | None = None) -> Ours:
    return Ours(value=value, low=low, high=high, lacking=lacking, whose="toy", metric="any", source="run")


@pytest.mark.parametrize(
    ("low", "high", "standing"),
    [(60.0, 61.0, HOLDS), (60.456, 61.0, HOLDS), (60.0, 60.456, HOLDS), (60.5, 61.0, FAILS), (59.0, 60.4, FAILS)],
)
def test_an_interval_holds_the_number_or_not(low: float, high: float, standing: str) -> None:
    assert found("FK-Score", ours(60.2, low, high)).standing == standing


def test_without_an_interval_nothing_is_said_but_why() -> None:
    one = found("FK-Score", ours(60.456, None, None, TOO_FEW))
    assert (one.standing, one.why) == (UNKNOWN, TOO_FEW)


def test_what_does_not_vary_is_its_own_interval() -> None:
    """The articles' overlap with themselves is 1, in the paper too."""
    articles = 10
    one = found("Entity overlap", ours(1.0, None, None, ALIKE), articles)
    assert (one.number.model and one.number.model.name, one.standing) == ("Wikipedia", HOLDS)
    assert found("Entity overlap", ours(0.9, None, None, ALIKE), articles).standing == FAILS


def test_a_metric_on_another_scale_is_shown_and_not_judged() -> None:
    one = found("Essay scoring", ours(5.0, 4.0, 6.0))
    assert (one.standing, one.ours and one.ours.value) == (UNLIKE, 5.0)
    assert "was not published" in one.why


def test_what_was_measured_on_something_else_is_shown_and_not_judged() -> None:
    one = found("FK-Score", replace(ours(60.2, 60.0, 61.0), unlike="on stories in the paper"))
    assert (one.standing, one.why) == (UNLIKE, "on stories in the paper")


def test_what_is_not_run_has_its_reason() -> None:
    one = found("FK-Score", "not on this machine")
    assert (one.standing, one.ours, one.why) == (NOT_RUN, None, "not on this machine")


def test_ours_is_told_in_the_papers_unit() -> None:
    """Massarelli et al. 2020 print 64.51 % for top-k 2, which is 0.6451 here."""
    paper = papers()["004"]
    table = paper.table("1")
    [number] = [
        one for row, one in numbers_by_row(paper, table) if row == 1 and one.metric.title == "4-gram proportion"
    ]
    one = match(paper, table, 1, number, ours(0.65, 0.64, 0.66))
    assert (number.value, one.standing) == (64.51, HOLDS)
    assert one.ours and (one.ours.value, one.ours.low, one.ours.high) == pytest.approx((65, 64, 66))


@pytest.mark.parametrize("paper", papers().values(), ids=papers())
def test_every_number_has_its_row(paper: Paper) -> None:
    for exhibit in paper.exhibits:
        numbers = list(numbers_by_row(paper, exhibit))
        assert [number for _, number in numbers] == list(paper.numbers(exhibit))
        for row, number in numbers:
            assert (exhibit.rows[row].decoder, exhibit.rows[row].labels) == (number.decoder, number.labels)


def test_the_scale_leaves_what_an_interval_takes() -> None:
    assert [scale.prompts(2000, share).here for share in (1.0, 0.5, 0.01, 0.001)] == [2000, 1000, 20, 13]
    assert scale.prompts(2000, 0.01, 10).here == 10
    assert [scale.samples(20, share).here for share in (1.0, 0.1, 0.01)] == [20, 2, 1]
    assert [scale.tokens(512, share).here for share in (1.0, 0.5, 0.01)] == [512, 256, 64]
    assert scale.tokens(64, 0.01).here == 64
    assert scale.words([scale.prompts(2000, 0.01), scale.tokens(64, 1.0)]) == (
        "prompts: 20 (2,000 in the paper); tokens at most: 64"
    )
