"""A contender's turn of `generate_speed.py`, which starts this in a process of its own and reads the JSON it prints."""

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import machine_speed
import random_models
import torch
from transformers import StoppingCriteria, StoppingCriteriaList

from newwiki.decoding.grammar import parse
from newwiki.decoding.stream import Ending, Stream
from newwiki.models.engine.engines import engine_for
from newwiki.models.engine.loop import Rules
from newwiki.models.engine.memory import rows_that_fit
from newwiki.models.engine.reader import Reader
from newwiki.models.huggingface import FLOAT32_SLACK
from newwiki.registry import decoders

COMPLETIONS = 20
TOP_K = 50
WARM_UP = 3  # tokens

# From prompts and the lengths of each one's completions to the tokens that were written, of those lengths together.
Write = Callable[[Sequence[Sequence[int]], Sequence[Sequence[int]]], int]
Result = dict[str, float | None]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--machine", action="store_true", help="measure the machine instead")
    parser.add_argument("--at-once", type=int, help="prompts in each call of generate(); without it, the engine")
    parser.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32")
    parser.add_argument("--prompts", type=int, required=True)
    parser.add_argument("--longest", type=int, required=True)
    parser.add_argument("--layers", type=int)
    options = parser.parse_args()
    print(json.dumps(_machine() if options.machine else _turn(options)))


def _machine() -> Result:
    rates = {dtype: machine_speed.matrix_rate(getattr(torch, dtype)) for dtype in ("float32", "bfloat16")}
    return {"read": machine_speed.read_bandwidth(), **rates}


def _turn(options: argparse.Namespace) -> dict[str, Result]:
    """Both workloads, the one of less memory first, as a peak is never forgotten."""
    prompts = random_models.prompts(options.prompts)
    model = random_models.build(getattr(torch, options.dtype), options.layers)
    context = sum(map(len, prompts)) / len(prompts) + options.longest / 2
    operations, weights, cached = random_models.operations_and_values(model, context)
    if options.at_once:
        rows, write = options.at_once * COMPLETIONS, _generate(model, options.at_once)
    else:
        random_models.prepare(model)
        rows = rows_that_fit(model, max(map(len, prompts)) + options.longest)
        write = _engine(model, rows)
    first = options.at_once or 1
    write(prompts[:first], [[WARM_UP] * COMPLETIONS] * first)
    shape: Result = {"rows": rows, "operations": operations, "weights": weights, "cached": cached}
    shortest = {"mixed": max(1, options.longest // 12), "equal": options.longest}
    return {
        workload: {**shape, **_measured(write, prompts, _lengths(options.prompts, low, options.longest))}
        for workload, low in shortest.items()
    }


def _measured(write: Write, prompts: Sequence[Sequence[int]], lengths: Sequence[Sequence[int]]) -> Result:
    start, busy, own = time.perf_counter(), random_models.busy_seconds(), time.process_time()
    written = write(prompts, lengths)
    seconds, own = time.perf_counter() - start, time.process_time() - own
    busy_after = random_models.busy_seconds()
    others = None
    if busy is not None and busy_after is not None:
        others = max(0.0, busy_after - busy - own) / (seconds * (os.cpu_count() or 1))
    return {"speed": written / seconds, "peak": random_models.peak_megabytes(), "others": others}


def _lengths(prompts: int, shortest: int, longest: int) -> list[list[int]]:
    generator = torch.Generator().manual_seed(2)
    lengths: list[list[int]] = torch.randint(
        shortest, longest + 1, (prompts, COMPLETIONS), generator=generator
    ).tolist()
    return lengths


def _generate(model: Any, at_once: int) -> Write:
    def write(prompts: Sequence[Sequence[int]], lengths: Sequence[Sequence[int]]) -> int:
        written = 0
        for first in range(0, len(prompts), at_once):
            batch = prompts[first : first + at_once]
            ends = [end for of_one in lengths[first : first + at_once] for end in of_one]
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

    return write


class EndsAt(StoppingCriteria):
    """Ends each row at a length of its own. As at an end-of-text token, `generate()` then pads the row."""

    eos_token_id = None  # that there is such an attribute makes it pad

    def __init__(self, prompt: int, ends: Sequence[int], device: torch.device) -> None:
        self._prompt = prompt
        self._ends = torch.tensor(ends, device=device)

    def __call__(self, input_ids: torch.Tensor, scores: Any, **rest: Any) -> torch.Tensor:
        return input_ids.shape[1] - self._prompt >= self._ends


def _engine(model: Any, rows: int) -> Write:
    [decoder] = parse(f"sample:top_k={TOP_K}")
    search = decoders.get(decoder.name).search(decoder)
    slack = FLOAT32_SLACK if model.dtype == torch.float32 else 0.0

    def write(prompts: Sequence[Sequence[int]], lengths: Sequence[Sequence[int]]) -> int:
        rules = Rules(Ending(frozenset()), 0, slack)
        engine = engine_for(search)([Reader(model, rows)], search, rules, rows=rows)
        streams = [
            Stream(page, sample, tuple(prompt), end)
            for page, (prompt, ends) in enumerate(zip(prompts, lengths, strict=True))
            for sample, end in enumerate(ends)
        ]
        written = sum(len(text.tokens) for done in engine.run(streams) for _, text in done)
        assert written == sum(map(sum, lengths))
        return written

    return write


if __name__ == "__main__":
    main()
