"""Read with an encoder-decoder and its caches in three ways: a prompt, one token per row, one text alone.

T5's position biases and BART's positions use one length for a whole batch, so all rows have written the same number of
tokens. The encoder's states of each prompt are stored next to them, under a mask.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from transformers import Cache, DynamicCache, EncoderDecoderCache
from transformers.cache_utils import DynamicLayer
from transformers.modeling_outputs import BaseModelOutput

from newwiki.decoding.stream import Stream, View
from newwiki.errors import TerminalError
from newwiki.models.engine.loop import Done, Engine
from newwiki.models.engine.reader import Reader, ReadPrompt
from newwiki.models.engine.slots import BLOCK, Layer, Slots

_PROMPTS = ((1, 2, 3, 4, 5, 6, 7), (8, 9, 10))
_TEXT = (11, 12, 13, 14)


class EncoderDecoderReader(Reader):
    """An encoder-decoder with slots for `rows` rows; a pass has two rows or more, as in any Reader.

    As in `generate`, the decoder begins with `start`. If the checkpoint's generation config says so, the first token is
    `forced`, and the tokens in `never` are not written.
    """

    def __init__(self, model: Any, rows: int) -> None:
        self._model = model
        configured = model.generation_config
        self.start = decoder_start(model)
        self.forced: int | None = configured.forced_bos_token_id
        single = [words[0] for words in configured.bad_words_ids or [] if len(words) == 1]
        self.never: list[int] = sorted({*single, *(configured.suppress_tokens or [])})
        with torch.inference_mode():
            read = self.read([self.start], hidden=True)
        self._size = read.hidden.shape[-1]
        self.slots: DecoderSlots = DecoderSlots(max(rows, 2), model.device)

    def read(self, tokens: Sequence[int], *, hidden: bool = False) -> ReadPrompt:
        """Read a prompt by itself, and the decoder's start. `hidden` returns the encoder's states."""
        output = self._model(
            input_ids=self._row(tokens),
            decoder_input_ids=self._row([self.start]),
            past_key_values=EncoderDecoderCache(DynamicCache(), DynamicCache()),
            use_cache=True,
        )
        states = output.encoder_last_hidden_state[0] if hidden else output.logits[0, :0]
        return ReadPrompt(output.past_key_values, 1, output.logits[:, -1].float(), states)

    def step(self, tokens: Tensor) -> Tensor:
        """Return logits [rows, vocabulary] after one more token [rows] in each of the first rows, which it extends."""
        rows = len(tokens)
        filled = tokens if rows > 1 else tokens.repeat(2)
        self._make_room(len(filled), 1)
        self.slots.open(len(filled), 1)
        sources = self.slots.sources
        states = torch.zeros(1, 1, 1, dtype=self._model.dtype, device=self._model.device)  # a stand-in: keys are cached
        output = self._model(
            encoder_outputs=BaseModelOutput(last_hidden_state=states.expand(len(filled), sources.width, self._size)),
            attention_mask=self._source_mask(len(filled)),
            decoder_input_ids=filled[:, None],
            past_key_values=EncoderDecoderCache(self.slots, self.slots.seen(len(filled))),
            use_cache=True,
        )
        self.slots.lengths[:rows] += 1
        return output.logits[:rows, -1].float()

    def alone(self, tokens: Sequence[int], source: Sequence[int] = ()) -> Tensor:
        """Return logits [1, vocabulary] after a prompt and the written tokens, read whole, without a cache."""
        output = self._model(
            input_ids=self._row(source), decoder_input_ids=self._row([self.start, *tokens]), use_cache=False
        )
        return output.logits[:, -1].float()

    def throughout(self, prompt: Sequence[int], written: Sequence[int]) -> Tensor:
        output = self._model(
            input_ids=self._row(prompt), decoder_input_ids=self._row([self.start, *written]), use_cache=False
        )
        return output.logits[0].float()

    def _source_mask(self, rows: int) -> Tensor:
        """Return the mask [rows, 1, 1, columns] of the encoder states that each row sees."""
        sources = self.slots.sources
        columns = torch.arange(sources.width, device=sources.lengths.device)
        return self._additive((columns < sources.lengths[:rows, None])[:, None])


class DecoderSlots(Slots):
    """Slots of rows that have all written the same number of tokens; `sources` holds the encoder's states of each."""

    def __init__(self, count: int, device: torch.device) -> None:
        super().__init__(count, device)
        self.sources = Slots(count, device)
        self.length = 0
        self._prompts: dict[int, int] = {}  # slot → number of its prompt

    def layer(self) -> Layer:
        return _EvenLayer(self)

    def put(self, prompt: Cache, length: int, slots: Sequence[int]) -> None:
        assert isinstance(prompt, EncoderDecoderCache)
        super().put(prompt.self_attention_cache, length, slots)
        read = prompt.cross_attention_cache
        self.sources.put(read, read.get_seq_length(), slots)
        number = max(self._prompts.values(), default=0) + 1
        self._prompts.update(dict.fromkeys(slots, number))

    def reset(self, slots: Sequence[int], lengths: Sequence[int]) -> None:
        super().reset(slots, lengths)
        [self.length] = set(lengths)

    def move(self, moves: Mapping[int, int]) -> None:
        super().move(moves)
        others = {to: origin for to, origin in moves.items() if self._prompts.get(to) != self._prompts[origin]}
        self.sources.move(others)
        self._prompts.update({to: self._prompts[origin] for to, origin in moves.items()})

    def clear(self, count: int) -> None:
        super().clear(count)
        self.sources.clear(count)
        self.length = 0
        self._prompts = {}

    def seen(self, rows: int) -> Cache:
        """Return the encoder's keys and values for the first rows."""
        return Cache(layers=[_SeenLayer(layer.keys[:rows], layer.values[:rows]) for layer in self.sources.layers])


