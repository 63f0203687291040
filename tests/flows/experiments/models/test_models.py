"""Models beside each other and the articles, by scores that are scripted and stored as a scoring stores them."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluators.statistics import Array
from flows.api import experiment, query
from flows.report.experiments import write_answer
from flows.statements.statement import paper
from newwiki.errors import TerminalError, UsageError
from newwiki.protocol import protocol_json
from storage.database import Database
from tests.flows.experiments.linking.months import ARTICLES, AUGUST, add_month, add_scored_run, add_scores, drawn

SETTING = (
    "sample:frequency_penalty=0,presence_penalty=0,repetition_penalty=1,temperature=0.9,top_k=20,top_p=0.9,typical_p=1"
)
ASKED: dict[str, Any] = {"snapshot": AUGUST, "samples": 1, "keep": 1, "max_new_tokens": 8, "template": "{title}"}


def scripted(overlap: float, repetition: float) -> dict[str, Array]:
    return {"entity_overlap": drawn(AUGUST, overlap), "rep_4": drawn(AUGUST, repetition, seed=1)}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The larger the model, the more of the articles' entities it has, and the more it repeats itself."""
    database = Database(tmp_path_factory.mktemp("models") / "newwiki.duckdb")
    add_month(database, AUGUST)
    shared = np.random.default_rng(5).normal(0, 1, ARTICLES)
    numbers = {
        "davinci-002": scripted(0.6, 0.22),
        "bart-base": scripted(0.2, 0.1) | {"rep_4": drawn(AUGUST, 0.1, seed=1) + 0.001 * shared},
        "t5-base": scripted(0.24, 0.112),
        "opt-66b": scripted(0.55, 0.205),
    }
    for model, of_run in numbers.items():
        add_scored_run(database, model, AUGUST, of_run, decoder=SETTING)
    add_scored_run(database, "elsewhere", AUGUST, numbers["t5-base"], decoder="greedy")
    add_scores(database, f"reference:{AUGUST}", AUGUST, {"rep_4": drawn(AUGUST, 0.0)})
    return database.path


def ask(db: Path, *models: str, **asked: Any) -> dict[str, dict[str, Any]]:
    rows = experiment("models", *models, db=db, quiet=True, **ASKED | asked).to_pylist()
    return {one["statement"]: one for one in rows}


def test_stored_runs_give_each_statement_a_verdict(db: Path) -> None:
    found = ask(db)
    assert list(found) == [one.name for one in paper().of("models")]
    assert {one["verdict"] for one in found.values()} == {"holds", "does not hold", "cannot tell"}
    assert found["gpt3-majority"]["verdict"] == "holds"
    assert found["gpt3-majority"]["effect"] == pytest.approx(0.1)
    assert found["size-overlap"]["verdict"] == "holds"  # 0.11, 0.22, 66 and 175 billion, by their names
    assert found["size-overlap"]["generalizes_over"] == "models and articles"
    assert found["gpt3-majority"]["generalizes_over"] == "articles"
    assert found["size-rep"]["verdict"] == "does not hold"
    assert found["gpt3-overlap"]["why"] == "needs runs of GPT-2, BLOOM, GLM"
    assert found["bart-fog"]["why"] == "needs runs of GPT-2"


def test_the_numbers_of_table_3_have_the_articles_row_and_only_runs_of_the_setting(db: Path) -> None:
    ask(db)
    sql = "select distinct model, parameters_of_model, metric, round(mean, 6) as mean from setting_numbers order by all"
    rows = [tuple(one.values()) for one in query(sql, db=db).to_pylist()]
    assert ("davinci-002", 175e9, "Entity overlap", 0.6) in rows
    assert ("Wikipedia", None, "Rep-n", 0.0) in rows
    assert not [row for row in rows if row[0] == "elsewhere"]


def test_asked_again_it_is_the_same_answer_and_stored_once(db: Path) -> None:
    first = ask(db)
    tables = ("experiments", "statement_verdicts", "setting_numbers", "metric_correlations")
    before = [query(f"from {table} order by all", db=db).to_pylist() for table in tables]
    assert ask(db) == first
    assert [query(f"from {table} order by all", db=db).to_pylist() for table in tables] == before


def test_the_page_tells_verdicts_by_word_and_colour(db: Path, tmp_path: Path) -> None:
    ask(db)
    [answer] = query("select experiment_id from experiments order by made_at limit 1", db=db).to_pylist()
    page = write_answer(Database(db), answer["experiment_id"], tmp_path / "answer.html").read_text("utf-8")
    assert '<span class="verdict good">holds</span>' in page
    assert '<span class="verdict bad">does not hold</span>' in page
    assert '<span class="verdict open">cannot tell</span>' in page
    [line] = re.findall(r'<th scope="row">(\d+) statements on models that did not run here: [^<]*GPT-2', page)
    of_answer = f"experiment_id = '{answer['experiment_id']}'"
    lacking = query(f"from statement_verdicts where why like 'needs runs of %' and {of_answer}", db=db).num_rows
    assert int(line) == lacking
    assert "as in the paper's figure 5" in page or "as in the paper&#39;s figure 5" in page


@pytest.mark.parametrize("asked", [{"samples": 20}, {"keep": 2, "samples": 2}, {"seed": 7}, {"template": "-"}])
def test_runs_that_were_asked_otherwise_are_not_read(db: Path, asked: dict[str, Any]) -> None:
    with pytest.raises(TerminalError, match=r"was asked as is asked here .* name a MODEL to run it"):
        ask(db, **asked)


def test_another_decoder_has_other_runs(db: Path) -> None:
    assert ask(db, decoder=("greedy",))["gpt3-majority"]["why"] == "needs runs of GPT-3"


def test_it_is_about_texts(db: Path) -> None:
    with pytest.raises(UsageError, match="asked of texts that models write"):
        ask(db, decoder=(), likelihood_only=True)


def test_what_a_protocol_has_is_what_is_compared() -> None:
    """A field that joins the protocol is to be asked of the runs here as well."""
    named = protocol_json(max_new_tokens=1, samples=1, keep=1, template="", stop=(), chat=False)
    assert set(ASKED) - {"snapshot"} | {"stop", "chat"} == set(json.loads(named))
