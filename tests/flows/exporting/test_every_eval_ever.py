"""Records of Every Eval Ever: what the published schema wants, every number with its interval and evaluator."""

import json
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flows.exporting.every_eval_ever import export_records
from flows.progress import Silent
from newwiki.errors import TerminalError, UsageError
from newwiki.records import Metric, RunScore
from newwiki.results_request import EveryEvalEverRequest
from storage import runs, snapshots
from storage.database import Database
from tests.flows.exporting.published import (
    EVERY_EVAL_EVER,
    EVERY_EVAL_EVER_INSTANCE,
    RECORD_PATH,
    faults,
)
from tests.flows.scored import RULES, SNAPSHOT, SPACY, add_run, score

ASKED = EveryEvalEverRequest(runs=("first",), organization="A lab", relationship="third_party")


class Told(Silent):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


def exported(database: Database, out: Path, request: EveryEvalEverRequest = ASKED) -> dict[str, Any]:
    [path, *_] = export_records(database, request, out, Silent())
    record: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return record


def result(record: dict[str, Any], metric: str, evaluator_id: str = RULES.evaluator_id) -> dict[str, Any]:
    [found] = [
        one
        for one in record["evaluation_results"]
        if one["metric_config"]["metric_name"] == metric
        and one["metric_config"]["metric_parameters"]["evaluator_id"] == evaluator_id
    ]
    return dict(found)


def test_the_published_schema_accepts_a_record_where_the_datastore_has_it(stored: Database, tmp_path: Path) -> None:
    for run in ("first", "many"):
        [path] = export_records(stored, replace(ASKED, runs=(run,)), tmp_path / "out", Silent())
        assert re.fullmatch(RECORD_PATH, path.relative_to(tmp_path / "out").as_posix())
        assert path.parts[-4:-1] == ("newwiki_samplewiki_2026_09", "models", "toy"), "as model_info.id says"
        assert faults(EVERY_EVAL_EVER, json.loads(path.read_text("utf-8"))) == []


def test_the_schema_refuses_what_the_published_one_refuses(stored: Database, tmp_path: Path) -> None:
    record = exported(stored, tmp_path)
    record["evaluation_results"][0]["metric_config"]["max_score"] = None
    record["model_info"]["additional_details"] = {"run": 1}
    record["more"] = True
    assert len(faults(EVERY_EVAL_EVER, record)) == 5


def test_a_number_has_its_interval_its_texts_and_its_evaluator(stored: Database, tmp_path: Path) -> None:
    with stored.read() as connection:
        asked = "select mean, sd, low, high, standard_error from metric_summaries where run_id = 'many'"
        [(mean, sd, low, high, error)] = connection.sql(asked).fetchall()
    found = result(exported(stored, tmp_path, replace(ASKED, runs=("many",))), "rep_4")
    assert found["score_details"]["score"] == mean == pytest.approx(0.5)
    uncertainty = found["score_details"]["uncertainty"]
    interval = uncertainty["confidence_interval"]
    assert (interval["lower"], interval["upper"], interval["confidence_level"]) == (low, high, 0.95)
    assert (uncertainty["standard_error"]["value"], uncertainty["standard_deviation"]) == (error, sd)
    assert uncertainty["num_samples"] == 18
    scorer = json.loads(found["metric_config"]["additional_details"]["evaluator"])
    assert (scorer["evaluator_id"], scorer["dependencies"]) == (RULES.evaluator_id, {"regex": "1"})


def test_what_makes_no_interval_has_none_and_says_why(stored: Database, tmp_path: Path) -> None:
    found = result(exported(stored, tmp_path), "bleu")
    assert found["score_details"]["score"] == 1.5
    assert found["score_details"]["details"] == {
        "texts": "2 of 6: no_number 4",
        "texts_without_a_number": "4",
        "prompts": "1",
        "no_interval": "too few prompts",
    }
    assert set(found["score_details"]["uncertainty"]) == {"num_samples", "standard_deviation"}


def test_a_number_of_the_whole_run_has_a_spread_and_no_interval(stored: Database, tmp_path: Path) -> None:
    run = add_run(stored, "whole")
    runs.register(stored, [RULES], [Metric("mauve", "", 0, 1, "higher", "", "", scope="run")])
    runs.add_run_scores(stored, run, [RunScore("mauve", 0.5, 0.125, "ok", RULES.evaluator_id, 6)])
    runs.finish_scoring(stored, run, {RULES.evaluator_id})
    record = exported(stored, tmp_path, replace(ASKED, runs=("whole",)))
    assert faults(EVERY_EVAL_EVER, record) == []
    found = result(record, "mauve")["score_details"]
    assert found["score"] == 0.5 and "uncertainty" not in found
    assert (found["details"]["spread_over_draws"], found["details"]["no_interval"]) == (
        "0.125",
        "a number of the whole run",
    )


