"""Comparing runs: what is paired with what, what is left out and why, and how often it is wrong."""

import csv
import json
import math
from dataclasses import replace

import numpy as np
import pytest

from flows.comparing.differences import compare, compare_all
from newwiki.comparison_requests import ComparisonRequest
from newwiki.errors import TerminalError, UsageError
from newwiki.records import Fingerprint
from storage.comparison import contenders
from storage.database import Database
from tests.flows.comparing.many_runs import METRICS, RUNS
from tests.flows.conftest import Run
from tests.flows.experiments import recomputed
from tests.flows.scored import RULES, SNAPSHOT, SPACY, add_run, pair, score

OTHER = Fingerprint("evaluator-2", "repetition", "2")


def test_means_are_those_of_the_prompts_and_the_difference_is_b_minus_a(stored: Database) -> None:
    """Prompt means of A are 1, 2, 4 and of B 3, 2, 7; the differences 2, 0, 3 have mean 5/3. The third prompt of B has
    one number. Six times the same, the deviation is 1.2834; with t = 2.1098 at 17 degrees the interval reaches 0.6382
    above the mean and, as the differences have their tail there, further below it. By statsmodels 7.1 prompts would
    show an effect of 1.2986, so the fewest that show anything do."""
    score(stored, add_run(stored, "a", prompts=18), {"rep_4": [[0, 2], [2, 2], [4, 4]] * 6})
    score(stored, add_run(stored, "b", prompts=18), {"rep_4": np.array([[3, 3], [1, 3], [7, math.nan]] * 6)})
    ((row,), notes) = compare(stored, *pair(stored, "a", "b"))
    assert (row.mean_a, row.mean_b, row.difference) == pytest.approx((7 / 3, 4, 5 / 3))
    assert row.high == pytest.approx(5 / 3 + 0.6382, abs=1e-3)
    assert row.low is not None and 0.6382 < 5 / 3 - row.low < 0.7
    assert row.bootstrap_low is not None and row.bootstrap_low < 1.1
    assert (row.prompts, row.verdict, row.no_interval) == (18, "different", None)
    assert row.effect_size == pytest.approx(1.2986, abs=1e-4)
    assert (row.prompts_needed_low, row.run_a, row.run_b, row.evaluator_id) == (13, "a", "b", "evaluator-rules")
    assert (row.status_a, row.status_b) == ("ok", "30 of 36: no_number 6")
    assert notes == ["not all texts have a number: rep_4 of b is based on 30 of 36: no_number 6"]


def test_too_few_prompts_have_no_interval_and_no_verdict(stored: Database) -> None:
    score(stored, add_run(stored, "a", prompts=12), {"rep_4": np.arange(12), "sbert": np.arange(12) / 2})
    score(stored, add_run(stored, "b", prompts=12), {"rep_4": np.arange(12) ** 2 + 9, "sbert": [9]})
    rows, notes = compare(stored, *pair(stored, "a", "b"))
    for row in rows:
        ends = (row.low, row.high, row.bootstrap_low, row.bootstrap_high, row.smallest_visible)
        assert (ends, row.no_interval, row.verdict) == ((None,) * 5, "too few prompts", "too few prompts")
    assert rows[0].p_holm < 0.01
    assert notes == [
        "1 or 12 prompts cannot tell runs apart by rep_4, sbert: fewer than 13 do not show how skewed their "
        "differences are; evaluate more prompts"
    ]


def test_an_interval_ends_where_two_numbers_cannot_lie_further_apart(stored: Database) -> None:
    for run_id, values in (("a", [0.0] * 13 + [1.0]), ("b", [1.0] * 13 + [0.9])):
        score(stored, add_run(stored, run_id), {"share": values})
    found = compare(stored, *pair(stored, "a", "b"))[0]
    with stored.write() as connection:
        connection.execute("update metrics set minimum = 0, maximum = 1")
    inside = compare(stored, *pair(stored, "a", "b"))[0]
    assert found[0].high is not None and found[0].high > 1
    assert inside[0].high == 1
    assert inside[0].low == found[0].low


def test_a_prompt_counts_where_both_runs_have_a_number(stored: Database) -> None:
    score(stored, add_run(stored, "a"), {"rep_4": [1, 2, math.nan, 4], "sbert": [1, 1, 1, 1], "bleu": [math.nan] * 4})
    score(stored, add_run(stored, "b"), {"rep_4": [2, math.nan, 3, 6], "sbert": [1, 1, 1, 1], "bleu": [1, 2, 3, 4]})
    rows, notes = compare(stored, *pair(stored, "a", "b"))
    by = {row.metric: row for row in rows}
    assert (by["rep_4"].prompts, by["rep_4"].mean_a, by["rep_4"].mean_b) == (2, 2.5, 4)
    same = by["sbert"]
    assert (same.difference, same.low, same.high, same.p, same.effect_size) == (0, None, None, 1, None)
    assert (same.prompts_needed_low, same.prompts_needed_high) == (None, None)
    assert "left out, as no prompt has scores of both runs: bleu" in notes


