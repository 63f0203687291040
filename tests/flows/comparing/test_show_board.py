"""The leaderboard as people see it, in a terminal of any width."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flows.comparing import show_board
from flows.comparing.board import board
from flows.comparing.headline import headline, reason
from newwiki.comparison_requests import LeaderboardRequest
from newwiki.errors import UsageError
from storage.database import Database
from tests.flows.comparing.many_runs import METRICS, RUNS
from tests.flows.scored import RULES, SNAPSHOT, add_run, score

BLEU = np.linspace(0.2, 0.4, 13)


def shown(database: Database, capsys: pytest.CaptureFixture[str], **asked: object) -> list[str]:
    show_board.show(database, LeaderboardRequest(**asked), "table")  # type: ignore[arg-type]
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(("width", "most"), [(80, 95), (120, 52)])
def test_fourteen_runs_and_nine_metrics_fit(
    fourteen_runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int, most: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = shown(Database(fourteen_runs), capsys)
    assert len(lines) <= most
    assert max(map(len, lines)) <= width
    blocks = "\n".join(lines).split("\n\n")[1:-1]
    assert len(blocks) > 1
    for block in blocks:
        assert block.count("models/gpt2 ") == 4 and block.count("contrastive-search") == 3
    assert {*METRICS} <= {name for block in blocks for name in heads(block)}


def heads(block: str) -> list[str]:
    """Those of numbers, whose parts stand below each other on the right of their columns."""
    found: dict[int, str] = {}
    for line in block.partition("─")[0].splitlines():
        for part in re.finditer(r"\S+", line):
            found[part.end()] = found.get(part.end(), "") + part[0]
    return [*found.values()]


def test_a_number_has_its_digits_and_how_far_its_interval_reaches(
    fourteen_runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = Database(fourteen_runs)
    found = {record["run_id"]: record for record in board(database).records}
    run_id = next(iter(RUNS))
    mean, low, high = (found[run_id][f"sbert{part}"] for part in ("", "_low", "_high"))
    line = next(line for line in shown(database, capsys, metrics="bleu,sbert") if run_id[:8] in line)
    bleu, sbert = line.split()[-2:]
    assert sbert == f"{mean:.3f}±{max(mean - low, high - mean):.3f}"
    assert bleu.partition("±")[0] == f"{found[run_id]['bleu']:.1f}"


def test_what_is_alike_stands_above_and_a_short_name_in_full_below(
    fourteen_runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = shown(Database(fourteen_runs), capsys, metrics="sbert")
    above, below = lines[: lines.index("")], " ".join(lines[-3:])
    assert f"snapshot: {SNAPSHOT}" in above
    assert "all runs: max_new_tokens 8" in " ".join(above) and "dtype float32, backend hf, seed 0" in " ".join(above)
    assert not any(SNAPSHOT in line for line in lines[len(above) :])
    assert "/data…oint-12500: /data/checkpoints/experiments/" in below


def test_runs_of_many_different_settings_have_the_number_of_their_protocol(
    stored: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else each setting has a row of its own, and long templates make the table fall apart."""
    monkeypatch.setenv("COLUMNS", "80")
    long = "Write an encyclopedic article about the following:{answer}{title}\n\n{first_sentence}"
    other: dict[str, Any] = {"max_new_tokens": 9, "prompt_template": long}
    for run_id, changes in {"first": {}, "second": other, "third": other | {"seed": 7}, "fourth": {}}.items():
        score(stored, add_run(stored, run_id, **changes), {"bleu": BLEU})
    lines = shown(stored, capsys, metrics="bleu")
    assert max(map(len, lines)) <= 80
    [numbers] = [line.split()[1:] for line in lines if line.startswith("protocol ") and ":" not in line]
    assert sorted(numbers) == ["1", "1", "2", "3"]
    legend = " ".join(lines).partition("protocol 1: ")[2]
    assert legend.startswith("max_new_tokens 8, ")
    assert "protocol 2: as 1, but max_new_tokens 9, template Write an" in legend
    assert "protocol 3: as 1, but max_new_tokens 9, template Write an" in legend and legend.endswith(", seed 7")


