"""A checkpoint behind `transformers serve`, evaluated beside those that run here, with a server that goes wrong."""

import json
import os
import shutil
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest
import requests

from flows.evaluating.evaluate_all import evaluate_all
from flows.progress import Silent
from newwiki.decoding.grammar import parse
from newwiki.models.backend import Writing
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.models.openai import OpenAIModel
from newwiki.records import Prompt
from newwiki.request import EvaluationRequest
from newwiki.settings import Settings
from storage.database import Database
from tests import processes
from tests.endpoint import Endpoint, endpoint, passing_on
from tests.flows.conftest import Run, environment
from tests.flows.serving import wait_for

pytestmark = pytest.mark.slow

KEY = "sk-of-nobody-0123456789"
CHAT = "{% for turn in messages %}{{ turn['content'] }}{% endfor %}"
NUMBERS: dict[str, Any] = {"prompts": 2, "samples": 3, "keep": 2, "max_new_tokens": 12, "metrics": "rep_4"}
ASKED = ("--prompts", "2", "--samples", "3", "--keep", "2", "--max-new-tokens", "12", "--metrics", "rep_4")
SERVED = ("--backend", "openai", "--decoder", "sample:top_k=20", *ASKED)


@dataclass(frozen=True)
class Served:
    model: str
    url: str

    @property
    def arguments(self) -> dict[str, str]:
        return {"base_url": self.url, "server": "transformers"}


