"""What a reader's own query may take, and which columns of its result a plot shows."""

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from flows.report.browser import query_process
from flows.report.browser.live import Live
from flows.report.browser.plotting import ChosenPlot, choose, draw
from flows.report.browser.query_process import QueryAnswer, ask
from newwiki.errors import TerminalError, UsageError
from storage.database import Database

pytestmark = pytest.mark.slow

_DAY = datetime(2026, 9, 1, tzinfo=UTC)
_RESULT = QueryAnswer(
    ("count", "decoder", "day", "mean"),
    [(3, "greedy", _DAY, 0.5), (4, "beam", _DAY, None), (5, "beam", _DAY, 0.25)],
    True,
)


@pytest.fixture
def live(database: Path) -> Live:
    return Live(Database(database))


def test_a_query_ends_when_its_time_is_up_and_the_next_is_answered(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ask(live, "select 1 as one") == QueryAnswer(("one",), [(1,)], True)
    monkeypatch.setattr(query_process, "SECONDS", 1)
    with pytest.raises(TerminalError, match="and was stopped"):
        ask(live, "select count(*) from range(1000000000000)")
    monkeypatch.setattr(query_process, "SECONDS", 20)
    assert ask(live, "select 2 as two").rows == [(2,)]


def test_a_query_that_needs_the_machines_memory_is_told_so(live: Live) -> None:
    with pytest.raises(TerminalError, match="more than 2 GB of memory"):
        ask(live, "select repeat('a', 3000000000)")


def test_a_long_text_is_cut_and_says_how_long_it_was(live: Live) -> None:
    assert ask(live, "select repeat('a', 5000), [1, 2]").rows == [("a" * 2000 + "… (5,000 characters)", "[1, 2]")]


def test_the_file_is_nobodys_between_two_turns(live: Live) -> None:
    for turn, other in ((live.read, live.query), (live.query, live.read)):
        with turn():
            time.sleep(0.1)
        ended = time.monotonic()
        with other():
            assert time.monotonic() - ended >= 0.04


@pytest.mark.parametrize(
    ("kind", "named", "chosen"),
    [
        ("bar", {}, ChosenPlot("bar", "decoder", "count", None)),
        ("line", {"x": "day"}, ChosenPlot("line", "day", "count", None)),
        ("points", {}, ChosenPlot("points", "count", "mean", None)),
        ("points", {"y": "count"}, ChosenPlot("points", "mean", "count", None)),
        ("histogram", {}, ChosenPlot("histogram", "count", None, None)),
        ("histogram", {"x": "mean", "color": "decoder"}, ChosenPlot("histogram", "mean", None, "decoder")),
    ],
)
def test_columns_that_are_not_named_are_chosen_by_what_they_hold(
    kind: str, named: dict[str, str], chosen: ChosenPlot
) -> None:
    assert choose(_RESULT, kind, named.get("x"), named.get("y"), named.get("color")) == chosen


@pytest.mark.parametrize(
    ("kind", "named", "words"),
    [
        ("bar", {"x": "decodr"}, "no column 'decodr' to plot; did you mean 'decoder'"),
        ("bar", {"y": "decoder"}, "'decoder' is not numeric"),
        ("histogram", {"x": "day"}, "'day' is not numeric"),
        ("bar", {}, "several rows have the same 'decoder'"),
    ],
)
def test_what_cannot_be_drawn_is_said(kind: str, named: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        draw(_RESULT, choose(_RESULT, kind, named.get("x"), named.get("y"), named.get("color")))


def test_over_six_colours_are_refused() -> None:
    many = QueryAnswer(("name", "value"), [(f"run {n}", n) for n in range(7)], True)
    with pytest.raises(UsageError, match="'name' has 7 values; a plot can have at most 6 colors"):
        draw(many, ChosenPlot("histogram", "value", None, "name"))


def test_a_result_without_numbers_has_no_plot() -> None:
    with pytest.raises(UsageError, match="there is none"):
        choose(QueryAnswer(("name",), [("a",)], True), "bar", None, None, None)
    with pytest.raises(UsageError, match="no rows to plot"):
        choose(QueryAnswer(("n",), [], True), "histogram", None, None, None)
    with pytest.raises(UsageError, match="'n' has no number to plot"):
        draw(QueryAnswer(("n",), [(float("nan"),)], True), ChosenPlot("histogram", "n", None, None))
