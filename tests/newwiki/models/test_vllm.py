"""What vLLM is asked, as far as that can be known without it: a stand-in for the package takes its calls.

It has the names of vLLM's offline API (LLM, SamplingParams, the engine's add_request, step and abort_request) and
answers with made-up tokens. That vLLM itself does what it is asked is tested nowhere here.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError, UsageError
from newwiki.models.backend import Writing
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.models.vllm import MODE, VLLMModel
from newwiki.records import Completion, Prompt
from newwiki.registry import models

PROMPTS = [Prompt(11, "Ilse Maradén was a botanist."), Prompt(40, "Orlow is a town.")]
REQUESTS = [(prompt, sample) for prompt in PROMPTS for sample in range(2)]


@dataclass
class Engine:
    """Finishes one request a step, the last first, as `ends` says."""

    model_config: Any
    ends: dict[str, Any]
    waiting: list[tuple[str, Any, Any]] = field(default_factory=list)
    asked: list[tuple[str, Any, Any]] = field(default_factory=list)
    aborted: list[str] = field(default_factory=list)

    def add_request(self, name: str, prompt: Any, parameters: Any) -> None:
        self.waiting.append((name, prompt, parameters))
        self.asked.append((name, prompt, parameters))

    def step(self) -> list[Any]:
        name, _, parameters = self.waiting.pop()
        ends = {name: end(self.waiting) if callable(end) else end for name, end in self.ends.items()}
        written = SimpleNamespace(**{"text": f" by {parameters.seed}", **ends})
        unfinished = SimpleNamespace(request_id="other", finished=False, outputs=[])
        return [unfinished, SimpleNamespace(request_id=name, finished=True, outputs=[written])]

    def abort_request(self, names: list[str]) -> None:
        self.aborted += names


class StandIn(ModuleType):
    """The module `vllm`. `loading` is what the model was loaded with."""

    __version__ = "0.0.stand-in"

    def __init__(self) -> None:
        super().__init__("vllm")
        self.loading: dict[str, Any] = {}
        self.ends: dict[str, Any] = {"token_ids": [5, 6, 0], "finish_reason": "stop", "stop_reason": None}
        self.sampling_params = SimpleNamespace(RequestOutputKind=SimpleNamespace(FINAL_ONLY="final"))

    def LLM(self, **loading: Any) -> Any:
        self.loading = loading
        config = SimpleNamespace(max_model_len=loading.get("max_model_len", 1024))
        return SimpleNamespace(llm_engine=Engine(config, self.ends))

    def SamplingParams(self, **parameters: Any) -> Any:
        return SimpleNamespace(**parameters)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    module = StandIn()
    monkeypatch.setitem(sys.modules, "vllm", module)
    monkeypatch.setitem(sys.modules, "vllm.sampling_params", module.sampling_params)
    return module


@pytest.fixture
def model(stand_in: StandIn, toy_checkpoint: Path) -> VLLMModel:
    return VLLMModel(str(toy_checkpoint))


def complete(model: VLLMModel, decoder: str = "sample", **writing: Any) -> list[Completion]:
    batches = model.complete(REQUESTS, parse(decoder)[0], Writing(**{"max_new_tokens": 16, **writing}))
    return sorted(chain.from_iterable(batches), key=lambda one: (one.page_id, one.sample))


def parameters(model: VLLMModel, decoder: str, **writing: Any) -> list[Any]:
    complete(model, decoder, **writing)
    return [asked for _, _, asked in model._llm.llm_engine.asked]


def test_without_the_package_the_error_says_what_to_install(toy_checkpoint: Path) -> None:
    with pytest.raises(TerminalError, match=r"needs a package and a GPU: pip install 'newwiki-eval\[vllm\]'"):
        VLLMModel.find(str(toy_checkpoint))


def test_a_checkpoint_is_hashed_and_loaded_with_prefix_caching(
    model: VLLMModel, stand_in: StandIn, toy_checkpoint: Path
) -> None:
    assert models.get("vllm") is VLLMModel
    assert model.sha256 == HuggingFaceModel.find(str(toy_checkpoint)).sha256
    assert Path(stand_in.loading.pop("model")).name == toy_checkpoint.name
    assert Path(stand_in.loading.pop("tokenizer")).name == toy_checkpoint.name
    assert stand_in.loading == {"dtype": "float32", "trust_remote_code": False, "enable_prefix_caching": True}
    assert (model.dtype, model.versions["vllm"]) == ("float32", "0.0.stand-in")
    assert model.versions["vllm_batch_invariant"] == "off"
    assert model.settings == {"bos": "no", "chat": "no", "context": "1024"}


def test_the_user_says_how_much_of_which_gpus(stand_in: StandIn, toy_checkpoint: Path) -> None:
    sizes = {"tensor_parallel_size": "2", "gpu_memory_utilization": "0.5", "max_model_len": "256"}
    assert VLLMModel(str(toy_checkpoint), **sizes).settings["context"] == "256"
    assert {name: stand_in.loading[name] for name in sizes} == {
        "tensor_parallel_size": 2, "gpu_memory_utilization": 0.5, "max_model_len": 256,
    }  # fmt: skip
    with pytest.raises(UsageError, match=r"must be numbers: .*'two'"):
        VLLMModel.find(str(toy_checkpoint), tensor_parallel_size="two")


@pytest.mark.parametrize("off", ["0", ""])
def test_whether_its_batch_invariant_mode_was_on_is_recorded(
    off: str, stand_in: StandIn, toy_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(MODE, off)
    assert VLLMModel(str(toy_checkpoint)).versions["vllm_batch_invariant"] == "off"
    monkeypatch.setenv(MODE, "1")
    model = VLLMModel(str(toy_checkpoint))
    assert model.versions["vllm_batch_invariant"] == "on; 4 texts of 32 tokens were the same alone and beside 28 others"
    asked = model._llm.llm_engine.asked
    assert len(asked) == 4 + 32
    assert len({len(prompt["prompt_token_ids"]) for _, prompt, _ in asked}) == 32
    short = VLLMModel(str(toy_checkpoint), max_model_len="100")._llm.llm_engine.asked
    assert max(len(prompt["prompt_token_ids"]) + asked.max_tokens for _, prompt, asked in short) == 100


def test_a_mode_that_does_not_hold_ends_it(
    stand_in: StandIn, toy_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in.ends["token_ids"] = lambda waiting: [5, 6, len(waiting)]
    VLLMModel(str(toy_checkpoint))
    monkeypatch.setenv(MODE, "1")
    with pytest.raises(TerminalError, match="3 of 4 texts that vLLM generated together with 28 others differ"):
        VLLMModel(str(toy_checkpoint))


def test_every_completion_is_a_request_with_its_own_seed(model: VLLMModel) -> None:
    texts = complete(model)
    assert [(one.page_id, one.sample) for one in texts] == [(prompt.page_id, sample) for prompt, sample in REQUESTS]
    assert len({one.text for one in texts}) == len(REQUESTS)
    assert complete(model) == texts
    assert {one.text for one in complete(model, seed=1)}.isdisjoint({one.text for one in texts})
    tokens = model._llm.llm_engine.asked[0][1]["prompt_token_ids"]
    assert model._prompting.decode(tokens) == PROMPTS[0].text


def test_a_decoder_is_described_completely(model: VLLMModel) -> None:
    asked = parameters(model, "sample:top_k=20,top_p=0.9,min_p=0.05,temperature=0.7,presence_penalty=1", stop=("END",))[
        0
    ]
    del asked.seed
    assert vars(asked) == {
        "temperature": 0.7, "top_p": 0.9, "top_k": 20, "min_p": 0.05, "presence_penalty": 1.0, "frequency_penalty": 0.0,
        "repetition_penalty": 1.0, "max_tokens": 16, "stop": ["END"], "output_kind": "final",
    }  # fmt: skip
    greedy = parameters(model, "greedy")[-1]
    assert (greedy.temperature, greedy.top_p, greedy.top_k, greedy.min_p) == (0, 1, 0, 0)


@pytest.mark.parametrize(
    ("decoder", "message"),
    [
        ("beam", "has no decoder 'beam' .*it supports: greedy, and sample with .*; use one of these, or --backend hf"),
        ("contrastive-search", "has no decoder"),
        ("sample:typical_p=0.9", "does not support typical_p"),
        ("sample:top_h=0.4,p_less=1", "does not support p_less, top_h"),
        ("greedy:no_repeat_ngram_size=3", "does not support no_repeat_ngram_size"),
        ("sample:temperature=0.001", "does not sample at temperatures below 0.01"),
    ],
)
def test_what_vllm_cannot_do_is_refused(model: VLLMModel, decoder: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        model.others(parse(decoder)[0])
    with pytest.raises(UsageError, match=message):
        complete(model, decoder)


def test_its_batches_are_its_own(model: VLLMModel) -> None:
    for writing in ({"strict": True}, {"batch_size": 4}):
        with pytest.raises(UsageError, match="omit --strict and --batch-size"):
            complete(model, **writing)


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ({"token_ids": [5, 6, 0], "finish_reason": "stop", "stop_reason": None}, (2, "stop", False)),
        ({"token_ids": [5, 6, 7], "finish_reason": "stop", "stop_reason": "END"}, (3, "stop", False)),
        ({"token_ids": [5] * 16, "finish_reason": "length", "stop_reason": None}, (16, "length", True)),
        ({"token_ids": [5] * 9, "finish_reason": "length", "stop_reason": None}, (9, "context", True)),
        ({"token_ids": [5], "finish_reason": "abort", "stop_reason": None}, (1, "unknown", True)),
    ],
)
def test_a_completion_says_how_it_ended(
    model: VLLMModel, stand_in: StandIn, ends: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    stand_in.ends.update(ends)
    one = complete(model)[0]
    assert (one.tokens, one.finish_reason, one.truncated) == expected


def test_a_prompt_that_leaves_no_room_is_an_error_and_little_room_is_all_that_is_asked_for(
    stand_in: StandIn, toy_checkpoint: Path
) -> None:
    length = len(VLLMModel(str(toy_checkpoint))._prompting.encode(PROMPTS[0].text))
    tight = VLLMModel(str(toy_checkpoint), max_model_len=str(length + 3))
    assert parameters(tight, "sample")[0].max_tokens == 3
    with pytest.raises(
        TerminalError, match=rf"page 11 has {length} tokens, which leaves no room in a context of {length}"
    ):
        complete(VLLMModel(str(toy_checkpoint), max_model_len=str(length)))


def test_who_stops_leaves_nothing_running(model: VLLMModel) -> None:
    coming = model.complete(REQUESTS, parse("sample")[0], Writing())
    (first,) = next(coming)
    coming.close()  # type: ignore[attr-defined]
    assert (first.page_id, first.sample) == (40, 1)
    assert model._llm.llm_engine.aborted == ["11:0", "11:1", "40:0"]
