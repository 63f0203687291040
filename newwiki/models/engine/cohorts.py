"""The engine for encoder-decoders: completions begin together, because all rows of a batch must have the same length.

A cohort holds the prompts whose lengths fill the same number of blocks, so a row is read in the same tensor shapes
whatever the other rows are. A finished row leaves at once; its slot stays empty until the whole cohort is done.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from newwiki.decoding.stream import Stream, View
from newwiki.models.engine.encoder_decoder import EncoderDecoderReader
from newwiki.models.engine.loop import Done, Engine
from newwiki.models.engine.slots import BLOCK


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
