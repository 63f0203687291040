import math
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from scipy import stats

from newwiki.errors import TerminalError
from newwiki.records import Completion, Fingerprint, Metric, Run, Score
from newwiki.snapshot import Judged, Snapshot
from storage import runs
from storage.database import Database
from storage.keys import repeated
from storage.queries import query
from tests.storage.conftest import Filled, publish_pages, undone

FOG = Metric("fog", "grade", 0.0, None, "lower", "formula", "paper")
BLEU = Metric("bleu", "points", 0.0, 100.0, "higher", "formula", "paper")
ONE, TWO, THREE = (Fingerprint(f"evaluator-{n}", "counts", n, parameters={"n": 1}) for n in "123")
NO_PROBLEM: list[tuple[str, int]] = []

Publish = Callable[..., Snapshot]
Page = Callable[..., Judged]
RunOf = Callable[..., Run]


COUNTED = [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (3, 0)]


def completion(page_id: int, sample: int, words: int = 3, text: str = "a b c") -> Completion:
    return Completion(page_id, sample, text, 5, words, "length", True)


def ask(database: Database, question: str, *parameters: object) -> list[tuple[Any, ...]]:
    with database.read() as connection:
        answer: list[tuple[Any, ...]] = connection.execute(question, list(parameters)).fetchall()
        return answer


def asked(database: Database, question: str) -> list[dict[str, Any]]:
    """Rows by the names of their columns."""
    with database.read() as connection:
        cursor = connection.execute(question)
        names = [column[0] for column in cursor.description or []]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def score(
    database: Database,
    run_id: str,
    values: dict[tuple[int, int], float | None],
    *,
    metric: Metric = FOG,
    by: Fingerprint = ONE,
    finish: bool = True,
) -> None:
    rows = [
        Score(page, sample, metric.name, value, "ok" if value is not None else "no words", by.evaluator_id)
        for (page, sample), value in values.items()
    ]
    with database.write():
        runs.register(database, [by], [metric])
        runs.add_scores(database, run_id, rows)
        if finish:
            runs.finish_scoring(database, run_id, {by.evaluator_id})


def complete_run(database: Database, selected: Page, run: Run) -> None:
    """Store a complete run on three pages, with two completions of each."""
    publish_pages(database, selected(1), selected(2), selected(3))
    runs.start(database, run)
    runs.add_completions(database, run.run_id, [completion(page, sample) for page in (1, 2, 3) for sample in (0, 1)])
    runs.complete(database, run.run_id, 2)
    runs.register(database, [], [FOG, BLEU])


@pytest.fixture
def run(database: Database, selected: Page, run_of: RunOf, filled: Filled) -> Run:
    started = run_of("run-1")
    filled("a complete run", database, lambda: complete_run(database, selected, started))
    return started


def test_a_run_is_entered_once_and_says_how_far_it_is(database: Database, run_of: RunOf) -> None:
    runs.start(database, run_of("run-1"))
    runs.start(database, run_of("run-1"))
    assert runs.status(database, "run-2") is None
    assert runs.status(database, "run-1") == "running"
    runs.complete(database, "run-1", 1)
    runs.start(database, run_of("run-1"))
    assert runs.status(database, "run-1") == "complete"
    runs.start(database, run_of("run-2"))
    rows = ask(database, "select run_id, status, started_at <= finished_at from runs order by run_id")
    assert rows == [("run-1", "complete", True), ("run-2", "running", None)]


def test_a_run_that_failed_keeps_what_it_has_and_can_go_on(database: Database, run_of: RunOf) -> None:
    runs.start(database, run_of("run-1"))
    runs.add_completions(database, "run-1", [completion(1, 0, text="first")])
    runs.fail(database, "run-1")
    assert runs.status(database, "run-1") == "failed"
    assert runs.stored_completions(database, "run-1") == {(1, 0)}
    runs.start(database, run_of("run-1"))
    assert runs.status(database, "run-1") == "running"


def test_what_is_stored_is_done_and_is_not_stored_twice(database: Database, run_of: RunOf) -> None:
    runs.start(database, run_of("run-1"))
    runs.add_completions(database, "run-1", [completion(1, 0, text="first")])
    runs.add_completions(database, "run-1", [completion(1, 0, text="second"), completion(1, 1, text="שלום 🙂\n")])
    runs.add_completions(database, "run-2", [completion(1, 0, text="another run's")])
    runs.add_completions(database, "run-1", [])
    assert runs.stored_completions(database, "run-1") == {(1, 0), (1, 1)}
    rows = ask(database, "select run_id, page_id, sample, text, truncated, kept from completions order by all")
    assert rows == [
        ("run-1", 1, 0, "first", True, None),
        ("run-1", 1, 1, "שלום 🙂\n", True, None),
        ("run-2", 1, 0, "another run's", True, None),
    ]