class _EvenLayer(Layer):
    """A decoder layer's states; returns only the columns that are full."""

    _slots: DecoderSlots

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        keys, values = super().update(key_states, value_states, *args, **kwargs)
        end = self._slots.length + key_states.shape[2]
        return keys[:, :, :end], values[:, :, :end]

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        return self._slots.length + query_length, 0

    def get_seq_length(self) -> int:
        return self._slots.length


class _SeenLayer(DynamicLayer):
    """Keys and values that do not change."""

    def __init__(self, keys: Tensor, values: Tensor) -> None:
        super().__init__()
        self.lazy_initialization(keys, values)
        self.keys, self.values = keys, values


def largest_difference(model: Any) -> float:
    """Return the largest difference between logits of two rows that are read token by token and those of a plain
    forward pass, as a share of the largest logit."""
    vocabulary = model.config.get_text_config().vocab_size
    sources = [[token % vocabulary for token in prompt] for prompt in _PROMPTS]
    text = [token % vocabulary for token in _TEXT]
    reader = EncoderDecoderReader(model, 2)
    for slot, source in enumerate(sources):
        prompt = reader.read(source)
        reader.slots.put(prompt.cache, prompt.length, [slot])
    errors, sizes = [], [1.0]
    for step, token in enumerate(text):
        reader.slots.reset([0, 1], [step + 1] * 2)
        logits = reader.step(torch.tensor([token] * 2, device=model.device))
        plain = torch.cat([reader.alone(text[: step + 1], source) for source in sources])
        if bool(plain.isnan().any()):
            return 0.0  # a run reports NaN when it meets one
        errors.append(float((logits - plain).abs().max()))
        sizes.append(float(plain.abs().max()))
    return max(errors) / max(sizes)


def decoder_start(model: Any) -> int:
    candidates = (
        model.generation_config.decoder_start_token_id,
        getattr(model.config, "decoder_start_token_id", None),
        model.generation_config.bos_token_id,
    )
    start = next((token for token in candidates if token is not None), None)
    if not isinstance(start, int):
        raise TerminalError(
            f"{type(model).__name__} does not define its decoder's start token; set decoder_start_token_id in the "
            "checkpoint's generation_config.json"
        )
    return start


@dataclass(slots=True)
class Encoded(Stream):
    """A completion for the text `source` that the encoder reads; `prompt` is what the decoder begins with."""

    source: tuple[int, ...] = ()

    @property
    def blocks(self) -> int:
        return -(-len(self.source) // BLOCK)


class Cohorts(Engine):
    """An engine for Encoded streams and one encoder-decoder."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        [reader] = self._readers
        assert isinstance(reader, EncoderDecoderReader)
        self._reader = reader
        self._blocks = 0

    def run(self, streams: Sequence[Stream]) -> Iterator[list[Done]]:
        return super().run(sorted(streams, key=lambda stream: _encoded(stream).blocks))

    def read_text(self, stream: Stream, tokens: Sequence[int]) -> list[Tensor]:
        return [self._reader.throughout(self._source(stream), tokens)]

    def _admit(self) -> None:
        if self._waiting and not self._running:
            self._reader.slots.clear(self._rows)
            self._blocks = _encoded(self._waiting[0]).blocks
            super()._admit()

    def _has_room(self) -> bool:
        return super()._has_room() and _encoded(self._waiting[0]).blocks == self._blocks

    def _source(self, stream: Stream) -> tuple[int, ...]:
        return _encoded(stream).source

    def _alone(self, number: int, stream: Stream, tokens: Sequence[int], slot: int | None) -> Tensor:
        return self._reader.alone(tokens, self._source(stream))

    def _view(self, streams: Sequence[Stream], logits: Sequence[Tensor]) -> View:
        view = super()._view(streams, logits)
        written = [stream.written for stream in streams for _ in stream.beam]
        first = [row for row, tokens in enumerate(written) if tokens == 0]

        def block(scores: Tensor) -> Tensor:
            scores = view.block(scores)
            scores[:, self._reader.never] = -float("inf")
            if self._reader.forced is not None and first:
                scores[first] = -float("inf")
                scores[first, self._reader.forced] = 0
            return scores

        return replace(view, block=block)


def _encoded(stream: Stream) -> Encoded:
    assert isinstance(stream, Encoded)
    return stream
