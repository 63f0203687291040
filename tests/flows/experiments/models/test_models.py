"""Models beside each other and the articles, by scores that are scripted and stored as a scoring stores them."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

from evaluators.statistics import Array
from flows.api import experiment, query
from flows.experiments.models.request import EXPERIMENT
from flows.report.experiments import write_answer
from flows.statements.statement import paper
from newwiki.errors import TerminalError, UsageError
from newwiki.protocol import protocol_json
from storage.database import Database
from tests.flows.experiments.linking.months import ARTICLES, AUGUST, add_month, add_scored_run, add_scores, drawn
from tests.flows.experiments.recomputed import interval, recomputes
from tests.flows.statements.recomputed import spreads

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


@pytest.fixture(scope="module")
def found(db: Path) -> dict[str, dict[str, Any]]:
    """Return the verdicts by statement, computed once."""
    return ask(db)


def test_stored_runs_give_each_statement_a_verdict(found: dict[str, dict[str, Any]]) -> None:
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


@pytest.mark.usefixtures("found")
def test_the_numbers_of_table_3_have_the_articles_row_and_only_runs_of_the_setting(db: Path) -> None:
    sql = "select distinct model, parameters_of_model, metric, round(mean, 6) as mean from setting_numbers order by all"
    rows = [tuple(one.values()) for one in query(sql, db=db).to_pylist()]
    assert ("davinci-002", 175e9, "Entity overlap", 0.6) in rows
    assert ("Wikipedia", None, "Rep-n", 0.0) in rows
    assert not [row for row in rows if row[0] == "elsewhere"]


@pytest.mark.usefixtures("found")
def test_every_number_of_table_3_is_that_of_the_stored_scores(db: Path) -> None:
    names = {"Entity overlap": "entity_overlap", "Rep-n": "rep_4"}
    numbers = query("from setting_numbers", db=db).to_pylist()
    assert len(numbers) == 10  # four models and the articles by two metrics
    scores = query("from scores", db=db).to_pylist()
    for one in numbers:
        named = one["run_id"], names[one["metric"]]
        values = [(row["page_id"], row["value"]) for row in scores if (row["run_id"], row["metric"]) == named]
        if not values:
            assert (one["mean"], one["texts"]) == (None, 0)
            continue
        expected = spreads(values)
        assert (one["articles"], one["texts"]) == (expected.articles, expected.texts)
        assert (one["mean"], one["sd"]) == pytest.approx((expected.mean, expected.sd), abs=1e-9)


@recomputes("statement_verdicts")
def test_what_is_stated_of_a_level_is_that_of_the_stored_scores(db: Path, found: dict[str, dict[str, Any]]) -> None:
    """GPT-3's entity overlap is above one half: its interval over articles, p and verdict."""
    one = found["gpt3-majority"]
    sql = "from scores join runs using (run_id) where model = 'davinci-002' and metric = 'entity_overlap'"
    above = interval([row["value"] - 0.5 for row in query(sql, db=db).to_pylist()])
    assert (one["effect"], one["low"], one["high"]) == pytest.approx((above.mean, above.low, above.high))
    p = max(above.p, 2 * float(student.sf(above.mean / above.error, ARTICLES - 1)))
    tests = sum(row["p_holds"] is not None for row in found.values())
    assert p * (1 - 1e-9) <= one["p_holds"] <= min(1.0, tests * p) * (1 + 1e-9)
    assert one["verdict"] == ("holds" if one["p_holds"] <= 0.05 else "cannot tell")


def test_asked_again_it_is_the_same_answer_and_stored_once(db: Path, found: dict[str, dict[str, Any]]) -> None:
    tables = ("experiments", "statement_verdicts", "setting_numbers", "metric_correlations")
    before = [query(f"from {table} order by all", db=db).to_pylist() for table in tables]
    assert ask(db) == found
    assert [query(f"from {table} order by all", db=db).to_pylist() for table in tables] == before


@pytest.mark.usefixtures("found")
def test_the_page_tells_verdicts_by_word_and_colour(db: Path, tmp_path: Path) -> None:
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
    with pytest.raises(UsageError, match="this experiment needs generated texts"):
        ask(db, decoder=(), likelihood_only=True)


def test_what_a_protocol_has_is_what_is_compared() -> None:
    """A field that joins the protocol is to be asked of the runs here as well."""
    named = protocol_json(max_new_tokens=1, samples=1, keep=1, template="", stop=(), chat=False)
    assert set(ASKED) - {"snapshot"} | {"stop", "chat"} == set(json.loads(named))