def test_the_longest_are_kept_and_of_two_as_long_the_earlier(database: Database, run_of: RunOf) -> None:
    runs.start(database, run_of("run-1"))
    words = {(1, 0): 5, (1, 1): 9, (1, 2): 5, (1, 3): 5, (2, 0): 0, (2, 1): 1, (2, 2): 0, (3, 7): 4}
    runs.add_completions(
        database, "run-1", [completion(page, sample, n, f"{n}") for (page, sample), n in words.items()]
    )
    runs.add_completions(database, "run-2", [completion(1, 0, 99), completion(1, 1, 1), completion(1, 2, 1)])
    assert runs.kept_completions(database, "run-1") == []
    runs.complete(database, "run-1", 2)
    assert runs.kept_completions(database, "run-1") == [(1, 0), (1, 1), (2, 0), (2, 1), (3, 7)]
    assert runs.kept_texts(database, "run-1", 2, 3) == {(2, 0): "0", (2, 1): "1", (3, 7): "4"}
    assert ask(database, "select count(*) from completions where run_id = 'run-1' and not kept") == [(3,)]
    assert ask(database, "select count(kept) from completions where run_id = 'run-2'") == [(0,)]


def test_scores_are_not_stored_twice_and_differ_by_evaluator(database: Database, run: Run) -> None:
    score(database, "run-1", {(1, 0): 1.0, (1, 1): None})
    score(database, "run-1", {(1, 0): 2.0, (1, 1): 3.0}, finish=False)
    score(database, "run-1", {(1, 0): 4.0}, by=TWO, finish=False)
    rows = ask(database, "select sample, value, status, evaluator_id from scores order by all")
    assert rows == [(0, 1.0, "ok", "evaluator-1"), (0, 4.0, "ok", "evaluator-2"), (1, None, "no words", "evaluator-1")]
    assert runs.scored_texts(database, "run-1", ["evaluator-1", "evaluator-2", "evaluator-3"]) == {
        "evaluator-1": {(1, 0), (1, 1)},
        "evaluator-2": {(1, 0)},
        "evaluator-3": set(),
    }
    assert runs.finished_scorings(database, "run-1") == {"evaluator-1"}


def test_evaluators_are_entered_once_with_all_that_made_their_numbers(database: Database) -> None:
    full = Fingerprint("e", "sbert", "2", "mini", "abc", {"b": 1, "a": [1]}, {"torch": "2"}, "float32", "cpu")
    for _ in range(2):
        runs.register(database, [full, ONE], [FOG])
    assert ask(database, "select * from evaluators order by evaluator_id") == [
        ("e", "sbert", "2", "mini", "abc", '{"a": [1], "b": 1}', '{"torch": "2"}', "float32", "cpu"),
        ("evaluator-1", "counts", "1", None, None, '{"n": 1}', "{}", None, None),
    ]


def test_a_metric_is_described_as_it_is_now(database: Database) -> None:
    runs.register(database, [], [FOG, BLEU])
    changed = Metric("fog", "years", 0.0, None, "none", "another", "paper")
    runs.register(database, [], [changed])
    rows = ask(database, "select metric, unit, maximum from metrics order by 1")
    assert rows == [("bleu", "points", 100.0), ("fog", "years", None)]


def columns(database: Database, view: str) -> set[str]:
    return {name for (name,) in ask(database, "select column_name from duckdb_columns() where table_name = ?", view)}


