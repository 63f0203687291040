"""A gate is closed by what is surely worse, and by nothing else; what cannot be judged is never passed."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evaluators import statistics
from flows.comparing.bounds import Bound, Doubt, default_bounds, doubts, judge, parse_bounds
from newwiki.comparison_requests import GateRequest
from newwiki.errors import TerminalError, UsageError
from storage.comparison import contenders
from storage.database import Database
from tests.flows.comparing.many_runs import RUNS
from tests.flows.conftest import Run
from tests.flows.experiments import recomputed
from tests.flows.scored import RULES, SPACY, add_run, pair, score

BASE = [[0.10], [0.20], [0.30], [0.40]] * 4


def outcome(database: Database, bounds: str) -> str:
    (result,) = judge(database, *pair(database, "a", "b"), parse_bounds(bounds))[0]
    return result.outcome


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sbert < -0.01", [Bound("sbert", "<", -0.01)]),
        ("sbert<-.01,rep_4 > +2e-2", [Bound("sbert", "<", -0.01), Bound("rep_4", ">", 0.02)]),
        ("  rep_4 > 0  ", [Bound("rep_4", ">", 0)]),
    ],
)
def test_bounds_are_written_as_one_says_them(text: str, expected: list[Bound]) -> None:
    assert parse_bounds(text) == expected


@pytest.mark.parametrize("text", ["", "sbert", "sbert = 1", "sbert < ", "sbert < x", "a < 1,, b > 2", "a << 1", "< 1"])
def test_what_is_no_bound_is_misuse(text: str) -> None:
    with pytest.raises(UsageError, match="--fail-if is written"):
        parse_bounds(text)


def test_the_whole_interval_must_lie_beyond_the_bound(stored: Database) -> None:
    """Differences 0.03, 0.04, 0.05, 0.04, each four times, have mean 0.04 and deviation 0.007303; with t = 2.1314 at 15
    degrees the interval is 0.04 +- 0.003891, from 0.03611 to 0.04389."""
    score(stored, add_run(stored, "a"), {"rep_4": BASE})
    score(stored, add_run(stored, "b"), {"rep_4": [[0.13], [0.24], [0.35], [0.44]] * 4})
    assert outcome(stored, "rep_4 > 0.0361") == "failed"
    assert outcome(stored, "rep_4 > 0.0362") == "not sure"
    assert outcome(stored, "rep_4 > 0.0438") == "not sure"
    assert outcome(stored, "rep_4 > 0.0439") == "passed"
    assert outcome(stored, "rep_4 < 0.0439") == "failed"
    assert outcome(stored, "rep_4 < 0.0361") == "passed"
    assert outcome(stored, "rep_4 < 0.04") == "not sure"


def test_the_intervals_of_all_metrics_hold_together(stored: Database) -> None:
    """Bonferroni: of two metrics each covers 97.5 %, so chance breaks either bound as seldom as one alone."""
    score(stored, add_run(stored, "a"), {"rep_4": BASE, "sbert": BASE})
    values = [[0.19], [0.31], [0.4], [0.5]] * 4
    score(stored, add_run(stored, "b", "beam"), {"rep_4": values, "sbert": values})
    apart = np.array(values) - np.array(BASE)
    for bounds, level in (("sbert < 0", 0.05), ("sbert < 0, sbert > 0.5", 0.05), ("sbert < 0, rep_4 > 0", 0.025)):
        results, _ = judge(stored, *pair(stored, "a", "b"), parse_bounds(bounds))
        expected = statistics.differences_estimate(apart, level)
        assert [one.difference.low for one in results] == pytest.approx([expected.low[0]] * len(results))


@recomputed.recomputes("gate")
def test_outcomes_are_those_of_a_recomputation_from_stored_scores(stored: Database) -> None:
    """Plain Python, from the scores of two texts of 15 prompts by three metrics alone."""
    random = np.random.default_rng(7)
    shared = random.normal(size=(15, 1))
    for run_id in ("a", "b"):
        numbers = {
            name: shared + random.exponential(0.4, size=(15, 2)) + more * (run_id == "b")
            for name, more in (("rep_4", 1.0), ("sbert", 0.3), ("unasked", 2.0))
        }
        score(stored, add_run(stored, run_id, prompts=15), numbers)
    bounds = [("rep_4", "<", 0.5), ("rep_4", ">", 0.2), ("rep_4", ">", 1.0), ("sbert", "<", 0.0), ("sbert", ">", 2.0)]
    results, _ = judge(
        stored, *pair(stored, "a", "b"), parse_bounds(", ".join(map("{0[0]} {0[1]} {0[2]}".format, bounds)))
    )
    with stored.read() as connection:
        sql = "select metric, run_id, page_id, avg(value) from scores group by all"
        means = {tuple(key): value for *key, value in connection.execute(sql).fetchall()}
    for result, (metric, sign, limit) in zip(results, bounds, strict=True):
        apart = [means[metric, "b", page] - means[metric, "a", page] for page in range(1, 16)]
        expected = recomputed.interval(apart, 0.05 / 2)  # two metrics are asked for
        row = result.difference
        assert (row.difference, row.low, row.high) == pytest.approx((expected.mean, expected.low, expected.high))
        allowed = [end >= limit if sign == "<" else end <= limit for end in (expected.low, expected.high)]
        assert result.outcome == ("passed" if all(allowed) else "not sure" if any(allowed) else "failed")
    assert {one.outcome for one in results} == {"passed", "not sure", "failed"}


def test_without_an_interval_nothing_is_sure(in_process: Run, stored: Database) -> None:
    score(stored, add_run(stored, "a", prompts=16), {"rep_4": BASE})
    score(stored, add_run(stored, "b", "beam", prompts=4), {"rep_4": [[1.0], [1.0], [1.0], [1.0]]})
    (result,), notes = judge(stored, *pair(stored, "a", "b"), parse_bounds("rep_4 > 0"))
    assert (result.outcome, result.difference.no_interval) == ("not sure", "too few prompts")
    assert notes == [
        "paired on 4 prompts of A's 16 and B's 4",
        "4 prompts cannot tell runs apart by rep_4: fewer than 13 do not show how skewed their differences are; "
        "evaluate more prompts",
    ]
    asked = ("gate", "--baseline", "a", "--candidate", "b", "--fail-if", "rep_4 > 0", "--db", stored.path)
    ended = in_process(*asked, "--format", "markdown")
    assert ended.returncode == 1
    assert "| rep_4 > +0 | 0.25 | 1 | +0.75 [too few prompts] | ❔ failed, as not sure |" in ended.stdout
    assert ended.stderr.splitlines()[-1] == "newwiki: gate failed: rep_4 > +0 (not sure)"
    allowed = in_process(*asked, "--unless-sure", "warn")
    assert allowed.returncode == 0 and "❔ passed, but not surely" in allowed.stdout
    assert allowed.stderr.splitlines()[-1] == "newwiki: gate passed, but not surely: rep_4 > +0"


@pytest.mark.parametrize(
    ("unless_sure", "max_loss", "status"),
    [(None, None, 0), ("warn", None, 0), ("pass", None, 0), ("fail", None, 1), (None, 0.05, 1), ("warn", 0.05, 0)],
)
def test_doubtful_bound_does_what_unless_sure_says(
    anchored: Database, unless_sure: Doubt, max_loss: float | None, status: int
) -> None:
    request = GateRequest(baseline="a", candidate="b", max_loss=max_loss, unless_sure=unless_sure)
    first, second = contenders(anchored, list(RUNS)[:2])
    (result,), _ = judge(anchored, first, second, parse_bounds("sbert < 0.0"))
    doubtful = replace(result, outcome="not sure", difference=replace(result.difference, no_interval=None))
    assert doubtful.fails(request.doubt) == bool(status)
    assert not replace(result, outcome="passed").fails(request.doubt)
    assert replace(result, outcome="failed").fails(request.doubt)


def test_max_loss_bounds_each_metric_in_its_worse_direction(anchored: Database) -> None:
    first, second = contenders(anchored, list(RUNS)[:2])
    assert default_bounds(anchored, first, second, 0.02) == [Bound("sbert", "<", -0.02)]
    with pytest.raises(UsageError, match="--fail-if and --max-loss exclude each other"):
        GateRequest(baseline="a", candidate="b", fail_if="sbert < 0", max_loss=0.02)


def test_doubtful_bound_names_the_prompts_that_it_needs(stored: Database) -> None:
    """Differences of mean 0.01 and deviation 0.1 √(16/15). By statsmodels 211.2 prompts show 0.02, a d of 0.1936, in
    four of five cases at 5 %."""
    apart = 0.01 + np.array([-0.1, 0.1] * 8)
    score(stored, add_run(stored, "a"), {"rep_4": [0.5] * 16})
    score(stored, add_run(stored, "b", "beam"), {"rep_4": 0.5 + apart})
    (result,), _ = judge(stored, *pair(stored, "a", "b"), parse_bounds("rep_4 > 0.02"))
    assert (result.outcome, result.prompts_needed) == ("not sure", 212)
    assert doubts([result]) == [
        "rep_4 > +0.02: 16 prompts are too few to be sure; if the runs do not differ, 212 prompts or more pass surely "
        "in four of five cases"
    ]
    (strict,), _ = judge(stored, *pair(stored, "a", "b"), parse_bounds("rep_4 > 0"))
    alike = replace(result, difference=replace(result.difference, no_interval="no variance"))
    assert "all 16 prompts differ by the same amount" in doubts([alike])[0]
    enough = replace(result, prompts_needed=14)
    assert "do not show on which side of the bound" in doubts([enough])[0]
    assert strict.prompts_needed is None and "allow a loss, such as --max-loss 0.02" in doubts([strict])[0]


def test_a_run_is_not_worse_than_itself(in_process: Run, stored: Database) -> None:
    score(stored, add_run(stored, "a"), {"rep_4": BASE})
    asked = ("gate", "--baseline", "a", "--candidate", "a", "--fail-if", "rep_4 > 0", "--db", stored.path)
    ended = in_process(*asked, "--format", "json")
    assert ended.returncode == 0, ended.stderr
    (row,) = json.loads(ended.stdout)
    assert row == {
        "fails_if": "rep_4 > +0",
        "baseline": 0.25,
        "candidate": 0.25,
        "difference": 0,
        "low": None,
        "high": None,
        "no_interval": "no variance",
        "prompts": 16,
        "baseline_level": "verified",
        "candidate_level": "verified",
        "outcome": "not sure",
        "prompts_needed": None,
    }


def test_a_closed_gate_ends_with_one_and_names_the_bound(in_process: Run, stored: Database, tmp_path: Path) -> None:
    score(stored, add_run(stored, "a"), {"rep_4": BASE, "sbert": BASE})
    score(stored, add_run(stored, "b", "beam"), {"rep_4": [[0.19], [0.31], [0.4], [0.5]] * 4, "sbert": BASE})
    asked = ("gate", "--baseline", "a", "--candidate", "b", "--fail-if", "sbert < -0.01, rep_4 > +0.02")
    shown_by_github = tmp_path / "summary.md"
    shown_by_github.write_text("# Earlier\n")
    ended = in_process(*asked, "--db", stored.path, GITHUB_STEP_SUMMARY=str(shown_by_github))
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == "newwiki: gate failed: rep_4 > +0.02"
    summary = shown_by_github.read_text("utf-8")
    assert summary.startswith("# Earlier\n### models/toy/beam (b) against models/toy/greedy (a)\n\n| fails if |")
    assert "| rep_4 > +0.02 | 0.25 | 0.35 | +0.1 [+0.09545, +0.1045] | ❌ failed |" in summary
    assert r"| sbert \< -0.01 | 0.25 | 0.25 | +0 [no variance] | ❔ passed, but not surely |" in summary
    assert "❌ failed" in ended.stdout


def test_what_cannot_be_judged_is_an_error(stored: Database) -> None:
    score(stored, add_run(stored, "a"), {"rep_4": BASE, "density": BASE}, RULES)
    score(stored, add_run(stored, "b"), {"density": BASE}, SPACY)
    for bounds, error, words in (
        ("rep_5 > 0", UsageError, "did you mean 'rep_4'"),
        ("rep_4 > 0", TerminalError, "only one of the runs has scores"),
        ("density < 0", TerminalError, "as the evaluators differ"),
    ):
        with pytest.raises(error, match=words):
            outcome(stored, bounds)


def test_a_summary_that_cannot_be_written_is_an_error(in_process: Run, stored: Database, tmp_path: Path) -> None:
    score(stored, add_run(stored, "a"), {"rep_4": BASE})
    asked = ("gate", "--baseline", "a", "--candidate", "a", "--fail-if", "rep_4 > 0", "--db", stored.path)
    ended = in_process(*asked, "--summary", tmp_path / "no" / "file.md")
    assert ended.returncode == 2
    assert "cannot write the summary to" in ended.stderr


def test_without_bounds_a_gate_fails_for_what_is_worse_by_a_metric_that_sees_content(anchored: Database) -> None:
    first, second = contenders(anchored, list(RUNS)[:2])
    assert default_bounds(anchored, first, second) == [Bound("sbert", "<", 0.0)]


def test_without_anchors_a_gate_needs_its_bounds(stored: Database) -> None:
    for name in ("a", "b"):
        score(stored, add_run(stored, name), {"rep_4": BASE})
    with pytest.raises(UsageError, match="name the differences with --fail-if"):
        default_bounds(stored, *pair(stored, "a", "b"))
