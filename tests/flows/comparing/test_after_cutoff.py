"""Numbers on what a model cannot have seen, and how much of a snapshot it can: by hand, on articles of two months."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import flows.api
from evaluators import statistics
from flows.commands.compare import compare as compare_command
from flows.commands.leaderboard import leaderboard as show
from flows.comparing.board import board
from flows.comparing.differences import compare
from flows.comparing.judge_pair import judge_pair
from flows.comparing.ranked import leaderboard
from flows.health_checks import examine_database
from flows.presenting.tables import plain_record
from flows.progress import Silent
from flows.report.page import render
from flows.schedule.notice import _rows
from newwiki.comparison_requests import LeaderboardRequest, ReportRequest
from newwiki.errors import TerminalError
from newwiki.knowledge_cutoff import KnowledgeCutoff
from newwiki.records import Completion, Metric, RunScore, Score
from newwiki.verdict_request import VerdictRequest
from storage import knowledge_cutoffs, runs, snapshots
from storage.comparison import contenders
from storage.database import Database
from tests.flows.scored import RULES, SNAPSHOT, add_run

PAGES = 40
WIKIPEDIA = f"reference:{SNAPSHOT}"
# Pages 1 to 10 were created in August, the last of them at its very end; 11 to 40 in September, 11 at its first moment,
# and 21 to 40 after the 15th.
CREATED = {
    **dict.fromkeys(range(1, 10), "2026-08-15 12:00:00+00"), 10: "2026-08-31 23:59:59+00",
    11: "2026-09-01 00:00:00+00", **dict.fromkeys(range(12, 21), "2026-09-15 23:00:00+00"),
    **dict.fromkeys(range(21, 41), "2026-09-16 00:00:00+00"),
}  # fmt: skip
AUGUST, MIDDLE = date(2026, 8, 31), date(2026, 9, 15)
# The run `august` scores 1 on what its model has seen and 2, 3, 2, 3 … on the rest; `middle` 5 and 1, 2, 1, 2 ….
SCORES = {
    "august": [1.0] * 10 + [2.0, 3.0] * 15,
    "middle": [5.0] * 20 + [1.0, 2.0] * 10,
    "unsaid": [9.0] * 40,
    WIKIPEDIA: [float(page) for page in range(1, 41)],
}


@pytest.fixture(scope="module")
def dated(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Forty articles of two months, and three runs on them, of which two have a cutoff."""
    path = tmp_path_factory.mktemp("dated") / "newwiki.duckdb"
    path.write_bytes(published.read_bytes())
    database = Database(path)
    with database.write() as connection:
        connection.execute(
            "insert into stored_articles select one.* replace (number as page_id, created::timestamptz as created_at, "
            "500 + number as words) from (select * from stored_articles limit 1) as one, "
            "(select unnest(?) as number, unnest(?) as created)",
            [[1000 + page for page in CREATED], list(CREATED.values())],
        )
        connection.execute("delete from stored_articles where page_id < 1000")
    runs.register(database, [RULES], [Metric("density", "", None, None, "higher", "", "")])
    runs.register(database, [RULES], [Metric("self_bleu", "", None, None, "lower", "", "", "run")])
    for run_id, values in SCORES.items():
        if run_id != WIKIPEDIA:
            add_run(database, run_id, prompts=PAGES, model=f"models/{run_id}", model_sha256=run_id)
            texts = [Completion(1000 + page, 0, "a b", 2, 2, "stop", False) for page in CREATED]
            runs.add_completions(database, run_id, texts)
            runs.complete(database, run_id, 1)
        _score(database, run_id, values)
    for run_id, day in (("august", AUGUST), ("middle", MIDDLE)):
        knowledge_cutoffs.enter(database, run_id, KnowledgeCutoff(day, "asked"))
    return database


def _score(database: Database, run_id: str, values: list[float]) -> None:
    """The text on page 40 of `august` has no number."""
    scores = [
        Score(1000 + page, 0, "density", None, "no words", RULES.evaluator_id)
        if (run_id, page) == ("august", 40)
        else Score(1000 + page, 0, "density", value, "ok", RULES.evaluator_id)
        for page, value in enumerate(values, 1)
    ]
    runs.add_scores(database, run_id, scores)
    runs.add_run_scores(database, run_id, [RunScore("self_bleu", 0.5, None, "ok", RULES.evaluator_id, PAGES)])
    runs.finish_scoring(database, run_id, {RULES.evaluator_id})


def by_run(shown: Any) -> dict[str, dict[str, Any]]:
    return {record["run_id"]: record for record in shown.records}


