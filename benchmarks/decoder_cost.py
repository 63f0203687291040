"""Measure the cost of a token under each registered decoder, relative to greedy search with as many prompts at once.

    python benchmarks/decoder_cost.py [--prompts 1 4 16] [--longest 48] [--rounds 3]

The decoders take turns in one process, in float32. The model has random weights and GPT-2 small's shape (XL's on a
GPU). Decoders that need an amateur use two of the model's layers. All completions have the maximum length. The table
shows medians over rounds; `× greedy` is the median of the ratios within each round.

`reads` is the work that the algorithm itself requires: the rows or candidates that a model reads for each token of a
completion. With an amateur, it is the model's number + the amateur's. Many rows together cost less than the same rows
one after the other, so `× greedy` should stay below `reads`. It is far below with few prompts at once, because a step
then mainly reads the weights, and approaches it as arithmetic dominates. `in models` is the share of the time in
forward passes of the models; the rest belongs to the decoder and the engine. `alone` is the number of passes over a
single text for a thousand tokens. Such passes occur if rounding could have changed a decoder's choice.
"""

import argparse
import os
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any, NamedTuple, TypeVar

import random_models
import torch
from rich.console import Console
from rich.table import Table

from newwiki.decoding.grammar import Decoder, parse
from newwiki.decoding.stream import Ending, Stream
from newwiki.models.engine.look_ahead import engine_for
from newwiki.models.engine.loop import Rules
from newwiki.models.engine.reader import Reader, ReadPrompt
from newwiki.models.huggingface import FLOAT32_SLACK
from newwiki.registry import decoders

BASE = "greedy"
AMATEUR_LAYERS = 2
SENTENCE = 24  # average number of tokens in a sentence, for decoders that write by sentences
WARM_UP = 3  # tokens

T = TypeVar("T")


class Turn(NamedTuple):
    milliseconds: float  # milliseconds per token, like the next two values
    in_models: float
    read: tuple[float, ...]  # by model
    alone: float


class MeasuredReader(Reader):
    """A Reader that counts the rows or candidates it reads and the passes over one text, and sums up their seconds."""

    def __init__(self, model: Any, rows: int) -> None:
        super().__init__(model, rows)
        self.rows = self.passes_alone = 0
        self.seconds = 0.0

    def read(self, tokens: Sequence[int], *, hidden: bool = False) -> ReadPrompt:
        return self._timed(lambda: super(MeasuredReader, self).read(tokens, hidden=hidden))

    def step(self, tokens: torch.Tensor) -> torch.Tensor:
        self.rows += tokens.numel()
        return self._timed(lambda: super(MeasuredReader, self).step(tokens))

    def look_ahead(self, tokens: torch.Tensor) -> torch.Tensor:
        self.rows += tokens.numel()
        return self._timed(lambda: super(MeasuredReader, self).look_ahead(tokens))

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        return self._timed(lambda: super(MeasuredReader, self).logits(states))

    def alone(self, prompt: Sequence[int], written: Sequence[int] = ()) -> torch.Tensor:
        self.passes_alone += 1
        return self._timed(lambda: super(MeasuredReader, self).alone(prompt, written))

    def alone_after(self, prompt: Sequence[int], written: Sequence[int], slot: int) -> torch.Tensor:
        self.passes_alone += 1
        return self._timed(lambda: super(MeasuredReader, self).alone_after(prompt, written, slot))

    def states_alone(self, tokens: Sequence[int]) -> torch.Tensor:
        self.passes_alone += 1
        return self._timed(lambda: super(MeasuredReader, self).states_alone(tokens))

    def _timed(self, work: Callable[[], T]) -> T:
        start = time.perf_counter()
        result = work()
        if random_models.DEVICE == "cuda":
            torch.cuda.synchronize()
        self.seconds += time.perf_counter() - start
        return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prompts", type=int, nargs="+", default=[1, 4, 16], help="at once, a table each")
    parser.add_argument("--longest", type=int, default=48, help="tokens of a completion")
    parser.add_argument("--rounds", type=int, default=3)
    random_models.add_arguments(parser)
    options = parser.parse_args()
    shape = random_models.asked_for(options)
    models = [random_models.build(shape=one) for one in (shape, shape._replace(layers=AMATEUR_LAYERS))]
    for model in models:
        random_models.prepare(model)
    names = sorted(decoders.all(), key=lambda name: (name != BASE, name))
    chosen = {name: _with_defaults(name) for name in names}
    console = Console(width=118, highlight=False)
    for count in options.prompts:
        prompts = random_models.prompts(count)
        for decoder in chosen.values():
            measure(decoder, models, prompts, WARM_UP)
        turns: dict[str, list[Turn]] = {name: [] for name in names}
        for number in range(1, options.rounds + 1):
            load = os.getloadavg()[0]
            console.print(
                f"round {number} of {options.rounds}; the load before is {load:.1f} on {os.cpu_count()} cores"
            )
            for name, decoder in chosen.items():
                turns[name].append(measure(decoder, models, prompts, options.longest))
        console.print()
        console.print(_table(turns, f"{count} prompts at once, {options.longest} tokens each, float32"))


def _with_defaults(name: str) -> Decoder:
    amateur = ":amateur=two-layers" if "amateur" in decoders.get(name).parameters else ""
    return parse(name + amateur)[0]


def measure(decoder: Decoder, models: Sequence[Any], prompts: Sequence[Sequence[int]], length: int) -> Turn:
    search = decoders.get(decoder.name).search(decoder)
    rows = len(prompts) * search.width
    used = models if "amateur" in decoder.parameters else models[:1]
    readers = [MeasuredReader(model, rows) for model in used]
    ending = Ending(frozenset(), sentence=lambda tokens, token: token % SENTENCE == 0)
    context = str(decoder.parameters.get("amateur_context", "full"))
    rules = Rules(ending, 0, FLOAT32_SLACK, amateur_context=context)
    engine = engine_for(search)(readers, search, rules, rows=rows)
    streams = [Stream(page, 0, tuple(prompt), length) for page, prompt in enumerate(prompts)]
    start = time.perf_counter()
    tokens = sum(len(text.tokens) for done in engine.run(streams) for _, text in done)
    seconds = time.perf_counter() - start
    return Turn(
        1000 * seconds / tokens,
        1000 * sum(reader.seconds for reader in readers) / tokens,
        tuple(reader.rows / tokens for reader in readers),
        1000 * sum(reader.passes_alone for reader in readers) / tokens,
    )


def _table(turns: dict[str, list[Turn]], title: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    for heading in ("ms/token", "(range)", "× greedy", "reads", "in models", "alone"):
        table.add_column(heading, justify="right")
    base = [turn.milliseconds for turn in turns[BASE]]
    for name, of_one in turns.items():
        took = [turn.milliseconds for turn in of_one]
        table.add_row(
            _with_defaults(name).short,
            f"{median(took):.1f}",
            f"({min(took):.1f} to {max(took):.1f})",
            f"{median(mine / greedy for mine, greedy in zip(took, base, strict=True)):.2f}",
            " + ".join(f"{rows:.1f}" for rows in of_one[0].read),
            f"{median(turn.in_models / turn.milliseconds for turn in of_one):.0%}",
            f"{of_one[0].alone:.1f}",
        )
    return table


if __name__ == "__main__":
    main()