def test_where_a_model_lies_is_told_nobody(stored: Database, tmp_path: Path) -> None:
    score(stored, add_run(stored, "local", model="/home/me/model"), {"rep_4": [1, 1, 1]})
    asked = replace(ASKED, runs=("local",), model_id="lab/toy")
    assert "/home/me" not in json.dumps(exported(stored, tmp_path, asked))


def test_numbers_of_several_evaluators_are_results_of_their_own(stored: Database, tmp_path: Path) -> None:
    record = exported(stored, tmp_path)
    one, other = (result(record, "density", by.evaluator_id) for by in (RULES, SPACY))
    assert (one["score_details"]["score"], other["score_details"]["score"]) == (1.0, pytest.approx(19 / 6))
    assert one["evaluation_result_id"] != other["evaluation_result_id"]
    assert {json.loads(of["metric_config"]["additional_details"]["evaluator"])["model"] for of in (one, other)} == {
        RULES.model,
        SPACY.model,
    }


def test_metrics_without_a_number_are_left_out_and_told(stored: Database, tmp_path: Path) -> None:
    told = Told()
    [path] = export_records(stored, ASKED, tmp_path, told)
    record = json.loads(path.read_text("utf-8"))
    assert {one["metric_config"]["metric_name"] for one in record["evaluation_results"]} == {
        "bleu",
        "density",
        "novelty",
        "rep_4",
    }
    assert json.loads(record["source_metadata"]["additional_details"]["left_out"]) == {"sbert": "0 of 6: no_number 6"}
    assert told.notes == ["left out of run first, as there is no number: sbert (0 of 6: no_number 6)"]


def test_an_evaluator_without_a_number_is_told_beside_another_that_has_one(stored: Database, tmp_path: Path) -> None:
    score(stored, "first", {"rep_4": [[np.nan, np.nan]] * 3}, SPACY)
    told = Told()
    export_records(stored, ASKED, tmp_path, told)
    assert f"rep_4 by {SPACY.evaluator_id} (0 of 6: no_number 6)" in told.notes[0]


def test_directions_and_ranges_are_the_metrics(stored: Database, tmp_path: Path) -> None:
    score(stored, add_run(stored, "lower"), {"edits": [1, 2, 3]}, direction="lower")
    found = result(exported(stored, tmp_path, replace(ASKED, runs=("lower",))), "edits")["metric_config"]
    assert found["lower_is_better"] is True
    assert (found["min_score"], found["max_score"]) == ("-Infinity", "Infinity"), "of no declared range"
    novelty = result(exported(stored, tmp_path), "novelty")["metric_config"]
    assert novelty["lower_is_better"] is False
    assert novelty["additional_details"]["direction"].startswith("none: neither more nor less is better")


def test_generation_settings_stand_under_the_schemas_names(stored: Database, tmp_path: Path) -> None:
    found = result(exported(stored, tmp_path), "rep_4")["generation_config"]
    sampling = {"temperature": 0.7, "top_k": 0, "top_p": 0.9}
    assert found["generation_args"] == {**sampling, "max_tokens": 8, "prompt_template": "{title}"}
    assert found["additional_details"]["samples_a_prompt"] == "2"
    contrastive = add_run(stored, "second", "contrastive-search:top_k=5", decoder_parameters='{"top_k": 5}')
    score(stored, contrastive, {"rep_4": [1, 1, 1]})
    other = result(exported(stored, tmp_path, replace(ASKED, runs=("second",))), "rep_4")["generation_config"]
    assert "top_k" not in other["generation_args"], "which is not that of top-k sampling"
    assert other["additional_details"]["decoder"] == "contrastive-search:top_k=5"


def test_where_a_server_stands_is_told_nobody(stored: Database, tmp_path: Path) -> None:
    run = add_run(stored, "served", versions='{"base_url": "http://10.0.0.7/v1", "openai": "2.1"}')
    score(stored, run, {"rep_4": [1, 1, 1]})
    assert "10.0.0.7" not in json.dumps(exported(stored, tmp_path, replace(ASKED, runs=("served",))))


INSTANCES = replace(ASKED, runs=("written",), model_id="lab/toy", instances=True)


