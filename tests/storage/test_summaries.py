"""What is stored of a finished scoring is what its scores amount to, whatever happens to it afterwards."""

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from evaluators import statistics
from newwiki import interval
from newwiki.records import Fingerprint, Metric, Score
from storage import runs, summaries
from storage.database import Database
from storage.migrate import create_views
from tests.storage.conftest import Filled, undone
from tests.storage.earlier import undoing

FOG = Metric("fog", "grade", 0.0, None, "lower", "formula", "paper")
BLEU = Metric("bleu", "points", 0.0, 100.0, "higher", "formula", "paper")
ONE, TWO = (Fingerprint(f"evaluator-{n}", "counts", n) for n in "12")


def score_two_pages(database: Database) -> None:
    runs.register(database, [ONE, TWO], [FOG, BLEU])
    add(database, {(1, 0): 1.0, (1, 1): 3.0, (2, 0): 4.0, (2, 1): None})
    runs.finish_scoring(database, "run", {ONE.evaluator_id})
    assert summary(database) == [(8 / 3, 3, 1, 2, {"no words": 1})]


@pytest.fixture
def scored(database: Database, filled: Filled) -> Iterator[Database]:
    """Texts of two pages, scored by one evaluator; whatever the test does, nothing may be stale after it."""
    yield filled("scored", database, lambda: score_two_pages(database))
    assert stale(database) == []


