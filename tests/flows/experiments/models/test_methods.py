"""How an answer was made is stored with it: by ids and hashes, without anybody's folders, with what was left out."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from flows.api import experiment, query
from flows.experiments.experiment import Answer
from flows.experiments.methods import Methods, methods_of
from flows.experiments.models.request import EXPERIMENT, ModelsRequest
from newwiki.settings import Settings
from storage.database import Database
from tests.flows.experiments.linking.months import AUGUST, add_month, add_scored_run, drawn

DECODER = "greedy"
ASKED: dict[str, Any] = {
    "snapshot": AUGUST, "decoder": (DECODER,), "samples": 1, "keep": 1, "max_new_tokens": 8, "template": "{title}"
}  # fmt: skip


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs with one metric."""
    database = Database(tmp_path_factory.mktemp("methods") / "newwiki.duckdb")
    add_month(database, AUGUST)
    for seed, model in enumerate(("one", "/home/somebody/two")):
        numbers = {"rep_4": drawn(AUGUST, 0.1, seed=seed)}
        named: dict[str, Any] = {"run_id": f"{Path(model).name}-08", "model_sha256": f"{seed}" * 64}
        add_scored_run(database, model, AUGUST, numbers, decoder=DECODER, **named)
    return database.path


@pytest.fixture
def db(scored: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(scored, tmp_path / "newwiki.duckdb"))


def change(db: Path, statement: str) -> None:
    with Database(db).write() as connection:
        connection.execute(statement)


def made_of(db: Path) -> Methods:
    """Of an answer that read all runs and evaluators."""
    read = query("select run_id as name from runs union all select evaluator_id from evaluators", db=db).to_pylist()
    request = ModelsRequest(**{name: value for name, value in ASKED.items() if name != "template"})
    found = Answer(snapshot_id=AUGUST, verdict="", words=(), runs=(), read={}, rows=[])
    names = {"read": [one["name"] for one in read]}
    return methods_of(EXPERIMENT, request, found, names, None, Database(db), Settings(template="{title}"))


def test_the_table_of_the_api_carries_methods_and_a_citation(db: Path) -> None:
    answer = json.loads(experiment("models", db=db, quiet=True, **ASKED).schema.metadata[b"answer"])
    [stored] = query("from experiments", db=db).to_pylist()
    assert answer["methods"] == json.loads(stored["methods"])
    assert {run["run_id"] for run in answer["methods"]["runs"]} == {
        one["run_id"] for one in query("select run_id from runs", db=db).to_pylist()
    }
    [snapshot] = query("select content_sha256 from snapshots", db=db).to_pylist()
    assert answer["methods"]["snapshots"][0]["content_sha256"] == snapshot["content_sha256"]
    assert snapshot["content_sha256"] in answer["bibtex"]
    assert f"@misc{{newwiki-{stored['experiment_id']}," in answer["bibtex"]


def test_an_answer_of_an_earlier_version_gets_its_methods_when_it_is_asked_again(db: Path) -> None:
    experiment("models", db=db, quiet=True, **ASKED)
    change(db, "update experiments set methods = null")
    experiment("models", db=db, quiet=True, **ASKED)
    [stored] = query("select methods from experiments", db=db).to_pylist()
    assert json.loads(stored["methods"])["command"].startswith("newwiki experiment models")


def test_the_command_names_what_was_chosen_and_nobodys_folders(db: Path) -> None:
    made = made_of(db)
    assert made.command == (
        "newwiki experiment models --decoder greedy --snapshot samplewiki-2026-08 --samples 1 --keep 1 "
        "--max-new-tokens 8 --template '{title}'"
    ).replace("samplewiki-2026-08", AUGUST)
    assert "/home/somebody" not in made.to_json()
    assert [one.model for one in made.models] == ["two", "one"]


def test_two_weights_under_one_name_are_two_models(db: Path) -> None:
    before = {one.model_sha256 for one in made_of(db).models}
    change(db, "update runs set model = 'same'")
    found = made_of(db).models
    assert [one.model for one in found] == ["same", "same"]
    assert {one.model_sha256 for one in found} == before


def test_a_text_without_a_number_is_named_with_its_run_its_metric_and_the_reason(db: Path) -> None:
    assert made_of(db).left_out == []
    change(db, "update scores set value = null, status = 'too short' where run_id like 'one%' and page_id < 8003")
    [lacking] = made_of(db).left_out
    [(count,)] = [tuple(one.values()) for one in query(
        "select count(*) from scores where status = 'too short'", db=db
    ).to_pylist()]  # fmt: skip
    assert (lacking.metric, lacking.why, lacking.texts) == ("rep_4", "too short", count)
    assert lacking.run_id.startswith("one")
