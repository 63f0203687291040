"""Runs with different settings are compared only on request, and tables that show them side by side say it."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flows.api
from flows.commands.compare import compare as command
from flows.comparing import show_board as laid_out
from flows.comparing.board import board
from flows.comparing.bounds import judge, parse_bounds
from flows.comparing.differences import compare, compare_all
from flows.comparing.ranked import leaderboard
from newwiki.comparison_requests import ComparisonRequest, LeaderboardRequest
from newwiki.errors import TerminalError, UsageError
from newwiki.protocol import CHAT_SETTINGS, PROTOCOL, protocol_json
from newwiki.records import Completion
from storage import runs
from storage.database import Database
from tests.flows.scored import SNAPSHOT, add_run, pair, score

NUMBERS = {"rep_4": [1.0, 2.0, 4.0]}
BASE: dict[str, Any] = {"samples": 2, "keep": 2, "decoder": "sample"}


def with_chat(name: str, value: str) -> str:
    return protocol_json(
        max_new_tokens=8, samples=2, keep=2, template="{title}", stop=(), chat=False, settings={name: value}
    )


# By each setting of the protocol the fields of a run that differs from BASE in it alone.
OTHERWISE: dict[str, dict[str, Any]] = {
    "max_new_tokens": {"max_new_tokens": 256},
    "samples": {"samples": 4},
    "keep": {"keep": 1},
    "template": {"prompt_template": "{title}\n\n{first_sentence}"},
    "stop": {"versions": '{"stop": ["\\n"]}'},
    "chat": {"versions": '{"chat": "yes"}'},
    **{name: {"versions": f'{{"{name}": "8"}}', "protocol": with_chat(name, "8")} for name in CHAT_SETTINGS},
}


@pytest.fixture(scope="module")
def asked(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """A run `base`, one for each setting that differs in it alone, `greedy` of one text, and two whose dtype and seed
    are others."""
    path = tmp_path_factory.mktemp("asked") / "newwiki.duckdb"
    path.write_bytes(published.read_bytes())
    database = Database(path)
    others: dict[str, dict[str, Any]] = {"other-dtype": {"dtype": "bfloat16"}, "other-seed": {"seed": 7}}
    every: dict[str, dict[str, Any]] = {"base": {}, **OTHERWISE, **others}
    for run_id, changes in every.items():
        score(database, add_run(database, run_id, **BASE | changes), NUMBERS)
    score(database, add_run(database, "one-text", "greedy"), NUMBERS)
    score(database, f"reference:{SNAPSHOT}", NUMBERS)
    return database


def test_each_setting_of_the_protocol_is_tried() -> None:
    assert set(OTHERWISE) == set(PROTOCOL)


def asks(*runs: str, across: Sequence[str]) -> ComparisonRequest:
    return ComparisonRequest(runs=runs, across=tuple(across))


@pytest.mark.parametrize("name", PROTOCOL)
def test_runs_that_differ_in_one_setting_are_not_compared_unless_it_is_named(asked: Database, name: str) -> None:
    one, other = pair(asked, "base", name)
    words = f"base and {name} have different settings: {name} "
    with pytest.raises(TerminalError, match=words) as refusal:
        compare(asked, one, other)
    assert str(refusal.value).endswith(f"compare them anyway: --across {name}")
    with pytest.raises(
        TerminalError, match=f"{words}.*; a gate compares runs of one protocol: evaluate both with the same settings"
    ):
        judge(asked, one, other, parse_bounds("rep_4 > 0"))
    with pytest.raises(TerminalError, match="different settings"):
        compare_all(asked, asks("base", name, across=[one for one in PROTOCOL if one != name]))
    ((_, _, rows, notes),) = compare_all(asked, asks("base", name, across=[name]))
    assert len(rows) == 1
    assert any(note.startswith(f"across protocols: {name} ") for note in notes)


def test_all_settings_that_differ_must_be_named(asked: Database) -> None:
    with pytest.raises(
        TerminalError, match=r"max_new_tokens 256 and 8, chat no and yes.*--across max_new_tokens --across chat"
    ):
        compare_all(asked, asks("max_new_tokens", "chat", across=["chat"]))
    assert flows.api.compare(
        "max_new_tokens", "chat", across=["chat", "max_new_tokens"], db=asked.path, quiet=True
    ).num_rows == 1  # fmt: skip
    with pytest.raises(
        UsageError, match="'max_tokens' is not a setting of the protocol; did you mean 'max_new_tokens'"
    ):
        compare_all(asked, asks("base", "chat", across=["max_tokens"]))


def test_one_text_of_a_deterministic_decoder_and_the_articles_go_with_any_number_of_samples(asked: Database) -> None:
    for one, other in (("base", "one-text"), ("samples", "one-text"), ("base", f"reference:{SNAPSHOT}")):
        assert compare(asked, *pair(asked, one, other))[0]
    with pytest.raises(TerminalError, match="max_new_tokens 8 and 256"):
        compare(asked, *pair(asked, "one-text", "max_new_tokens"))


def test_another_dtype_or_seed_is_told(asked: Database) -> None:
    for name, words in (("other-dtype", "dtype float32 and bfloat16"), ("other-seed", "seed 0 and 7")):
        _, notes = compare(asked, *pair(asked, "base", name))
        assert f"A and B differ in more than model and decoder: {words}" in notes


def test_runs_on_other_prompts_are_paired_on_what_both_have_and_the_number_is_told(database: Path) -> None:
    stored = Database(database)
    for run_id, prompts, first in (("many", 10, 0), ("few", 5, 5)):
        values = np.full(10, np.nan)
        values[first : first + prompts] = np.arange(prompts)
        score(stored, add_run(stored, run_id, prompts=prompts), {"rep_4": values[:10]})
    (row,), notes = compare(stored, *pair(stored, "many", "few"))
    assert row.prompts == 5
    assert "paired on 5 prompts of A's 10 and B's 5" in notes


def test_runs_are_not_ranked_across_protocols_unless_that_is_asked_for(asked: Database) -> None:
    ranked = LeaderboardRequest(snapshot=SNAPSHOT, rank="rep_4")
    with pytest.raises(
        TerminalError, match=r"ranked under one protocol.*max_new_tokens 8, 256; samples 2, 4; keep 2, 1"
    ):
        leaderboard(asked, ranked)
    with pytest.raises(TerminalError, match="ranked under one protocol"):
        leaderboard(asked, replace(ranked, across=PROTOCOL[1:]))
    assert "group" in leaderboard(asked, replace(ranked, across=PROTOCOL)).about


def test_settings_in_which_rows_differ_are_columns_and_the_rest_is_in_the_caption(asked: Database) -> None:
    shown = board(asked)
    assert shown.about[8:] == (*PROTOCOL, "dtype", "seed")
    rows = {record["run_id"]: record for record in shown.records}
    assert (rows["max_new_tokens"]["max_new_tokens"], rows["base"]["max_new_tokens"]) == (256, 8)
    assert (rows["one-text"]["samples"], rows[f"reference:{SNAPSHOT}"]["samples"]) == (None, None)
    assert shown.caption == "all runs: backend hf, strict no"


def test_the_view_tells_runs_apart_that_were_asked_otherwise(asked: Database) -> None:
    with asked.read() as connection:
        found = connection.execute("select run_id, protocol::varchar, dtype from leaderboard").fetchall()
    told = {run_id: rest for run_id, *rest in found}
    assert len({told[name][0] for name in ("base", *PROTOCOL)}) == 1 + len(PROTOCOL)
    assert told["base"][0] == told["other-dtype"][0]
    assert told["other-dtype"][1] == "bfloat16"


def test_the_table_says_what_is_alike_what_is_not_and_on_how_many_texts_a_mean_stands(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = Database(database)
    texts = [Completion(page, sample, "a b", 2, 2, "stop", False) for page in (1, 2, 3) for sample in (0, 1)]
    for run_id, changes in (("one", {}), ("two", {"max_new_tokens": 256})):
        runs.add_completions(stored, add_run(stored, run_id, **BASE | changes), texts)
        runs.complete(stored, run_id, 2)
        score(
            stored,
            run_id,
            {"rep_4": [[1, 1], [2, 2], [3, 3]], "entity_overlap": [[1, np.nan], *[[np.nan] * 2] * 2]},
        )
    laid_out.show(stored, LeaderboardRequest(), "table")
    table = capsys.readouterr().out
    assert "all runs: samples 2, keep 2, template {title}, stop none, chat no, dtype float32" in " ".join(table.split())
    assert ["max_new_tokens", "8", "256"] in [line.split() for line in table.splitlines()]
    (line,) = [line for line in table.splitlines() if line.strip().startswith("entity_overlap")]
    assert line.split() == ["entity_overlap", "1.000", "[1]", "1.000", "[1]"]
    assert "[1] 1 of 6: no_number 5" in table.splitlines()
    assert "there are no intervals: too few prompts" in table.splitlines()
    (line,) = [line for line in table.splitlines() if line.strip().startswith("rep_4")]
    assert " of " not in line
    notes = laid_out.show(stored, LeaderboardRequest(), "json")
    rows = json.loads(capsys.readouterr().out)
    assert [row["max_new_tokens"] for row in rows] == [8, 256]
    assert [(row["entity_overlap_texts"], row["entity_overlap_status"]) for row in rows] == [
        (1, "1 of 6: no_number 5")
    ] * 2
    assert any(note.startswith("all runs: samples 2") for note in notes)


def test_the_command_takes_across() -> None:
    given = command.make_context("compare", ["base", "chat", "--across", "chat", "--across", "keep"]).params
    assert given["across"] == ("chat", "keep")
