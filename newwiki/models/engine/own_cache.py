"""Run models whose state does not fit into slots (recurrent layers, windows that a model manages itself) with their own
cache object, which is slower.

A row's state is every tensor that the model keeps about the row's text. A pass has rows of one stream only, whose
states differ only in their numbers. So there is no padding and no mask, nothing depends on what else runs, and nothing
needs to be settled.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache

from newwiki.decoding.stream import Search
from newwiki.errors import TerminalError
from newwiki.models.engine.loop import Engine, Rules
from newwiki.models.engine.reader import Reader, ReadPrompt
from newwiki.models.engine.slots import Slots

_NAMES = ("past_key_values", "cache_params", "state")  # the possible names of the cache argument
_TEXTS = ((1, 2, 3, 4, 5, 6, 7), (7, 5, 3, 1, 2, 4, 6))
_BEGUN = ((0, 2), (1, 2), (0, 4), (1, 4), (1, 1))  # rows of the self-test: a text, and its prefilled tokens
_MOVES = {0: 3, 3: 1, 1: 0}


@dataclass(frozen=True, eq=False)
class State:
    """What a model keeps about `rows` texts: its cache object, and the tensors held by its modules. The first dimension
    of each tensor that has one is the rows'. A pass writes into it."""

    kept: tuple[Any, list[Tensor | None]]
    rows: int
    needed: bool = False  # still needed unchanged, so no pass may write into it

    @cached_property
    def likeness(self) -> object:
        """Everything but the numbers; equal for states that can be joined. Raises TerminalError for a tensor without
        rows."""
        return _likeness(self.kept, self.rows)


class OwnCacheReader(Reader):
    """A causal language model whose rows have one state each.

    Without `join`, a pass has a single row.
    """

    def __init__(self, model: Any, rows: int, join: bool) -> None:
        self._model = model
        self._join = join
        taken = inspect.signature(model.forward).parameters
        self._name = next((name for name in _NAMES if name in taken), "")
        self._takes_positions = "position_ids" in taken
        if not self._name:
            raise TerminalError(f"{type(model).__name__} takes no cache argument; choose another model")
        self.slots: States = States(rows, model.device)
        with torch.inference_mode():
            self._holders, self._gives_cache = self._probed()

    def read(self, tokens: Sequence[int], *, hidden: bool = False) -> ReadPrompt:
        """Read a prompt by itself; hidden states are not available."""
        cache = None if self._gives_cache else DynamicCache(config=self._model.config)
        fresh = State((cache, [before for _, _, before in self._holders]), 1)
        logits, state = self._pass(self._row(tokens), self._row(range(len(tokens))), fresh)
        return ReadPrompt(state, len(tokens), logits, logits[:, :0])

    def step(self, tokens: Tensor) -> Tensor:
        """Return logits [rows, vocabulary] after one more token [rows] in each of the first rows, which it extends."""
        rows = len(tokens)
        logits: Tensor | None = None
        for slots in self.slots.passes(rows, self._join):
            read, state = self._pass(tokens[slots, None], self.slots.lengths[slots, None], self.slots.taken(slots))
            self.slots.give(state, slots)
            logits = read.new_empty(rows, read.shape[1]) if logits is None else logits
            logits[slots] = read
        assert logits is not None, "a step has rows"
        self.slots.lengths[:rows] += 1
        return logits

    def alone(self, prompt: Sequence[int], written: Sequence[int] = ()) -> Tensor:
        """Return logits [1, vocabulary] after a text that is read again by itself, as in a batch of one row: the prompt
        at once, then the written tokens one by one."""
        read = self.read(prompt)
        logits, state = read.logits, read.cache
        for place, token in enumerate(written, start=len(prompt)):
            logits, state = self._pass(self._row([token]), self._row([place]), state)
        return logits

    def alone_after(self, prompt: Sequence[int], written: Sequence[int], slot: int) -> Tensor:
        return self.alone(prompt, written)

    def bytes_per_row(self, length: int) -> int:
        """Extrapolate the size of the state of a text of `length` tokens from those of two short texts."""
        short, longer = 8, 24
        with torch.inference_mode():
            few, more = (_bytes(self.read([1] * tokens).cache) for tokens in (short, longer))
        return few + (more - few) * max(0, length - short) // (longer - short)

    def _pass(self, tokens: Tensor, positions: Tensor, state: State) -> tuple[Tensor, State]:
        """Return logits [rows, vocabulary] after tokens [rows, any] at these positions, and the state after them."""
        cache, held = state.kept
        for (module, name, _), tensor in zip(self._holders, held, strict=True):
            setattr(module, name, tensor)
        inputs = {"position_ids": positions} if self._takes_positions else {}
        if cache is not None:
            inputs[self._name] = cache
        output = self._model(input_ids=tokens, use_cache=True, logits_to_keep=1, **inputs)
        after = [getattr(module, name) for module, name, _ in self._holders]
        kept = (getattr(output, self._name) if self._gives_cache else cache, after)
        return output.logits[:, -1].float(), State(kept, len(tokens))

    def _row(self, tokens: Sequence[int]) -> Tensor:
        return torch.tensor([list(tokens)], device=self._model.device)

    def _probed(self) -> tuple[list[tuple[Any, str, Any]], bool]:
        """Find the module attributes that are part of the model's state, with their values before a text, and whether
        the model returns its cache object."""
        rows = 3
        tokens = self._row([1, 1]).repeat(rows, 1)
        self._model(input_ids=tokens, use_cache=False)
        before = _attributes(self._model)
        output = self._model(input_ids=tokens, use_cache=True)
        holders = [
            (module, name, before.get((module, name)))
            for (module, name), value in _attributes(self._model).items()
            if value is not before.get((module, name)) and isinstance(value, Tensor) and value.shape[:1] == (rows,)
        ]
        return holders, getattr(output, self._name, None) is not None


