"""A gate is closed by what is surely worse, and by nothing else; what cannot be judged is never passed."""

import json
from pathlib import Path

import pytest

from flows.steps.gate import Bound, judge, parse_bounds
from newwiki.errors import TerminalError, UsageError
from storage.comparison import contenders
from storage.database import Database
from tests.flows.conftest import Run
from tests.flows.scored import RULES, SPACY, add_run, score

BASE = [[0.10], [0.20], [0.30], [0.40]]


@pytest.fixture
def stored(database: Database) -> Database:
    return Database(database)


def outcome(database: Database, bounds: str) -> str:
    (judgement,) = judge(database, *contenders(database, ["a", "b"]), parse_bounds(bounds))[0]
    return judgement.outcome


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
    """Differences 0.03, 0.04, 0.05, 0.04 have mean 0.04 and deviation 0.00816; with t = 3.182 at three degrees the
    interval is 0.04 +- 0.01299, from 0.0270 to 0.0530."""
    score(stored, add_run(stored, "a"), {"rep_4": BASE})
    score(stored, add_run(stored, "b"), {"rep_4": [[0.13], [0.24], [0.35], [0.44]]})
    assert outcome(stored, "rep_4 > 0.0269") == "failed"
    assert outcome(stored, "rep_4 > 0.0271") == "not sure"
    assert outcome(stored, "rep_4 > 0.0529") == "not sure"
    assert outcome(stored, "rep_4 > 0.0531") == "passed"
    assert outcome(stored, "rep_4 < 0.0531") == "failed"
    assert outcome(stored, "rep_4 < 0.0269") == "passed"
    assert outcome(stored, "rep_4 < 0.04") == "not sure"


def test_a_run_passes_against_itself(newwiki: Run, stored: Database) -> None:
    score(stored, add_run(stored, "a"), {"rep_4": BASE})
    asked = ("gate", "--baseline", "a", "--candidate", "a", "--fail-if", "rep_4 > 0", "--db", stored.path)
    ended = newwiki(*asked, "--format", "json")
    assert ended.returncode == 0, ended.stderr
    (row,) = json.loads(ended.stdout)
    assert row == {
        "fails_if": "rep_4 > +0",
        "baseline": 0.25,
        "candidate": 0.25,
        "difference": 0,
        "low": 0,
        "high": 0,
        "prompts": 4,
        "outcome": "passed",
    }


def test_a_closed_gate_ends_with_one_and_names_the_bound(newwiki: Run, stored: Database, tmp_path: Path) -> None:
    score(stored, add_run(stored, "a"), {"rep_4": BASE, "sbert": BASE})
    score(stored, add_run(stored, "b", "beam"), {"rep_4": [[0.2], [0.31], [0.4], [0.5]], "sbert": BASE})
    asked = ("gate", "--baseline", "a", "--candidate", "b", "--fail-if", "sbert < -0.01, rep_4 > +0.02")
    shown_by_github = tmp_path / "summary.md"
    shown_by_github.write_text("# Earlier\n")
    ended = newwiki(*asked, "--db", stored.path, GITHUB_STEP_SUMMARY=str(shown_by_github))
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == "newwiki: the gate is closed: rep_4 > +0.02"
    summary = shown_by_github.read_text("utf-8")
    assert summary.startswith("# Earlier\n### models/toy/beam (b) against models/toy/greedy (a)\n\n| fails if |")
    assert "| rep_4 > +0.02 | 0.25 | 0.3525 | +0.1025 [+0.09454, +0.1105] | ❌ failed |" in summary
    assert "| sbert < -0.01 | 0.25 | 0.25 | +0 [+0, +0] | ✅ passed |" in summary
    assert "❌ failed" in ended.stdout


def test_what_cannot_be_judged_is_an_error(stored: Database) -> None:
    score(stored, add_run(stored, "a"), {"rep_4": BASE, "density": BASE}, RULES)
    score(stored, add_run(stored, "b"), {"density": BASE}, SPACY)
    for bounds, error, words in (
        ("rep_5 > 0", UsageError, "did you mean 'rep_4'"),
        ("rep_4 > 0", TerminalError, "only one of the runs has it"),
        ("density < 0", TerminalError, "as the evaluators differ"),
    ):
        with pytest.raises(error, match=words):
            outcome(stored, bounds)
    score(stored, "b", {"rep_4": [[0.1]]})
    with pytest.raises(TerminalError, match="one prompt gives no interval of rep_4; evaluate more prompts"):
        outcome(stored, "rep_4 > 0")


def test_a_summary_that_cannot_be_written_is_an_error(newwiki: Run, stored: Database, tmp_path: Path) -> None:
    score(stored, add_run(stored, "a"), {"rep_4": BASE})
    asked = ("gate", "--baseline", "a", "--candidate", "a", "--fail-if", "rep_4 > 0", "--db", stored.path)
    ended = newwiki(*asked, "--summary", tmp_path / "no" / "file.md")
    assert ended.returncode == 2
    assert "the summary cannot be written to" in ended.stderr