@pytest.fixture(scope="module")
def served(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The toy checkpoint, with a chat template, behind a real server."""
    folder = tmp_path_factory.mktemp("served")
    model = shutil.copytree(toy_checkpoint, folder / "toy")
    (model / "chat_template.jinja").write_text(CHAT)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = processes.FORKS.Process(target=_serve, args=(str(model), port, folder, environment()))
    process.start()

    def healthy() -> bool:
        try:
            return requests.get(f"http://127.0.0.1:{port}/health", timeout=2).ok
        except requests.RequestException:
            return False

    try:
        wait_for(healthy, 120, folder / "log")
        yield Served(str(model), f"http://127.0.0.1:{port}/v1")
    finally:
        process.kill()
        process.join()


def _serve(model: str, port: int, folder: Path, env: dict[str, str]) -> None:
    for number in (1, 2):
        os.dup2(os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    processes.settle(["transformers", "serve", model], folder, env)

    from transformers.cli.serve import Serve

    Serve(model, host="127.0.0.1", port=port, device="cpu")


@pytest.fixture
def proxied(served: Served) -> Iterator[Endpoint]:
    """The server behind another one, which wants a key."""
    with endpoint(passing_on(served.url), key=KEY) as told:
        yield told


def texts(path: Path) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(
            "select page_id, sample, text, tokens, finish_reason from completions order by all"
        ).fetchall()


def test_greedy_is_the_same_text_behind_a_server_as_here(served: Served) -> None:
    asked = [(Prompt(11, "Orlow\n\nOrlow is a town."), 0), (Prompt(12, "Ilse Maradén was a botanist."), 0)]
    here = HuggingFaceModel(served.model)
    there = OpenAIModel(served.model, **served.arguments)
    chatting = OpenAIModel(served.model, **served.arguments, chat="yes")  # its template adds nothing
    texts, *others = [
        {
            one.page_id: (one.text, one.tokens, one.finish_reason)
            for batch in model.complete(asked, parse("greedy")[0], Writing(max_new_tokens=24))
            for one in batch
        }
        for model in (here, there, chatting)
    ]
    assert others == [texts, texts]


def test_every_kind_of_model_stands_on_one_leaderboard(
    served: Served, toy_checkpoint: Path, database: Path, tmp_path: Path
) -> None:
    stored, settings = Database(database), Settings()
    kinds: list[tuple[str, str, dict[str, str]]] = [
        ("hf", str(toy_checkpoint), {}),
        *(("seq2seq", str(_trained(kind, toy_checkpoint, tmp_path)), {}) for kind in ("t5", "bart")),
        ("openai", served.model, served.arguments),
        ("openai", served.model, {**served.arguments, "chat": "yes"}),
    ]
    for backend, model, arguments in kinds:
        asked = EvaluationRequest(
            models=(model,), decoder=("sample:top_k=20",), backend=backend, model_args=arguments, **NUMBERS
        )
        evaluate_all(stored, asked, settings, Silent())
    with stored.read() as connection:
        board = connection.execute(
            "select backend, model, completions from leaderboard join runs using (run_id, model) where rep_4 >= 0"
        ).fetchall()
        made = connection.execute(
            "select distinct backend, served_by, prompt_tokens > 0, model_sha256 like 'served:%' "
            "from completions join runs using (run_id) order by all"
        ).fetchall()
    assert sorted(board) == sorted((backend, model, 4) for backend, model, _ in kinds)
    assert made == [
        ("hf", None, None, False),
        ("openai", f"{served.model}@main", True, True),
        ("seq2seq", None, None, False),
    ]


def _trained(kind: str, toy: Path, folder: Path) -> Path:
    """A tiny encoder-decoder after a few steps on two sentences, with the toy's tokenizer."""
    import torch
    from transformers import AutoConfig, AutoModelForSeq2SeqLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(toy)
    end = tokenizer.eos_token_id
    sizes = {"t5": {"d_kv": 8, "d_ff": 48, "num_layers": 1, "num_heads": 2}, "bart": {
        "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2,
        "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "max_position_embeddings": 256, "bos_token_id": end,
        "forced_eos_token_id": None,
    }}  # fmt: skip
    torch.manual_seed(0)
    model = AutoModelForSeq2SeqLM.from_config(
        AutoConfig.for_model(
            kind, vocab_size=len(tokenizer), d_model=32, pad_token_id=end, eos_token_id=end,
            decoder_start_token_id=end, **sizes[kind],
        )
    )  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    inputs = tokenizer("Orlow\n\nOrlow is a town.", return_tensors="pt")["input_ids"]
    labels = tokenizer(" It lies on the river Lumen.", return_tensors="pt")["input_ids"]
    losses = []
    for _ in range(10):
        loss = model(input_ids=inputs, labels=labels).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    model.save_pretrained(folder / kind)
    tokenizer.save_pretrained(folder / kind)
    return folder / kind


def test_a_server_that_goes_wrong_in_every_way_changes_no_byte(
    in_process: Run, served: Served, proxied: Endpoint, database: Path, tmp_path: Path
) -> None:
    untroubled = Path(shutil.copy(database, tmp_path / "untroubled.duckdb"))
    request = EvaluationRequest(
        models=(served.model,), decoder=("sample:top_k=20",), backend="openai", model_args=served.arguments, **NUMBERS
    )
    evaluate_all(Database(untroubled), request, Settings(), Silent())
    proxied.faults[:] = ["429", "500", "cut", "wrong JSON", "no JSON", "no text"]
    asked = ("evaluate", served.model, *SERVED, "--model-args", f"base_url={proxied.url},server=transformers")
    ended = in_process(*asked, "--db", database, OPENAI_API_KEY=KEY)
    assert ended.returncode == 0, ended.stderr
    assert f"requests to {proxied.url}: 12 requests (6 of them repeated)" in ended.stderr
    assert texts(database) == texts(untroubled)
    assert len(texts(database)) == 6
    with duckdb.connect(str(database), read_only=True) as connection:
        assert connection.execute("select status from runs").fetchall() == [("complete",)]
    many = len(proxied.completions)
    assert in_process(*asked, "--db", database, OPENAI_API_KEY=KEY).returncode == 0
    assert len(proxied.completions) == many, "completions that exist are not requested again"


def test_a_wrong_key_is_one_clear_line(in_process: Run, served: Served, proxied: Endpoint, database: Path) -> None:
    arguments = f"base_url={proxied.url},server=transformers"
    ended = in_process(
        "evaluate", served.model, *SERVED, "--quiet", "--model-args", arguments, "--db", database,
        OPENAI_API_KEY="sk-wrong-key",
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == (
        f"newwiki: the server at {proxied.url} rejects the key in OPENAI_API_KEY: Incorrect API key provided: "
        "….; check the key\n"
    )
    ended = in_process("evaluate", served.model, *SERVED, "--quiet", "--model-args", arguments, "--db", database)
    wanted = "requires a key; put it into the environment variable OPENAI_API_KEY\n"
    assert (ended.returncode, ended.stderr) == (1, f"newwiki: the server at {proxied.url} {wanted}")


def test_what_was_paid_for_can_be_asked_in_sql(in_process: Run, served: Served, database: Path) -> None:
    arguments = {**served.arguments, "prompt_price": "2", "completion_price": "8"}
    for keep in (2, 3):
        request = EvaluationRequest(
            models=(served.model,), decoder=("greedy",), backend="openai", model_args=arguments,
            prompts=keep, max_new_tokens=8, metrics="rep_4",
        )  # fmt: skip
        evaluate_all(Database(database), request, Settings(), Silent())
    bill = (
        "select count(*) as texts, sum(prompt_tokens) as prompt, sum(tokens) as completion, "
        "sum(prompt_tokens * (versions ->> 'prompt_price')::double "
        "+ tokens * (versions ->> 'completion_price')::double) / 1e6 as cost from completions join runs using (run_id)"
    )
    (row,) = json.loads(in_process("sql", bill, "--db", database, "--format", "json").stdout)
    assert (row["texts"], row["completion"]) == (5, 40)
    assert row["cost"] == pytest.approx((2 * row["prompt"] + 8 * 40) / 1e6)
