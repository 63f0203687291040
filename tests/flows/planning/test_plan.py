"""What a workload will cost: the simulator's arithmetic, where its rates come from, and a run made here."""

import json
import shutil
import time
from pathlib import Path
from uuid import uuid4

import pytest

from evaluators.scoring import select
from flows.evaluating.generate import generate, load_model
from flows.evaluating.generate import plan as named
from flows.planning.costs import Rate, machines_for, plan
from flows.planning.rates import TABLE, rates
from flows.progress import Silent
from flows.scoring.score_run import LoadedEvaluators, score_run
from flows.workers.shards import A_SHARD, cut
from newwiki.decoding.grammar import parse
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


def processor_seconds(database: Database, model: Backend, request: EvaluationRequest) -> tuple[str, float, float]:
    """Evaluates, and puts the processor's time into the database in the place of the clock's: other processes of a busy
    machine change the latter. Gives the run's id, and the seconds of writing and of scoring."""
    (decoder,) = parse("sample:top_p=0.9")
    loaded_evaluators = LoadedEvaluators(
        select("rep_4,bleu,entity_overlap,flesch_reading_ease"), Settings(entities="rules-v1")
    )
    run = named(database, model, decoder, request)
    start = time.process_time()
    generate(database, run, model, decoder, Silent())
    written = time.process_time()
    score_run(database, run.run, run.articles, loaded_evaluators, Silent())
    scored = time.process_time()
    took(database, run.run.run_id, written - start, scored - written)
    return run.run.run_id, written - start, scored - written


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
        max_new_tokens=64,
    )


def test_a_run_larger_than_those_here_takes_what_was_predicted(published: Path, model: Backend, tmp_path: Path) -> None:
    """Within 25 %, each run as fast as the faster of two: other processes beside it only make it slower."""
    processor_seconds(copied(published, tmp_path), model, request(1, 2))  # what a process does but once
    times: dict[int, list[tuple[float, float]]] = {2: [], 8: [], 13: []}
    for _ in range(2):
        trial = copied(published, tmp_path)
        ids = {}
        for prompts, database in ((2, trial), (8, trial), (13, copied(published, tmp_path))):
            ids[prompts], *seconds = processor_seconds(database, model, request(prompts, 8))
            times[prompts].append((seconds[0], seconds[1]))
    fastest = {prompts: tuple(map(min, zip(*of_one, strict=True))) for prompts, of_one in times.items()}
    for prompts in (2, 8):
        took(trial, ids[prompts], *fastest[prompts])
    measured = rates(trial).changed(load_seconds=0)
    assert measured.tokens_per_second.source.startswith("2 runs here")
    assert measured.score_seconds.source.startswith("2 scorings here")
    assert plan(PlanRequest(prompts=13, samples=8, keep=4), measured).seconds == pytest.approx(
        sum(fastest[13]), rel=0.25
    ), times


def copied(database: Path, folder: Path) -> Database:
    return Database(shutil.copy(database, folder / f"{uuid4()}.duckdb"))


def test_two_runs_of_different_size_tell_what_any_run_costs(published: Path, model: Backend, tmp_path: Path) -> None:
    database = copied(published, tmp_path)
    processor_seconds(database, model, request(2, 2))
    alone = rates(database)
    assert alone.write_run_seconds.value == alone.score_run_seconds.value == 0
    assert "too much for larger ones" in alone.tokens_per_second.source
    processor_seconds(database, model, request(5, 2))
    with database.read() as connection:
        tokens = "select run_id, prompts, sum(tokens) from completions join runs using (run_id) group by all order by 2"
        (small, _, few), (large, _, many) = connection.execute(tokens).fetchall()
    took(database, small, 3 + float(few) / 50, 4 + (2 + 2) * 0.1)  # two texts kept, and two articles
    took(database, large, 3 + float(many) / 50, 4 + (5 + 3) * 0.1)  # of whose five articles two were known
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
    processor_seconds(database, model, request(2, 2))
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
