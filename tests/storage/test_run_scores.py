"""The numbers of a run as a whole, and where they are shown."""

from collections.abc import Callable
from typing import Any

import pytest

from newwiki.records import Completion, Fingerprint, Metric, Run, RunScore, Score
from newwiki.snapshot import Judged, Snapshot
from storage import runs
from storage.database import Database
from storage.queries import query
from tests.storage.conftest import Filled

MAUVE = Metric("mauve", "ratio", 0.0, 1.0, "higher", "formula", "paper", "run")
FOG = Metric("fog", "grade", 0.0, None, "lower", "formula", "paper")
ONE, TWO, COUNTS = Fingerprint("one", "mauve", "1"), Fingerprint("two", "mauve", "2"), Fingerprint("c", "counts", "1")
ARTICLES = "reference:testwiki-2026-09"


def asked(database: Database, question: str) -> list[dict[str, Any]]:
    with database.read() as connection:
        cursor = connection.execute(question)
        names = [column[0] for column in cursor.description or []]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def add(
    database: Database, run_id: str, value: float | None, *, by: Fingerprint = ONE, texts: int = 3, finish: bool = True
) -> None:
    status = "no texts" if value is None else "ok"
    spread = None if value is None else 0.25
    with database.write():
        runs.register(database, [by], [MAUVE])
        runs.add_run_scores(database, run_id, [RunScore("mauve", value, spread, status, by.evaluator_id, texts)])
        if finish:
            runs.finish_scoring(database, run_id, {by.evaluator_id} - runs.finished_scorings(database, run_id))


@pytest.fixture
def run(
    database: Database,
    published: Callable[..., Snapshot],
    selected: Callable[..., Judged],
    run_of: Callable[..., Run],
    filled: Filled,
) -> Run:
    """A run on three pages, complete."""
    started = run_of("run-1")

    def fill() -> None:
        published(selected(1), selected(2), selected(3))
        runs.start(database, started)
        runs.add_completions(database, "run-1", [Completion(page, 0, "a b", 5, 2, "stop", False) for page in (1, 2, 3)])
        runs.complete(database, "run-1", 1)
        runs.register(database, [], [MAUVE])

    filled("a run to be scored as a whole", database, fill)
    return started


def test_the_leaderboard_shows_value_and_spread_and_no_interval(database: Database, run: Run) -> None:
    add(database, "run-1", 0.5)
    add(database, ARTICLES, 1.0)
    articles, row = sorted(asked(database, "select * from leaderboard"), key=lambda row: str(row["run_id"]))
    assert [row[f"mauve{end}"] for end in ("", "_sd", "_low", "_high")] == [0.5, 0.25, None, None]
    assert (articles["model"], articles["mauve"], articles["prompts"]) == ("Wikipedia", 1.0, 3)
    assert row["mauve_scored_by"] == articles["mauve_scored_by"]
    (summary,) = asked(database, "select scored, unscored from metric_summaries where run_id = 'run-1'")
    assert summary == {"scored": 3, "unscored": 0}


def test_it_stands_beside_the_metrics_of_texts(database: Database, run: Run) -> None:
    runs.register(database, [COUNTS], [FOG])
    runs.add_scores(database, "run-1", [Score(1, 0, "fog", 7.0, "ok", "c")])
    runs.finish_scoring(database, "run-1", {"c"})
    add(database, "run-1", 0.5)
    (row,) = asked(database, "select * from leaderboard")
    assert (row["fog"], row["mauve"]) == (7.0, 0.5)
    (wide,) = asked(database, "select * from scores_wide")
    assert wide == {
        "run_id": "run-1",
        "page_id": 1,
        "sample": 0,
        "is_reference": False,
        "by_other_evaluators": None,
        "fog": 7.0,
    }


def test_what_cannot_be_scored_is_null_with_its_reason(database: Database, run: Run) -> None:
    add(database, "run-1", None)
    (row,) = asked(database, "select * from leaderboard")
    assert (row["mauve"], row["mauve_sd"]) == (None, None)
    assert asked(database, "select status, value from run_scores") == [{"status": "no texts", "value": None}]
    assert asked(database, "select scored, unscored from metric_summaries") == [{"scored": 0, "unscored": 3}]


def test_the_newest_finished_evaluator_is_shown(database: Database, run: Run) -> None:
    add(database, "run-1", 0.5)
    add(database, "run-1", 0.75, by=TWO, finish=False)
    assert [row["mauve"] for row in asked(database, "select * from leaderboard")] == [0.5]
    runs.finish_scoring(database, "run-1", {"two"})
    assert [row["mauve"] for row in asked(database, "select * from leaderboard")] == [0.75]


def test_a_number_of_more_texts_takes_the_place_of_the_former(database: Database, run: Run) -> None:
    add(database, ARTICLES, 0.5, texts=2)
    assert runs.set_scored(database, ARTICLES) == {"one": 2}
    add(database, ARTICLES, 0.75, texts=3)
    runs.add_run_scores(database, ARTICLES, [])
    assert runs.set_scored(database, ARTICLES) == {"one": 3}
    assert asked(database, "select value from run_scores") == [{"value": 0.75}]
    assert runs.set_scored(database, "run-1") == {}


def test_numbers_of_the_articles_belong_to_their_snapshot(database: Database, run: Run) -> None:
    add(database, "run-1", 0.5)
    add(database, ARTICLES, 1.0)
    assert not [row for row in asked(database, query("integrity")) if row["rows"]]
    add(database, "reference:x", 1.0, finish=False)
    found = [row for row in asked(database, query("integrity")) if row["rows"]]
    assert found == [{"problem": "run scores without a run or snapshot", "rows": 1}]