def test_a_complete_run_says_how_many_texts_it_keeps(database: Database, run: Run, run_of: RunOf) -> None:
    """Of pages 1 and 2 two texts each are kept, of page 3 its only answer. One kept text ended by itself."""
    runs.start(database, run_of("run-2"))
    runs.add_completions(database, "run-2", [completion(page, n) for page, n in COUNTED[1:]])
    runs.add_completions(database, "run-2", [Completion(1, 0, "a b c", 3, 3, "stop", False)])
    unclosed = Completion(3, 1, "", 0, 0, "length", True, thinking="Hm", no_answer="thinking was not closed")
    runs.add_completions(database, "run-2", [unclosed])
    asked = "select kept_prompts, kept_texts, truncated_texts, no_answers from runs where run_id = 'run-2'"
    assert ask(database, asked) == [(None, None, None, None)]
    runs.complete(database, "run-2", 2)
    assert ask(database, asked) == [(3, 5, 4, 1)]
    assert ask(database, "select prompts, texts from kept_texts where run_id = 'run-2'") == [(3, 5)]
    assert database.rows("miscounted_texts") == []
    with database.write() as connection:
        connection.execute("update runs set kept_texts = 6 where run_id = 'run-2'")
    assert database.rows("miscounted_texts") == [
        (
            "run run-2 has 5 kept texts of 3 prompts, 4 of them truncated, and 1 completions without an answer, "
            "and says otherwise",
        )
    ]


def test_each_new_metric_gets_its_columns_in_the_views(database: Database) -> None:
    runs.register(database, [ONE], [FOG])
    assert {"fog", "fog_sd", "fog_low", "fog_high"} <= columns(database, "leaderboard")
    assert "bleu" not in columns(database, "scores_wide")
    runs.register(database, [ONE], [BLEU])
    assert {"fog", "fog_high", "bleu", "bleu_sd", "bleu_low", "bleu_high"} <= columns(database, "leaderboard")
    assert {"run_id", "page_id", "sample", "is_reference", "by_other_evaluators", "fog", "bleu"} == columns(
        database, "scores_wide"
    )
    assert columns(Database(database.path), "leaderboard") == columns(database, "leaderboard")


@pytest.mark.parametrize("name", ["select", "Share"])
def test_a_metric_may_have_the_name_of_a_word_of_sql(database: Database, run: Run, name: str) -> None:
    score(database, "run-1", {(1, 0): 1.5}, metric=Metric(name, "", None, None, "none", "", ""))
    (row,) = asked(database, "select * from leaderboard")
    assert row[name] == 1.5
    assert asked(database, "select * from scores_wide")[0][name] == 1.5


@pytest.mark.parametrize("name", ['a "quoted" name', "it's", "π 🙂", "a; drop table runs", "model"])
def test_a_metric_that_cannot_name_a_column_is_refused(database: Database, name: str) -> None:
    with pytest.raises(TerminalError, match=re.escape(f"has a metric named {name!a}, which cannot name a column")):
        runs.register(database, [ONE], [Metric(name, "", None, None, "none", "", "")])
    assert ask(database, "select metric from metrics") == []


def test_the_leaderboard_has_mean_and_deviation_and_says_why_there_is_no_interval(database: Database, run: Run) -> None:
    """By hand: texts 1, 3 | 4 | 6 have mean 14/4 and sd sqrt(13/3)."""
    score(database, "run-1", {(1, 0): 1.0, (1, 1): 3.0, (2, 0): 4.0, (2, 1): None, (3, 0): 6.0, (3, 1): None})
    (row,) = asked(database, "select * from leaderboard")
    assert (row["fog"], row["fog_sd"]) == (3.5, pytest.approx(math.sqrt(13 / 3)))
    assert (row["fog_low"], row["fog_high"], row["fog_no_interval"]) == (None, None, "too few prompts")
    assert (row["model"], row["decoder"], row["prompts"], row["completions"]) == ("toy", "greedy", 3, 6)
    assert ask(database, "select scored, unscored from metric_summaries") == [(4, 2)]


def test_one_page_has_no_interval_and_one_text_no_deviation(database: Database, run: Run) -> None:
    score(database, "run-1", {(1, 0): 1.0, (1, 1): 3.0})
    score(database, "run-1", {(1, 0): 2.0, (1, 1): None}, metric=BLEU, by=TWO)
    (row,) = asked(database, "select * from leaderboard")
    assert (row["fog"], row["fog_sd"]) == (2.0, pytest.approx(math.sqrt(2)))
    assert (row["bleu"], row["bleu_sd"]) == (2.0, None)
    assert [row[f"{name}_{end}"] for name in ("fog", "bleu") for end in ("low", "high")] == [None] * 4
    assert row["fog_no_interval"] == row["bleu_no_interval"] == "too few prompts"


def test_what_could_not_be_scored_at_all_is_null_and_counted(database: Database, run: Run) -> None:
    score(database, "run-1", {(1, 0): None, (2, 0): None})
    (row,) = asked(database, "select * from leaderboard")
    assert [row[f"fog{end}"] for end in ("", "_sd", "_low", "_high", "_no_interval")] == [None] * 5
    assert ask(database, "select scored, unscored from metric_summaries") == [(0, 2)]


