"""Continuous batching: a completion leaves its rows as soon as it is done, and the next one takes them at once.

The composition of a batch changes logits by rounding. Where such a change could alter what a decoder chooses, the
stream is settled by a forward pass of its own, over the written tokens, after the prompt as it was read by itself. So
the batch decides the speed and never the text.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from newwiki.decoding import noise
from newwiki.decoding.blocking import repeating_tokens
from newwiki.decoding.stream import Ending, Hypothesis, Noise, Search, Stream, Turn, View
from newwiki.models.engine.head import logit_sizes
from newwiki.models.engine.memory import is_out_of_memory, release
from newwiki.models.engine.reader import Reader, ReadPrompt

Done = tuple[Stream, Hypothesis]


@dataclass(frozen=True)
class Rules:
    """Settings that hold for every completion of a run.

    `slack` bounds a logit's rounding error as a share of the largest logit; at 0 nothing is settled. The amateur reads
    the whole prompt (`full`) or its last token (`last`).
    """

    ends: Ending
    seed: int
    slack: float
    no_repeat_ngram_size: int = 0
    amateur_context: str = "full"


class Engine:
    """Runs streams through one model, or through an expert and its amateur, at most `rows` rows at a time."""

    hidden = False
    gains_by_rows = True  # whether more rows per pass are faster

    def __init__(
        self,
        readers: Sequence[Reader],
        search: Search,
        rules: Rules,
        *,
        rows: int,
        on_halved: Callable[[int], None] = lambda rows: None,
    ) -> None:
        self._readers = list(readers)
        self._search = search
        self._rules = rules
        self._rows = max(rows, search.width)
        self._on_halved = on_halved
        self._device = self._readers[0].slots.lengths.device
        self._waiting: deque[Stream] = deque()
        self._running: list[Stream] = []
        self._places: list[list[int]] = []  # the slots of each running stream
        self._done: list[Done] = []
        self._prompt: tuple[tuple[int, ...], list[ReadPrompt]] | None = None
        self._forget()

    def run(self, streams: Sequence[Stream]) -> Iterator[list[Done]]:
        """Yield completions as they finish. Out of memory, continues with half the rows and restarts their streams."""
        self._waiting.extend(streams)
        for number, reader in enumerate(self._readers):
            lengths = [len(self._text(number, stream.prompt)) + stream.room for stream in streams]
            reader.slots.longest = max(lengths, default=0)
        try:
            while self._waiting or self._running:
                if not self._fitted():
                    self._halve()
                if self._done:
                    done, self._done = self._done, []
                    yield done
        finally:
            self._forget()

    def read_text(self, stream: Stream, tokens: Sequence[int]) -> list[Tensor]:
        """Return, for each model, the logits [tokens + 1, vocabulary] before and after each token of a given text."""
        return [
            reader.throughout(self._text(number, stream.prompt), tokens) for number, reader in enumerate(self._readers)
        ]

    def choices(self, streams: Sequence[Stream], logits: Sequence[Tensor]) -> list[int]:
        """Return the token that each stream continues with after these logits [streams, vocabulary]. The search must
        have one row, and nothing may end a text."""
        return [turn.rows[0][1].tokens[-1] for turn in self._search.step(streams, self._view(streams, logits))]

    def _fitted(self) -> bool:
        """Take a step and tell whether memory sufficed. The memory of a failed step is free once this has returned."""
        try:
            with torch.inference_mode():
                self._admit()
                self._advance()
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error) or self._rows == self._search.width:
                raise
            return False
        return True

    def _halve(self) -> None:
        again = [replace(stream, beam=[Hypothesis()], pool=[]) for stream in self._running]
        self._waiting.extendleft(reversed(again))
        self._running, self._places = [], []
        self._rows = max(self._rows // 2, self._search.width)
        self._forget()
        release(self._device)
        self._on_halved(self._rows)

    def _forget(self) -> None:
        """Free what was read, and size the slots for the current number of rows."""
        self._prompt = None
        for reader in self._readers:
            reader.slots.clear(self._rows)

    def _admit(self) -> None:
        """Fill free rows. A prompt is read once for all of its completions that begin here."""
        while self._waiting and self._has_room():
            group: list[Stream] = []
            while self._waiting and self._has_room() and self._may_join(group):
                group.append(self._waiting.popleft())
                self._running.append(group[-1])
                self._places.append([])
            self._begin(group, self._read(self._source(group[0])))

    def _may_join(self, group: Sequence[Stream]) -> bool:
        return not group or self._source(self._waiting[0]) == self._source(group[0])

    def _source(self, stream: Stream) -> tuple[int, ...]:
        """Return the tokens that are read before the first new token."""
        return stream.prompt

    def _has_room(self) -> bool:
        return (len(self._running) + 1) * self._search.width <= self._rows

    def _read(self, prompt: tuple[int, ...]) -> list[ReadPrompt]:
        if self._prompt is None or self._prompt[0] != prompt:
            texts = [self._text(number, prompt) for number in range(len(self._readers))]
            read = [reader.read(text, hidden=self.hidden) for reader, text in zip(self._readers, texts, strict=True)]
            self._prompt = (prompt, read)
        return self._prompt[1]

    def _text(self, number: int, prompt: tuple[int, ...]) -> tuple[int, ...]:
        """Return the part of a prompt that a model reads."""
        return prompt[-1:] if number and self._rules.amateur_context == "last" else prompt

    def _begin(self, group: Sequence[Stream], prompts: Sequence[ReadPrompt]) -> None:
        """Take the first step of new streams, the last of the running ones, from their prompt's logits."""
        turns = self._turns(group, [prompt.logits.repeat(len(group), 1) for prompt in prompts])
        first = len(self._running) - len(group)
        self._carry_out(first, turns)
        self._put(prompts, self._assigned(first))

    def _assigned(self, first: int) -> list[int]:
        """Assign the next free slots to the running streams from `first` on, and return them."""
        used = sum(map(len, self._places[:first]))
        for place in range(first, len(self._running)):
            rows = len(self._running[place].beam)
            self._places[place] = list(range(used, used + rows))
            used += rows
        return [slot for slots in self._places[first:] for slot in slots]

    def _put(self, prompts: Sequence[ReadPrompt], slots: Sequence[int]) -> None:
        for reader, prompt in zip(self._readers, prompts, strict=True):
            reader.slots.put(prompt.cache, prompt.length, slots)

    def _advance(self) -> None:
        if not self._running:
            return
        order = [slot for slots in self._places for slot in slots]
        last = torch.empty(len(order), dtype=torch.long)
        last[order] = torch.tensor([row.tokens[-1] for stream in self._running for row in stream.beam])
        logits = []
        for number, reader in enumerate(self._readers):
            read = self._read_so_far(number)
            reader.slots.reset(order, read)
            logits.append(reader.step(last.to(self._device)))
            self._read_anew(number, logits[-1], order, read)
        if order != list(range(len(order))):
            index = torch.tensor(order, device=self._device)
            logits = [model_logits[index] for model_logits in logits]
        self._go_on(self._turns(self._running, logits))

    def _read_anew(self, number: int, logits: Tensor, slots: Sequence[int], lengths: Sequence[int]) -> None:
        """Read again the rows whose frequencies change with their newest token."""
        reader = self._readers[number]
        rows = ((stream, row) for stream in self._running for row in stream.beam)
        for slot, length, (stream, row) in zip(slots, lengths, rows, strict=True):
            if reader.outgrows(length):
                logits[slot] = reader.read_anew((*self._text(number, stream.prompt), *row.tokens), slot)

    def _read_so_far(self, number: int) -> list[int]:
        """Return how many tokens of each running row a model has read: all but the last one."""
        prompts = [len(self._text(number, stream.prompt)) for stream in self._running]
        rows = zip(prompts, self._running, strict=True)
        return [prompt + len(row.tokens) - 1 for prompt, stream in rows for row in stream.beam]

    def _go_on(self, turns: Sequence[Turn]) -> None:
        self._places, moves = rearranged(self._places, [[parent for parent, _ in turn.rows] for turn in turns])
        self._move(moves)
        self._carry_out(0, turns)

    def _move(self, moves: Mapping[int, int]) -> None:
        for reader in self._readers:
            reader.slots.move(moves)

    def _carry_out(self, first: int, turns: Sequence[Turn]) -> None:
        """Apply the turns to the running streams from `first` on; finished streams leave."""
        for stream, turn in zip(self._running[first:], turns, strict=True):
            stream.beam, stream.pool = [row for _, row in turn.rows], turn.pool
            if turn.result is not None:
                self._done.append((stream, turn.result))
        going = [place for place, stream in enumerate(self._running) if place < first or stream.beam]
        going.sort(key=lambda place: self._places[place][:1] or [self._rows])
        self._running, self._places = [self._running[at] for at in going], [self._places[at] for at in going]

    def _turns(self, streams: Sequence[Stream], logits: Sequence[Tensor]) -> list[Turn]:
        turns = self._search.step(streams, self._view(streams, logits))
        if self._rules.slack:
            turns = [turn if turn.sure else self._settled(stream) for stream, turn in zip(streams, turns, strict=True)]
        return turns

    def _view(self, streams: Sequence[Stream], logits: Sequence[Tensor]) -> View:
        size = torch.cat([logit_sizes(model_logits) for model_logits in logits], dim=-1).amax(dim=-1, keepdim=True)

        def block(scores: Tensor) -> Tensor:
            if self._rules.no_repeat_ngram_size:
                rows = [(*stream.prompt, *row.tokens) for stream in streams for row in stream.beam]
                for place, tokens in enumerate(rows):
                    scores[place, repeating_tokens(tokens, self._rules.no_repeat_ngram_size)] = -float("inf")
            return scores

        known = min(model_logits.shape[1] for model_logits in logits)  # beyond it each model has only its own padding
        expert, amateur = logits[0][:, :known], logits[1][:, :known] if len(logits) > 1 else None
        slack = self._rules.slack * size
        return View(expert, slack, self._noise(streams), self._rules.ends, block, amateur)

    def _noise(self, streams: Sequence[Stream]) -> Noise:
        seeds = [self._rules.seed if stream.seed is None else stream.seed for stream in streams]
        rows = [(seed, one.page_id, one.sample) for seed, one in zip(seeds, streams, strict=True) for _ in one.beam]
        keys = noise.seeded_keys(rows).to(self._device)
        steps = torch.tensor([stream.written for stream in streams for _ in stream.beam], device=self._device)
        return lambda tokens: noise.gumbel(keys, steps, tokens)

    def _settled(self, stream: Stream) -> Turn:
        """Repeat the stream's step, with each of its rows read alone."""
        return self._search.step([stream], self._view_alone(stream))[0]

    def _view_alone(self, stream: Stream) -> View:
        slots = next(slots for running, slots in zip(self._running, self._places, strict=True) if running is stream)
        places: Sequence[int | None] = slots or [None] * len(stream.beam)
        rows = list(zip(stream.beam, places, strict=True))
        logits = [
            torch.cat([self._alone(number, stream, row.tokens, slot) for row, slot in rows])
            for number in range(len(self._readers))
        ]
        return replace(self._view([stream], logits), slack=torch.zeros(len(logits[0]), 1, device=self._device))

    def _alone(self, number: int, stream: Stream, tokens: Sequence[int], slot: int | None) -> Tensor:
        """Read a row alone; `slot` is the row's, or None if the row begins with this step."""
        reader, prompt = self._readers[number], self._text(number, stream.prompt)
        return reader.alone(prompt, tokens) if slot is None else reader.alone_after(prompt, tokens, slot)


def rearranged(
    places: Sequence[Sequence[int]], parents: Sequence[Sequence[int]]
) -> tuple[list[list[int]], dict[int, int]]:
    """Return new slots for each stream's rows, and the copies {to: from} that fill them.

    `places` holds the slots of each stream's rows, `parents` the row in its stream that each new row continues. A
    parent's first child stays in place; the slots in use are 0 … n - 1 before and after.
    """
    origins = [[slots[parent] for parent in rows] for slots, rows in zip(places, parents, strict=True)]
    count = sum(map(len, origins))
    content: dict[int, int] = {}
    unplaced: list[tuple[int, int, int]] = []
    new: list[list[int]] = [[-1] * len(rows) for rows in origins]
    for stream, rows in enumerate(origins):
        for row, origin in enumerate(rows):
            if origin < count and origin not in content:
                content[origin] = origin
                new[stream][row] = origin
            else:
                unplaced.append((stream, row, origin))
    gaps = iter(slot for slot in range(count) if slot not in content)
    moves = {}
    for (stream, row, origin), slot in zip(unplaced, gaps, strict=True):
        new[stream][row] = slot
        moves[slot] = origin
    return new, moves