def test_only_prompts_of_both_snapshots_count(stored: Database) -> None:
    """A copy of the snapshot in which one article is another text and one has another title."""
    with stored.write() as connection:
        pages = [page for (page,) in connection.execute("select page_id from articles order by page_id").fetchall()]
        connection.execute("create table copied as select * from stored_articles")
        connection.execute("update copied set snapshot_id = 'later'")
        connection.execute("update copied set text_sha256 = 'x' where page_id = ?", [pages[0]])
        connection.execute("update copied set title = 'x' where page_id = ?", [pages[1]])
        connection.execute("insert into stored_articles select * from copied")
        connection.execute("drop table copied")
        connection.execute("insert into snapshots select * replace ('later' as snapshot_id) from snapshots")
        connection.execute("insert into snapshots select * replace ('old' as snapshot_id) from snapshots limit 1")
    values = np.arange(max(pages), dtype=float)
    for run_id, snapshot in (("a", SNAPSHOT), ("b", "later"), ("c", "old")):
        score(stored, add_run(stored, run_id, snapshot_id=snapshot), {"rep_4": values})
    ((row,), _) = compare(stored, *pair(stored, "a", "b"))
    assert row.prompts == len(pages) - 2
    with pytest.raises(TerminalError, match=f"no prompt in common: they are on {SNAPSHOT} and old"):
        compare(stored, *pair(stored, "a", "c"))


def test_metrics_of_different_evaluators_are_left_out_with_a_word_on_how_to_score_them(stored: Database) -> None:
    for run_id, by in (("a", RULES), ("b", SPACY)):
        score(stored, add_run(stored, run_id), {"information_density": [1, 2, 3]}, by)
        score(stored, run_id, {"rep_4": [1, 2, 3]}, OTHER)
    rows, notes = compare(stored, *pair(stored, "a", "b"))
    assert [row.metric for row in rows] == ["rep_4"]
    assert notes[0] == (
        "left out, as the evaluators differ: information_density: spacy:en_two_cities-1.0 (evaluator evaluator-spacy) "
        "scored run b, rules-v1 (evaluator evaluator-rules) scored run a; score both runs with one evaluator: "
        "`newwiki score --missing --metrics information_density --entities …`"
    )
    with pytest.raises(TerminalError, match=r"no metric can compare a and b: .*evaluator-spacy"):
        compare(stored, *pair(stored, "a", "b"), ["information_density"])
    score(stored, "a", {"information_density": [4, 5, 6]}, SPACY)
    assert {row.metric: row.mean_a for row in compare(stored, *pair(stored, "a", "b"))[0]} == {
        "information_density": 5,
        "rep_4": 2,
    }


def test_of_several_evaluators_that_both_have_the_newest_is_taken(stored: Database) -> None:
    for run_id in ("a", "b"):
        add_run(stored, run_id)
        score(stored, run_id, {"information_density": [1, 2, 3]}, RULES)
        score(stored, run_id, {"information_density": [4, 5, 6]}, SPACY)
    score(stored, "a", {"information_density": [7, 8, 9]}, Fingerprint("newest", "density", "2"))
    ((row,), _) = compare(stored, *pair(stored, "a", "b"))
    assert (row.evaluator_id, row.mean_a) == ("evaluator-spacy", 5)


@recomputed.recomputes("differences")
def test_intervals_p_values_and_verdicts_are_those_of_the_stored_scores(stored: Database) -> None:
    """From the scores alone: every text of 14 prompts by three metrics, of which two differ."""
    random = np.random.default_rng(3)
    shared = random.normal(size=(14, 1))
    for run_id in ("a", "b"):
        numbers = {
            name: shared + random.exponential(0.5, size=(14, 2)) + more * (run_id == "b")
            for name, more in (("much", 1.0), ("some", 0.35), ("none", 0.0))
        }
        score(stored, add_run(stored, run_id, prompts=14), numbers)
    rows, _ = compare(stored, *pair(stored, "a", "b"))
    with stored.read() as connection:
        sql = "select metric, run_id, page_id, avg(value) from scores group by all"
        means = {tuple(key): value for *key, value in connection.execute(sql).fetchall()}
    for row in rows:
        apart = [means[row.metric, "b", page] - means[row.metric, "a", page] for page in range(1, 15)]
        expected = recomputed.interval(apart)
        assert (row.difference, row.low, row.high) == pytest.approx((expected.mean, expected.low, expected.high))
        assert recomputed.close(row.p, recomputed.p_of_mean(apart))
    for row, p in zip(rows, recomputed.holm([row.p for row in rows]), strict=True):
        assert row.p_holm == pytest.approx(p)
        assert row.verdict == ("different" if p <= recomputed.LEVEL else "cannot be told apart")
    assert {row.verdict for row in rows} == {"different", "cannot be told apart"}