class States(Slots):
    """Slots of states instead of keys and values; states are joined or divided as the next pass needs. `streams` holds
    the slots of each stream; without it each slot is a stream."""

    def __init__(self, count: int, device: torch.device) -> None:
        super().__init__(count, device)
        self.streams: Sequence[Sequence[int]] = ()
        self._rows: dict[int, tuple[State, int]] = {}  # slot → a state and the row's position in it

    def put(self, prompt: Any, length: int, slots: Sequence[int]) -> None:
        state = replace(prompt, needed=True)
        self._rows.update((slot, (state, 0)) for slot in slots)
        self.reset(slots, [length] * len(slots))

    def move(self, moves: Mapping[int, int]) -> None:
        super().move(moves)
        self._rows.update({to: self._rows[origin] for to, origin in moves.items()})

    def clear(self, count: int) -> None:
        super().clear(count)
        self._rows, self.streams = {}, ()

    def passes(self, rows: int, join: bool) -> list[list[int]]:
        """Divide the first rows into those that are read in one pass. Later rows have left."""
        self._rows = {slot: self._rows[slot] for slot in range(rows)}
        streams = self.streams or [[slot] for slot in range(rows)]
        if not join:
            return [[slot] for slots in streams for slot in slots]
        parts: dict[object, list[int]] = {}
        for number, slots in enumerate(streams):
            for slot in slots:
                parts.setdefault((number, self._rows[slot][0].likeness), []).append(slot)
        return list(parts.values())

    def taken(self, slots: Sequence[int]) -> State:
        """Return the state of these rows, for a pass to write into."""
        rows = [self._rows[slot] for slot in slots]
        state = rows[0][0]
        used = [place for other, place in self._rows.values() if other is state]
        whole = [(state, place) for place in range(state.rows)]
        return state if rows == whole and len(used) == state.rows and not state.needed else _joined(rows)

    def give(self, state: State, slots: Sequence[int]) -> None:
        self._rows.update((slot, (state, place)) for place, slot in enumerate(slots))