@pytest.fixture(scope="module")
def three_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of the same weights, of which the later has the smaller id, and one after the folder was overwritten."""
    database = Database(tmp_path_factory.mktemp("of_one_name") / "newwiki.duckdb")
    add_month(database, AUGUST)
    for run_id, weights, overlap, day in (("f1", "old", 0.1, 1), ("a1", "old", 0.2, 2), ("c1", "new", 0.6, 3)):
        add_scored_run(
            database, "mine/gpt2-xl", AUGUST, scripted(overlap, 0.1),
            run_id=run_id, model_sha256=weights * 20, decoder=SETTING,
        )  # fmt: skip
        write_at(database, run_id, day)
    add_scored_run(database, "davinci", AUGUST, scripted(0.4, 0.1), decoder=SETTING)
    return database.path


@pytest.fixture
def of_one_name(three_runs: Path, tmp_path: Path) -> Database:
    return Database(Path(shutil.copy(three_runs, tmp_path / "newwiki.duckdb")))


def write_at(database: Database, run_id: str, day: int) -> None:
    with database.write() as connection:
        at = f"2026-09-{day:02}T00:00:00Z"
        connection.execute("update runs set started_at = $1, finished_at = $1 where run_id = $2", [at, run_id])


def rows_of(database: Database, metric: str = "Entity overlap") -> list[tuple[str, float]]:
    """By run the mean, of the newest answer."""
    newest = "(select experiment_id from experiments order by made_at desc, rowid desc limit 1)"
    sql = "select run_id, metric, round(mean, 6) as mean from setting_numbers where mean is not null"
    found = query(f"{sql} and experiment_id = {newest} order by run_id", db=database.path).to_pylist()
    return [(one["run_id"], one["mean"]) for one in found if one["metric"] == metric]


def test_the_latest_run_is_the_latest_by_time_whatever_the_ids(of_one_name: Database) -> None:
    ask(of_one_name.path)
    assert rows_of(of_one_name) == [("a1", 0.2), ("c1", 0.6), ("davinci-08", 0.4)]
    write_at(of_one_name, "f1", 9)
    ask(of_one_name.path)
    assert rows_of(of_one_name) == [("c1", 0.6), ("davinci-08", 0.4), ("f1", 0.1)]


def test_an_answer_says_which_runs_it_leaves_out(of_one_name: Database, capsys: pytest.CaptureFixture[str]) -> None:
    experiment("models", db=of_one_name.path, **ASKED)
    assert "left out, as another run of the same weights and decoder is read: mine/gpt2-xl" in capsys.readouterr().err


def test_two_weights_under_one_name_are_two_rows_and_two_comparisons(of_one_name: Database) -> None:
    """Averaged they have 0.4, which is less than OPT's and BLOOM's; one of them has more."""
    for model in ("opt-66b", "bloom"):
        add_scored_run(of_one_name, model, AUGUST, scripted(0.45, 0.1), decoder=SETTING)
    found = ask(of_one_name.path)["opt-bloom-overlap"]
    assert (found["verdict"], found["comparisons"], found["runs"]) == ("does not hold", 4, 4)
    assert "GPT-2 (newnewne) 0.6" in found["ours"]
    [answer] = query("select experiment_id from experiments", db=of_one_name.path).to_pylist()
    shown = EXPERIMENT.show(of_one_name, answer["experiment_id"])
    names = {cells[0] for cells in shown.tables[1].cells}
    assert {"mine/gpt2-xl (weights oldoldol)", "mine/gpt2-xl (weights newnewne)", "opt-66b"} < names


def test_the_dtype_that_is_asked_for_is_read(of_one_name: Database) -> None:
    add_scored_run(
        of_one_name, "mine/gpt2-xl", AUGUST, scripted(0.9, 0.1),
        run_id="b1", model_sha256="new" * 20, decoder=SETTING, dtype="bfloat16",
    )  # fmt: skip
    ask(of_one_name.path)
    assert ("c1", 0.6) in rows_of(of_one_name)  # auto is float32
    ask(of_one_name.path, dtype="bfloat16")
    assert rows_of(of_one_name) == [("b1", 0.9)]
    with pytest.raises(TerminalError, match="dtype float16"):
        ask(of_one_name.path, dtype="float16")