@pytest.fixture(scope="module")
def unchanged(empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """The same database for several tests, each of which undoes what it changes."""
    database = Database(shutil.copy(empty, tmp_path_factory.mktemp("scored") / "newwiki.duckdb"))
    score_two_pages(database)
    return database


def add(
    database: Database, values: dict[tuple[int, int], float | None], by: Fingerprint = ONE, metric: Metric = FOG
) -> None:
    scores = [
        Score(page, sample, metric.name, value, "no words" if value is None else "ok", by.evaluator_id)
        for (page, sample), value in values.items()
    ]
    runs.add_scores(database, "run", scores)


def ask(database: Database, question: str) -> list[tuple[Any, ...]]:
    with database.read() as connection:
        found: list[tuple[Any, ...]] = connection.execute(question).fetchall()
        return found


def stale(database: Database) -> list[str]:
    with database.read() as connection:
        return summaries.stale(connection)


def summary(database: Database) -> list[tuple[Any, ...]]:
    return ask(database, "select mean, scored, unscored, pages, reasons from scoring_summaries order by evaluator_id")


def plant(database: Database, *statements: str) -> None:
    with duckdb.connect(str(database.path)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_means_by_prompt_are_stored_with_it(scored: Database) -> None:
    asked = "select page_id, mean, texts, squares from page_means order by page_id"
    assert ask(scored, asked) == [(1, 2.0, 2, 2.0), (2, 4.0, 1, 0.0)]
    assert ask(scored, "select page_id, reason, texts from page_gaps") == [(2, "no words", 1)]


def test_a_scoring_that_is_not_finished_has_no_summary(scored: Database) -> None:
    add(scored, {(1, 0): 9.0}, TWO)
    assert len(summary(scored)) == 1
    assert ask(scored, "select count(*) from page_means where evaluator_id = 'evaluator-2'") == [(0,)]


def test_a_finished_scoring_that_gets_more_texts_is_summed_up_anew_with_them(scored: Database) -> None:
    """As the articles do when a run on more of them is scored, interrupted or not, and a raised budget."""
    add(scored, {(3, 0): 8.0, (1, 0): 99.0})
    assert summary(scored) == [(4.0, 4, 1, 3, {"no words": 1})], "and what was there stays as it was"
    runs.finish_scoring(scored, "run", {ONE.evaluator_id})
    assert summary(scored) == [(4.0, 4, 1, 3, {"no words": 1})]


def test_another_metric_of_a_finished_evaluator_is_summed_up_with_it(scored: Database) -> None:
    add(scored, {(1, 0): None, (2, 0): 7.0}, metric=BLEU)
    asked = "select metric, mean, scored, unscored from metric_summaries order by metric"
    assert ask(scored, asked) == [("bleu", 7.0, 1, 1), ("fog", 8 / 3, 3, 1)]


def test_an_interrupted_transaction_leaves_scores_and_summary_together(
    scored: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ask(scored, "select * from scores"), summary(scored)

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("storage.summaries.store", killed)
        with pytest.raises(KeyboardInterrupt):
            add(scored, {(3, 0): 8.0})
    assert (ask(scored, "select * from scores"), summary(scored)) == before


@pytest.mark.parametrize("seed", range(3))
def test_no_order_of_events_leaves_a_stale_summary(unchanged: Database, seed: int) -> None:
    chance = random.Random(seed)
    with undone(unchanged) as connection:
        for _ in range(8):
            by, metric = chance.choice([ONE, TWO]), chance.choice([FOG, BLEU])
            if chance.random() < 0.3:
                runs.finish_scoring(unchanged, "run", {by.evaluator_id})
            else:
                keys = [(chance.randint(1, 4), chance.randint(0, 2)) for _ in range(3)]
                add(unchanged, {key: chance.choice([None, chance.gauss(0, 1e6)]) for key in keys}, by, metric)
            assert summaries.stale(connection) == []


def test_the_order_in_which_scores_are_stored_moves_no_bit(database: Database) -> None:
    chance = random.Random(0)
    runs.register(database, [ONE, TWO], [FOG])
    values = {(page, sample): chance.gauss(0, 1e6) for page in range(40) for sample in range(20)}
    with database.write():
        for by in (ONE, TWO):
            keys = list(values)
            chance.shuffle(keys)
            add(database, {key: values[key] for key in keys}, by)
            runs.finish_scoring(database, "run", {by.evaluator_id})
    for table, rows in (("page_means", 40), ("stored_summaries", 1)):
        stored = ask(database, f"from {table} order by all")
        one, two = ([row[3:] for row in stored if row[:3] == ("run", "fog", by.evaluator_id)] for by in (ONE, TWO))
        assert len(one) == rows
        assert one == two


@pytest.mark.parametrize(
    ("texts", "skewed"), [(lambda page: 1, 2.0), (lambda page: 1 + page % 7, 1.0), (lambda page: 1, 0.1)]
)
def test_an_interval_is_that_of_the_formula_and_ends_where_the_metric_does(
    database: Database, texts: Callable[[int], int], skewed: float
) -> None:
    """BLEU ends at 100; the same numbers as fog's have no upper end."""
    chance = random.Random(1)
    runs.register(database, [ONE], [FOG, BLEU])
    values = {(page, n): 100 - chance.lognormvariate(0, skewed) for page in range(30) for n in range(texts(page))}
    with database.write():
        for metric in (FOG, BLEU):
            add(database, {**values}, metric=metric)
        runs.finish_scoring(database, "run", {ONE.evaluator_id})
    expected = statistics.estimate(*statistics.by_cluster(list(values.values()), [page for page, _ in values]))
    asked = "select standard_error, freedom, skew, low, high, no_interval from metric_summaries order by metric desc"
    fog, bleu = ask(database, asked)
    parts = (expected.standard_error, expected.freedom, expected.skew, expected.low, expected.high)
    assert fog[:5] == pytest.approx([part[0] for part in parts], rel=1e-6)
    assert bleu == (*fog[:4], min(fog[4], 100.0), None)
    assert fog[5] is None


@pytest.mark.parametrize(
    ("pages", "value", "why"),
    [
        (interval.FEWEST - 1, 1.5, "too few prompts"),
        (interval.FEWEST, 0.1, "no variance"),
        (interval.FEWEST, 0.0, "no variance"),
    ],
)
def test_without_an_interval_there_is_the_reason(database: Database, pages: int, value: float, why: str) -> None:
    with database.write():
        runs.register(database, [ONE], [FOG])
        add(database, {(page, n): value for page in range(pages) for n in range(3)})
        runs.finish_scoring(database, "run", {ONE.evaluator_id})
    expected = statistics.differences_estimate(np.full((pages, 1), value))
    asked = "select mean, low, high, no_interval from metric_summaries"
    assert ask(database, asked) == [(pytest.approx(value), None, None, why)]
    assert expected.lacking == (why,)


def test_python_and_sql_have_the_constants_of_an_interval_from_one_place(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (statistics.LEVEL, statistics.FEWEST) == (interval.LEVEL, interval.FEWEST)
    asked = "select no_interval(1.0, 0.1, 18.0), no_interval(1.0, 0.1, 19.0)"
    assert ask(database, asked) == [(None, None)]
    monkeypatch.setattr(interval, "FEWEST", 20)
    with database.write() as connection:
        create_views(connection)
    assert ask(database, asked) == [("too few prompts", None)]


def test_the_number_of_threads_moves_no_bit(database: Database) -> None:
    """200,000 scores, more than one thread takes at a time, of numbers whose sum depends on its order."""
    runs.register(database, [ONE], [FOG])
    with database.write() as connection:
        connection.execute(
            "insert into scores select 'run', i // 10, i % 10, 'fog', exp(hash(i) % 40), 'ok', 'evaluator-1' "
            "from range(200_000) as numbers (i) order by hash(i)"
        )
        connection.execute("insert into scorings values ('run', 'evaluator-1', now())")
        found = []
        for threads in (1, 2, 4):
            connection.execute(f"set threads = {threads}")
            summaries.renew_finished(connection, "run", [ONE.evaluator_id])
            stored = [
                connection.execute(f"from {table} order by all").fetchall()
                for table in ("page_means", "stored_summaries")
            ]
            found.append(stored)
    assert found[0] == found[1] == found[2]
    assert len(found[0][0]) == 20_000


def test_summaries_of_older_versions_are_made_anew(scored: Database) -> None:
    """As version 13 stored them: with CR1's error, no degrees of freedom, and a last bit by chance."""
    asked = [f"from {table} order by all" for table in ("page_means", "stored_summaries", "leaderboard")]
    before = [ask(scored, question) for question in asked]
    views = [name for (name,) in ask(scored, "select view_name from duckdb_views() where not internal")]
    plant(
        scored,
        *[f"drop view {name}" for name in views],
        "alter table stored_summaries drop column freedom",
        "alter table stored_summaries drop column skew",
        "update stored_summaries set standard_error = 1, mean = mean + 1e-15",
        "update page_means set mean = mean + 1e-15",
        "delete from schema_migrations where version = 14",
        *undoing(15),
    )
    assert [ask(Database(scored.path), question) for question in asked] == before


def test_an_older_database_gets_its_summaries_when_it_is_opened(scored: Database) -> None:
    add(scored, {(1, 0): 2.5, (2, 0): None}, TWO, BLEU)
    add(scored, {(1, 0): 1.0}, TWO)
    runs.finish_scoring(scored, "run", {TWO.evaluator_id})
    asked = [f"from {table} order by all" for table in ("page_means", "scoring_summaries", "leaderboard")]
    before = [ask(scored, question) for question in asked]
    views = [name for (name,) in ask(scored, "select view_name from duckdb_views() where not internal")]
    plant(
        scored,
        *[f"drop view {name}" for name in views],
        *undoing(10),
    )
    assert [ask(Database(scored.path), question) for question in asked] == before


@pytest.mark.parametrize(
    "planted",
    [
        "update scores set value = 1.5 where value = 1",
        "delete from scores where value is null",
        "update scores set status = 'another reason' where value is null",
        "insert into scores values ('run', 9, 0, 'fog', 1, 'ok', 'evaluator-1')",
        "update stored_summaries set mean = mean + 0.001",
        "update stored_summaries set standard_error = null",
        "delete from stored_summaries",
        "insert into stored_summaries select * from stored_summaries",
        "update page_means set mean = mean * 1.001 where page_id = 2",
        "update page_means set squares = squares + 1",
        "update page_gaps set texts = 2",
        "update page_gaps set reason = 'another'",
        "delete from page_gaps",
        "insert into page_gaps select * from page_gaps",
        "delete from page_means where page_id = 1",
        "insert into page_means select * from page_means",
        "delete from scorings",
    ],
)
def test_a_summary_that_is_not_what_its_scores_amount_to_is_named(unchanged: Database, planted: str) -> None:
    with undone(unchanged, planted) as connection:
        problem, *_ = summaries.stale(connection)
    assert problem == "the summaries of run run are not what its scores amount to: fog"


def test_a_column_that_shows_another_evaluator_than_it_must_is_named(unchanged: Database) -> None:
    for planted, said in (
        ("update stored_column_evaluators set evaluator_id = 'evaluator-2'", "of evaluator-2, and not of evaluator-1"),
        ("delete from stored_column_evaluators", "of nobody, and not of evaluator-1"),
    ):
        with undone(unchanged, planted) as connection:
            assert summaries.stale(connection) == [f"the column of fog is {said}"]


def test_the_columns_change_with_the_scoring_that_decides_them(scored: Database) -> None:
    asked = "select metric, evaluator_id from column_evaluators order by 1"
    assert ask(scored, asked) == [("fog", "evaluator-1")]
    add(scored, {(1, 0): 5.0}, TWO)
    assert ask(scored, asked) == [("fog", "evaluator-1")]
    runs.finish_scoring(scored, "run", {TWO.evaluator_id})
    assert ask(scored, asked) == [("fog", "evaluator-2")]


def test_summaries_of_parts_are_those_of_their_scores(database: Database) -> None:
    """Means, deviations and errors of some pages, from what is stored by page, beside numpy on the scores."""
    chance = random.Random(3)
    runs.register(database, [ONE], [FOG])
    values: dict[tuple[int, int], float | None] = {
        (page, n): None if chance.random() < 0.2 else chance.gauss(page, 10) for page in range(40) for n in range(5)
    }
    values |= {(40, n): None for n in range(5)}
    add(database, values)
    runs.finish_scoring(database, "run", {ONE.evaluator_id})
    with database.read() as connection:
        for kind in ("means", "gaps"):
            connection.execute(
                f"create or replace temp table some_{kind} as "  # noqa: S608 (our own names)
                "select *, '' as snapshot_id, 'even' as stratum, if(page_id % 2 = 0, 'yes', 'no') as part, 1 as place "
                f"from page_{kind}"
            )
        asked = "select part, mean, sd, standard_error, pages, scored, unscored, reasons from "
        found = connection.execute(f"{asked} summaries_of('some_means', 'some_gaps') order by part").fetchall()
    for rest, (part, mean, sd, error, pages, scored, unscored, reasons) in zip((1, 0), found, strict=True):
        of_part = {key: value for key, value in values.items() if key[0] % 2 == rest}
        there = {key: value for key, value in of_part.items() if value is not None}
        numbers = np.array([*there.values()])
        expected = statistics.estimate(*statistics.by_cluster([*there.values()], [page for page, _ in there]))
        assert (mean, sd, error) == pytest.approx((numbers.mean(), numbers.std(ddof=1), expected.standard_error[0]))
        assert (part, pages) == ("yes" if rest == 0 else "no", len({page for page, _ in there}))
        missing = len(of_part) - len(there)
        assert (scored, unscored, reasons) == (len(there), missing, {"no words": missing})