def test_students_t_is_that_of_scipy(database: Database) -> None:
    with database.write():
        pass
    for degrees in (1, 1.0001, 1.7, 2, 3, 5.5, 12, 100, 1e4, 1e7):
        ((found,),) = ask(database, "select student_t_975(?)", degrees)
        assert found == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-6)


def test_numbers_of_two_evaluators_are_never_mixed(database: Database, run: Run) -> None:
    """The newest finished scoring is shown, whole, and nothing of the other, not even where it is the longer one."""
    score(database, "run-1", {(1, 0): 10.0, (1, 1): 10.0, (2, 0): 10.0, (3, 0): 10.0})
    before = asked(database, "select * from leaderboard")
    score(database, "run-1", {(1, 0): 1.0, (2, 0): 3.0}, by=TWO)
    (row,) = asked(database, "select * from leaderboard")
    assert (before[0]["fog"], row["fog"]) == (10.0, 2.0)
    assert (before[0]["fog_scored_by"], row["fog_scored_by"]) == ("evaluator-1", "evaluator-2")
    assert ask(database, "select page_id, sample, fog from scores_wide order by all") == [(1, 0, 1.0), (2, 0, 3.0)]
    assert ask(database, "select count(*) from scores") == [(6,)]


def test_a_scoring_that_is_not_finished_is_not_shown(database: Database, run: Run) -> None:
    score(database, "run-1", {(1, 0): 1.0}, finish=False)
    assert ask(database, "select * from leaderboard") == []
    assert ask(database, "select * from scores_wide") == []
    runs.finish_scoring(database, "run-1", {"evaluator-1"})
    assert asked(database, "select * from leaderboard")[0]["fog"] == 1.0
    score(database, "run-1", {(1, 0): 9.0, (2, 0): 9.0}, by=TWO, finish=False)
    assert asked(database, "select * from leaderboard")[0]["fog"] == 1.0


def test_metrics_of_different_evaluators_stand_in_one_row(database: Database, run: Run) -> None:
    score(database, "run-1", {(1, 0): 1.0}, metric=FOG, by=ONE)
    score(database, "run-1", {(1, 0): 5.0}, metric=BLEU, by=TWO)
    (row,) = asked(database, "select * from leaderboard")
    assert (row["fog"], row["bleu"]) == (1.0, 5.0)


def test_a_column_holds_the_numbers_of_one_evaluator_and_says_who_made_the_others(
    database: Database, run: Run, run_of: RunOf
) -> None:
    """Of the two runs that the older evaluator has scored and the one that the newer has, the newer is shown."""
    for run_id, by, value in (("run-1", ONE, 9.0), ("run-2", ONE, 8.0), ("run-3", TWO, 1.0)):
        runs.start(database, run_of(run_id))
        score(database, run_id, {(1, 0): value}, by=by)
    names = ("fog", "fog_texts", "fog_status", "fog_scored_by")
    shown = {row["run_id"]: tuple(row[name] for name in names) for row in asked(database, "select * from leaderboard")}
    assert shown == {
        "run-1": (None, None, "another evaluator", "evaluator-1"),
        "run-2": (None, None, "another evaluator", "evaluator-1"),
        "run-3": (1.0, 1, "ok", "evaluator-2"),
    }
    wide = ask(database, "select run_id, fog, by_other_evaluators from scores_wide order by run_id")
    assert wide == [("run-1", None, ["fog"]), ("run-2", None, ["fog"]), ("run-3", 1.0, None)]
    score(database, "run-3", {(1, 0): 2.0}, by=ONE)
    assert [row["fog"] for row in asked(database, "select * from leaderboard order by run_id")] == [9.0, 8.0, 2.0]
    assert asked(database, "select * from column_evaluators") == [{"metric": "fog", "evaluator_id": "evaluator-1"}]


def test_a_number_says_on_how_many_texts_it_stands(database: Database, run: Run) -> None:
    """Of six kept texts four were asked about, and two of these have no number."""
    scored = [Score(1, 0, "fog", 1.0, "ok", "evaluator-1"), Score(1, 1, "fog", 3.0, "ok", "evaluator-1")]
    without = [Score(2, n, "fog", None, "no_entities", "evaluator-1") for n in (0, 1)]
    runs.register(database, [ONE], [FOG])
    runs.add_scores(database, "run-1", [*scored, *without])
    runs.finish_scoring(database, "run-1", {"evaluator-1"})
    (row,) = asked(database, "select * from leaderboard")
    assert (row["fog"], row["fog_texts"], row["completions"]) == (2.0, 2, 6)
    assert row["fog_status"] == "2 of 6: not scored 2, no_entities 2"