class OwnCacheEngine(Engine):
    """An engine with at least one OwnCacheReader among its readers."""

    gains_by_rows = False

    def __init__(self, readers: Sequence[Reader], search: Search, rules: Rules, **options: Any) -> None:
        exact = all(isinstance(reader, OwnCacheReader) for reader in readers)
        super().__init__(readers, search, replace(rules, slack=0.0) if exact else rules, **options)

    def _advance(self) -> None:
        for reader in self._readers:
            if isinstance(reader, OwnCacheReader):
                reader.slots.streams = list(self._places)
        super()._advance()


def largest_difference(model: Any, *, join: bool) -> float:
    """Return the largest difference between logits of rows that are read token by token, joined, copied and moved, and
    those of a plain forward pass, as a share of the largest logit."""
    vocabulary = model.config.get_text_config().vocab_size
    texts = torch.tensor(_TEXTS, device=model.device) % vocabulary
    plain = torch.cat([model(input_ids=text[None], use_cache=False).logits.float() for text in texts])
    if bool(plain.isnan().any()):
        return 0.0  # a run reports NaN when it meets one
    reader = OwnCacheReader(model, len(_BEGUN), join)
    reader.slots.streams = [range(len(_BEGUN))]
    rows, errors = list(_BEGUN), []
    for slot, (text, length) in enumerate(rows):
        prompt = reader.read(texts[text, :length].tolist())
        errors.append((prompt.logits[0] - plain[text, length - 1]).abs().max())
        reader.slots.put(prompt.cache, length, [slot])
    for _ in range(3):
        numbers, lengths = torch.tensor(rows, device=model.device).T
        errors.append((reader.step(texts[numbers, lengths]) - plain[numbers, lengths]).abs().max())
        rows = [(text, length + 1) for text, length in rows]
        reader.slots.move(_MOVES)
        rows = [rows[_MOVES.get(slot, slot)] for slot in range(len(rows))]
    return float(torch.stack(errors).max() / plain.abs().max().clamp(min=1))


def _joined(rows: Sequence[tuple[State, int]]) -> State:
    """Return a new state that joins these rows of compatible states."""
    states = list(dict.fromkeys(state for state, _ in rows))
    starts = dict(zip(states, [sum(state.rows for state in states[:n]) for n in range(len(states))], strict=True))
    places = [starts[state] + place for state, place in rows]
    copies: dict[int, Tensor] = {}
    for parts in zip(*(list(_tensors(state.kept)) for state in states), strict=True):
        if parts[0].dim():
            copies[id(parts[0])] = torch.cat(parts)[torch.tensor(places, device=parts[0].device)]
    return State(deepcopy(states[0].kept, dict(copies)), len(rows))


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    else:
        for _, part in _parts(value):
            yield from _tensors(part)


def _likeness(value: Any, rows: int) -> object:
    if isinstance(value, Tensor):
        if not value.dim():
            return value.item()
        if len(value) != rows:
            raise TerminalError(
                f"the model keeps a tensor of shape {tuple(value.shape)} for {rows} texts, which cannot be divided "
                "among them; choose another model"
            )
        return value.dtype, value.shape[1:]
    parts = tuple((name, _likeness(part, rows)) for name, part in _parts(value))
    return (type(value), parts) if parts or not _is_plain(value) else value


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float | torch.dtype | torch.device | type)


def _parts(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the parts of a cache object, by name."""
    if isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, list | tuple):
        yield from enumerate(value)
    elif not isinstance(value, type):
        yield from getattr(value, "__dict__", {}).items()


def _attributes(model: Any) -> dict[tuple[Any, str], Any]:
    """Return the plain attributes of a model's modules."""
    return {(module, name): value for module in model.modules() for name, value in vars(module).items()}


def _bytes(state: State) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in _tensors(state.kept))
