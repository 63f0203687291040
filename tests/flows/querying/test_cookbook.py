"""Each question of the cookbook, asked of a scored database; what can be computed in another way is."""

import re
import shutil
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from evaluators import statistics
from flows.querying.why_empty import why_empty
from flows.report.browser.plotting import KINDS
from newwiki.errors import UsageError
from storage.cookbook import question, questions, require_metrics
from storage.database import Database
from tests.flows import questioned
from tests.flows.questioned import NEW, OLD, PAGES, RUNS, SAMPLES, SBERT

Answer = Callable[[str], list[dict[str, Any]]]
Values = dict[tuple[str, str], dict[int, list[float]]]

COLUMNS = {
    "most_repetitive": "title rep_4 text",
    "least_like_the_article": "title sbert text",
    "best_decoder_by_topic": "topic model decoder mean texts protocol",
    "weakest_topics": "topic mean texts",
    "weakest_titles": "title mean texts",
    "repetitive_share": "topic share texts",
    "longest_texts": "title text_words text",
    "one_article": "title sample text_words text",
    "best_runs": "model decoder sbert sbert_low sbert_high protocol",
    "beside_wikipedia": "model decoder is_reference flesch_reading_ease low high",
    "leaderboard": "model decoder snapshot_id run_id prompts completions protocol dtype knowledge_cutoff seen_share",
    "best_decoder": "model decoder mean low high snapshot_id evaluator_id",
    "top_p": "model metric top_p mean sd low high other_parameters snapshot_id evaluator_id",
    "distance_from_wikipedia": "model decoder metric mean wikipedia deviations snapshot_id",
    "against_the_article": "title of_the_run of_the_article difference",
    "paired_difference": "metric mean_difference low high no_interval prompts older_run newer_run",
    "worst_texts": "sbert title sample finish_reason text",
    "hardest_articles": "title sbert of_the_worst_run of_the_best_run runs evaluator_id permalink",
    "percentiles": "metric texts lowest percentiles_5_25_50_75_95 highest",
    "correlations": "metric other_metric correlation prompts",
    "old_against_new": "model decoder metric on_new on_old difference low high new_snapshot old_snapshot",
    "after_cutoff": "model decoder metric on_later low high on_all later_articles knowledge_cutoff seen_share",
    "topics": "topic sbert articles runs evaluator_id",
    "strata": "stratum part sbert low high no_interval articles texts evaluator_id",
    "lengths_and_ends": "model decoder snapshot_id texts tokens words_a_text truncated ends",
    "funnel": "verdict pages share",
    "staleness": "wiki snapshot_id published_at days complete_runs",
    "provenance": "metric name version model weights dtype backend parameters dependencies scorings newest",
    "unscored": "model decoder metric reason texts scored run_id",
    "novelty": "title similarity nearest_title nearest_snapshot_id permalink",
    "growth": "month runs evaluators numbers unscored",
    "ci_check": "metric better mean_difference low high prompts baseline candidate",
    "means": "run mean low high evaluator_id",
    "numbers_by_length": "words value metric evaluator_id",
    "lengths": "words decoder",
    "articles_by_day": "day articles",
}


