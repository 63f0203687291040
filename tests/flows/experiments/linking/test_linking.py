"""Months on one scale: links of known numbers, comparisons across them, the leaderboard over months, and refusals."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flows.comparing.difference import Difference
from flows.comparing.differences import compare, compare_all
from flows.comparing.ranked import leaderboard
from flows.experiments.linking.request import EXPERIMENT
from flows.experiments.linking.result_tables import LinkedMean, LinkedMonths
from flows.experiments.linking.words import p_of
from flows.presenting.charts import PageSigns
from flows.report.templating import drawn_width
from newwiki.comparison_requests import ComparisonRequest, LeaderboardRequest
from newwiki.errors import TerminalError, UsageError
from newwiki.records import Fingerprint
from storage import experiments
from storage.database import Database
from tests.flows.conftest import Run
from tests.flows.experiments.drawings import ON_A_PHONE
from tests.flows.experiments.linking.months import (
    AUGUST,
    OCTOBER,
    SEPTEMBER,
    add_month,
    add_scored_run,
    add_scores,
    drawn,
    link,
)
from tests.flows.experiments.linking.recomputed import mean_gain
from tests.flows.experiments.recomputed import recomputes
from tests.flows.scored import RULES, SPACY, pair

ANCHORS = {"one": 0.3, "two": 0.4, "three": 0.5}
HARDER = -0.1  # of September


def add_anchors(database: Database, earlier: str, later: str, gained: float, names: dict[str, float] = ANCHORS) -> None:
    with database.write():
        for name, ability in names.items():
            for month, harder in ((earlier, 0.0), (later, gained)):
                numbers = {"sbert": drawn(month, ability, gained=harder)}
                add_scored_run(database, name, month, numbers, run_id=f"{name}-{earlier[-2:]}{later[-2:]}-{month[-2:]}")


@pytest.fixture(scope="module")
def months(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """August and September, three anchors for which September is harder by 0.1, `old` on August and `new` on September,
    which are as good as each other, and `better` on September."""
    database = Database(tmp_path_factory.mktemp("months") / "newwiki.duckdb")
    for name in (AUGUST, SEPTEMBER):
        add_month(database, name)
    add_anchors(database, AUGUST, SEPTEMBER, HARDER)
    add_scored_run(database, "old", AUGUST, {"sbert": drawn(AUGUST, 0.45)})
    for name, ability in (("new", 0.45), ("better", 0.55)):
        add_scored_run(database, name, SEPTEMBER, {"sbert": drawn(SEPTEMBER, ability, gained=HARDER)})
    return database.path


@pytest.fixture
def database(months: Path, tmp_path: Path) -> Database:
    path = tmp_path / "newwiki.duckdb"
    path.write_bytes(months.read_bytes())
    return Database(path)


def across(database: Database, one: str, other: str) -> tuple[Difference, list[str]]:
    ((_, _, rows, notes),) = compare_all(database, ComparisonRequest(runs=(one, other), across=("snapshot",)))
    (row,) = rows
    return row, notes


def test_a_link_is_what_the_anchors_gain_and_its_answer_says_what_was_held_constant(database: Database) -> None:
    experiment_id = link(database)
    (found,) = experiments.rows(database, LinkedMonths, experiment_id)
    assert (found.anchors, found.models, found.slope, found.slope_error) == (3, 3, 1.0, None)
    assert found.difficulty == pytest.approx(HARDER)
    assert found.intercept == pytest.approx(HARDER)
    assert found.difficulty_high < 0
    answer = experiments.stored(database, experiment_id)
    assert answer.verdict == "2 months on one scale by 1 metric"
    assert any("the later month alone adds sbert −0.100 [" in sentence for sentence in answer.words)
    assert any(
        one.startswith("held constant between two months were, of every anchor, its weights") for one in answer.words
    )
    assert any("by up to 33% of its error" in one for one in answer.words)
    assert "below four models nothing tells which anchor is wrong" in answer.words
    assert not any("nobody has seen the weights" in one or "with other settings" in one for one in answer.words)
    said = EXPERIMENT.show(database, experiment_id).findings
    assert f"{AUGUST} and {SEPTEMBER} are on one scale by 1 metric" in said.answer
    assert (f"by sbert: compared with {AUGUST}, {SEPTEMBER} alone adds −0.100 [" in said.answer) == bool(said.holds)
    [figure] = [one for one in EXPERIMENT.show(database, experiment_id).figures(PageSigns()) if one.first]
    assert "95 % interval over models and articles" in figure.caption
    assert drawn_width(figure.image) <= ON_A_PHONE


@recomputes("linked_months")
def test_the_difficulty_of_a_month_is_that_of_the_stored_scores(database: Database) -> None:
    """Three anchors of as many models, too few for a slope: what they gain on average, and its interval."""
    (found,) = experiments.rows(database, LinkedMonths, link(database))
    scores = []
    for run_ids in (found.earlier_runs, found.later_runs):
        with database.read() as connection:
            sql = "select value from scores where run_id = $1 and metric = 'sbert' order by page_id"
            scores.append([[value for (value,) in connection.execute(sql, [one]).fetchall()] for one in run_ids])
    ours = mean_gain(*(np.array(of_month) for of_month in scores))
    assert (found.difficulty, found.difficulty_low, found.difficulty_high, p_of(found)) == pytest.approx(ours)


def test_an_anchor_that_changed_or_that_nobody_hashed_is_named(database: Database) -> None:
    for name, ability, gained in (("four", 0.35, HARDER + 0.01), ("five", 0.45, HARDER - 0.01), ("new", 0.5, 0.2)):
        for month, harder in ((AUGUST, 0.0), (SEPTEMBER, gained)):
            changes: dict[str, Any] = {"dtype": "bfloat16", "model_sha256": "unknown"} if name == "new" else {}
            run_id = f"anchor-{name}-{month[-2:]}"
            numbers = {"sbert": drawn(month, ability, gained=harder)}
            add_scored_run(database, name, month, numbers, run_id=run_id, **changes)
    told = experiments.stored(database, link(database)).words
    [unseen] = [one for one in told if one.startswith("nobody has seen the weights of")]
    assert "new/greedy" in unseen
    [apart] = [one for one in told if one.startswith("these anchors gain otherwise")]
    assert "new by sbert (testwiki-2026-08 to testwiki-2026-09, p" in apart
    [moved] = [one for one in told if "of its error" in one]
    assert "without new (testwiki-2026-08 to testwiki-2026-09)" in moved


def test_an_anchor_with_other_settings_in_one_month_is_named(database: Database) -> None:
    for month, versions in ((AUGUST, '{"server": "vllm 1"}'), (SEPTEMBER, '{"server": "vllm 2"}')):
        numbers = {"sbert": drawn(month, 0.6, gained=HARDER * (month == SEPTEMBER))}
        add_scored_run(database, "four", month, numbers, versions=versions)
    told = experiments.stored(database, link(database)).words
    assert "anchors ran with other settings in one of two months: four/greedy (server)" in told


def test_asked_again_it_is_the_same_answer_and_with_other_numbers_another(database: Database) -> None:
    first = link(database)
    assert link(database) == first
    add_scored_run(database, "four", AUGUST, {"sbert": drawn(AUGUST, 0.6)})
    assert link(database) != first


def test_without_a_link_the_refusal_names_the_experiment(database: Database) -> None:
    with pytest.raises(TerminalError, match="on one scale with --across snapshot"):
        compare(database, *pair(database, "old-08", "new-09"))
    with pytest.raises(
        TerminalError, match=r"testwiki-2026-08 and testwiki-2026-09 are not linked by it.*`newwiki experiment linking"
    ):
        across(database, "old-08", "new-09")


def test_equally_good_models_of_two_months_tie_and_a_better_one_does_not_either_way_round(database: Database) -> None:
    link(database)
    same, notes = across(database, "old-08", "new-09")
    assert same.mean_a == pytest.approx(0.45 + HARDER)
    assert same.mean_b == pytest.approx(0.45 + HARDER)
    assert same.verdict == "cannot be told apart"
    assert same.low is not None and same.high is not None and same.low < 0 < same.high
    assert notes[0].startswith(f"on the scale of {SEPTEMBER}, with the errors of the link, by 3 anchors, on 40 and 40")
    better, _ = across(database, "old-08", "better-09")
    assert better.difference == pytest.approx(0.1)
    assert better.verdict == "different"
    turned, _ = across(database, "better-09", "old-08")
    assert (better.mean_a, better.mean_b, better.p) == (turned.mean_b, turned.mean_a, turned.p)
    assert turned.low is not None and turned.high is not None
    assert (better.difference, better.low, better.high) == pytest.approx(
        (-turned.difference, -turned.high, -turned.low)
    )


def test_too_few_anchors_are_refused(tmp_path: Path) -> None:
    database = Database(tmp_path / "newwiki.duckdb")
    for name in (AUGUST, SEPTEMBER):
        add_month(database, name)
    add_anchors(database, AUGUST, SEPTEMBER, HARDER, {"one": 0.3, "two": 0.4})
    with pytest.raises(TerminalError, match=r"2 models ran on both .*, and it takes 3 to link them.*--decoder greedy"):
        link(database)
    for month in (AUGUST, SEPTEMBER):
        add_scores(database, f"reference:{month}", month, {"sbert": drawn(month, 0.9)})
    (found,) = experiments.rows(database, LinkedMonths, link(database))
    assert (found.anchors, found.models) == (3, 3)
    assert f"reference:{AUGUST}" in found.earlier_runs


def test_three_decoders_of_one_model_are_no_three_anchors(tmp_path: Path) -> None:
    database = Database(tmp_path / "newwiki.duckdb")
    for month in (AUGUST, SEPTEMBER):
        add_month(database, month)
        for place, decoder in enumerate(("greedy", "beam", "sample")):
            numbers = {"sbert": drawn(month, 0.3 + place / 10)}
            add_scored_run(database, "one", month, numbers, run_id=f"{decoder}-{month}", decoder=decoder)
    with pytest.raises(TerminalError, match="1 model ran on both"):
        link(database)


def test_no_model_is_an_anchor_for_its_own_runs(database: Database) -> None:
    link(database)
    with pytest.raises(TerminalError, match=r"2 models ran on both .* beside the models that are linked"):
        across(database, "one-0809-08", "new-09")
    for month, gained in ((AUGUST, 0.0), (SEPTEMBER, HARDER)):
        add_scored_run(database, "four", month, {"sbert": drawn(month, 0.6, gained=gained)})
    link(database)
    # Were it its own anchor, half of what is wrong with it would be taken for the month's.
    add_scored_run(database, "one", SEPTEMBER, {"sbert": drawn(SEPTEMBER, 0.5, gained=HARDER)}, run_id="leaked")
    row, notes = across(database, "one-0809-08", "leaked")
    assert row.difference == pytest.approx(0.2)
    assert "by 3 anchors" in notes[0]


def test_runs_that_read_the_articles_are_linked_too(database: Database) -> None:
    reading: dict[str, Any] = {"decoder": "likelihood", "samples": 0, "keep": 0, "max_new_tokens": None, "seed": None}
    with database.write():
        for name, ability in (ANCHORS | {"reader": 0.45}).items():
            for month, gained in ((AUGUST, 0.0), (SEPTEMBER, HARDER)):
                numbers = {"bits_per_byte": drawn(month, ability, gained=gained)}
                add_scored_run(database, name, month, numbers, run_id=f"read-{name}-{month[-2:]}", **reading)
    link(database)
    runs = ("read-reader-08", "read-reader-09")
    ((_, _, (row,), notes),) = compare_all(database, ComparisonRequest(runs=runs, across=("snapshot",)))
    assert (row.metric, row.verdict) == ("bits_per_byte", "cannot be told apart")
    assert row.mean_a == pytest.approx(0.45 + HARDER)
    assert "by 3 anchors" in notes[0]


def test_runs_of_another_protocol_are_no_anchors_and_are_not_compared(database: Database) -> None:
    longer: dict[str, Any] = {"max_new_tokens": 64}
    for name, ability in ANCHORS.items():
        for month in (AUGUST, SEPTEMBER):
            numbers = {"sbert": drawn(month, ability)}
            add_scored_run(database, name, month, numbers, run_id=f"long-{name}-{month[-2:]}", **longer)
    add_scored_run(database, "long", SEPTEMBER, {"sbert": drawn(SEPTEMBER, 0.45)}, **longer)
    found = experiments.rows(database, LinkedMonths, link(database))
    gained = {json.loads(one.protocol)["max_new_tokens"]: one.difficulty for one in found}
    assert gained == pytest.approx({8: HARDER, 64: 0.0})
    assert {one.anchors for one in found} == {3}
    for asked in (("snapshot",), ("snapshot", "max_new_tokens")):
        with pytest.raises(TerminalError, match="different settings"):
            compare_all(database, ComparisonRequest(runs=("old-08", "long-09"), across=asked))


def test_numbers_of_different_evaluators_are_not_linked(tmp_path: Path) -> None:
    database = Database(tmp_path / "newwiki.duckdb")
    for month, by in ((AUGUST, RULES), (SEPTEMBER, SPACY)):
        add_month(database, month)
        for name, ability in ANCHORS.items():
            add_scored_run(database, name, month, {"sbert": drawn(month, ability)}, by)
    with pytest.raises(TerminalError, match="no model ran on both"):
        link(database)


def test_months_without_anchors_in_common_are_linked_over_one_between_them(database: Database) -> None:
    add_month(database, OCTOBER)
    add_anchors(database, SEPTEMBER, OCTOBER, 0.05, {"four": 0.35, "five": 0.4, "six": 0.5})
    add_scored_run(database, "newest", OCTOBER, {"sbert": drawn(OCTOBER, 0.45, gained=0.05)})
    experiment_id = link(database, snapshot=OCTOBER)
    means = {one.run_id: one for one in experiments.rows(database, LinkedMean, experiment_id)}
    assert means["old-08"].via == [AUGUST, SEPTEMBER, OCTOBER]
    # September's anchors of October stand on September's own scale, so the months add up.
    assert means["old-08"].linked == pytest.approx(0.45 + HARDER + 0.05)
    assert means["new-09"].linked == pytest.approx(0.45 + HARDER + 0.05)
    assert means["newest-10"].linked == means["newest-10"].mean
    row, notes = across(database, "old-08", "newest-10")
    assert row.difference == pytest.approx(-HARDER)
    assert f"over {SEPTEMBER}" in notes[0]
    assert any(f"{AUGUST} is linked with {OCTOBER} over {SEPTEMBER}" in one
               for one in experiments.stored(database, experiment_id).words)  # fmt: skip


def test_numbers_that_are_all_alike_have_no_interval(database: Database) -> None:
    flat = Fingerprint("evaluator-flat", "flat", "1")
    for month in (AUGUST, SEPTEMBER):
        for name in ANCHORS:
            add_scores(database, f"{name}-0809-{month[-2:]}", month, {"rep_4": np.zeros(40)}, flat)
    for run_id, month in (("old-08", AUGUST), ("new-09", SEPTEMBER)):
        add_scores(database, run_id, month, {"rep_4": np.zeros(40)}, flat)
    link(database)
    asked = ComparisonRequest(runs=("old-08", "new-09"), across=("snapshot",), metrics="rep_4")
    ((_, _, (row,), _),) = compare_all(database, asked)
    assert (row.difference, row.low, row.high, row.no_interval, row.p) == (0.0, None, None, "no variance", 1.0)


def test_anchors_can_be_named(database: Database) -> None:
    for month, gained in ((AUGUST, 0.0), (SEPTEMBER, 0.3)):
        add_scored_run(database, "odd", month, {"sbert": drawn(month, 0.2, gained=gained)})
    named = tuple(f"{name}/greedy" for name in ANCHORS)
    (found,) = experiments.rows(database, LinkedMonths, link(database, anchor=named))
    assert found.difficulty == pytest.approx(HARDER)
    with pytest.raises(UsageError, match="no run of these months is 'nobody'"):
        link(database, anchor=("nobody",))


def test_snapshots_that_share_articles_are_not_linked(database: Database) -> None:
    add_month(database, OCTOBER, first=9000)
    with pytest.raises(UsageError, match="testwiki-2026-09 and testwiki-2026-10 share 40 articles"):
        link(database, snapshot=OCTOBER)


def test_a_run_on_fewer_articles_is_linked_on_those(database: Database) -> None:
    link(database)
    add_scored_run(database, "few", AUGUST, {"sbert": drawn(AUGUST, 0.45)[:20]}, prompts=20)
    row, notes = across(database, "few-08", "new-09")
    assert row.prompts == 20
    assert "on 20 and 40 articles" in notes[0]
    add_scored_run(database, "fewer", AUGUST, {"sbert": drawn(AUGUST, 0.45)[:12]}, prompts=12)
    with pytest.raises(
        TerminalError, match="only 12 articles of testwiki-2026-08 have numbers of all anchors, and 13 are needed"
    ):
        across(database, "fewer-08", "new-09")


def test_the_leaderboard_over_months_is_on_one_scale(database: Database) -> None:
    with pytest.raises(TerminalError, match="no month is linked with testwiki-2026-09: link them with `newwiki exp"):
        leaderboard(database, LeaderboardRequest(linked=True))
    link(database)
    board = leaderboard(database, LeaderboardRequest(linked=True))
    rows = {row["run_id"]: row for row in board.records}
    assert rows["old-08"]["sbert"] == pytest.approx(0.45 + HARDER)
    assert rows["old-08"]["sbert_status"] == "0.450 in its month"
    assert rows["new-09"]["sbert_status"] == "ok"
    assert rows["old-08"]["sbert_low"] < 0.45 + HARDER < rows["old-08"]["sbert_high"]
    assert rows["old-08"]["sbert_texts"] == 40
    assert rows["one-0809-08"]["sbert"] is None
    assert "beside the models that are linked" in rows["one-0809-08"]["sbert_no_interval"]
    with pytest.raises(UsageError, match="--linked excludes --rank"):
        LeaderboardRequest(linked=True, rank="sbert")
    with pytest.raises(UsageError, match="a leaderboard over months is --linked"):
        leaderboard(database, LeaderboardRequest(across=("snapshot",)))


def test_sql_has_each_models_trend(database: Database) -> None:
    for month, gained in ((AUGUST, 0.0), (SEPTEMBER, HARDER)):
        add_scored_run(database, "four", month, {"sbert": drawn(month, 0.6, gained=gained)})
    link(database)
    with database.read() as connection:
        rows = connection.execute(
            "select strftime(month, '%Y-%m'), mean, linked, low <= linked and linked <= high from model_trends "
            "where model = 'four' order by month"
        ).fetchall()
    assert [(month, held) for month, _, _, held in rows] == [("2026-08", True), ("2026-09", True)]
    assert [row[1] for row in rows] == pytest.approx([0.6, 0.5])
    assert [row[2] for row in rows] == pytest.approx([0.5, 0.5])


def test_the_command_answers_and_writes_a_page(in_process: Run, database: Database, tmp_path: Path) -> None:
    add_scored_run(database, "four", AUGUST, {"sbert": drawn(AUGUST, 0.6)})
    add_scored_run(database, "four", SEPTEMBER, {"sbert": drawn(SEPTEMBER, 0.6, gained=HARDER)})
    ended = in_process("experiment", "linking", "--db", database.path, "--out", tmp_path / "answer.html")
    assert ended.returncode == 0, ended.stderr
    assert "linking: 2 months on one scale by 1 metric" in ended.stdout
    page = (tmp_path / "answer.html").read_text("utf-8")
    assert "2 months on one scale by 1 metric" in page
    assert "Means on one scale: four · greedy, sbert, 2026-08: 0.5" in page
    ended = in_process("compare", "old", "better", "--across", "snapshot", "--db", database.path)
    assert ended.returncode == 0, ended.stderr
    assert " is better than " in ended.stdout
    ended = in_process("leaderboard", "--linked", "--db", database.path, "--format", "json")
    assert ended.returncode == 0, ended.stderr
    rows = {row["run_id"]: row for row in json.loads(ended.stdout)}
    assert rows["old-08"]["sbert"] == pytest.approx(0.45 + HARDER)
