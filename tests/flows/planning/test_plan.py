"""What a workload will cost: the simulator's arithmetic, where its rates come from, and a run made here."""

import json
import shutil
from pathlib import Path
from uuid import uuid4

import pytest
from safetensors.numpy import load_file

from evaluators.scoring import select
from flows.evaluating.generate import generate, load_model
from flows.evaluating.generate import plan as named
from flows.planning.costs import Rate, machines_for, plan
from flows.planning.plan_rows import memory_rows
from flows.planning.rates import TABLE, rates
from flows.progress import Silent
from flows.scoring.score_run import LoadedEvaluators, score_run
from flows.workers.shards import A_SHARD, cut
from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError
from newwiki.models.backend import Backend
from newwiki.request import EvaluationRequest, PlanRequest
from newwiki.settings import Settings
from storage import runs
from storage.database import Database
from tests.flows.conftest import Run

EVEN = TABLE.changed(
    tokens_per_completion=100, tokens_per_second=10, write_run_seconds=3, score_seconds=1, score_run_seconds=4,
    load_seconds=5,
)  # fmt: skip


def test_one_machine_does_all_the_work_one_thing_after_the_other() -> None:
    found = plan(PlanRequest(prompts=30, samples=4, keep=2, models=3, decoders=2), EVEN)
    assert found.work == {"writing": 6 * 30 * 4 * 10, "scoring": 6 * 30 * 2 + 30, "bookkeeping": 6 * 7, "loading": 15}
    assert found.seconds == sum(found.work.values())
    assert found.machine_hours == found.seconds / 3600


@pytest.mark.parametrize("machines", [2, 3, 7, 16, 100])
def test_machines_wait_for_the_last_shard_as_the_real_cut_has_it(machines: int) -> None:
    work = PlanRequest(prompts=2000, samples=20, keep=1)
    shards = cut([(page, one) for page in range(2000) for one in range(20)], lambda item: item[0], machines, A_SHARD)
    ends = [0.0] * machines
    for shard in shards:  # each goes to whoever is free first
        ends[ends.index(min(ends))] += len(shard) * 10.0
    free = EVEN.changed(score_seconds=0, load_seconds=0)
    assert plan(work, free, machines).seconds == pytest.approx(max(ends) + 7)


def test_a_deadline_takes_the_fewest_machines_that_keep_it() -> None:
    work = PlanRequest(prompts=2000, samples=20, models=2)
    found = machines_for(work, EVEN, 24 * 3600)
    assert found is not None and found.machines > 1
    assert found.seconds <= 24 * 3600 < plan(work, EVEN, found.machines - 1).seconds
    assert machines_for(work, EVEN, 60) is None


def test_without_runs_the_rates_are_the_tables_and_say_so(database: Path, tmp_path: Path) -> None:
    assert rates(Database(tmp_path / "none.duckdb")) == TABLE
    assert rates(Database(database)).tokens_per_second == TABLE.tokens_per_second


@pytest.fixture(scope="module")
def model(toy_checkpoint: Path) -> Backend:
    return load_model("hf", str(toy_checkpoint), {})


def evaluated(database: Database, model: Backend, request: EvaluationRequest) -> str:
    """Evaluates, and makes the database say that it took as long as on a machine whose rates are known: what the clock
    would say is this machine's affair, and its neighbours'. Gives the run's id."""
    (decoder,) = parse("sample:top_p=0.9")
    loaded_evaluators = LoadedEvaluators(select("rep_4"), Settings())
    run = named(database, model, decoder, request)
    known = articles_scored(database)
    generate(database, run, model, decoder, Silent())
    score_run(database, run.run, run.articles, loaded_evaluators, Silent())
    texts = run.run.prompts * run.run.keep + articles_scored(database) - known
    took(database, run.run.run_id, *seconds_of(tokens(database, run.run.run_id), texts))
    return run.run.run_id


def seconds_of(tokens: float, texts: float) -> tuple[float, float]:
    """To write so many tokens and to score so many texts, on that machine."""
    return 3 + tokens / 50, 4 + texts * 0.1


def tokens(database: Database, run_id: str) -> float:
    with database.read() as connection:
        asked = "select sum(tokens) from completions where run_id = ?"
        return float(connection.execute(asked, [run_id]).fetchall()[0][0])


def articles_scored(database: Database) -> int:
    with database.read() as connection:
        asked = "select count(distinct page_id) from scores where starts_with(run_id, 'reference:')"
        return int(connection.execute(asked).fetchall()[0][0])


def took(database: Database, run_id: str, writing: float, scoring: float) -> None:
    """Makes the database say that the run was written and scored in so many seconds."""
    with database.write() as connection:
        connection.execute(
            "update runs set started_at = finished_at - to_microseconds(?::bigint) where run_id = ?",
            [round(writing * 1e6), run_id],
        )
        connection.execute(
            "update scorings set finished_at = (select finished_at from runs where run_id = $2) + "
            "to_microseconds($1::bigint) where run_id = $2",
            [round(scoring * 1e6), run_id],
        )


def request(prompts: int, samples: int) -> EvaluationRequest:
    return EvaluationRequest(
        models=("toy",),
        decoder=("sample:top_p=0.9",),
        prompts=prompts,
        samples=samples,
        keep=samples // 2,
        max_new_tokens=16,
    )