def test_the_share_of_what_a_model_can_have_seen_stands_beside_every_run(dated: Database) -> None:
    found = {run_id: (one["knowledge_cutoff"], one["seen_share"]) for run_id, one in by_run(board(dated)).items()}
    assert found == {
        "august": (AUGUST, 0.25), "middle": (MIDDLE, 0.5), "unsaid": (None, None), WIKIPEDIA: (None, None),
    }  # fmt: skip
    with dated.read() as connection:
        told = connection.execute("select run_id, knowledge_cutoff, seen_share from leaderboard").fetchall()
    assert {run_id: tuple(rest) for run_id, *rest in told} == found


def test_a_run_stands_on_what_is_after_the_end_of_its_models_last_day(dated: Database) -> None:
    """Of `august` on thirty articles, of which one has no number: the mean of 15 twos and 14 threes."""
    shown = by_run(board(dated, after_cutoff=True))
    assert shown["august"]["density"] == pytest.approx((15 * 2 + 14 * 3) / 29)
    assert shown["middle"]["density"] == 1.5
    assert shown[WIKIPEDIA]["density"] == np.mean(range(21, 41)), "the articles after the latest cutoff of these"
    counted = {run_id: (one["prompts"], one["completions"], one["seen_share"]) for run_id, one in shown.items()}
    assert counted == {"august": (30, 30, 0.25), "middle": (20, 20, 0.5), WIKIPEDIA: (20, 20, None)}
    assert shown["august"]["density_status"] == "29 of 30: no words 1"
    for run_id, values in (("august", [*[2.0, 3.0] * 14, 2.0]), ("middle", [1.0, 2.0] * 10)):
        expected = statistics.estimate(np.array(values)[:, None], np.ones((len(values), 1)))
        ends = [shown[run_id][f"density{end}"] for end in ("_low", "_high")]
        assert ends == pytest.approx([float(expected.low[0]), float(expected.high[0])], rel=1e-6)


def test_what_is_left_out_and_what_rows_do_not_share_is_told(dated: Database) -> None:
    shown = board(dated, after_cutoff=True)
    assert [column.name for column in shown.columns] == ["density"]
    assert shown.left_out == ("unsaid",) and not shown.same_articles
    assert shown.notes[-3:] == (
        "left out, as they are of whole runs and have no parts: self_bleu",
        "left out, because the knowledge cutoff of their models is unknown: unsaid (models/unsaid); set it by "
        "repeating the evaluation with --knowledge-cutoff 2025-06, which generates nothing again, or under "
        "[knowledge_cutoffs] in newwiki.toml",
        f"rows of {SNAPSHOT} do not stand on the same articles: {WIKIPEDIA}, middle on 20 created after 2026-09-15; "
        "august on 30 created after 2026-08-31",
    )


def test_where_no_cutoff_is_known_and_where_nothing_is_later_it_is_told(dated: Database, tmp_path: Path) -> None:
    other = Database(tmp_path / "other.duckdb")
    other.path.write_bytes(dated.path.read_bytes())
    knowledge_cutoffs.enter(other, "middle", KnowledgeCutoff(date(2026, 9, 30), "asked"))
    shown = board(other, after_cutoff=True)
    assert shown.same_articles, "as there is one run"
    assert set(by_run(shown)) == {"august"}, "nor is any article later than all that these have seen"
    assert "left out, because their models may have seen all of their articles: middle (models/middle)" in shown.notes
    with other.write() as connection:
        connection.execute("update runs set knowledge_cutoff = null, knowledge_cutoff_from = null")
    with pytest.raises(TerminalError, match="no run has a known knowledge cutoff; set it by repeating"):
        board(other, after_cutoff=True)


def test_the_same_holds_for_each_part(dated: Database) -> None:
    """By length each third of the forty articles, which are as long as they are young."""
    shown = board(dated, by="length", after_cutoff=True)
    found = [
        (one["part"], one["prompts"], one["density"], one["seen_share"])
        for one in shown.records
        if one["run_id"] == "august"
    ]
    assert found == [
        ("short", 4, 2.5, pytest.approx(10 / 14)),
        ("medium", 13, pytest.approx((7 * 2 + 6 * 3) / 13), 0.0),
        ("long", 13, pytest.approx((6 * 2 + 6 * 3) / 12), 0.0),
    ]
    assert [one["seen_share"] for one in board(dated, by="age").records if one["run_id"] == "middle"] == [
        1.0, pytest.approx(1 / 3),
    ]  # fmt: skip