@pytest.fixture(scope="module")
def database(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Database:
    path = Path(shutil.copy(published, tmp_path_factory.mktemp("questioned") / "newwiki.duckdb"))
    return questioned.make(path)


@pytest.fixture(scope="module")
def answers(database: Database) -> dict[str, pa.Table]:
    """Return the answers by question, over one fenced connection."""
    with database.fenced() as connection:
        return {one.name: connection.sql(one.query).to_arrow_table() for one in questions()}


@pytest.fixture(scope="module")
def answer(answers: dict[str, pa.Table]) -> Answer:
    return lambda name: answers[name].to_pylist()


@pytest.fixture(scope="module")
def values(database: Database) -> Values:
    """By run and metric, the numbers of each page."""
    found: Values = {}
    with database.read() as connection:
        asked = "select run_id, metric, page_id, value from scores where value is not null order by all"
        for run_id, metric, page_id, value in connection.execute(asked).fetchall():
            found.setdefault((run_id, metric), {}).setdefault(page_id, []).append(value)
    return found


def overall(values: Values, run_id: str) -> float:
    """The mean of S-BERT over all texts of the run."""
    return mean(chain.from_iterable(values[run_id, "sbert"].values()))


def paired(values: Values, older: str, newer: str, metric: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    one, other = values[older, metric], values[newer, metric]
    return np.array([mean(other[page]) - mean(one[page]) for page in sorted(one.keys() & other.keys())])


def test_there_are_three_dozen_questions_and_each_is_one() -> None:
    assert [one.name for one in questions()] == list(COLUMNS)
    assert len(COLUMNS) == 36
    assert all(one.words.endswith("?") and len(one.words) < 120 for one in questions())


@pytest.mark.parametrize("name", COLUMNS)
def test_every_question_has_an_answer_in_its_columns(answers: dict[str, pa.Table], name: str) -> None:
    columns = answers[name].column_names
    if name != "ci_check":
        assert answers[name].num_rows
    assert columns[: len(COLUMNS[name].split())] == COLUMNS[name].split()


def test_a_database_with_nothing_in_it_has_no_answer_and_no_error(tmp_path: Path) -> None:
    empty = Database(tmp_path / "empty.duckdb")
    with empty.write():
        pass
    with empty.fenced() as connection:
        asked = [one for one in questions() if not one.metrics]
        assert [one.name for one in asked if connection.sql(one.query).fetchall()] == []


def test_every_question_without_a_row_says_why(tmp_path: Path) -> None:
    """Without a run with texts the newest run is the reason; every other question has a reason of its own."""
    empty = Database(tmp_path / "empty.duckdb")
    with empty.write():
        pass
    with empty.fenced() as connection:
        reasons = {one.name: why_empty(connection, one.query, one.empty) for one in questions()}
    assert [name for name, reason in reasons.items() if reason is None] == []
    assert "no complete run has texts" in str(reasons["worst_texts"])
    assert reasons["funnel"] == "no row: no snapshot of new pages is published: `newwiki refresh`"


def test_a_question_about_a_metric_that_nothing_is_scored_by_is_refused_in_one_line(tmp_path: Path) -> None:
    empty = Database(tmp_path / "empty.duckdb")
    with empty.write():
        pass
    asked = [one for one in questions() if one.metrics]
    assert len(asked) == 7 and all(metric in one.query for one in asked for metric in one.metrics)
    for one in asked:
        with pytest.raises(UsageError, match=f"^nothing here is scored by {one.metrics[0]}, .*'{one.name}'.*--missing"):
            require_metrics(one, empty)


def test_ten_questions_are_a_line_each_without_a_join() -> None:
    ten = questions()[:10]
    assert all(one.query.count("\n") == 1 and " join " not in one.query for one in ten)
    assert all(re.search(r" from (texts|leaderboard|leaderboard_by_stratum) ", one.query) for one in ten)


def test_what_a_model_cannot_have_seen_is_scored_apart(answer: Answer, database: Database, values: Values) -> None:
    with database.read() as connection:
        asked = "select page_id from stored_articles where snapshot_id = ? and created_at >= '2026-09-16 00:00:00+00'"
        later = {page for (page,) in connection.execute(asked, [NEW]).fetchall()}
    rows = [row for row in answer("after_cutoff") if row["metric"] == "sbert"]
    assert {row["model"] for row in rows} == {"model-a"}, "nobody says what model-b can have seen"
    expected = {
        (mean(chain.from_iterable(of_run[page] for page in of_run.keys() & later)), overall(values, run_id))
        for run_id, (snapshot_id, model, _) in RUNS.items()
        if model == "model-a" and snapshot_id == NEW
        for of_run in [values[run_id, "sbert"]]
    }
    found = sorted((row["on_later"], row["on_all"]) for row in rows)
    assert list(chain.from_iterable(found)) == pytest.approx(list(chain.from_iterable(sorted(expected))))
    assert 0 < len(later & values["run-a", "sbert"].keys()) == rows[0]["later_articles"] < PAGES


def test_the_best_decoder_is_the_one_with_the_highest_mean(answer: Answer, values: Values) -> None:
    means = {run_id: overall(values, run_id) for run_id in RUNS}
    best: dict[tuple[str, str], float] = {}
    for run_id, (snapshot_id, model, _) in RUNS.items():
        best[snapshot_id, model] = max(means[run_id], best.get((snapshot_id, model), 0))
    assert {(row["snapshot_id"], row["model"]): row["mean"] for row in answer("best_decoder")} == pytest.approx(best)


def test_top_p_is_read_from_the_decoder(answer: Answer) -> None:
    rows = [row for row in answer("top_p") if row["metric"] == "sbert"]
    assert [(row["snapshot_id"], row["top_p"]) for row in rows] == [(OLD, 0.9), (NEW, 0.5), (NEW, 0.9), (NEW, 0.9)]
    assert all("top_p" not in row["other_parameters"] for row in rows)


def test_the_distance_is_in_the_articles_deviations(answer: Answer, values: Values) -> None:
    row = next(
        row for row in answer("distance_from_wikipedia") if row["metric"] == "distinct_2" and "greedy" in row["decoder"]
    )
    articles, written = (
        np.concatenate([*map(np.array, values[run_id, "distinct_2"].values())])
        for run_id in (f"reference:{NEW}", "run-c")
    )
    assert row["deviations"] == pytest.approx((written.mean() - articles.mean()) / articles.std(ddof=1))


def test_paired_differences_have_the_interval_of_compare(answer: Answer, values: Values) -> None:
    rows = {row["metric"]: row for row in answer("paired_difference")}
    assert {(row["older_run"], row["newer_run"]) for row in rows.values()} == {("run-c", "run-e")}
    for metric, row in rows.items():
        differences = paired(values, "run-c", "run-e", metric)
        ours = statistics.differences_estimate(differences[:, None])
        assert row["prompts"] == len(differences)
        assert row["no_interval"] == ours.lacking[0]
        if row["no_interval"] is None:
            assert (row["low"], row["high"]) == pytest.approx((ours.low[0], ours.high[0]), rel=1e-5)
        assert row["mean_difference"] == pytest.approx(differences.mean())


def test_the_worst_texts_are_those_with_the_lowest_numbers(answer: Answer, values: Values) -> None:
    everything = sorted(value for numbers in values["run-e", "sbert"].values() for value in numbers)
    assert [row["sbert"] for row in answer("worst_texts")] == everything[:10]


def test_the_hardest_article_is_the_one_with_the_lowest_mean_over_runs(answer: Answer, values: Values) -> None:
    on_new = [run_id for run_id, (snapshot_id, *_) in RUNS.items() if snapshot_id == NEW]
    pages = values["run-a", "sbert"]
    means = sorted(mean(mean(values[run_id, "sbert"][page]) for run_id in on_new) for page in pages)
    rows = answer("hardest_articles")
    assert [row["sbert"] for row in rows] == pytest.approx(means)
    assert {(row["runs"], row["evaluator_id"]) for row in rows} == {(len(on_new), SBERT.evaluator_id)}


def test_percentiles_and_correlations_are_numpys(answer: Answer, values: Values) -> None:
    for row in answer("percentiles"):
        numbers = np.concatenate([*map(np.array, values["run-e", row["metric"]].values())])
        assert row["percentiles_5_25_50_75_95"] == pytest.approx(np.quantile(numbers, [0.05, 0.25, 0.5, 0.75, 0.95]))
    for row in answer("correlations"):
        one, other = values["run-e", row["metric"]], values["run-e", row["other_metric"]]
        expected = np.corrcoef([mean(one[page]) for page in one], [mean(other[page]) for page in one])[0, 1]
        assert row["correlation"] == (None if np.isnan(expected) else pytest.approx(expected))


def test_the_same_model_and_decoder_is_compared_on_old_and_new(answer: Answer, values: Values) -> None:
    rows = [row for row in answer("old_against_new") if row["metric"] == "sbert"]
    old = overall(values, "run-d")
    new = [overall(values, run_id) for run_id in ("run-b", "run-e")]
    assert sorted(row["difference"] for row in rows) == pytest.approx(sorted(old - one for one in new))
    assert all(row["low"] < row["difference"] < row["high"] for row in rows)


def test_lengths_and_ends_are_counted(answer: Answer) -> None:
    rows = {row["model"]: row for row in answer("lengths_and_ends")}
    assert (rows["model-b"]["texts"], rows["model-b"]["tokens"]) == (PAGES * SAMPLES, PAGES * SAMPLES * 66)
    assert rows["model-b"]["words_a_text"] == 48 * (PAGES - 1) / PAGES
    assert dict(rows["model-b"]["ends"]) == {"length": 17, "stop": 9}
    assert rows["model-b"]["truncated"] == pytest.approx(17 / 26)


def test_what_could_not_be_scored_is_told_with_its_reason(answer: Answer, database: Database) -> None:
    with database.read() as connection:
        asked = "select run_id, metric, status from scores where value is null"
        expected = Counter(connection.execute(asked).fetchall())
    assert {(row["run_id"], row["metric"], row["reason"]): row["texts"] for row in answer("unscored")} == expected
    assert {run_id for run_id, _, _ in expected} == {"run-c"}


def test_topics_funnel_and_growth_count_everything_once(answer: Answer, values: Values, database: Database) -> None:
    assert {row["topic"]: (row["articles"], row["runs"]) for row in answer("topics")} == {
        "Human": (3, 4),
        "not known": (10, 4),
    }
    assert sum(row["share"] for row in answer("funnel")) == pytest.approx(1)
    with database.read() as connection:
        [(numbers,)] = connection.execute("select count(*) from scores").fetchall()
        [(published,)] = connection.execute(
            "select published_at from snapshots where snapshot_id = ?", [NEW]
        ).fetchall()
    assert sum(row["numbers"] for row in answer("growth")) == numbers
    [stale] = answer("staleness")
    days = (datetime.now(UTC).date() - published.astimezone(UTC).date()).days
    assert (stale["snapshot_id"], stale["days"], stale["complete_runs"]) == (NEW, days, 4)


def test_each_stratum_divides_the_newest_runs_articles(answer: Answer, values: Values, database: Database) -> None:
    run_id, rows = "run-e", answer("strata")
    whole = values[run_id, "sbert"]
    strata = {row["stratum"] for row in rows}
    assert strata == {"age", "citations", "holes", "infobox", "length", "tags", "topic"}
    for stratum in strata:
        parts = [row for row in rows if row["stratum"] == stratum]
        assert sum(row["articles"] for row in parts) == PAGES
        assert sum(row["sbert"] * row["articles"] for row in parts) / PAGES == pytest.approx(overall(values, run_id))
    with database.read() as connection:
        asked = "select page_id, words from articles where snapshot_id = ? order by words"
        words = dict(connection.execute(asked, [NEW]).fetchall())
    third = [*words.values()][-(-len(words) // 3) - 1]
    short = [mean(numbers) for page, numbers in whole.items() if words[page] <= third]
    found = {(row["stratum"], row["part"]): row for row in rows}
    assert found["length", "short"]["sbert"] == pytest.approx(mean(short))
    assert (found["topic", "Human"]["articles"], found["topic", "Human"]["no_interval"]) == (3, "too few prompts")


def test_what_is_plotted_is_of_one_metric_and_counts_everything_once(
    answer: Answer, values: Values, database: Database
) -> None:
    kinds = {one.name: one.plot for one in questions() if one.plot}
    assert kinds == {
        "funnel": "bar", "means": "bar", "numbers_by_length": "points", "lengths": "histogram",
        "articles_by_day": "line",
    }  # fmt: skip
    assert set(kinds.values()) <= set(KINDS)
    means = sorted(np.mean([*chain.from_iterable(values[run_id, "bleu"].values())]) for run_id in RUNS)
    assert sorted(row["mean"] for row in answer("means")) == pytest.approx(means)
    assert {row["metric"] for row in answer("numbers_by_length")} == {"bleu"}
    with database.read() as connection:
        [(completions, articles)] = connection.execute(
            "select (select count(*) from completions where run_id = 'run-e'), (select count(*) from articles)"
        ).fetchall()
    assert len(answer("lengths")) == completions
    assert sum(row["articles"] for row in answer("articles_by_day")) == articles


def test_the_check_fails_for_what_is_worse_beyond_doubt(
    answer: Answer, values: Values, database: Database, tmp_path: Path
) -> None:
    """run-e against run-b, and then against a copy of itself that was much better."""
    failing = {
        metric
        for metric, worse in (("sbert", -1), ("distinct_2", -1), ("rep_4", 1), ("bleu", -1))
        if statistics.differences_estimate(worse * paired(values, "run-b", "run-e", metric)[:, None]).low[0] > 0
    }
    assert {row["metric"] for row in answer("ci_check")} == failing
    better = Database(shutil.copy(database.path, tmp_path / "better.duckdb"))
    with better.write() as connection:
        connection.execute(
            "update page_means set mean = mean + 2000 where run_id = 'run-b' "
            "and metric in ('sbert', 'flesch_reading_ease')"
        )
    with better.fenced() as connection:
        rows = connection.sql(question("ci_check").query).fetchall()
    assert [(row[0], row[-2:]) for row in rows if row[0] in ("sbert", "flesch_reading_ease")] == [
        ("sbert", ("run-b", "run-e"))
    ], "Flesch has no better side"