def test_a_run_larger_than_those_here_takes_what_was_predicted(published: Path, model: Backend, tmp_path: Path) -> None:
    """But for what cannot be known before: how many tokens it writes."""
    trial, there = copied(published, tmp_path), copied(published, tmp_path)
    small = [tokens(trial, evaluated(trial, model, request(prompts, 4))) for prompts in (2, 8)]
    measured = rates(trial).changed(load_seconds=0)
    assert measured.tokens_per_second.source.startswith("2 runs here")
    assert measured.score_seconds.source.startswith("2 scorings here")
    planned = plan(PlanRequest(prompts=13, samples=4, keep=2), measured).seconds
    a_completion = sum(small) / (10 * 4)
    assert planned == pytest.approx(sum(seconds_of(13 * 4 * a_completion, 13 * 2 + 13)), rel=1e-4)
    taken = seconds_of(tokens(there, evaluated(there, model, request(13, 4))), 13 * 2 + 13)
    assert planned == pytest.approx(sum(taken), rel=0.1)


def copied(database: Path, folder: Path) -> Database:
    return Database(shutil.copy(database, folder / f"{uuid4()}.duckdb"))


def test_two_runs_of_different_size_tell_what_any_run_costs(published: Path, model: Backend, tmp_path: Path) -> None:
    database = copied(published, tmp_path)
    evaluated(database, model, request(2, 2))
    alone = rates(database)
    assert alone.write_run_seconds.value == alone.score_run_seconds.value == 0
    assert "too much for larger ones" in alone.tokens_per_second.source
    evaluated(database, model, request(5, 2))  # of whose five articles two were known
    found = rates(database)
    assert found.tokens_per_second.value == pytest.approx(50, rel=1e-4)
    assert found.write_run_seconds.value == pytest.approx(3, rel=1e-4)
    assert found.score_seconds.value == pytest.approx(0.1, rel=1e-4)
    assert found.score_run_seconds.value == pytest.approx(4, rel=1e-4)


def test_a_run_that_was_resumed_says_so_and_tells_no_speed(published: Path, model: Backend, tmp_path: Path) -> None:
    database, (decoder,) = copied(published, tmp_path), parse("sample:top_p=0.9")
    run = named(database, model, decoder, request(2, 2))
    runs.start(database, run.run)
    generate(database, run, model, decoder, Silent())
    with database.read() as connection:
        assert connection.execute("select status, versions ->> 'resumed' from runs").fetchall() == [("complete", "yes")]
    assert rates(database).tokens_per_second == TABLE.tokens_per_second


def test_seconds_count_for_each_worker_that_shared_them(published: Path, model: Backend, tmp_path: Path) -> None:
    database = copied(published, tmp_path)
    evaluated(database, model, request(2, 2))
    alone = rates(database)
    with database.write() as connection:
        connection.execute("""update runs set versions = '{"workers": "4"}'""")
    shared = rates(database)
    assert shared.tokens_per_second.value == pytest.approx(alone.tokens_per_second.value / 4)
    assert shared.score_seconds.value == pytest.approx(alone.score_seconds.value * 4)


def test_the_command_prints_hours_machines_money_and_where_rates_come_from(in_process: Run) -> None:
    asked = ("plan", "--prompts", "2000", "--samples", "20", "--models", "50", "--tokens-per-second", "1000")
    ended = in_process(*asked, "--deadline", "72", "--price-per-hour", "2", "--format", "json")
    assert ended.returncode == 0, ended.stderr
    found = {row["what"]: row for row in json.loads(ended.stdout)}
    hours, machines = found["hours until all is done"]["amount"], found["machines"]["amount"]
    assert hours <= 72 and machines > 1
    assert found["money"]["amount"] == pytest.approx(hours * machines * 2)
    assert found["machine-hours of writing"]["amount"] == pytest.approx(50 * 2000 * 20 * 512 / 1000 / 3600)
    assert found["tokens a second of a machine"]["where_from"] == "given"
    assert found["seconds to score a text"]["where_from"] == TABLE.score_seconds.source
    refused = in_process(*asked, "--deadline", "0.001")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "not even 1024 machines are done in 0.001 hours" in refused.stderr
    assert in_process("plan", "--prompts", "0").returncode == 2


def test_a_given_rate_says_that_it_was_given() -> None:
    assert TABLE.changed(score_seconds=2).score_seconds == Rate(2, "given")


def test_the_memory_of_a_checkpoint_is_counted_from_its_shapes(toy_checkpoint: Path, tmp_path: Path) -> None:
    weights = sum(weight.size for weight in load_file(toy_checkpoint / "model.safetensors").values())
    [(_, in_float32, source), (_, in_bfloat16, _)] = memory_rows(str(toy_checkpoint))
    assert (in_float32, in_bfloat16) == (weights * 4 / 1e9, weights * 2 / 1e9)
    assert source.startswith(f"{weights:,} weights (safetensors)")
    with pytest.raises(TerminalError, match="cannot be counted; name a GGUF file, or a local folder"):
        memory_rows(str(tmp_path))
