"""The same run under threads, processes, Dask and Ray, with a worker killed half way: the same rows."""

import multiprocessing
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

import newwiki
from evaluators.scoring import select
from flows.demonstration import wiki
from flows.evaluating.evaluate_all import evaluate_all
from flows.progress import Silent
from flows.scoring.loaded_evaluators import LoadedEvaluators
from newwiki.errors import TerminalError
from newwiki.registry import load_plugin
from newwiki.request import EvaluationRequest, ScoringRequest
from newwiki.settings import Settings
from storage.database import Database
from tests.docs.world import write_embedder
from tests.flows.conftest import Run
from tests.flows.serving import PrefectServer
from tests.processes import FORKS

pytestmark = pytest.mark.slow

DECODERS = ("sample:top_p=0.9", "greedy")
NUMBERS: dict[str, Any] = {"prompts": 3, "samples": 2, "keep": 1, "max_new_tokens": 8}
METRICS = "rep_4,bleu,entity_overlap,flesch_reading_ease"
SETTINGS = Settings(entities="rules-v1")


def request(model: Path, **changes: Any) -> EvaluationRequest:
    return EvaluationRequest(models=(str(model),), decoder=DECODERS, metrics=METRICS, **NUMBERS, **changes)


Rows = dict[str, list[tuple[Any, ...]]]


@pytest.fixture(scope="module", autouse=True)
def connected(server: PrefectServer) -> Iterator[None]:
    """Flows of this process run on the server, and there is the backend that dies."""
    from prefect.settings import PREFECT_API_URL, PREFECT_HOME, temporary_settings

    load_plugin(Path(__file__).with_name("dying.py"))
    with temporary_settings({PREFECT_API_URL: server.api, PREFECT_HOME: Path(server.env["PREFECT_HOME"])}):
        yield


@pytest.fixture(scope="module", autouse=True)
def forked() -> Iterator[None]:
    """Prefect's and Dask's worker processes are forked where torch is imported already."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multiprocessing, "get_context", lambda _=None: FORKS)
        yield


@pytest.fixture(scope="module")
def alone(published: Path, toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What one process makes of it, without any runner."""
    path = Path(shutil.copy(published, tmp_path_factory.mktemp("alone") / "newwiki.duckdb"))
    evaluate_all(Database(path), request(toy_checkpoint), SETTINGS, Silent())
    return path


def rows(path: Path) -> Rows:
    with duckdb.connect(str(path), read_only=True) as connection:
        return {
            "completions": connection.execute("from completions order by run_id, page_id, sample").fetchall(),
            "scores": connection.execute("from scores order by run_id, page_id, sample, metric").fetchall(),
            "scorings": connection.execute("select run_id, evaluator_id from scorings order by all").fetchall(),
            "runs": connection.execute("select run_id, status from runs order by all").fetchall(),
        }