def test_rows_of_texts_belong_to_their_record(stored: Database, tmp_path: Path) -> None:
    paths = export_records(stored, INSTANCES, tmp_path, Silent())
    record = json.loads(paths[0].read_text("utf-8"))
    rows = [json.loads(line) for line in paths[1].read_text("utf-8").splitlines()]
    assert faults(EVERY_EVAL_EVER, record) == []
    assert [faults(EVERY_EVAL_EVER_INSTANCE, row) for row in rows] == [[], [], []]
    detailed = record["detailed_evaluation_results"]
    assert tmp_path / detailed["file_path"] == paths[1] == paths[0].with_name(f"{paths[0].stem}_samples.jsonl")
    assert (detailed["total_rows"], detailed["checksum"]) == (3, sha256(paths[1].read_bytes()).hexdigest())
    of_record = (record["evaluation_id"], "lab/toy", record["evaluation_results"][0]["evaluation_result_id"])
    assert {(row["evaluation_id"], row["model_id"], row["evaluation_result_id"]) for row in rows} == {of_record}


def test_a_row_has_the_prompt_the_article_the_text_and_its_number(stored: Database, tmp_path: Path) -> None:
    _, path = export_records(stored, INSTANCES, tmp_path, Silent())
    first, *_, last = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    by_page = {article.page_id: article for article in snapshots.articles(stored, SNAPSHOT)}
    article = by_page[int(last["sample_id"])]
    prompt = f"{article.title}\n\n{article.first_sentence}"
    assert last["input"] == {"raw": prompt, "reference": [article.completion]}
    assert last["output"] == {"raw": [f"Text {article.page_id}/1 é"]}
    assert last["evaluation"]["score"] in (0.25, 0.75) and first["evaluation"]["score"] in (0.25, 0.5)
    assert "means nothing" in last["metadata"]["is_correct"]
    by_their_recipe = json.dumps(last["input"], sort_keys=True, separators=(",", ":"))
    assert last["sample_hash"] == sha256(by_their_recipe.encode("utf-8")).hexdigest()


def test_a_record_without_rows_does_not_disown_those_beside(stored: Database, tmp_path: Path) -> None:
    export_records(stored, INSTANCES, tmp_path, Silent())
    with pytest.raises(TerminalError, match="a record without instances would disown it"):
        export_records(stored, replace(INSTANCES, instances=False), tmp_path, Silent())


def test_a_run_without_stored_texts_has_a_record_and_a_note(stored: Database, tmp_path: Path) -> None:
    told = Told()
    [path] = export_records(stored, replace(ASKED, instances=True), tmp_path, told)
    assert "detailed_evaluation_results" not in json.loads(path.read_text("utf-8"))
    assert "run first has written no texts of stored articles, so its record has no rows" in told.notes
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_the_same_database_gives_the_same_bytes(stored: Database, tmp_path: Path) -> None:
    first = {path: path.read_bytes() for path in export_records(stored, INSTANCES, tmp_path, Silent())}
    again = {path: path.read_bytes() for path in export_records(stored, INSTANCES, tmp_path, Silent())}
    assert first == again


def test_what_cannot_be_a_record_says_so_and_nothing_is_written(stored: Database, tmp_path: Path) -> None:
    add_run(stored, "bare")
    score(stored, add_run(stored, "local", model="/home/me/model"), {"rep_4": [1, 1, 1]})
    score(stored, f"reference:{SNAPSHOT}", {"rep_4": [0.0, 0.0, 0.0]})
    out = tmp_path / "out"
    for asked, kind, words in (
        (("first", "bare"), TerminalError, "run bare has no scores; score it with `newwiki score --run bare`"),
        (("first", f"reference:{SNAPSHOT}"), UsageError, "'Wikipedia' is not a valid name on the Hub"),
        (("first", "local"), UsageError, "name the model with --model-id"),
    ):
        with pytest.raises(kind, match=words):
            export_records(stored, replace(ASKED, runs=asked), out, Silent())
    with pytest.raises(
        UsageError, match="--model-id names one model, and these runs are of models/toy, /home/me/model"
    ):
        export_records(stored, replace(ASKED, runs=("first", "local"), model_id="lab/toy"), out, Silent())
    with pytest.raises(TerminalError, match="is no run of a model"):
        export_records(stored, replace(ASKED, runs=(f"reference:{SNAPSHOT}",), model_id="a/b"), out, Silent())
    assert not out.exists()


@pytest.mark.parametrize("name", ["toy", "lab/toy/more", "../toy", "lab/..", "lab/ toy", "lab/toy."])
def test_a_name_on_the_hub_has_two_plain_parts(name: str) -> None:
    with pytest.raises(UsageError, match="is not a valid name on the Hub: write it as ORG/NAME"):
        replace(ASKED, model_id=name)


def test_another_file_in_the_place_of_a_record_is_left_alone(stored: Database, tmp_path: Path) -> None:
    [path] = export_records(stored, ASKED, tmp_path, Silent())
    path.write_text('{"mine": true}')
    with pytest.raises(TerminalError, match="holds something else than run first; name another file or folder"):
        export_records(stored, ASKED, tmp_path, Silent())
    assert path.read_text() == '{"mine": true}'
