"""A run that reads a snapshot's articles and writes nothing: what it stores, how it goes on, and what reads it."""

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
import torch
from starlette.testclient import TestClient
from transformers import AutoModelForCausalLM

import newwiki
from evaluators.scoring import select
from flows.bundles.keys import make_pair
from flows.comparing.board import board as whole_board
from flows.comparing.headline import headline
from flows.comparing.one_evaluator import remedy
from flows.evaluating import read_articles as step
from flows.evaluating.evaluate_all import evaluate_all
from flows.evaluating.generate import load_model
from flows.evaluating.read_articles import plan_reading, read_articles
from flows.progress import Silent
from flows.report.browser.app import application
from flows.report.browser.live import Live
from newwiki.errors import TerminalError, UsageError
from newwiki.models.backend import Backend
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.records import Prompt, Reading
from newwiki.registry import ReadingEvaluator, models
from newwiki.request import EvaluationRequest
from newwiki.settings import Settings
from storage import run_changes, runs, summaries
from storage.database import Database
from tests.flows.bundles.forging import Forged
from tests.flows.conftest import Run
from tests.flows.evaluating.test_interruption import rows

METRICS = {"bits_per_byte", "bits_per_token", "prompt_bits_per_byte", "min_k_percent"}
ALL = [one for one in select("bits_per_byte,min_k_percent") if isinstance(one, ReadingEvaluator)]