def test_sql_says_what_the_command_says(dated: Database) -> None:
    parts = ("", "_sd", "_low", "_high", "_no_interval", "_texts")
    with dated.read() as connection:
        found = connection.execute(
            "select run_id, seen_share, mean, sd, low, high, no_interval, texts from leaderboard_after_cutoff "
            "where metric = 'density'"
        ).fetchall()
    assert sorted(found) == sorted(
        (one["run_id"], one["seen_share"], *(one[f"density{part}"] for part in parts))
        for one in board(dated, after_cutoff=True).records
    )


def test_runs_are_compared_on_what_neither_model_can_have_seen(dated: Database) -> None:
    august, middle, unsaid, articles = contenders(dated, ["august", "middle", "unsaid", WIKIPEDIA])
    [row], notes = compare(dated, august, middle, after_cutoff=True)
    assert (row.prompts, row.mean_a, row.mean_b) == (19, pytest.approx((10 * 2 + 9 * 3) / 19), pytest.approx(28 / 19))
    assert (row.status_a, row.status_b) == ("19 of 20: no words 1", "ok")
    assert notes[0] == "uses only articles created after 2026-09-15, the later knowledge cutoff of the two models"
    [row], _ = compare(dated, august, articles, after_cutoff=True)
    assert (row.prompts, row.mean_b) == (29, float(np.mean(range(11, 40)))), "the articles have no cutoff of their own"
    [cut], _ = compare(dated, august, middle, by="age", after_cutoff=True)
    assert (cut.part, cut.prompts, cut.difference) == ("2026-09", 19, pytest.approx(-1))
    with pytest.raises(TerminalError, match=r"the model of unsaid \(models/unsaid/greedy\) is unknown; set it by"):
        compare(dated, august, unsaid, after_cutoff=True)


def test_verdict_counts_what_neither_model_can_have_seen_where_both_cutoffs_are_known(dated: Database) -> None:
    """After the 15th each of 19 scored articles has 1 less of `middle`: no variance. With `unsaid` all 39 count."""
    judged = judge_pair(dated, VerdictRequest(candidate="middle", baseline="august", metrics="density"))
    assert (judged.verdict.articles, judged.verdict.difference, judged.verdict.no_interval) == (19, -1.0, "no variance")
    assert {one.page_id for one in judged.articles} <= set(range(1021, 1040))
    everywhere = judge_pair(dated, VerdictRequest(candidate="unsaid", baseline="august", metrics="density"))
    assert everywhere.verdict.articles == 39
    assert "because the knowledge cutoff of models/unsaid/greedy is unknown" in everywhere.notes[-1]


def test_of_several_those_without_a_cutoff_are_left_out(dated: Database) -> None:
    found = flows.api.compare("august", "middle", "unsaid", after_cutoff=True, db=dated.path, quiet=True)
    assert found.column("run_b").to_pylist() == ["middle"]
    asked = ["august", "middle", "unsaid", "--after-cutoff", "--db", str(dated.path), "--format", "json"]
    told = CliRunner().invoke(compare_command, asked, catch_exceptions=False)
    assert [row["run_b"] for row in json.loads(told.stdout)] == ["middle"]
    assert "left out, because the knowledge cutoff of their models is unknown: unsaid" in told.stderr


def test_runs_are_ranked_in_groups_by_what_neither_of_two_can_have_seen(dated: Database) -> None:
    """On all articles `middle` is better than `august`, and on what is later than its cutoff worse by one."""
    asked = LeaderboardRequest(snapshot=SNAPSHOT, rank="density")
    order = [one["run_id"] for one in leaderboard(dated, asked).records if one["group"]]
    assert order == ["unsaid", "middle", "august"]
    after = leaderboard(dated, LeaderboardRequest(snapshot=SNAPSHOT, rank="density", after_cutoff=True))
    groups = {one["run_id"]: one["group"] for one in after.records}
    assert groups == {WIKIPEDIA: None, "august": "a", "middle": "b"}


def test_the_table_has_the_columns_where_a_cutoff_is_known_and_other_forms_always(
    dated: Database, published: Path, tmp_path: Path
) -> None:
    def told(path: Path, *options: str) -> str:
        return CliRunner().invoke(show, ["--db", str(path), *options], catch_exceptions=False).stdout

    rows = json.loads(told(dated.path, "--format", "json"))
    assert {row["run_id"]: (row["knowledge_cutoff"], row["seen_share"]) for row in rows}["august"] == (
        "2026-08-31",
        0.25,
    )
    table = told(dated.path)
    assert "knowledge_cutoff" in table and "2026-08-31" in table and "25.0%" in table
    other = Database(tmp_path / "other.duckdb")
    other.path.write_bytes(dated.path.read_bytes())
    with other.write() as connection:
        connection.execute("update runs set knowledge_cutoff = null, knowledge_cutoff_from = null")
    assert "knowledge_cutoff" not in told(other.path) and "seen_share" not in told(other.path)
    assert "completions,knowledge_cutoff,seen_share" in told(other.path, "--format", "csv")


