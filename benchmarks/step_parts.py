"""Measure where the time of an engine step goes, in the batch that `--batch-size auto` chooses.

    python benchmarks/step_parts.py [--dtype bfloat16] [--prompts 4] [--longest 96] [--shape llama-1b]

Clocks are started and stopped around the model's own modules, so this is slower than a turn of `generate_speed.py` and
not part of its measurements. Time counts for the innermost part: attention excludes its linear layers and includes the
cache. The busiest kernels come from torch's profiler, in a second run of the same work, because everything is slower
after the profiler has run once.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import random_models
import torch
from generate_contenders import COMPLETIONS, TOP_K, rows_of_auto, run_engine
from torch.profiler import ProfilerActivity, profile
from torch.utils.hooks import RemovableHandle
from transformers.models.gpt2.modeling_gpt2 import GPT2Attention
from transformers.models.llama.modeling_llama import LlamaAttention
from transformers.pytorch_utils import Conv1D

from newwiki.decoding.grammar import parse
from newwiki.decoding.stream import Search, Stream, Turn, View
from newwiki.models.engine.packed import PackedLinear
from newwiki.models.engine.reader import Reader, ReadPrompt
from newwiki.registry import decoders

LINEAR, HEAD, ATTENTION = "linear layers", "head", "attention and cache"
BETWEEN, CHOICE, REST = "what is between layers", "choice and noise", "the engine's Python and the rest"
PROMPTS, AGAIN = "prompts", "what rounding could change, read again"
PARTS = {
    **dict.fromkeys((GPT2Attention, LlamaAttention), ATTENTION),
    **dict.fromkeys((Conv1D, torch.nn.Linear, PackedLinear), LINEAR),
}
IN_A_STEP = (LINEAR, HEAD, ATTENTION, BETWEEN, CHOICE, REST)
KERNELS = 8
WARM_UP = 3  # tokens


class Clock:
    """The seconds of each part; time counts for the innermost part."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._inside = [REST]
        self._since = time.perf_counter()

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        self.enter(part)
        yield
        self.leave()

    def enter(self, part: str) -> None:
        self._count()
        self._inside.append(part)

    def enter_layer(self, part: str) -> None:
        """Enter a part of the model; outside a step, the time counts for the caller of the model."""
        self.enter(part if BETWEEN in self._inside else self._inside[-1])

    def leave(self) -> None:
        self._count()
        self._inside.pop()

    def _count(self) -> None:
        if random_models.DEVICE == "cuda":
            torch.cuda.synchronize()
        now = time.perf_counter()
        self.seconds[self._inside[-1]] += now - self._since
        self._since = now


class TimedReader(Reader):
    """A Reader that launches each kernel separately, also on a GPU, because a CUDA graph cannot contain clocks."""

    def __init__(self, model: Any, rows: int, clock: Clock) -> None:
        super().__init__(model, rows)
        self._captured = None
        self._clock = clock
        self.steps = 0

    def step(self, tokens: torch.Tensor) -> torch.Tensor:
        self.steps += 1
        with self._clock.of(BETWEEN):
            return super().step(tokens)

    def read(self, tokens: Sequence[int], *, hidden: bool = False) -> ReadPrompt:
        with self._clock.of(PROMPTS):
            return super().read(tokens, hidden=hidden)

    def alone(self, prompt: Sequence[int], written: Sequence[int] = ()) -> torch.Tensor:
        with self._clock.of(AGAIN):
            return super().alone(prompt, written)

    def alone_after(self, prompt: Sequence[int], written: Sequence[int], slot: int) -> torch.Tensor:
        with self._clock.of(AGAIN):
            return super().alone_after(prompt, written, slot)


class TimedSearch:
    def __init__(self, search: Search, clock: Clock) -> None:
        self.width = search.width
        self._search, self._clock = search, clock

    def step(self, streams: Sequence[Stream], view: View) -> list[Turn]:
        with self._clock.of(CHOICE):
            return self._search.step(streams, view)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="for generate_speed.py")
    parser.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32")
    parser.add_argument("--prompts", type=int, default=4)
    parser.add_argument("--longest", type=int, default=96)
    random_models.add_arguments(parser)
    options = parser.parse_args()
    text = told(options)
    print(json.dumps({"text": text}) if options.json else text)


def told(options: argparse.Namespace) -> str:
    prompts = random_models.prompts(options.prompts)
    model = random_models.build(getattr(torch, options.dtype), random_models.asked_for(options))
    random_models.prepare(model)
    rows = rows_of_auto(model, options.prompts, max(map(len, prompts)) + options.longest)
    [decoder] = parse(f"sample:top_k={TOP_K}")
    search = decoders.get(decoder.name).search(decoder)

    def write(reader: Reader, search: Search, longest: int) -> None:
        run_engine(reader, search, model.dtype, rows, prompts, [[longest] * COMPLETIONS] * len(prompts))

    write(Reader(model, rows), search, WARM_UP)
    clock = Clock()
    reader = TimedReader(model, rows, clock)
    watching = _watch(model, clock)
    with clock.of(REST):
        write(reader, TimedSearch(search, clock), options.longest)
    for hook in watching:
        hook.remove()
    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (random_models.DEVICE == "cuda")
    with profile(activities=activities, acc_events=True) as profiled:
        write(Reader(model, rows), search, options.longest)
    return _parts(clock.seconds, reader.steps, rows, options.dtype) + "\n" + _kernels(profiled)


def _watch(model: Any, clock: Clock) -> list[RemovableHandle]:
    head, hooks = model.get_output_embeddings(), []
    for module in model.modules():
        part = HEAD if module is head else PARTS.get(type(module))
        if part:
            hooks.append(module.register_forward_pre_hook(lambda *given, part=part: clock.enter_layer(part)))
            hooks.append(module.register_forward_hook(lambda *given: clock.leave()))
    return hooks


def _parts(seconds: dict[str, float], steps: int, rows: int, dtype: str) -> str:
    total = sum(seconds[part] for part in IN_A_STEP)
    lines = [
        f"Where a step of the engine goes, {dtype}, {rows} rows: {total / steps * 1000:,.1f} ms",
        *(f"  {part:34}{seconds[part] / total:6.1%}{seconds[part] / steps * 1000:9,.2f} ms" for part in IN_A_STEP),
        *(f"Besides steps, {part}: {seconds[part] / total:.1%} of their time" for part in (PROMPTS, AGAIN)),
    ]
    return "\n".join(lines)


def _kernels(profiled: profile) -> str:
    on_gpu = random_models.DEVICE == "cuda"
    times = {
        event.key: event.self_device_time_total if on_gpu else event.self_cpu_time_total
        for event in profiled.key_averages()
    }
    total = sum(times.values())
    busiest = sorted(times, key=lambda name: -times[name])[:KERNELS]
    return "Busiest kernels: " + ", ".join(f"{name.split('::')[-1]} {times[name] / total:.1%}" for name in busiest)


if __name__ == "__main__":
    main()