def middle_page(path: Path) -> str:
    with duckdb.connect(str(path), read_only=True) as connection:
        pages = connection.execute("select distinct page_id from completions order by all").fetchall()
    return str(pages[len(pages) // 2][0])


def evaluate(path: Path, model: Path, runner: str, **arguments: str) -> None:
    from flows.evaluating.flow import evaluate as flow

    asked = request(model, backend="dying" if arguments else "hf", model_args=arguments)
    flow(asked, replace(SETTINGS, db=str(path)), runner=runner)


def test_threads_write_and_score_the_same_from_python_too(alone: Path, database: Path, toy_checkpoint: Path) -> None:
    asked: dict[str, Any] = {"runner": "threads:2", "db": database, "entities": "rules-v1", "quiet": True}
    board = newwiki.evaluate(toy_checkpoint, decoder=DECODERS, **NUMBERS, metrics="rep_4,bleu", **asked)
    assert board.num_rows == 3  # two decoders, and Wikipedia
    newwiki.score(missing=True, metrics=METRICS, **asked)
    assert rows(database) == rows(alone)


def test_a_cluster_that_is_there_already_writes_and_scores_the_same(
    alone: Path, database: Path, toy_checkpoint: Path
) -> None:
    """Its workers are threads here, which are reached as those of other machines are."""
    from distributed import LocalCluster

    place: dict[str, Any] = {"protocol": "tcp", "host": "127.0.0.1", "dashboard_address": None}
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, **place) as cluster:
        evaluate(database, toy_checkpoint, f"dask:{cluster.scheduler_address}")
    assert rows(database) == rows(alone)


# A worker of Ray imports torch anew: the one and the one in its place are enough.
@pytest.mark.parametrize("runner", ["processes:2", "dask:2", "ray:1"])
def test_with_a_worker_killed_half_way_all_is_the_same(
    alone: Path, database: Path, toy_checkpoint: Path, tmp_path: Path, runner: str, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "once").touch()
    evaluate(database, toy_checkpoint, runner, page=middle_page(alone), once=str(tmp_path / "once"))
    assert not (tmp_path / "once").exists(), "nobody was killed"
    assert rows(database) == rows(alone)


def test_what_fails_always_is_told_and_all_else_is_kept_and_not_done_again(
    alone: Path, database: Path, toy_checkpoint: Path
) -> None:
    page = middle_page(alone)
    with pytest.raises(TerminalError, match=rf"1 of \d+ shards failed, .* page {page}.*cannot be written.*again"):
        evaluate(database, toy_checkpoint, "threads:2", page=page)
    expected = rows(alone)
    kept = {row[:3] for row in rows(database)["completions"]}
    assert kept == {row[:3] for row in expected["completions"] if str(row[1]) != page}
    assert {status for _, status in rows(database)["runs"]} == {"failed"}
    evaluate(database, toy_checkpoint, "threads:2")
    assert rows(database) == expected


def test_a_stored_run_is_scored_by_a_crew_as_alone_embeddings_too(
    alone: Path, toy_checkpoint: Path, tmp_path: Path
) -> None:
    from flows.scoring.flow import score as flow
    from flows.scoring.score_all import score_all

    here, there = (Path(shutil.copy(alone, tmp_path / name)) for name in ("here.duckdb", "there.duckdb"))
    asked = ScoringRequest(missing=True, metrics="sbert,mauve")
    settings = replace(SETTINGS, embedder=str(write_embedder(toy_checkpoint, tmp_path / "embedder")))
    score_all(Database(here), asked, settings, Silent())
    flow(asked, replace(settings, db=str(there)), runner="threads:2")
    assert rows(there) == rows(here)
    tables = [Database(path).table("set_scored", "") for path in (here, there)]
    assert tables[0] == tables[1]
    for name in ("run_scores", "reference_parts"):
        found = []
        for path in (here, there):
            with duckdb.connect(str(path), read_only=True) as connection:
                found.append(sorted(connection.execute(f"from {name}").fetchall(), key=repr))
        assert found[0] == found[1], name


def test_the_command_line_goes_through_prefect_where_asked(server: PrefectServer, in_process: Run) -> None:
    """Although PREFECT_API_URL is not in its environment, which would be enough."""
    ended = in_process(
        "refresh", "--prefect", "--dump", wiki(), "--month", "2026-09", "--format", "json", "--db", "a.duckdb"
    )
    assert ended.returncode == 0, ended.stderr
    assert '"articles": 13' in ended.stdout
    assert any(run["name"].startswith("refresh 2026-09 from") for run in server.runs())


def test_another_machines_evaluators_are_refused(alone: Path) -> None:
    from flows.scoring.batches import TextBatch
    from flows.scoring.score_shard import ScoreShard, score_shard
    from flows.workers.shards import Setting

    loaded_evaluators = LoadedEvaluators(select("entity_overlap"), SETTINGS)
    altered = {name: replace(one, version="0") for name, one in loaded_evaluators.fingerprints.items()}
    shard = ScoreShard(TextBatch((), (), (), (), {}, ()), altered, SETTINGS, Setting((), "lumen", 0, None))
    with pytest.raises(TerminalError, match=r"'entity_overlap' is another one on .*than on lumen.*version 1 there, 0"):
        score_shard(shard)


def test_another_machines_weights_are_refused(toy_checkpoint: Path) -> None:
    from flows.evaluating.write_shard import ModelReference, WriteShard, write
    from flows.workers.shards import Setting
    from newwiki.decoding.grammar import parse

    other = ModelReference("hf", str(toy_checkpoint), (), "0" * 64, "float32", 1, ())
    shard = WriteShard(other, (), parse("greedy")[0], {}, (), Setting((), "lumen", 0, None))
    with pytest.raises(
        TerminalError, match=r"is another one on .* than on lumen \(0{64}, float32, numerics=1\); give both"
    ):
        write(shard)


def test_a_shard_that_fails_at_first_is_done_again_and_in_the_end_alone() -> None:
    from prefect import flow
    from prefect.task_runners import ThreadPoolTaskRunner

    from flows.workers.prefect_executor import PrefectExecutor
    from flows.workers.runners import WorkerPool

    tries: dict[int, int] = {}
    running: list[int] = []

    def work(shard: int) -> int:
        tries[shard] = tries.get(shard, 0) + 1
        running.append(shard)
        if shard == 1 and tries[1] < 3:
            raise RuntimeError("a worker died")
        if shard == 2:
            raise RuntimeError("out of memory")
        return shard * shard

    done: list[tuple[int, int]] = []

    @flow
    def all_of_it() -> None:
        pool = WorkerPool(2, 1, lambda: ThreadPoolTaskRunner(max_workers=2))
        with PrefectExecutor(pool, Silent()) as executor:
            done.extend(executor.run(work, [0, 1, 2, 3], lambda shard: f"page {shard}"))

    with pytest.raises(TerminalError, match=r"^1 of 4 shards failed, all others are stored; page 2: .*out of memory"):
        all_of_it()
    assert sorted(done) == [(0, 0), (1, 1), (3, 9)]
    assert tries == {0: 1, 1: 3, 2: 3, 3: 1}
    assert running[-2:] == [1, 2]
