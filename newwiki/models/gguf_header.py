"""Read from the header of a GGUF file how many weights it holds, and what they take in memory.

The format is described in ggml's docs/gguf.md. The package gguf parses every token of the vocabulary into an array of
its own, which takes half a minute for a large one; here they are skipped.
"""

import math
import struct
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from newwiki.errors import TerminalError
from newwiki.models.quantised import gguf_of

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_STRING, _ARRAY = 8, 9
# Bytes of a value, by the number of its type
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_MOST = 1 << 24  # entries of the header, and dimensions of a tensor


@dataclass(frozen=True)
class GGUFHeader:
    """`weights` counts the numbers in all tensors, `types` those of each storage type by its name, such as Q4_K."""

    file: Path
    bytes_on_disk: int
    types: Counter[str]

    @property
    def weights(self) -> int:
        return self.types.total()

    def bytes_in_memory(self, dtype: str) -> int:
        """Return the bytes of the weights in a dtype of `newwiki evaluate`: all of them are converted to it."""
        return self.weights * (4 if dtype == "float32" else 2)

    def cost(self, dtype: str) -> str:
        """Return a sentence part: the size of the file, how its weights are stored, and what they take in memory."""
        stored = max(self.types, key=self.types.__getitem__)
        bits = 8 * self.bytes_on_disk / self.weights
        return (
            f"{self.bytes_on_disk / 1e9:.2f} GB on disk ({self.weights:,} weights, mostly {stored}, {bits:.1f} bits "
            f"each) become {self.bytes_in_memory(dtype) / 1e9:.2f} GB of {dtype} in memory"
        )


def header_of(name: str) -> GGUFHeader | None:
    """Return the header of a GGUF file, or of the one in a folder that holds no other model; None for any other model.
    Raises TerminalError for a file that is not GGUF."""
    file = gguf_of(Path(name))
    return read_header(file) if file else None


def read_header(file: Path) -> GGUFHeader:
    """Read the header. Raises TerminalError for a file that is not GGUF."""
    from gguf import GGMLQuantizationType

    types: Counter[str] = Counter()
    try:
        with file.open("rb") as stream:
            for kind, weights in _tensors(stream):
                types[GGMLQuantizationType(kind).name] += weights
    except (ValueError, KeyError, OSError, OverflowError, RecursionError, struct.error) as error:
        raise TerminalError(f"'{file}' is not a readable GGUF file ({error}); download it again") from error
    if not types.total():
        raise TerminalError(f"'{file}' holds no weights; download it again")
    return GGUFHeader(file, file.stat().st_size, types)


def _tensors(stream: BinaryIO) -> list[tuple[int, int]]:
    """Return the storage type and the number of weights of each tensor."""
    magic, version, tensors, entries = struct.unpack("<4sIQQ", stream.read(24))
    if magic != _MAGIC or version not in _VERSIONS or max(tensors, entries) > _MOST:
        raise ValueError("its first bytes are those of another format or version")
    for _ in range(entries):
        _skip_string(stream)
        _skip(stream, _number(stream, "<I"))
    return [_tensor(stream) for _ in range(tensors)]


def _tensor(stream: BinaryIO) -> tuple[int, int]:
    _skip_string(stream)
    dimensions = min(_number(stream, "<I"), _MOST)
    shape = [_number(stream, "<Q") for _ in range(dimensions)]
    kind, _ = _number(stream, "<I"), _number(stream, "<Q")
    return kind, math.prod(shape)


def _skip(stream: BinaryIO, kind: int) -> None:
    """Skip a value of a type."""
    if kind == _STRING:
        _skip_string(stream)
    elif kind == _ARRAY:
        inner, count = _number(stream, "<I"), _number(stream, "<Q")
        if inner in _SIZES:
            stream.seek(_SIZES[inner] * count, 1)
        else:
            for _ in range(count):
                _skip(stream, inner)
    else:
        stream.seek(_SIZES[kind], 1)


def _skip_string(stream: BinaryIO) -> None:
    stream.seek(_number(stream, "<Q"), 1)


def _number(stream: BinaryIO, form: str) -> int:
    [number] = struct.unpack(form, stream.read(struct.calcsize(form)))
    return int(number)
