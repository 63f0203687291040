"""Runs beside each other: which can be told apart, quality against diversity, and the months."""

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows.comparing.board import Column
from flows.comparing.ranked import ranked
from flows.presenting.charts import PageSigns
from flows.presenting.material import Material, gather
from flows.report.groups import best_run_sentence, groups
from flows.report.months import months
from flows.report.trade_off import trade_off
from storage import runs
from storage.database import Database
from tests.flows.report.conftest import METRICS, add_scores, rules
from tests.flows.scored import SNAPSHOT

OTHER = '{"max_new_tokens": 9}'


@pytest.fixture(scope="module")
def material(scored: Path) -> Material:
    return gather(Database(scored), SNAPSHOT)


def column(material: Material, metric: str) -> Column:
    return next(one for one in material.board.columns if one.metric == metric)


def test_runs_share_the_letters_that_the_ranked_leaderboard_gives_them(scored: Path, material: Material) -> None:
    found = groups(Database(scored), material, column(material, "sbert"))
    board = ranked(Database(scored), material.board, "sbert")
    assert found and found.of == {one["run_id"]: frozenset(one["group"]) for one in board.records if one["group"]}
    assert len(found.of) == 5 and found.letters[0] == "a"


def test_one_sentence_says_who_is_best_and_who_cannot_be_told_apart(scored: Path, material: Material) -> None:
    sbert = column(material, "sbert")
    found = groups(Database(scored), material, sbert)
    assert found and found.of
    ordered = sorted(material.records, key=lambda record: -record["sbert"])
    best, *others = [material.label(record) for record in ordered]
    ids = [record["run_id"] for record in ordered]
    of = dict.fromkeys(ids, frozenset("b"))

    def sentence(**letters: str) -> str:
        changed = {ids[int(place[1:])]: frozenset(letter) for place, letter in letters.items()}
        words = best_run_sentence(material, replace(found, of=of | changed))
        assert words and words.startswith(f"{best} is the best run by sbert: 0.")
        return words.partition("]. ")[2]

    after = rf"{re.escape(others[0])}: 0\.\d+ \[0\.\d+, 0\.\d+\]"
    assert re.fullmatch(
        f"It differs significantly from each of the 4 other runs; the next is {after}.", sentence(r0="a")
    )
    numbers = re.compile(r" \(0\.\d+ \[0\.\d+, 0\.\d+\]\)")
    said = {
        numbers.sub("", sentence(**letters), count=1)
        for letters in ({"r0": "a", "r1": "ab"}, {"r0": "a", "r1": "a", "r3": "a"}, {})
    }
    assert said == {
        f"It cannot be told apart from {others[0]}.",
        f"It cannot be told apart from {others[0]} and {others[2]}.",
        f"It cannot be told apart from {others[0]}, {others[1]} and 2 more runs.",
    }
    claims = [{**record, **({"sbert_level": "claimed"} if record["run_id"] == ids[0] else {})} for record in ordered]
    claimed = replace(material, board=replace(material.board, records=tuple(claims)))
    words = best_run_sentence(claimed, found)
    assert words and words.startswith(f"{others[0]} is the best run by sbert"), "what somebody claims is not the best"
    several = replace(material, board=replace(material.board, same_articles=False))
    assert best_run_sentence(several, found) is None, "runs on other articles cannot be ranked by their means"
    assert best_run_sentence(material, None) is None
    assert best_run_sentence(material, replace(found, of=None)) is None, "where no run can be called the best"


def test_of_what_models_read_the_sentence_speaks_of_models(
    scored: Path, material: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if S-BERT were such a metric: all runs of a model would have its number."""
    found = groups(Database(scored), material, column(material, "sbert"))
    monkeypatch.setattr("flows.report.groups.reading_metrics", lambda: frozenset({"sbert"}))
    words = best_run_sentence(material, found) or ""
    models = {material.names[record["run_id"]] for record in material.records}
    assert (" is the best model by sbert: 0." in words) == (len(models) > 1)
    assert " · " not in words


def test_runs_of_several_protocols_have_no_groups_and_it_is_said(scored: Path, tmp_path: Path) -> None:
    database = Database(shutil.copy(scored, tmp_path / "newwiki.duckdb"))
    with database.write() as connection:
        connection.execute(
            "update runs set protocol = json_merge_patch(protocol, $1) where run_id = 'greedy-1'", [OTHER]
        )
    there = gather(database, SNAPSHOT)
    found = groups(database, there, column(there, "sbert"))
    assert found and found.of is None
    assert "these have different settings: max_new_tokens 8, 9" in found.lacking
    beside = trade_off(there, column(there, "sbert"), PageSigns())
    assert beside and [panel.protocol for panel in beside.panels] == [
        "max_new_tokens 8"
    ]  # of the other there is one run


def test_quality_stands_against_diversity_with_both_intervals(material: Material) -> None:
    found = trade_off(material, column(material, "sbert"), PageSigns())
    assert found and [key.text for key in found.keys] == ["evil <img onerror=console.error(3) src=x>", "one", "two"]
    [panel] = found.panels
    assert (panel.quality.name, panel.diversity.name, panel.protocol) == ("sbert", "distinct_2", "")
    assert panel.level and not panel.hollow  # the articles vary, and every run has its intervals
    for record in material.records:
        assert f"{record['sbert']:.4g}, {record['distinct_2']:.4g}" in panel.image
    assert (
        trade_off(material, column(material, "rep_4"), PageSigns()) == found
    )  # a metric of diversity is not one of quality


def test_months_show_what_was_asked_of_the_same_model_by_the_same_evaluator(
    scored: Path, pages: list[int], tmp_path: Path
) -> None:
    database = Database(shutil.copy(scored, tmp_path / "newwiki.duckdb"))
    assert months(database, gather(database, SNAPSHOT), None, [], PageSigns()) is None
    with database.write() as connection:
        connection.execute(
            "insert into snapshots select * replace (snapshot_id || '-before' as snapshot_id, "
            "window_start - interval 1 month as window_start) from snapshots"
        )
    earlier = f"{SNAPSHOT}-before"
    there = gather(database, SNAPSHOT)
    keys = [(page, 0) for page in pages]
    asked: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("same", "greedy-0", {}),
        ("longer", "greedy-1", {"max_new_tokens": 9, "protocol": None}),
    )
    for run_id, run_like, changes in asked:
        runs.start(database, replace(there.entries[run_like].run, run_id=run_id, snapshot_id=earlier, **changes))
        add_scores(database, run_id, rules(), keys, 5, METRICS[:2])
    other = replace(rules(), evaluator_id="another", version="2")
    add_scores(database, "same", other, keys, 6, METRICS[2:3])
    bleu, overlap = column(there, "bleu"), column(there, "entity_overlap")
    found = months(database, there, bleu, [], PageSigns())
    assert found and found.names == [earlier, SNAPSHOT]
    assert [row.record["run_id"] for row in found.rows] == ["greedy-0", f"reference:{SNAPSHOT}"]
    before, now = found.rows[0].cells
    [record] = [one for one in gather(database, earlier).records if one["run_id"] == "same"]
    assert (before.mean, before.low) == (record["bleu"], record["bleu_low"])
    assert now.mean == found.rows[0].record["bleu"]
    assert [panel.column.metric for panel in found.panels] == ["distinct_2", "bleu"]
    by_overlap = months(database, there, overlap, [], PageSigns())
    assert by_overlap and by_overlap.rows[0].cells[0].mean is None  # nobody's numbers but the same evaluator's
    assert by_overlap.rows[0].cells[0].apart == "another evaluator"
