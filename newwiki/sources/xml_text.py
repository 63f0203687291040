"""Keep a revision's text as the escaped bytes of its export, and build the string only on request."""

import re
from collections.abc import Callable
from typing import Any
from xml.parsers import expat

_START_TAG = re.compile(rb"""<text(?:[^>"']|"[^"]*"|'[^']*')*>""")
# How many bytes each entity is longer than its character
_PREDEFINED = {b"&amp;": 4, b"&lt;": 3, b"&gt;": 3, b"&quot;": 5, b"&apos;": 5}


class XmlText:
    """A revision's text as the file has it; `hidden` if the wiki does not show it."""

    __slots__ = ("_raw", "_size", "hidden", "stored")

    def __init__(self, raw: bytes, attributes: dict[str, str]) -> None:
        self.hidden = "deleted" in attributes
        self._raw = b"" if self.hidden else raw
        self._size: int | None = None
        self.stored = int(attributes.get("bytes") or 0)

    @property
    def raw(self) -> bytes:
        """The escaped bytes of the file; empty if the text is hidden or dropped."""
        return self._raw

    @property
    def kept(self) -> int:
        """The bytes that the text takes in memory."""
        return len(self._raw)

    @property
    def is_absent(self) -> bool:
        """Whether the wiki has a text that the file omits."""
        return not self.hidden and not self._raw and self.stored > 0

    @property
    def is_dropped(self) -> bool:
        """Whether `drop` has freed a text that was not empty."""
        return not self._raw and bool(self._size)

    @property
    def size(self) -> int:
        """The size of the text in UTF-8 bytes, counted without building it; 0 if it is hidden."""
        if self._size is None:
            self._size = _size(self._raw)
        return self._size

    def may_begin_with(self, mark: bytes) -> bool:
        """Tell whether the text may begin with this ASCII character after white space; False is always right."""
        start = self._raw[:256].lstrip()
        return not start or start[0] >= 0x80 or start[:1] in (b"&", b"<", mark)

    def build(self) -> str:
        """Return the text; empty if it is hidden."""
        return _built(self._raw)

    def drop(self) -> None:
        """Free the text but keep its size."""
        self._size, self._raw = self.size, b""


class FileBytes:
    """The bytes of a file that may still be needed. Positions count from the file's start."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []  # from `_offset` on
        self._offset = 0

    def add(self, piece: bytes) -> None:
        """Append the file's next bytes."""
        self._pieces.append(piece)

    def forget(self, place: int) -> None:
        """Free everything before this position."""
        while self._pieces and self._offset + len(self._pieces[0]) <= place:
            self._offset += len(self._pieces.pop(0))

    def between(self, start: int, end: int) -> bytes:
        """Return the bytes of a range whose end has been read. Frees everything before the last piece."""
        start, end = start - self._offset, end - self._offset
        before, piece = b"", self._pieces[-1]
        if len(self._pieces) > 1:
            before, self._pieces = b"".join(self._pieces[:-1]), [piece]
            self._offset += len(before)
        if start >= len(before):
            return piece[start - len(before) : end - len(before)]
        return before[start:end] + piece[: max(0, end - len(before))]


def without_start_tag(element: bytes) -> bytes:
    """Return the bytes after `<text …>`; empty for a self-closing element."""
    tag = _START_TAG.match(element)
    return element[tag.end() :] if tag else b""


def _size(raw: bytes) -> int:
    if b"<" not in raw and b"\r" not in raw:
        counts = {entity: raw.count(entity) for entity in _PREDEFINED}
        if sum(counts.values()) == raw.count(b"&"):
            return len(raw) - sum(_PREDEFINED[entity] * count for entity, count in counts.items())
    return len(_built(raw).encode())


def _built(raw: bytes) -> str:
    pieces: list[str] = []
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.CharacterDataHandler = pieces.append
    hear: Callable[[bytes, bool], Any] = parser.Parse
    hear(b"<text>" + raw + b"</text>", True)
    return "".join(pieces)