@pytest.fixture(scope="module")
def untrained(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy with the random weights that its training began with."""
    folder = Path(shutil.copytree(toy_checkpoint, tmp_path_factory.mktemp("untrained") / "untrained"))
    torch.manual_seed(0)
    plain = AutoModelForCausalLM.from_pretrained(folder)
    type(plain)(plain.config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def read(two_months: Path, toy_checkpoint: Path, untrained: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """August, on which the toy was trained, as read by it and by the untrained one, and written by it."""
    path = Path(shutil.copy(two_months, tmp_path_factory.mktemp("read") / "newwiki.duckdb"))
    asked = {"snapshot": "samplewiki-2026-08", "db": path, "quiet": True}
    newwiki.evaluate(str(toy_checkpoint), str(untrained), likelihood_only=True, **asked)
    newwiki.evaluate(str(toy_checkpoint), decoder="greedy", metrics="rep_4,bits_per_byte", max_new_tokens=8, **asked)
    return path


def asked_of(path: Path, query: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(query).fetchall()


def test_a_run_that_reads_has_scores_and_no_completions(read: Path) -> None:
    found = asked_of(
        read, "select decoder, samples, keep, max_new_tokens, seed, status, prompts from runs order by started_at"
    )
    ((articles,),) = asked_of(read, "select articles from snapshots where snapshot_id = 'samplewiki-2026-08'")
    reading = ("likelihood", 0, 0, None, None, "complete", articles)
    assert found[:2] == [reading, reading]
    assert [one[0] for one in found] == ["likelihood", "likelihood", "greedy"], "what was read is not read again"
    stored = asked_of(
        read,
        """
        select metric, count(*), count(distinct page_id), max(sample), count(value) from scores join runs using (run_id)
        where samples = 0 group by metric
    """,
    )
    assert {metric for metric, *_ in stored} == METRICS
    assert {tuple(counts) for _, *counts in stored} == {(2 * articles, articles, 0, 2 * articles)}
    assert asked_of(read, "select count(*) from completions join runs using (run_id) where samples = 0") == [(0,)]


def test_who_has_learnt_the_articles_needs_fewer_bits_for_each(read: Path, toy_checkpoint: Path) -> None:
    bits = asked_of(
        read,
        "select model, value from scores join runs using (run_id) where metric = 'bits_per_byte' and samples = 0",
    )
    assert max(one for model, one in bits if model == str(toy_checkpoint)) < min(
        one for model, one in bits if model != str(toy_checkpoint)
    )


def test_several_models_are_one_column_of_the_leaderboard(read: Path) -> None:
    board = newwiki.leaderboard(db=read).to_pylist()
    of_runs = [one for one in board if one["decoder"] != "reference"]
    assert {one["decoder"] for one in of_runs} == {"greedy", "likelihood"}, "a row for each model"
    assert len({one["bits_per_byte_scored_by"] for one in of_runs}) == 1
    assert all(one["bits_per_byte"] > 0 and one["bits_per_byte_status"] == "ok" for one in of_runs)
    assert len({one["bits_per_byte_texts"] for one in of_runs}) == 1, "the articles"
    assert all(one["prompts"] > 0 and one["bits_per_byte_level"] == "verified" for one in of_runs)
    assert "max_new_tokens" not in board[0], "which only a run that writes has"
    in_sql = asked_of(
        read, "select run_id, prompts, completions, bits_per_byte from leaderboard where not is_reference"
    )
    names = ("run_id", "prompts", "completions", "bits_per_byte")
    assert sorted(in_sql) == sorted(tuple(one[name] for name in names) for one in of_runs)
    ((parameters,),) = asked_of(read, "select parameters from evaluators where name = 'min_k_percent'")
    assert json.loads(parameters)["k"] == 0.2
    assert {"window", "stride", "bos"} <= json.loads(parameters).keys()
    ((versions,),) = asked_of(
        read, "select distinct versions ->> ['window', 'model_context', 'bos'] from runs where samples = 0"
    )
    assert versions == ["1024", "1024", "no"]


def test_two_readings_are_compared_by_page_and_by_part(read: Path) -> None:
    first, second = (run for (run,) in asked_of(read, "select run_id from runs where samples = 0 order by started_at"))
    found = newwiki.compare(first, second, metrics="all", db=read, quiet=True).to_pylist()
    assert {one["metric"] for one in found} == METRICS
    by = {one["metric"]: one for one in found}
    assert by["bits_per_byte"]["difference"] > 0
    (written,) = (run for (run,) in asked_of(read, "select run_id from runs where samples > 0"))
    parts = newwiki.leaderboard(db=read, by="length").to_pylist()
    for run_id in (written, second):
        read_texts = [one["bits_per_byte_texts"] for one in parts if one["run_id"] == run_id]
        assert sum(read_texts) == by["bits_per_byte"]["prompts"]
    with pytest.raises(TerminalError, match=f"{first} has read articles and {written} has written them"):
        newwiki.compare(written, first, db=read, quiet=True)


def test_the_reading_is_a_column_of_the_runs_of_its_model(read: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(read, tmp_path / "newwiki.duckdb"))
    bits = "select decoder, round(bits_per_byte, 9) from leaderboard where not is_reference order by decoder"
    of = {decoder: run for run, decoder in asked_of(path, "select run_id, decoder from runs order by started_at desc")}
    (_, learnt), (_, unlearnt) = asked_of(path, bits)
    run_changes.hide(Database(path), [of["likelihood"]])
    assert asked_of(path, bits) == [("greedy", None), ("likelihood", unlearnt)], "what is hidden counts nowhere"
    run_changes.show(Database(path), [of["likelihood"]])
    run_changes.hide(Database(path), [of["greedy"]])
    assert asked_of(path, bits) == [("likelihood", learnt), ("likelihood", unlearnt)], "no row holds it any more"
    run_changes.delete(Database(path), [of["greedy"]])
    assert asked_of(path, "from readings") == []


def test_nobody_adds_a_reading_to_the_run_of_somebody_else(read: Path, tmp_path: Path) -> None:
    database = Database(shutil.copy(read, tmp_path / "newwiki.duckdb"))
    of = {decoder: run for run, decoder in asked_of(read, "select run_id, decoder from runs order by started_at desc")}

    def from_elsewhere(decoder: str, signer: str) -> list[tuple[Any, ...]]:
        with database.write() as connection:
            connection.execute("insert into origins values (?, '', 'a bundle', ?, now())", [of[decoder], signer])
            summaries.choose_columns(connection)
            return connection.execute("from readings").fetchall()

    assert from_elsewhere("likelihood", "mallory") == []
    assert from_elsewhere("greedy", "alice") == []
    assert from_elsewhere("greedy", "mallory") == []
    assert from_elsewhere("likelihood", "alice") == [(of["greedy"], of["likelihood"])], "the same signers"


@pytest.mark.parametrize(
    ("planted", "told"),
    [("delete from readings", "none, and not"), ("update readings set reading_run_id = 'another'", "another, and not")],
)
def test_a_run_with_the_wrong_reading_is_named(read: Path, tmp_path: Path, planted: str, told: str) -> None:
    database = Database(shutil.copy(read, tmp_path / "newwiki.duckdb"))
    with database.write() as connection:
        assert summaries.stale(connection) == []
        connection.execute(planted)
        [problem] = summaries.stale(connection)
    assert f"has the likelihood run {told}" in problem


@pytest.mark.parametrize(
    "changes",
    [{"prompts": 2}, {"template": "{title}: {first_sentence}"}, {"dtype": "bfloat16"}],
    ids=lambda changes: next(iter(changes)),
)
def test_a_reading_of_other_prompts_is_no_number_of_a_run(
    read: Path, toy_checkpoint: Path, tmp_path: Path, changes: dict[str, Any]
) -> None:
    path = Path(shutil.copy(read, tmp_path / "newwiki.duckdb"))
    asked = {"snapshot": "samplewiki-2026-08", "decoder": "greedy", "metrics": "rep_4", "max_new_tokens": 4}
    newwiki.evaluate(str(toy_checkpoint), db=path, quiet=True, **asked, **changes)
    joined = asked_of(path, "select count(*), count(reading_run_id) from runs left join readings using (run_id)")
    assert joined == [(4, 1)]


def test_an_evaluation_by_core_reads_and_verdicts_rest_on_it_first(
    two_months: Path, toy_checkpoint: Path, untrained: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(two_months, tmp_path / "newwiki.duckdb"))
    asked = {"snapshot": "samplewiki-2026-08", "db": path, "quiet": True, "entities": "rules-v1"}
    decoders = ["greedy", "sample:top_p=0.9"]
    texts = {"samples": 3, "keep": 2, "max_new_tokens": 24}
    newwiki.evaluate(str(toy_checkpoint), str(untrained), decoder=decoders, **texts, **asked)
    assert asked_of(path, "select count(*), count_if(samples = 0) from runs") == [(6, 2)], "each model reads once"
    board = asked_of(
        path,
        "select decoder, completions, bits_per_byte_texts, bits_per_byte_status, articles from leaderboard "
        "join snapshots using (snapshot_id) where not is_reference",
    )
    assert sorted(decoder[:6] for decoder, *_ in board) == ["greedy", "greedy", "sample", "sample"]
    assert {(texts, status) for _, _, texts, status, _ in board} == {(board[0][-1], "ok")}, "of articles, not of texts"
    verdict = newwiki.verdict(f"{untrained}/greedy", f"{toy_checkpoint}/greedy", db=path, quiet=True).to_pylist()
    assert (verdict[0]["metric"], verdict[0]["verdict"]) == ("bits_per_byte", "worse")
    compared = newwiki.compare(f"{untrained}/greedy", f"{toy_checkpoint}/greedy", db=path, quiet=True).to_pylist()
    tested = [one["metric"] for one in compared]
    assert tested[0] == "bits_per_byte"
    assert not {"bits_per_token", "prompt_bits_per_byte"} & {*tested}, "the same in other units"
    of_one = [f"{toy_checkpoint}/greedy", f"{toy_checkpoint}/sample:top_p=0.9"]
    alike = newwiki.compare(*of_one, metrics="all", db=path, quiet=True).to_pylist()
    assert "bits_per_byte" not in {one["metric"] for one in alike}, "decoders of one model cannot differ in it"
    named = newwiki.compare(*of_one, metrics="bits_per_byte", db=path, quiet=True).to_pylist()
    assert [(one["difference"], one["no_interval"]) for one in named] == [(0, "no variance")], "unless it is named"
    gated = newwiki.gate(
        baseline=of_one[0],
        candidate=of_one[1],
        fail_if="bits_per_byte > +0.02",
        unless_sure="fail",
        db=path,
        quiet=True,
    )
    assert gated.to_pylist()[0]["outcome"] == "not sure", "and no error stops a gate on an unchanged model"
    ordered = {}
    for hidden in ([], [str(untrained)]):
        with Database(path).read() as connection:
            rows = connection.execute("select run_id from runs where list_contains(?, model)", [hidden]).fetchall()
        run_changes.hide(Database(path), [run_id for (run_id,) in rows])
        shown = whole_board(Database(path))
        directions = dict(asked_of(path, "select metric, direction from metrics"))
        ordered[len(hidden)] = headline(shown, shown.columns, directions)
    assert [column and column.metric == "bits_per_byte" for column in ordered.values()] == [True, False], (
        "which orders models, and not the decoders of one"
    )


def test_the_remedy_for_a_reading_is_another_reading(read: Path) -> None:
    said = remedy(Database(read), {"rep_4": [], "bits_per_byte": [], "min_k_percent": []})
    assert said == (
        "`newwiki score --missing --metrics rep_4` and "
        "`newwiki evaluate MODEL --likelihood-only --metrics bits_per_byte,min_k_percent`"
    )


def test_what_scores_texts_leaves_it_alone(read: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(read, tmp_path / "newwiki.duckdb"))
    ids = _readings(path)
    before = [one for one in rows(path)["scorings"] if one[0] in ids]
    newwiki.score(missing=True, metrics="rep_4,distinct_2", db=path, quiet=True)
    assert [one for one in rows(path)["scorings"] if one[0] in ids] == before
    with pytest.raises(UsageError, match="only read articles and has no texts"):
        newwiki.score(run=ids[0], metrics="rep_4", db=path, quiet=True)
    with pytest.raises(UsageError, match="a model has to read the articles for it"):
        newwiki.score(missing=True, metrics="min_k_percent", db=path, quiet=True)


def test_it_is_shared_exported_reported_and_found_whole(in_process: Run, read: Path, tmp_path: Path) -> None:
    for asked in (
        ("push", "shared", "--db", read), ("pull", "shared", "--db", "other.duckdb"),
        ("doctor", "--db", "other.duckdb"),
        ("export", "runs", "--out", "runs", "--format", "parquet", "--db", read),
        ("report", "--snapshot", "samplewiki-2026-08", "--db", read),
        ("plan", "--db", read),
    ):  # fmt: skip
        ended = in_process(*asked)
        if asked[0] == "doctor":  # which may lack something on this machine
            assert "'other.duckdb' is complete" in ended.stdout, ended.stdout
        else:
            assert ended.returncode == 0, (asked, ended.stderr)
    for query in (
        "select * from scores where metric = 'min_k_percent' order by all",
        "select run_id, bits_per_byte from leaderboard where bits_per_byte is not null order by all",
    ):
        assert asked_of(tmp_path / "other.duckdb", query) == asked_of(read, query)
    report = (tmp_path / "report-samplewiki-2026-08.html").read_text()
    assert "articles read" in report
    assert "read, no texts written" in report


def test_a_bundle_of_a_run_has_the_reading_of_its_model(read: Path, tmp_path: Path) -> None:
    make_pair(tmp_path / "key", read)
    bundle = newwiki.submit("greedy", key=tmp_path / "key", out=tmp_path / "a.newwiki", db=read)
    told = json.loads(Forged(bundle).members["bundle.json"])
    assert sorted(run["decoder"] for run in told["runs"]) == ["greedy", "likelihood"]


def test_the_browser_has_pages_of_what_was_read(read: Path) -> None:
    first, second = _readings(read)
    ((articles,),) = asked_of(read, "select articles from snapshots where snapshot_id = 'samplewiki-2026-08'")
    with TestClient(application(Live(Database(read))), "http://127.0.0.1") as client:
        page = client.get(f"/runs/{first}?order=bits_per_byte&first=highest")
        assert f"{articles} of {articles} articles read." in page.text
        links = re.findall(rf'href="(/runs/{first}/[0-9]+)', page.text)
        assert len(links) == articles
        one = client.get(links[0]).text
        assert "The run has read the article after this prompt." in one
        assert "min_k_percent" in one
        of_snapshot = client.get("/snapshots/samplewiki-2026-08").text
        assert f">{articles}</td>" in of_snapshot.partition(second)[2].partition("</tr>")[0]
        assert first not in of_snapshot, "its numbers stand in the row of the model's texts"


def test_a_gate_judges_readings(in_process: Run, read: Path) -> None:
    first, second = (run for (run,) in asked_of(read, "select run_id from runs where samples = 0 order by started_at"))
    asked = ("gate", "--baseline", first, "--candidate", second, "--db", read)
    assert in_process(*asked, "--fail-if", "bits_per_byte > 0.1").returncode == 1
    assert in_process(*asked, "--fail-if", "bits_per_byte > 10").returncode == 0


def test_interrupted_and_gone_on_with_it_has_the_rows_of_a_whole_one(
    database: Path, toy_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step, "_BATCH", 5_000)
    request = EvaluationRequest(models=("toy",), likelihood_only=True, prompts=6)
    whole, broken = Database(database), Database(shutil.copy(database, tmp_path / "broken.duckdb"))
    model = HuggingFaceModel(str(toy_checkpoint), device="cpu")

    def read_all(where: Database, backend: Backend, evaluators: Sequence[ReadingEvaluator] = ALL) -> str:
        planned = plan_reading(where, backend, request, Settings.template)
        read_articles(where, planned, backend, evaluators, Silent())
        return planned.run.run_id

    run_id = read_all(whole, model)
    batches: list[Sequence[tuple[Prompt, str]]] = []
    honest = model.readings

    def interrupted(pairs: Sequence[tuple[Prompt, str]], *, standardised: bool) -> list[Reading]:
        batches.append(pairs)
        if len(batches) == 3:
            raise KeyboardInterrupt
        return honest(pairs, standardised=standardised)

    with monkeypatch.context() as patched:
        patched.setattr(model, "readings", interrupted)
        with pytest.raises(KeyboardInterrupt):
            read_all(broken, model)
    assert runs.status(broken, run_id) == "interrupted"
    stored = asked_of(broken.path, "select count(distinct page_id), count(distinct metric) from scores")
    assert 0 < stored[0][0] < 6
    assert read_all(broken, model, ALL[:1]) == run_id
    assert read_all(broken, model) == run_id, "what is asked for later is read again, and the run stays complete"
    assert rows(broken.path) == rows(whole.path)


class Mute:
    """A backend that writes, and cannot say how likely a text is."""

    name, sha256, backend, dtype = "mute", "0" * 64, "mute", "float32"

    def __init__(self, name: str, **arguments: str) -> None:
        self.settings: dict[str, str] = {}
        self.versions: dict[str, str] = {}

    def others(self, decoder: object) -> dict[str, str]:
        return {}

    def complete(self, requests: Sequence[Any], decoder: object, writing: object) -> Iterator[list[Any]]:
        yield from ()


def test_a_backend_without_log_probabilities_is_refused_or_gives_null_with_the_reason(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "_pieces", {**models.all(), "mute": Mute})
    db = Database(database)
    only = EvaluationRequest(models=("mute",), backend="mute", likelihood_only=True)
    with pytest.raises(TerminalError, match=r"'mute' gives no log-probabilities.*hf, seq2seq"):
        evaluate_all(db, only, Settings(db=str(database)), Silent())
    assert asked_of(database, "select count(*) from runs") == [(0,)]
    beside = EvaluationRequest(
        models=("mute",), backend="mute", decoder=("greedy",), metrics="bits_per_byte", prompts=2
    )
    evaluate_all(db, beside, Settings(db=str(database)), Silent())
    status = "backend mute gives no log-probabilities"
    assert asked_of(database, "select distinct value, status from scores") == [(None, status)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"decoder": ("greedy",)}, "leave out --decoder"),
        ({"samples": 3, "keep": 3}, "leave out --samples"),
        ({"max_new_tokens": 8}, "leave out --max-new-tokens"),
        ({"likelihood_only": False}, "--decoder is required: give one, such as --decoder greedy"),
    ],
)
def test_what_a_reading_has_no_part_in_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        EvaluationRequest(**{"models": ("toy",), "likelihood_only": True, **changes})


def test_metrics_of_texts_and_workers_are_refused(in_process: Run, database: Path, toy_checkpoint: Path) -> None:
    asked = ("evaluate", toy_checkpoint, "--likelihood-only", "--db", database)
    ended = in_process(*asked, "--metrics", "rep_4")
    assert (ended.returncode, "'rep_4' is of" in ended.stderr) == (2, True), ended.stderr
    ended = in_process(*asked, "--runner", "threads:2")
    assert (ended.returncode, "leave --runner out" in ended.stderr) == (2, True), ended.stderr
    assert asked_of(database, "select count(*) from runs") == [(0,)]


def _readings(path: Path) -> list[str]:
    return [run_id for (run_id,) in asked_of(path, "select run_id from runs where samples = 0")]


def test_a_model_of_another_name_is_the_same_run(toy_checkpoint: Path, database: Path, tmp_path: Path) -> None:
    request = EvaluationRequest(models=("toy",), likelihood_only=True)
    copied = shutil.copytree(toy_checkpoint, tmp_path / "another-name")
    one, other = (load_model("hf", str(folder), {}) for folder in (toy_checkpoint, copied))
    ids = {plan_reading(Database(database), of, request, Settings.template).run.run_id for of in (one, other)}
    assert len(ids) == 1
    fewer = EvaluationRequest(models=("toy",), likelihood_only=True, prompts=3)
    assert plan_reading(Database(database), one, fewer, Settings.template).run.run_id not in ids
