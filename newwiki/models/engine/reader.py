"""Read with a model and its cache in three ways: a prompt, one token per row, one text alone."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache

from newwiki.errors import TerminalError
from newwiki.models.engine.attention import is_compiled
from newwiki.models.engine.compiled_slots import CompiledSlots
from newwiki.models.engine.head import decoder_of, logits_of
from newwiki.models.engine.rotary import Rope, ropes_of, rotate_rows_separately, same_frequencies
from newwiki.models.engine.slots import Slots

_KNOWN_LAYERS = {"full_attention", "sliding_attention"}
_WANTS_FLAT_MASK = {"bloom", "falcon"}  # their position biases (ALiBi) are computed from a mask [rows, columns]


@dataclass(frozen=True)
class ReadPrompt:
    """A prompt that was read: its cache, the logits [1, vocabulary] after it, its last hidden states [tokens, size]."""

    cache: Any
    length: int
    logits: Tensor
    hidden: Tensor


class Reader:
    """A causal language model with slots for `rows` rows.

    A pass has two rows or more, because the product of a single row is rounded differently from that of many. On a CPU
    with oneDNN this makes a row's logits identical to the last bit in any batch.
    """

    _ropes: Sequence[Rope] = ()

    def __init__(self, model: Any, rows: int) -> None:
        self._model = model
        self._config = model.config.get_text_config()
        self._layers = getattr(self._config, "layer_types", None)
        unknown = set(self._layers or ()) - _KNOWN_LAYERS
        if unknown:
            raise TerminalError(
                f"{type(model).__name__} has layers of type {', '.join(sorted(unknown))}, whose state cannot be "
                "divided among rows; choose a model with an attention cache"
            )
        self._window = getattr(self._config, "sliding_window", None)
        if getattr(self._config, "use_sliding_window", True) is False:
            self._window = None
        self._flat = self._config.model_type in _WANTS_FLAT_MASK and getattr(self._config, "alibi", True)
        self._takes_positions = "position_ids" in inspect.signature(model.forward).parameters
        rotate_rows_separately(model)
        self._ropes = ropes_of(model)
        self.slots = (CompiledSlots if is_compiled(model) else Slots)(max(rows, 2), model.device)
        self._captured = CapturedSteps(self._next) if model.device.type == "cuda" and not self._ropes else None

    def read(self, tokens: Sequence[int], *, hidden: bool = False) -> ReadPrompt:
        """Read a prompt by itself, so that the result does not depend on the batch that it joins."""
        inputs = {"input_ids": self._row(tokens), "past_key_values": DynamicCache(), "use_cache": True}
        if hidden:
            read = decoder_of(self._model)(**inputs)
            states, logits = read.last_hidden_state, self._after(read.last_hidden_state[:, -1:], type(read))
            return ReadPrompt(read.past_key_values, len(tokens), logits, states[0])
        output = self._model(**inputs, logits_to_keep=1)
        return ReadPrompt(output.past_key_values, len(tokens), output.logits[:, -1].float(), output.logits[0, :0])

    def step(self, tokens: Tensor) -> Tensor:
        """Return logits [rows, vocabulary] after one more token [rows] in each of the first rows, which it extends."""
        rows = len(tokens)
        self._make_room(rows, 1)
        if self._captured:
            filled = tokens.new_zeros(self._captured.rows(rows, self.slots.count))
            filled[:rows] = tokens
            self.slots.lengths[rows : len(filled)] = 0
            logits = self._captured(filled, self.slots.made)
            self.slots.running = rows
        else:
            logits = self._next(tokens if rows > 1 else tokens.repeat(2))
        self.slots.lengths[:rows] += 1
        return logits[:rows]

    def _next(self, tokens: Tensor) -> Tensor:
        positions = self.slots.open(len(tokens), 1)
        output = self._model(**self._inputs(tokens[:, None], positions, _seen(positions, self.slots.width)))
        logits: Tensor = output.logits[:, -1].float()
        return logits

    def look_ahead(self, tokens: Tensor) -> Tensor:
        """Return last hidden states [rows, k, size] after each of k tokens [rows, k] that share a position and do not
        see each other. `keep` then selects one of them, and `logits` computes what follows it. Raises TerminalError if
        the model does not support such a mask."""
        if self._flat:
            raise self._cannot_look_ahead()
        rows = len(tokens)
        tokens = tokens if rows > 1 else tokens.repeat(2, 1)
        k = tokens.shape[1]
        self._make_room(len(tokens), k)
        columns = self.slots.open(len(tokens), k)
        first = columns[:, :1]
        positions = first.expand_as(tokens)
        column = _columns(positions, self.slots.width)
        before = _seen(positions, self.slots.width) & (column != first)[:, None]
        itself = column[:, None] == columns[..., None]
        output = decoder_of(self._model)(**self._inputs(tokens, positions, before | itself))
        self._output = type(output)
        states: Tensor = output.last_hidden_state
        return states[:rows]

    def logits(self, states: Tensor) -> Tensor:
        """Return logits [rows, vocabulary] for last hidden states [rows, size] of this model."""
        rows = len(states)
        states = states if rows > 1 else states.repeat(2, 1)
        return self._after(states[:, None], self._output)[:rows]

    def _after(self, states: Tensor, output: type) -> Tensor:
        logits = logits_of(self._model, states, output)
        if logits is None:
            raise self._cannot_look_ahead()
        return logits[:, -1].float()

    def _cannot_look_ahead(self) -> TerminalError:
        return TerminalError(
            f"{type(self._model).__name__} cannot read several candidates at once, which contrastive-search needs; "
            "choose another decoder or model"
        )

    def keep(self, chosen: Tensor) -> None:
        """Keep the chosen one of the candidate tokens in each row [rows]."""
        self.slots.pick(chosen)
        self.slots.lengths[: len(chosen)] += 1

    def alone(self, prompt: Sequence[int], written: Sequence[int] = ()) -> Tensor:
        """Return logits [1, vocabulary] after a prompt and the written tokens, read whole, without a cache."""
        output = self._model(input_ids=self._row([*prompt, *written]), use_cache=False, logits_to_keep=1)
        return output.logits[:, -1].float()

    def alone_after(self, prompt: Sequence[int], written: Sequence[int], slot: int) -> Tensor:
        """Return logits [1, vocabulary] after a prompt, whose own reading is in a slot, and the written tokens, read at
        once and alone."""
        if self._ropes:
            return self.alone(prompt, written)
        length = len(prompt) + len(written)
        positions = torch.arange(len(prompt), length, device=self._model.device)[None]
        inputs = self._inputs(self._row(written), positions, _seen(positions, length))
        inputs["past_key_values"] = self.slots.prompt(slot, len(prompt))
        output = self._model(**inputs, logits_to_keep=1)
        return output.logits[:, -1].float()

    def throughout(self, prompt: Sequence[int], written: Sequence[int]) -> Tensor:
        """Return logits [tokens + 1, vocabulary] after a prompt and after each written token, in one pass over the
        whole text; in several passes if the model's rotary frequencies depend on the length."""
        text, parts = [*prompt, *written], []
        lengths = range(len(prompt), len(text) + 1)
        for _, alike in groupby(lengths, lambda length: [rope.frequencies(length) for rope in self._ropes]):
            first, *others = alike
            last = others[-1] if others else first
            output = self._model(input_ids=self._row(text[:last]), use_cache=False, logits_to_keep=last - first + 1)
            parts.append(output.logits[0].float())
        return torch.cat(parts)

    def states_alone(self, tokens: Sequence[int]) -> Tensor:
        """Return last hidden states [tokens, size] of a text that is read whole, without a cache."""
        states: Tensor = decoder_of(self._model)(input_ids=self._row(tokens), use_cache=False).last_hidden_state
        return states[0]

    def outgrows(self, length: int) -> bool:
        """Tell whether the cached keys of a text of `length` tokens become invalid with one more token, because the
        rotary frequencies depend on the length."""
        return not same_frequencies(self._ropes, length, length + 1)

    def read_anew(self, tokens: Sequence[int], slot: int) -> Tensor:
        """Read a text into a slot by itself and return the logits [vocabulary] after it."""
        read = self.read(tokens)
        self.slots.put(read.cache, read.length, [slot])
        return read.logits[0]

    def _row(self, tokens: Sequence[int]) -> Tensor:
        return torch.tensor([list(tokens)], device=self._model.device)

    def _make_room(self, rows: int, tokens: int) -> None:
        self.slots.running = rows
        self.slots.widen(int(self.slots.lengths[:rows].max()) + tokens)

    def _inputs(self, tokens: Tensor, positions: Tensor, seen: Tensor) -> dict[str, Any]:
        inputs: dict[str, Any] = {
            "input_ids": tokens,
            "attention_mask": self._mask(seen, positions),
            "past_key_values": self.slots,
            "use_cache": True,
        }
        if self._takes_positions:
            inputs["position_ids"] = positions
        return inputs

    def _mask(self, seen: Tensor, positions: Tensor) -> Tensor | Mapping[str, Tensor]:
        if self._flat:
            return seen[:, -1].long()
        if self._window is None:
            return self._additive(seen)
        near = seen & (_columns(positions, seen.shape[-1])[:, None] > positions[..., None] - self._window)
        if self._layers is None:
            return self._additive(near)
        kinds = {"full_attention": seen, "sliding_attention": near}
        masks = {kind: self._additive(kinds[kind]) for kind in set(self._layers)}
        return masks if len(masks) > 1 else next(iter(masks.values()))

    def _additive(self, seen: Tensor) -> Tensor:
        hidden = torch.finfo(self._model.dtype).min
        mask = torch.zeros(seen.shape, dtype=self._model.dtype, device=seen.device)
        return mask.masked_fill_(~seen, hidden)[:, None]