def test_holm_corrects_for_the_metrics_that_are_asked_for(stored: Database) -> None:
    random = np.random.default_rng(0)
    names = [f"metric_{n}" for n in range(5)]
    score(stored, add_run(stored, "a"), {name: random.normal(size=40) for name in names})
    score(stored, add_run(stored, "b"), {name: random.normal(0.5, size=40) for name in names})
    rows, _ = compare(stored, *pair(stored, "a", "b"))
    ((alone,), _) = compare(stored, *pair(stored, "a", "b"), ["metric_3"])
    (among,) = [row for row in rows if row.metric == "metric_3"]
    assert alone.p_holm == alone.p <= among.p_holm
    assert min(row.p_holm for row in rows) == 5 * min(row.p for row in rows)
    again, _ = compare(stored, *pair(stored, "a", "b"))
    other, _ = compare(stored, *pair(stored, "a", "b"), seed=1)
    assert again == rows != other


def test_a_run_goes_by_the_beginning_of_its_id_or_by_what_it_is(stored: Database) -> None:
    for run_id, decoder in (("dd25c", "greedy"), ("dd25c0", "sample:top_p=1"), ("87331", "beam")):
        add_run(stored, run_id, decoder)
    score(stored, f"reference:{SNAPSHOT}", {"rep_4": [1]})
    for name, meant in {
        "dd25c": "dd25c",
        "8": "87331",
        "greedy": "dd25c",
        "toy/greedy": "dd25c",
        "models/toy/beam": "87331",
        "ref": f"reference:{SNAPSHOT}",
    }.items():
        assert [run.run_id for run in contenders(stored, [name])] == [meant]
    with pytest.raises(
        UsageError, match=r"'dd25' may be any of these: dd25c \(models/toy/greedy\), dd25c0 \(models/toy/sample\)"
    ):
        contenders(stored, ["dd25"])


def test_mistakes_get_one_line(in_process: Run, stored: Database) -> None:
    score(stored, add_run(stored, "run-1"), {"rep_4": [1, 2]})
    score(stored, add_run(stored, "run-2", "beam"), {"rep_4": [1, 2]})
    for arguments, words in {
        ("run-1",): "name two runs or more",
        ("run-1", "greedy"): "mean the same run",
        ("run-1", "run-3"): "there is no run 'run-3'; did you mean 'run-2'? there are: run-1 (models/toy/greedy, seed",
        ("run-1", "run-2", "--metrics", "rep_5"): "neither run has texts scored by 'rep_5'; did you mean 'rep_4'?",
    }.items():
        ended = in_process("compare", *arguments, "--db", stored.path)
        assert (ended.returncode, ended.stdout) == (2, ""), ended.stderr
        assert words in ended.stderr
        assert ended.stderr.count("\n") == 1


def test_the_table_says_it_in_words_and_the_other_formats_in_numbers(in_process: Run, stored: Database) -> None:
    random = np.random.default_rng(2)
    for run_id, shift in (("first", 0.0), ("second", 1.0), ("third", 0.0)):
        noise = random.permutation([-0.1, 0.1] * 30) + 0.01 * len(run_id)
        numbers = {"rep_4": random.normal(shift, 0.5, size=(60, 2)), "sbert": noise}
        score(stored, add_run(stored, run_id), numbers)
    asked = ("compare", "first", "second", "third", "--db", stored.path)
    table = in_process(*asked)
    assert table.returncode == 0, table.stderr
    lines = [line.split("  ") for line in table.stdout.splitlines() if line.startswith(("rep_4", "sbert"))]
    found = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    assert [(row[0], row[5]) for row in found] == [
        ("rep_4", "better"), ("sbert", "cannot tell"), ("rep_4", "cannot tell"), ("sbert", "cannot tell")
    ]  # fmt: skip
    assert "A: first models/toy/greedy" in table.stdout and "B: third models/toy/greedy" in table.stdout
    rows = json.loads(in_process(*asked, "--format", "json").stdout)
    assert [(row["run_b"], row["metric"]) for row in rows] == [
        ("second", "rep_4"), ("second", "sbert"), ("third", "rep_4"), ("third", "sbert")
    ]  # fmt: skip
    assert rows[0]["p_holm"] < 0.001 and rows[0]["low"] < rows[0]["bootstrap_high"]
    assert len(list(csv.DictReader(in_process(*asked, "--format", "csv").stdout.splitlines()))) == 4
    markdown = in_process(*asked, "--format", "markdown").stdout.splitlines()
    assert markdown[0].startswith("**models/toy/greedy (second) is better than models/toy/greedy (first): rep_4 +")
    assert markdown[2].startswith("| metric | A: first models/toy/greedy | B: second models/toy/greedy |")
    needed = [line.split(" | ")[-1].removesuffix(" |").replace(",", "") for line in markdown[4:6]]
    assert needed[0] == "–" and needed[1].split()[1:] == ["prompts", "or", "more"]


def test_by_default_the_metrics_that_see_content_are_tested_and_named(anchored: Database) -> None:
    request = ComparisonRequest(runs=tuple(RUNS)[:2])
    [(*_, rows, notes)] = compare_all(anchored, request)
    assert [row.metric for row in rows] == ["sbert"]
    [note] = [note for note in notes if note.startswith("tests the metrics that see content on samplewiki-2026-09")]
    assert ": sbert; --metrics all also tests bleu, " in note
    [(*_, rows, _)] = compare_all(anchored, replace(request, metrics="all"))
    assert len(rows) == len(METRICS)
