"""Runs of served models: a limit of costs, batches, and a server that changes its model on the way."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from flows.comparing.notes import of_several_models
from flows.evaluating.evaluate_all import refuse_workers
from flows.evaluating.generate import generate, plan
from flows.health_checks import examine_database
from flows.progress import Silent
from newwiki.decoding.grammar import parse
from newwiki.errors import NewWikiError, TerminalError, TransientError, UsageError
from newwiki.models.openai import OpenAIModel
from newwiki.request import EvaluationRequest
from storage.database import Database
from tests.endpoint import Batches, Endpoint, completion, endpoint, words

COUNT = 6  # completions of a run: two articles of three samples
PRICES = {"prompt_price": "1", "completion_price": "1000"}  # of a million tokens: an answer costs 0.005007


@pytest.fixture(autouse=True)
def _without_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("newwiki.models.remote.batches._FIRST_POLL", 0.01)


@pytest.fixture
def served() -> Iterator[Endpoint]:
    with endpoint(words) as told:
        yield told


@dataclass
class Notes(Silent):
    lines: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        self.lines.append(text)


def run(database: Path, told: Endpoint, arguments: dict[str, str] | None = None, **changes: Any) -> str:
    """Write the run, which is the same run whatever the changes, and return its id."""
    request = EvaluationRequest(
        models=("small",), decoder=("sample",), backend="openai", samples=3, keep=2, prompts=2, max_new_tokens=16,
        **changes,
    )  # fmt: skip
    model = OpenAIModel("small", base_url=told.url, **{"concurrency": "1", **(arguments or {})})
    db, (decoder,) = Database(database), parse("sample")
    planned = plan(db, model, decoder, request)
    generate(db, planned, model, decoder, Notes())
    return planned.run.run_id


def stored(database: Path, columns: str = "count(*)") -> Any:
    with Database(database).read() as connection:
        return connection.execute(f"select {columns} from completions").fetchall()  # noqa: S608 (our own columns)


def requests(told: Endpoint) -> list[str]:
    return [asked.body["prompt"] for asked in told.completions if asked.path == "/completions"]


def test_a_run_stops_before_a_request_could_exceed_its_costs_and_resumes_with_more(
    database: Path, served: Endpoint
) -> None:
    # Two answers cost 0.010014, and the third request at most 0.016 for 16 tokens, and less than 0.001 for its prompt
    with pytest.raises(TerminalError, match=r"--max-cost 0\.0265: 3 completions are stored and cost 0\.01502, and"):
        run(database, served, PRICES | {"concurrency": "8"}, max_cost=0.0265)
    assert len(requests(served)) == 3
    run_id = run(database, served, PRICES, max_cost=1.0)
    assert len(requests(served)) == COUNT
    assert stored(database, "distinct run_id, count(*) over ()") == [(run_id, COUNT)]


def test_what_is_stored_counts_towards_the_costs_of_a_run(database: Path, served: Endpoint) -> None:
    for _ in range(2):
        with pytest.raises(TerminalError, match="--max-cost"):
            run(database, served, PRICES, max_cost=0.0265)
    assert len(requests(served)) == 3


def test_answers_without_token_counts_cost_their_maximum(database: Path, served: Endpoint) -> None:
    served.answer = lambda path, body: (200, {"choices": [{"text": "x"}]}) if body else words(path, body)
    with pytest.raises(TerminalError, match="2 completions are stored"):
        run(database, served, PRICES, max_cost=0.04)


def test_costs_and_batches_need_a_server_prices_and_one_process(database: Path, served: Endpoint) -> None:
    with pytest.raises(UsageError, match="--max-cost needs the prices"):
        run(database, served, max_cost=1.0)
    for changes in ({"max_cost": 1.0}, {"server_batch": True}):
        with pytest.raises(UsageError, match="add --backend openai, or omit it"):
            EvaluationRequest(models=("m",), decoder=("greedy",), **changes)
        with pytest.raises(UsageError, match="needs one process"):
            refuse_workers(EvaluationRequest(models=("m",), decoder=("greedy",), backend="openai", **changes))


def test_a_batch_brings_the_same_completions_as_single_requests(database: Path, served: Endpoint) -> None:
    run(database, served)
    single = sorted(stored(database, "page_id, sample, text, tokens, prompt_tokens"))
    with Database(database).write() as connection:
        connection.execute("delete from completions")
        connection.execute("delete from runs")
    served.answer = batches = Batches(words)
    served.asked.clear()
    run(database, served, server_batch=True)
    assert sorted(stored(database, "page_id, sample, text, tokens, prompt_tokens")) == single
    assert not requests(served) and len(batches.batches) == 1


@pytest.mark.parametrize("again_as_batch", [True, False])
def test_an_interrupted_command_asks_for_its_batch_again_and_pays_once(
    database: Path, served: Endpoint, again_as_batch: bool
) -> None:
    served.answer = batches = Batches(words)

    def killed(path: str, body: dict[str, Any]) -> Any:
        return (401, {"error": {"message": "down"}}) if path == "/batches/batch_1" else batches(path, body)

    served.answer = killed
    with pytest.raises(NewWikiError):
        run(database, served, server_batch=True)
    assert stored(database) == [(0,)]
    served.answer = batches
    run(database, served, server_batch=again_as_batch)
    assert stored(database) == [(COUNT,)]
    assert list(batches.batches) == ["batch_1"] and not requests(served)


@pytest.mark.parametrize(
    ("batches", "kept", "message"),
    [
        (Batches(words, failing=("1:0",)), COUNT - 1, "is completed, and 1 of .*: The server had"),
        (Batches(words, "expired", missing=("1:0", "1:1")), COUNT - 2, "is expired, and 2 of .*: This request"),
        (Batches(lambda path, body: (404, {})), 0, "is completed, and 6 of .*: HTTP status 404"),
        (Batches(words, "failed"), 0, "is failed, and 6 of .*: line 1 is invalid; repeat"),
    ],
)  # fmt: skip
def test_a_batch_that_ends_without_all_answers_keeps_those_and_sends_the_rest_again(
    database: Path, served: Endpoint, batches: Batches, kept: int, message: str
) -> None:
    first, second = pages(database)
    batches.failing = tuple(name.replace("1:", f"{first}:") for name in batches.failing)
    batches.missing = tuple(name.replace("1:", f"{second}:") for name in batches.missing)
    served.answer = batches
    with pytest.raises(TransientError, match=message):
        run(database, served, server_batch=True)
    assert stored(database) == [(kept,)]
    batches.ends, batches.failing, batches.missing, batches.answer = "completed", (), (), words
    run(database, served, server_batch=True)
    assert stored(database) == [(COUNT,)]
    [again] = [batch for name, batch in batches.batches.items() if name == "batch_2"]
    assert len(batches.files[again["input_file_id"]].splitlines()) == COUNT - kept


@pytest.mark.parametrize("forgotten", ["batches", "files"])
def test_a_batch_that_its_server_forgot_is_sent_again(database: Path, served: Endpoint, forgotten: str) -> None:
    batches = Batches(words)

    def killed(path: str, body: dict[str, Any]) -> Any:
        down = path.startswith("/files") and not body
        return (401, {"error": {"message": "down"}}) if down else batches(path, body)

    served.answer = killed
    with pytest.raises(NewWikiError):
        run(database, served, server_batch=True)
    getattr(batches, forgotten).pop(list(getattr(batches, forgotten))[-1])
    served.answer = batches
    run(database, served, server_batch=True)
    assert stored(database) == [(COUNT,)]


def test_a_batch_takes_no_more_requests_than_its_costs_allow(database: Path, served: Endpoint) -> None:
    served.answer = batches = Batches(words)
    with pytest.raises(TerminalError, match=r"3 completions are stored and cost 0\.01502"):
        run(database, served, PRICES, server_batch=True, max_cost=0.0265)
    sizes = [len(batches.files[batch["input_file_id"]].splitlines()) for batch in batches.batches.values()]
    assert sizes == [1, 1, 1]


def test_a_server_that_replaces_its_model_ends_the_run_and_old_mixtures_are_told(
    database: Path, served: Endpoint
) -> None:
    models = iter(["m-a"] * 4 + ["m-b"] * 20)

    def renamed(path: str, body: dict[str, Any]) -> Any:
        return (200, completion("It is old.") | {"model": next(models)}) if body else words(path, body)

    served.answer = renamed
    for _ in range(2):
        with pytest.raises(TerminalError, match=r"now answers with the model 'm-b', .* are of 'm-a'"):
            run(database, served)
        assert stored(database) == [(4,)]
    with Database(database).write() as connection:
        connection.execute("update completions set served_by = 'm-b fp_1' where sample = 0")
    told = of_several_models(Database(database))
    assert len(told) == 1 and "by their names at the server: m-a (2), m-b (2); evaluate" in told[0]
    assert of_several_models(Database(database), ["another"]) == []
    assert ("models", "note", told[0]) in examine_database(database)


def test_answers_with_thinking_on_may_fill_the_whole_limit_of_the_server(database: Path, served: Endpoint) -> None:
    served.answer = lambda path, body: (
        (200, completion("It is old.", "length", 116, chat=True)) if body else words(path, body)
    )
    run(database, served, {"server": "vllm", "chat": "yes", "thinking": "on", "max_thinking_tokens": "100"})
    assert stored(database, "distinct tokens, finish_reason") == [(116, "length")]
    [(name, state, _)] = [row for row in examine_database(database) if row[0] == "database"]
    assert (name, state) == ("database", "ok")


def pages(database: Path) -> tuple[int, int]:
    with Database(database).read() as connection:
        rows = connection.execute("select page_id from articles order by words desc, page_id limit 2").fetchall()
    return rows[0][0], rows[1][0]
