"""The engine for searches that read some candidates before they choose one: all of them side by side in one pass.

That pass is the only cost of a token, as in other engines: the logits after the chosen candidate come from its last
hidden state.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import normalize, pad

from newwiki.decoding.stream import LookAhead, Search, Stream, Turn, View
from newwiki.models.engine.loop import Engine
from newwiki.models.engine.reader import ReadPrompt
from newwiki.models.engine.slots import BLOCK


class LookAheadEngine(Engine):
    """An engine for a LookAhead search. Each stream has one row, so the running streams are in slots 0, 1, 2, …"""

    hidden = True

    _logits: Tensor | None  # [slots, vocabulary], after the text of each slot
    _ahead: tuple[Tensor, Tensor, Tensor, Tensor] | None  # candidates, last hidden states, as unit vectors, cosines

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        [self._reader] = self._readers
        self._anew: list[Stream] = []  # streams whose text must be read again

    def _begin(self, group: Sequence[Stream], prompts: Sequence[ReadPrompt]) -> None:
        """Begin new streams; their first step runs together with the others'."""
        self._put(prompts, self._assigned(len(self._running) - len(group)))

    def _put(self, prompts: Sequence[ReadPrompt], slots: Sequence[int]) -> None:
        super()._put(prompts, slots)
        [prompt] = prompts
        if self._logits is None:
            self._logits = prompt.logits.new_empty(self._reader.slots.count, prompt.logits.shape[1])
        self._logits[slots] = prompt.logits
        self._states.put(prompt.hidden, slots, self._reader.slots.count)

    def _advance(self) -> None:
        if not self._running:
            return
        assert self._logits is not None
        self._anew = []
        self._outgrow()
        turns = self._turns(self._running, [self._logits[: len(self._running)].clone()])
        self._keep([turn.rows[0][1].tokens[-1] if turn.rows else -1 for turn in turns])
        self._go_on(turns)
        for slot, stream in enumerate(self._running):
            if stream in self._anew:
                text = (*stream.prompt, *stream.beam[0].tokens)
                self._put([self._reader.read(text, hidden=True)], [slot])

    def _outgrow(self) -> None:
        """Read again the texts whose frequencies change with one more token. They are read with a placeholder token,
        which the candidates then overwrite."""
        for slot, stream in enumerate(self._running):
            text = (*stream.prompt, *stream.beam[0].tokens)
            if self._reader.outgrows(len(text)):
                read = self._reader.read((*text, text[-1]), hidden=True)
                self._reader.slots.put(read.cache, read.length, [slot])
                self._reader.slots.reset([slot], [len(text)])
                self._states.put(read.hidden[:-1], [slot], self._reader.slots.count)

    def _view(self, streams: Sequence[Stream], logits: Sequence[Tensor]) -> View:
        return replace(super()._view(streams, logits), similarity=self._similarity)

    def _similarity(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        states = self._reader.look_ahead(tokens)
        units = normalize(states.float(), dim=-1)
        cosines = self._states.nearest(units, self._reader.slots.lengths[: len(tokens)])
        self._ahead = (tokens, states, units, cosines)
        return cosines, torch.full_like(cosines, self._rules.slack)

    def _keep(self, written: Sequence[int]) -> None:
        """Extend each row with its chosen token. Rows that end or are read again may keep anything."""
        assert self._ahead is not None and self._logits is not None
        candidates, states, units, _ = self._ahead
        chosen = (candidates == torch.tensor(written, device=self._device)[:, None]).int().argmax(dim=1)
        rows = torch.arange(len(written), device=self._device)
        self._logits[: len(written)] = self._reader.logits(states[rows, chosen])
        self._states.add(units[rows, chosen], self._reader.slots.lengths[: len(written)])
        self._reader.keep(chosen)
        self._ahead = None

    def _move(self, moves: Mapping[int, int]) -> None:
        super()._move(moves)
        if moves and self._logits is not None:
            to, origin = list(moves), list(moves.values())
            self._logits[to] = self._logits[origin]
            self._states.move(to, origin)

    def _forget(self) -> None:
        self._states, self._logits, self._ahead = States(), None, None
        super()._forget()

    def _settled(self, stream: Stream) -> Turn:
        """Choose again from exact logits. If the token was not a candidate of the last pass, the text is read again."""
        turn = super()._settled(stream)
        if turn.rows and turn.rows[0][1].tokens[-1] not in self._looked_at(stream):
            self._anew.append(stream)
        return turn

    def _looked_at(self, stream: Stream) -> dict[int, float]:
        """Return the cosine of each candidate that the last pass read for the stream."""
        assert self._ahead is not None
        slot = next(place for place, running in enumerate(self._running) if running is stream)
        return dict(zip(self._ahead[0][slot].tolist(), self._ahead[3][slot].tolist(), strict=True))

    def _view_alone(self, stream: Stream) -> View:
        """Return exact logits with the last pass's cosines, which suffice to find the candidates close enough to the
        best to need reading alone."""
        text = (*stream.prompt, *stream.beam[0].tokens)
        known = self._looked_at(stream)

        def similarity(tokens: Tensor) -> tuple[Tensor, Tensor]:
            slack = self._rules.slack
            pairs = [(known[token], slack) if token in known else (0.0, 1 + slack) for token in tokens[0].tolist()]
            cosines, errors = torch.tensor(pairs, device=tokens.device).T
            return cosines[None], errors[None]

        def exactly(tokens: Tensor) -> Tensor:
            read = [normalize(self._reader.states_alone((*text, token)), dim=-1) for token in tokens.tolist()]
            return torch.stack([(units[:-1] @ units[-1]).amax() for units in read])

        return replace(super()._view_alone(stream), similarity=similarity, exactly=exactly)

    def _alone(self, number: int, stream: Stream, tokens: Sequence[int], slot: int | None) -> Tensor:
        """Read the whole text: its slot may have been read again, so the prompt by itself is gone."""
        return self._reader.alone(stream.prompt, tokens)


class States:
    """The last hidden states of each slot's text: unit vectors in float32 [slots, tokens, size], extended in blocks."""

    def __init__(self) -> None:
        self._units: Tensor | None = None

    def put(self, states: Tensor, slots: Sequence[int], count: int) -> None:
        """Store the states [tokens, size] of a text in these slots, of `count` in all."""
        if self._units is None:
            self._units = torch.zeros(count, 0, states.shape[1], device=states.device)
        self._widen(len(states))[slots, : len(states)] = normalize(states.float(), dim=-1)

    def add(self, units: Tensor, columns: Tensor) -> None:
        """Append one state [rows, size] to each of the first slots, at positions [rows]."""
        self._widen(int(columns.max()) + 1)[torch.arange(len(units), device=units.device), columns] = units

    def nearest(self, units: Tensor, lengths: Tensor) -> Tensor:
        """Return the largest cosine [rows, k] of each of [rows, k, size] with the first `lengths` [rows] states of its
        slot."""
        assert self._units is not None
        cosines = torch.matmul(units, self._units[: len(units)].transpose(1, 2))
        beyond = torch.arange(cosines.shape[2], device=lengths.device) >= lengths[:, None]
        return cosines.masked_fill_(beyond[:, None], -float("inf")).amax(dim=-1)

    def move(self, to: Sequence[int], origin: Sequence[int]) -> None:
        assert self._units is not None
        self._units[to] = self._units[origin]

    def _widen(self, tokens: int) -> Tensor:
        assert self._units is not None
        missing = tokens - self._units.shape[1]
        if missing > 0:
            self._units = pad(self._units, (0, 0, 0, -(-missing // BLOCK) * BLOCK))
        return self._units


def engine_for(search: Search) -> type[Engine]:
    return LookAheadEngine if isinstance(search, LookAhead) else Engine