@pytest.mark.slow
def test_the_report_says_it_of_every_run_and_can_be_on_later_articles_alone(dated: Database) -> None:
    whole, _ = render(dated, Silent(), ReportRequest(snapshot=SNAPSHOT))
    assert "2026-08-31 (asked); 25.0% of the run’s articles were not created later" in whole
    assert "<dt>cutoff</dt><dd>unknown</dd>" in whole
    after, _ = render(dated, Silent(), ReportRequest(snapshot=SNAPSHOT, after_cutoff=True))
    assert "in every other result on this snapshot, each run covers only the articles" in after
    assert "left out, because the knowledge cutoff of their models is unknown: unsaid" in after
    section = after.partition('<section id="leaderboard"')[2].partition("</section>")[0]
    assert "no run is marked as the best" in section and "<strong>" not in section
    assert "run-unsaid" not in after and "Not shown because" not in after
    assert '<td class="number" data-value="2.4827586206896552">' in after
    median = after.partition('<div id="run-middle"')[2].partition("articles’ median")[2].partition("</table>")[0]
    assert '<td class="number">1.500<span class="interval">[1.000, 2.000]' in median, "the spread, on the same articles"


def test_a_notice_of_a_month_and_an_artifact_hold_it_as_json_has_it(dated: Database) -> None:
    [row] = [one for one in _rows(dated, snapshots.resolve(dated, SNAPSHOT)) if one["run_id"] == "august"]
    assert (row["knowledge_cutoff"], row["seen_share"]) == ("2026-08-31", 0.25)
    shown = board(dated)
    json.dumps([plain_record(record, shown.heads) for record in shown.records])


def test_doctor_names_cutoffs_that_cannot_be_true(dated: Database, tmp_path: Path) -> None:
    other = Database(tmp_path / "other.duckdb")
    other.path.write_bytes(dated.path.read_bytes())

    def problems() -> str:
        return " ".join(words for _, state, words in examine_database(other.path) if state == "problem")

    assert "knowledge cutoff" not in problems()
    with other.write() as connection:
        connection.execute("update runs set knowledge_cutoff = '2999-01-31' where run_id = 'august'")
        connection.execute("update runs set knowledge_cutoff_from = 'hearsay' where run_id = 'middle'")
        connection.execute(
            "update runs set knowledge_cutoff = '2026-08-31', knowledge_cutoff_from = 'asked', "
            "model_sha256 = 'middle', versions = '{\"trained_articles\": \"11\"}' where run_id = 'unsaid'"
        )
    found = problems()
    assert "run august was begun on " in found and "its model's knowledge cutoff is 2999-01-31" in found
    assert "run middle has the knowledge cutoff 2026-09-15 from hearsay" in found
    assert "with the same weights have different knowledge cutoffs: 2026-08-31, 2026-09-15" in found
    assert "run unsaid was trained on 11 of its articles, and by its knowledge cutoff it can have seen 10" in found


def test_what_was_asked_for_stays_until_something_else_is_asked_for(dated: Database, tmp_path: Path) -> None:
    other = Database(tmp_path / "other.duckdb")
    other.path.write_bytes(dated.path.read_bytes())

    def enter(day: date, origin: Any, run_id: str = "unsaid") -> str | None:
        return knowledge_cutoffs.enter(other, run_id, KnowledgeCutoff(day, origin))

    assert enter(AUGUST, "model card") == "run unsaid has the knowledge cutoff 2026-08-31 (model card)"
    assert enter(MIDDLE, "asked") == (
        "run unsaid has the knowledge cutoff 2026-09-15 (asked), no longer 2026-08-31 (model card)"
    )
    assert enter(MIDDLE, "asked") is None
    assert enter(MIDDLE, "training") is None, "which says the same"
    assert enter(AUGUST, "newwiki.toml") == (
        "run unsaid keeps its knowledge cutoff 2026-09-15 (asked), and not 2026-08-31 (newwiki.toml); "
        "--knowledge-cutoff changes it"
    )
    assert enter(AUGUST, "asked", "no such run") is None
    assert by_run(board(other))["unsaid"]["knowledge_cutoff"] == MIDDLE
