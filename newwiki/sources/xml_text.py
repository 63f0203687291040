"""A revision's text as the bytes of its export, escapes and all, which become a string only where one is asked for."""

import re
from collections.abc import Callable
from typing import Any
from xml.parsers import expat

_START_TAG = re.compile(rb"""<text(?:[^>"']|"[^"]*"|'[^']*')*>""")
# Bytes by which each is longer than what it says
_PREDEFINED = {b"&amp;": 4, b"&lt;": 3, b"&gt;": 3, b"&quot;": 5, b"&apos;": 5}


class XmlText:
    """A revision's text as the file has it. `hidden` where the wiki does not show it."""

    __slots__ = ("_raw", "_size", "hidden", "stored")

    def __init__(self, raw: bytes, attributes: dict[str, str]) -> None:
        self.hidden = "deleted" in attributes
        self._raw = b"" if self.hidden else raw
        self._size: int | None = None
        self.stored = int(attributes.get("bytes") or 0)

    @property
    def raw(self) -> bytes:
        """As the file has it, escapes and all; empty where it is hidden or dropped."""
        return self._raw

    @property
    def kept(self) -> int:
        """Bytes that it takes in memory."""
        return len(self._raw)

    @property
    def is_absent(self) -> bool:
        """Whether the wiki has a text, and the file leaves it out."""
        return not self.hidden and not self._raw and self.stored > 0

    @property
    def size(self) -> int:
        """Bytes of the text in UTF-8, which are counted without building it; 0 where it is hidden."""
        if self._size is None:
            self._size = _size(self._raw)
        return self._size

    def may_begin_with(self, mark: bytes) -> bool:
        """Whether the text may begin with this ASCII character after its white space: never a false no."""
        start = self._raw[:256].lstrip()
        return not start or start[0] >= 0x80 or start[:1] in (b"&", b"<", mark)

    def build(self) -> str:
        """The text; empty where it is hidden."""
        return _built(self._raw)

    def drop(self) -> None:
        """Forgets the text, but not its size."""
        self._size, self._raw = self.size, b""


class FileBytes:
    """What of a file has been read and may still be needed. Places are counted from the file's start."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []  # from `_offset` on
        self._offset = 0

    def add(self, piece: bytes) -> None:
        """The file's next bytes."""
        self._pieces.append(piece)

    def forget(self, place: int) -> None:
        """Nothing before it will be asked for."""
        while self._pieces and self._offset + len(self._pieces[0]) <= place:
            self._offset += len(self._pieces.pop(0))

    def between(self, start: int, end: int) -> bytes:
        """What stands there, once its end has been read. Nothing before the last piece can be asked for again."""
        start, end = start - self._offset, end - self._offset
        before, piece = b"", self._pieces[-1]
        if len(self._pieces) > 1:
            before, self._pieces = b"".join(self._pieces[:-1]), [piece]
            self._offset += len(before)
        if start >= len(before):
            return piece[start - len(before) : end - len(before)]
        return before[start:end] + piece[: max(0, end - len(before))]


def without_start_tag(element: bytes) -> bytes:
    """What follows `<text …>`; nothing where the element has its end in its start."""
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
