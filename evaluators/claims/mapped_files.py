"""Store numbers and texts in files that are mapped into memory, so only requested parts are read from the disk."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The little-endian number type of a file, by the end of its name.
TYPES: Mapping[str, str] = {
    ".ends": "<i8",
    ".starts": "<i8",
    ".keys": "<u8",
    ".pages": "<i8",
    ".places": "<i4",
    ".sentences": "<i4",
    ".weights": "<f4",
}


def mapped(file: Path) -> NDArray[Any]:
    """Map the numbers of a file, of the type that its name implies."""
    kind = np.dtype(TYPES[file.suffix])
    if not file.stat().st_size:
        return np.empty(0, kind)
    return np.asarray(np.memmap(file, kind, "r"))


def room_for(file: Path, length: int) -> NDArray[Any]:
    """Create a file for this many numbers, to be filled."""
    kind = np.dtype(TYPES[file.suffix])
    if not length:
        file.touch()
        return np.empty(0, kind)
    return np.memmap(file, kind, "w+", shape=(length,))


class NumberWriter:
    """Writes numbers to a file, one array after another."""

    def __init__(self, file: Path) -> None:
        self._kind = np.dtype(TYPES[file.suffix])
        self._stream = file.open("wb")

    def add(self, numbers: Sequence[int] | NDArray[Any]) -> None:
        self._stream.write(np.asarray(numbers, self._kind).tobytes())

    def __enter__(self) -> NumberWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        self._stream.close()


class TextWriter:
    """Writes texts one after another to `NAME.utf8`, and their end positions to `NAME.ends`."""

    def __init__(self, folder: Path, name: str) -> None:
        self._bytes = (folder / f"{name}.utf8").open("wb")
        self._ends = NumberWriter(folder / f"{name}.ends")
        self._end = 0

    def add(self, texts: Iterable[str]) -> None:
        ends = []
        for text in texts:
            self._end += self._bytes.write(text.encode())
            ends.append(self._end)
        self._ends.add(ends)

    def __enter__(self) -> TextWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        self._bytes.close()
        self._ends.__exit__(kind, value, trace)


class Texts:
    """Reads what a TextWriter has written."""

    def __init__(self, folder: Path, name: str) -> None:
        file = folder / f"{name}.utf8"
        self._bytes = np.asarray(np.memmap(file, np.uint8, "r")) if file.stat().st_size else np.empty(0, np.uint8)
        self._ends = mapped(folder / f"{name}.ends")

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, place: int) -> str:
        start = int(self._ends[place - 1]) if place else 0
        return self._bytes[start : int(self._ends[place])].tobytes().decode()


def key(text: str) -> int:
    """Return a 64-bit key for looking up a text; other texts may have the same key."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def places_of(texts: Iterable[str], keys: NDArray[Any]) -> dict[str, range]:
    """Return for each text the positions of its key among sorted keys, if there are any."""
    wanted = list(dict.fromkeys(texts))
    theirs = np.array([key(text) for text in wanted], np.uint64)
    first, last = np.searchsorted(keys, theirs, "left"), np.searchsorted(keys, theirs, "right")
    return {wanted[place]: range(int(first[place]), int(last[place])) for place in np.flatnonzero(last > first)}