def test_the_articles_themselves_are_a_row(database: Database, run: Run) -> None:
    score(database, "reference:testwiki-2026-09", {(1, 0): 7.0, (2, 0): 9.0})
    (row,) = asked(database, "select * from leaderboard")
    assert (row["model"], row["decoder"], row["prompts"], row["completions"]) == ("Wikipedia", "reference", 2, 2)
    assert (row["fog"], row["snapshot_id"]) == (8.0, "testwiki-2026-09")


def problems(connection: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    dangling = [(problem, rows) for problem, rows in connection.execute(query("integrity")).fetchall() if rows]
    return dangling + repeated(connection)


@pytest.fixture(scope="module")
def sound(empty: Path, selected: Page, run_of: RunOf, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """A database in which every table has rows that belong together."""
    database = Database(shutil.copy(empty, tmp_path_factory.mktemp("sound") / "newwiki.duckdb"))
    complete_run(database, selected, run_of("run-1"))
    score(database, "run-1", {(1, 0): 1.0, (2, 0): 2.0})
    score(database, "reference:testwiki-2026-09", {(1, 0): 7.0})
    with database.read() as connection:
        assert problems(connection) == NO_PROBLEM
    return database


@pytest.mark.parametrize(
    ("planted", "found"),
    [
        ("update candidates set snapshot_id = 'x' where page_id = 1", [("candidates without a snapshot", 1)]),
        ("update stored_articles set snapshot_id = 'x' where page_id = 1", [("articles without a snapshot", 1)]),
        ("update runs set snapshot_id = 'x'", [("runs without a snapshot", 1)]),
        ("update completions set run_id = 'x' where page_id = 1", [("completions without a run", 2)]),
        ("update scores set run_id = 'x' where value = 2", [("scores without a run or snapshot", 1)]),
        ("update scores set run_id = 'reference:x' where value = 7", [("scores without a run or snapshot", 1)]),
        ("update scores set evaluator_id = 'x' where value = 2", [("scores without an evaluator", 1)]),
        ("insert into snapshots select * from snapshots", [("snapshots that are there twice", 1)]),
        ("insert into stored_articles select * from stored_articles", [("stored_articles that are there twice", 3)]),
        ("insert into runs select * from runs", [("runs that are there twice", 1)]),
        ("insert into completions select * from completions", [("completions that are there twice", 6)]),
        ("insert into scores select * from scores where value = 2", [("scores that are there twice", 1)]),
    ],
)
def test_what_does_not_belong_is_found(sound: Database, planted: str, found: list[tuple[str, int]]) -> None:
    with undone(sound, planted) as connection:
        assert problems(connection) == found


@pytest.mark.parametrize("table", ["candidates", "evaluators", "scorings", "run_scores", "metrics"])
def test_whatever_is_there_twice_is_found(sound: Database, table: str) -> None:
    scored = "insert into run_scores values ('run-1', 'mauve', 1, 0, 'ok', 'evaluator-1', 6)"
    with undone(sound, scored, f"insert into {table} select * from {table} limit 1") as connection:  # noqa: S608
        assert problems(connection) != NO_PROBLEM


@pytest.mark.parametrize(
    "planted",
    [
        "insert into scorings values ('x', 'evaluator-1', now())",
        "insert into scorings values ('run-1', 'x', now())",
        "insert into run_scores values ('x', 'mauve', 1, 0, 'ok', 'evaluator-1', 6)",
        "insert into run_scores values ('run-1', 'mauve', 1, 0, 'ok', 'x', 6)",
    ],
)
def test_whatever_refers_to_nothing_is_found(sound: Database, planted: str) -> None:
    with undone(sound, planted) as connection:
        assert problems(connection) != NO_PROBLEM


def test_registering_nothing_changes_nothing(database: Database) -> None:
    none: Iterable[Fingerprint] = []
    runs.register(database, none, [])
    runs.finish_scoring(database, "run-1", [])
    assert ask(database, "select count(*) from evaluators union all select count(*) from scorings") == [(0,), (0,)]