def _columns(like: Tensor, width: int) -> Tensor:
    return torch.arange(width, device=like.device)[None]


def _seen(positions: Tensor, width: int) -> Tensor:
    """Return the mask [rows, tokens, width] of what a token at each position [rows, tokens] sees, itself included."""
    return _columns(positions, width)[:, None] <= positions[..., None]


_ROWS = 16  # graphs are captured for multiples of this, so few are needed as rows finish one by one


class CapturedSteps:
    """Calls `read`, from tokens [rows] to logits [rows, vocabulary], and replays it as a graph once rows repeat."""

    def __init__(self, read: Callable[[Tensor], Tensor]) -> None:
        self._read = read
        self._made = 0
        self._seen: set[int] = set()  # numbers of rows
        self._graphs: dict[int, tuple[torch.cuda.CUDAGraph, Tensor, Tensor]] = {}
        self._can_be_captured = True

    def rows(self, rows: int, most: int) -> int:
        """Return how many rows to read for the wanted number, up to `most`, padding with free rows."""
        return min(-(-rows // _ROWS) * _ROWS, most)

    def __call__(self, tokens: Tensor, made: int) -> Tensor:
        """Read the tokens; while `made` is unchanged, every other tensor that `read` uses stays at its address."""
        rows = len(tokens)
        if made != self._made:
            self._made = made
            self._seen.clear()
            self._graphs.clear()
        if rows in self._graphs:
            graph, given, logits = self._graphs[rows]
            given.copy_(tokens)
            graph.replay()
            return logits.clone()
        if rows in self._seen and self._can_be_captured:
            self._capture(tokens)
        self._seen.add(rows)
        return self._read(tokens)

    def _capture(self, tokens: Tensor) -> None:
        """Capture a graph, unless the model's kernels depend on computed values, as a mixture of experts does."""
        graph, given = torch.cuda.CUDAGraph(), tokens.clone()
        pool = next((captured.pool() for captured, _, _ in self._graphs.values()), None)
        try:
            with torch.cuda.graph(graph, pool=pool):
                logits = self._read(given)
        except torch.OutOfMemoryError:
            raise
        except RuntimeError:
            torch.cuda.synchronize()
            self._can_be_captured = False
        else:
            self._graphs[len(tokens)] = (graph, given, logits)
