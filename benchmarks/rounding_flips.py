"""Measure how often the batch changes a text: tokens that rounding flips, for each million tokens written.

    python benchmarks/rounding_flips.py [--model FOLDER] [--completions 96] [--longest 128] [--plain]

The same completions are written one at a time, then 7, 32 and 96 at once, and 32 at once in shuffled order. Their
beginnings and lengths differ, so that rows join and leave the batch. A flip is the first token in which a completion
differs from the same completion written alone. The tokens after a flip belong to another text and are not compared.
`flips/M` is per million compared tokens. If there was no flip, the number is an upper bound of the rate, with a
confidence of 95%.

`moved` is the share of these tokens before which a logit had other bits in the batch than alone. `by` is the largest
move of the largest logit, as a share of its size: without a move no token can flip. `settling` is used in float32: if
rounding of up to the slack (2e-5) could change a choice, the text is read once more, alone. `settled/M` is how often
this happens. Half precision is too coarse for settling and does without it.

The model is a toy that is trained on the sample wiki first, unless a model is named. With `--plain` it computes with
torch's own linear layers and attention, whose rounding may depend on the batch. This shows the benchmark's sensitivity.
In float32 these layers flip a few tokens per million, so finding a flip takes as many tokens.
"""

import argparse
import random
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import sample_texts
import torch
from rich.console import Console
from rich.table import Table

from newwiki.decoding.beams import by_stream
from newwiki.decoding.grammar import parse
from newwiki.decoding.stream import Ending, Search, Stream, Turn, View
from newwiki.models.checkpoint import Trust, find
from newwiki.models.engine.look_ahead import engine_for
from newwiki.models.engine.loop import Rules
from newwiki.models.engine.packed import use_fast_kernels
from newwiki.models.engine.reader import Reader
from newwiki.models.huggingface import FLOAT32_SLACK
from newwiki.models.loading import load
from newwiki.registry import decoders


class Batch(NamedTuple):
    rows: int
    shuffled: bool = False

    @property
    def title(self) -> str:
        return f"{self.rows} shuffled" if self.shuffled else f"{self.rows} rows"


ALONE = Batch(1)
BATCHES = (Batch(7), Batch(32), Batch(96), Batch(32, shuffled=True))
MODES = (("float32", 0.0), ("float32", FLOAT32_SLACK), ("bfloat16", 0.0))


class Logits(NamedTuple):
    """The logits of a step: the sum of their bits as integers, the largest logit, and its size."""

    checksum: int
    top: float
    size: float


class Written(NamedTuple):
    """Tokens by completion, logits by completion and step, and the number of settled steps."""

    tokens: dict[int, list[int]]
    logits: dict[tuple[int, int], Logits]
    settled: int


class WatchedSearch:
    """A search that records the logits seen first at each step of each stream, and counts repeated reads."""

    def __init__(self, search: Search) -> None:
        self.width = search.width
        self._search = search
        self.logits: dict[tuple[int, int], Logits] = {}
        self.settled = 0

    def step(self, streams: Sequence[Stream], view: View) -> list[Turn]:
        checksums = view.logits.contiguous().view(torch.int32).sum(dim=-1).tolist()
        tops, sizes = view.logits.amax(dim=-1).tolist(), view.logits.abs().amax(dim=-1).tolist()
        for stream, rows in by_stream(streams, [Logits(*row) for row in zip(checksums, tops, sizes, strict=True)]):
            place = (stream.page_id, stream.written)
            self.settled += place in self.logits
            self.logits.setdefault(place, rows[0])
        return self._search.step(streams, view)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="the folder of a checkpoint")
    parser.add_argument("--decoders", nargs="+", default=["greedy", "sample"], metavar="DECODER")
    parser.add_argument("--completions", type=int, default=96)
    parser.add_argument("--longest", type=int, default=128, help="tokens of the longest completion")
    parser.add_argument("--steps", type=int, default=300, help="of training the toy")
    parser.add_argument("--plain", action="store_true", help="torch's own linear layers and attention")
    options = parser.parse_args()
    console = Console(width=118, highlight=False)
    with nullcontext(options.model) if options.model else sample_texts.toy_checkpoint(options.steps) as folder:
        layers = "torch's own layers" if options.plain else "layers as the project prepares them"
        table = Table(title=f"{folder.name}, {layers}: flips against one at a time", title_justify="left")
        table.box, table.padding = None, (0, 2, 0, 0)
        table.add_column("", no_wrap=True)
        for heading in (*(batch.title for batch in BATCHES), "tokens", "flips/M", "moved", "by", "settled/M"):
            table.add_column(heading, justify="right", no_wrap=True)
        for dtype, slack in MODES:
            model, tokenizer = load(find(str(folder), "main", Trust()), dtype, "auto")
            if not options.plain:
                use_fast_kernels(model)
            texts = [tokenizer(text)["input_ids"] for text in sample_texts.articles()]
            streams = sample_texts.streams(texts, options.completions, options.longest)
            for decoder in options.decoders:
                title = f"{decoder}, {dtype}{', settling' if slack else ''}"
                console.print(f"[dim]{title} …")
                table.add_row(title, *_measured(model, decoder, streams, slack))
        console.print(table)


def _measured(model: Any, decoder: str, streams: Sequence[Stream], slack: float) -> list[str]:
    """Return a row of the table."""
    alone = write(model, decoder, streams, slack, ALONE)
    flips, moves, compared, settled, written = [], [], 0, 0, 0
    for batch in BATCHES:
        together = write(model, decoder, streams, slack, batch)
        flips.append(0)
        for stream, tokens in alone.tokens.items():
            same = _same_at_first(tokens, together.tokens[stream])
            flips[-1] += same < len(tokens)
            steps = [(stream, step) for step in range(min(same + 1, len(tokens)))]
            compared += len(steps)
            moves += [_move(alone.logits[step], together.logits[step]) for step in steps]
        settled += together.settled
        written += sum(map(len, together.tokens.values()))
    moved = [move for move in moves if move is not None]
    return [
        *map(str, flips),
        f"{compared:,}",
        f"{1e6 * sum(flips) / compared:,.0f}" if sum(flips) else f"< {3e6 / compared:,.0f}",
        f"{len(moved) / compared:.1%}",
        f"{max(moved):.0e}" if moved else "-",
        f"{1e6 * settled / written:,.0f}" if slack else "-",
    ]


def write(model: Any, spec: str, streams: Sequence[Stream], slack: float, batch: Batch) -> Written:
    [decoder] = parse(spec)
    search = decoders.get(decoder.name).search(decoder)
    watched = WatchedSearch(search)
    rows = batch.rows * search.width
    engine = engine_for(search)([Reader(model, rows)], watched, Rules(Ending(frozenset()), 0, slack), rows=rows)
    order = random.Random(1).sample(streams, len(streams)) if batch.shuffled else streams
    fresh = [Stream(one.page_id, one.sample, one.prompt, one.room) for one in order]
    tokens = {stream.page_id: text.tokens for done in engine.run(fresh) for stream, text in done}
    return Written(tokens, watched.logits, watched.settled)


def _same_at_first(one: Sequence[int], other: Sequence[int]) -> int:
    """Return the number of tokens before the first difference."""
    places = (place for place, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1])
    return next(places, len(one))


def _move(one: Logits, other: Logits) -> float | None:
    """Return how far the largest logit moved, or None if all logits have the same bits."""
    return None if one.checksum == other.checksum else abs(one.top - other.top) / one.size


if __name__ == "__main__":
    main()
