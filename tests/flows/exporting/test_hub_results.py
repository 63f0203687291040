"""The Hub's `.eval_results/*.yaml`: as its documentation has it, and only what can stand on one leaderboard."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.exporting.hub_results import export_hub_results
from flows.progress import Silent
from newwiki.errors import TerminalError, UsageError
from newwiki.results_request import HubResultsRequest
from storage.database import Database
from tests.flows.exporting.published import EVAL_RESULTS_YAML, faults
from tests.flows.exporting.test_every_eval_ever import Told
from tests.flows.scored import RULES, SPACY, add_run, score

TASK = "newwiki_samplewiki_2026_09"
ASKED = HubResultsRequest(runs=("many",), dataset="lab/new-wiki")


def exported(database: Database, out: Path, request: HubResultsRequest = ASKED) -> list[dict[str, Any]]:
    [path] = export_hub_results(database, request, out, Silent())
    entries: list[dict[str, Any]] = yaml.safe_load(path.read_text("utf-8"))
    return entries


def test_the_file_is_as_the_hub_documents_it_and_its_own_library_reads_it(stored: Database, tmp_path: Path) -> None:
    from huggingface_hub import parse_eval_result_entries

    asked = replace(ASKED, revision="0" * 40, source="https://lab.example/many")
    for request in (ASKED, asked):
        assert faults(EVAL_RESULTS_YAML, exported(stored, tmp_path / "out", request)) == []
    [found] = parse_eval_result_entries(exported(stored, tmp_path / "out", asked))
    assert (found.dataset_id, found.task_id, found.value) == ("lab/new-wiki", f"{TASK}_rep_4", pytest.approx(0.5))
    assert (found.dataset_revision, found.source_url) == ("0" * 40, "https://lab.example/many")
    assert found.verify_token is None


def test_the_file_stands_where_a_models_repository_has_it(stored: Database, tmp_path: Path) -> None:
    paths = export_hub_results(stored, replace(ASKED, runs=("many", "rival")), tmp_path, Silent())
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        f"models/toy/.eval_results/{TASK}.yaml",
        f"lab/rival/.eval_results/{TASK}.yaml",
    ]


def test_the_notes_have_interval_texts_decoder_evaluator_and_run(stored: Database, tmp_path: Path) -> None:
    with stored.read() as connection:
        asked = "select low, high from metric_summaries where run_id = 'many'"
        [(low, high)] = connection.sql(asked).fetchall()
    [entry] = exported(stored, tmp_path)
    assert entry["notes"] == (
        f"higher is better; 18 texts of 18 prompts; 95 % interval {low:.6g} to {high:.6g}, clustered by prompt; "
        f"greedy; evaluator {RULES.evaluator_id} (density 1); run many of New-Wiki Eval"
    )


def test_what_has_no_number_or_no_direction_is_left_out_and_told(stored: Database, tmp_path: Path) -> None:
    told = Told()
    [path] = export_hub_results(stored, replace(ASKED, runs=("first",)), tmp_path, told)
    entries = {one["dataset"]["task_id"].removeprefix(f"{TASK}_"): one for one in yaml.safe_load(path.read_text())}
    assert list(entries) == ["bleu", "density", "rep_4"]
    assert "2 texts of 1 prompts (2 of 6: no_number 4); no interval: too few prompts" in entries["bleu"]["notes"]
    assert told.notes == [
        "left out, as neither more nor less is better: novelty",
        "left out of run first, as there is no number: sbert (0 of 6: no_number 6)",
    ]


def test_of_several_evaluators_it_is_the_newest_alone(stored: Database, tmp_path: Path) -> None:
    [entry] = exported(stored, tmp_path, replace(ASKED, runs=("first",), metrics="density"))
    assert entry["value"] == pytest.approx(19 / 6)
    assert SPACY.evaluator_id in entry["notes"]


def test_models_whose_numbers_are_of_different_evaluators_are_not_set_beside_each_other(
    stored: Database, tmp_path: Path
) -> None:
    score(stored, "many", {"density": [1] * 18})
    score(stored, "rival", {"density": [3] * 18}, SPACY)
    told = Told()
    paths = export_hub_results(stored, replace(ASKED, runs=("many", "rival")), tmp_path, told)
    assert all("_density" not in path.read_text() for path in paths)
    assert [note for note in told.notes if "no evaluator has scored all of these runs by it: density" in note]
    with pytest.raises(TerminalError, match="no evaluator has scored all of these runs by it: density"):
        exported(stored, tmp_path, replace(ASKED, runs=("many", "rival"), metrics="density"))


def test_what_cannot_stand_on_one_leaderboard_is_refused(stored: Database, tmp_path: Path) -> None:
    for run, changes in (
        ("longer", {"model": "lab/longer", "max_new_tokens": 16}),
        ("october", {"model": "lab/october", "snapshot_id": "samplewiki-2026-10"}),
    ):
        score(stored, add_run(stored, run, prompts=18, **changes), {"rep_4": [1] * 18})
    for runs, words in (
        (("many", "longer"), "have different settings: .*evaluate both with the same settings"),
        (("many", "october"), "are two benchmarks; export one at a time"),
        (("many", "first"), "the Hub has one number a model and task, and these runs are of models/toy: many"),
    ):
        with pytest.raises(TerminalError, match=words):
            export_hub_results(stored, replace(ASKED, runs=runs), tmp_path / "out", Silent())
    assert not (tmp_path / "out").exists()


def test_metrics_that_make_no_leaderboard_are_refused_by_name(stored: Database, tmp_path: Path) -> None:
    for metrics, words in (
        ("novelty", "of 'novelty' neither more nor less is better"),
        ("rep_5", "these runs have no number of 'rep_5'; did you mean 'rep_4'"),
    ):
        with pytest.raises(UsageError, match=words):
            exported(stored, tmp_path, replace(ASKED, runs=("first",), metrics=metrics))


def test_the_same_run_is_written_again_and_no_other_over_it(stored: Database, tmp_path: Path) -> None:
    [path] = export_hub_results(stored, ASKED, tmp_path, Silent())
    first = path.read_bytes()
    export_hub_results(stored, ASKED, tmp_path, Silent())
    assert path.read_bytes() == first
    with pytest.raises(TerminalError, match="holds something else than run first; name another file or folder"):
        export_hub_results(stored, replace(ASKED, runs=("first",)), tmp_path, Silent())
    assert path.read_bytes() == first