def test_groups_that_cannot_be_told_apart_are_parted(
    fourteen_runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    lines = shown(Database(fourteen_runs), capsys, rank="sbert", metrics="rep_4")
    [head] = [number for number, line in enumerate(lines) if line.split()[-3:] == ["group", "sbert", "rep_4"]]
    rows = [line.split() for line in lines[head + 2 : head + 17] if line]
    letters = [row[-3] for row in rows[1:]]
    assert letters[0] == "a" and letters == sorted(letters)
    assert lines[head + 3] == "", "the articles are in no group"


def test_metrics_are_shown_as_they_are_asked_for_in_every_format(
    fourteen_runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = Database(fourteen_runs)
    show_board.show(database, LeaderboardRequest(metrics="sbert,bleu"), "json")
    names = list(json.loads(capsys.readouterr().out)[0])
    assert [name for name in names if name in METRICS] == ["sbert", "bleu"]
    with pytest.raises(UsageError, match="no run here is scored by 'sbret'; did you mean 'sbert'"):
        shown(database, capsys, metrics="bleu,sbret")


def test_a_metric_that_is_not_asked_for_refuses_nothing(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.flows.scored import SPACY

    stored = Database(database)
    for run_id, by in (("first", RULES), ("second", SPACY)):
        score(stored, add_run(stored, run_id), {"information_density": BLEU}, by)
        score(stored, run_id, {"rep_4": BLEU}, RULES)
    assert any("rep_4" in line for line in shown(stored, capsys, metrics="rep_4"))


def test_what_is_said_of_a_cell_stands_below_once(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored = Database(database)
    score(stored, add_run(stored, "first"), {"bleu": BLEU, "rep_4": [0.5] * 13})
    score(stored, add_run(stored, "second"), {"bleu": BLEU, "rep_4": [*BLEU[1:], np.nan]})
    lines = shown(stored, capsys)
    assert next(line for line in lines if line.startswith("rep_4")).split()[1:] == ["0.500", "[1]", "0.308", "[2]"]
    assert lines[-2:] == ["[1] no variance", "[2] too few prompts; 12 of 13: no_number 1"]


def test_calibrated_number_puts_a_run_between_another_article_and_the_article(
    anchored: Database, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    run_id = next(iter(RUNS))
    record = next(record for record in board(anchored).records if record["run_id"] == run_id)
    expected = 100 * (record["sbert"] - 0.1) / 0.6
    assert record["sbert_calibrated"] == pytest.approx(expected, abs=1.5)
    assert record["sbert_calibrated_low"] < record["sbert_calibrated"] < record["sbert_calibrated_high"]
    lines = shown(anchored, capsys, metrics="sbert,rep_4")
    cell = f"{record['sbert_calibrated']:.0f}±"
    assert any(run_id[:8] in line and cell in line for line in lines)
    assert any(line.startswith("calibrated: 0 is another article") for line in lines)


def test_anchors_stand_apart_and_a_metric_that_cannot_see_content_is_named(
    anchored: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = shown(anchored, capsys, metrics="sbert,rep_4")
    title = next(place for place, line in enumerate(lines) if line.startswith("anchors of samplewiki-2026-09"))
    assert not any("anchor" in line for line in lines[:title])
    [row] = [line.split() for line in lines[title:] if line.startswith("sbert")]
    assert row[1:] == ["0.400", "0.100", "0.400", "0.400", "0.700"]
    assert lines[-1] == "rep_4: this metric describes style; it cannot tell the article from another"


def test_without_anchors_nothing_of_them_is_shown(anchored: Database, capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(anchored, capsys, metrics="sbert,rep_4", anchors="no")
    assert not any("anchor" in line or "calibrated" in line for line in lines)


def test_a_board_by_evaluator_has_no_calibrated_numbers(anchored: Database) -> None:
    assert not any("calibrated" in head for head in board(anchored, by_evaluator=True).heads)


def test_pages_order_runs_by_the_metric_that_sees_most(anchored: Database) -> None:
    whole = board(anchored)
    directions = dict.fromkeys(METRICS, "higher")
    column = headline(whole, whole.columns, directions)
    assert column is not None and column.metric == "sbert"
    assert reason(whole, column) == "Runs are ordered by sbert, which orders 88% of the pairs of anchors rightly."


def test_without_anchors_pages_order_runs_by_sbert_and_say_nothing(fourteen_runs: Path) -> None:
    whole = board(Database(fourteen_runs))
    column = headline(whole, whole.columns, dict.fromkeys(METRICS, "higher"))
    assert column is not None and column.metric == "sbert" and reason(whole, column) == ""
