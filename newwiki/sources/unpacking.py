"""Unpack a dump file: plain, gzip, bzip2 or 7z, recognized by its first bytes and not by its name."""

import bz2
import gzip
import hashlib
import re
import shutil
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

from newwiki.errors import TerminalError
from newwiki.foreign_files import open_regular

PIECE = 256 << 10  # bytes per read
# The errors that a damaged or truncated file raises
DAMAGED = (EOFError, OSError, ValueError, zlib.error)
_OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open}
_SEVEN_ZIP = b"7z\xbc\xaf\x27\x1c"
# The approximate cost of a byte compared with an uncompressed one; only decides which part is read first
_WORK = {b"\x1f\x8b": 7, b"BZ": 30, _SEVEN_ZIP: 10}
_SEVEN_ZIPS = ("7zz", "7z", "7za", "7zr")
_UNPACKED_SIZE = re.compile(rb"^Size = (\d+)\s*$", re.MULTILINE)
_ALGORITHMS = {32: "md5", 40: "sha1", 64: "sha256", 128: "sha512"}  # by their hexadecimal digits


class Reading(Protocol):
    """A file that is read from start to end. `position` is the number of its bytes read so far."""

    def read(self, size: int) -> bytes: ...

    @property
    def position(self) -> int: ...


class _Stream:
    """A plain file, or one that Python's own modules unpack. The packed bytes update `checksum` as they are read."""

    def __init__(self, raw: IO[bytes], checksum: Any) -> None:
        self._raw, self._checksum = raw, checksum
        self.position = 0
        start = raw.peek(6)  # type: ignore[attr-defined]
        self._stream: Any = next(
            (opener(_Counted(self), "rb") for mark, opener in _OPENERS.items() if start.startswith(mark)), None
        )

    def read(self, size: int) -> bytes:
        unpacked: bytes = self._stream.read(size) if self._stream else self.read_packed(size)
        return unpacked

    def read_packed(self, size: int) -> bytes:
        piece = self._raw.read(size)
        self.position += len(piece)
        if self._checksum:
            self._checksum.update(piece)
        return piece


class _Counted:
    """The file object that gzip and bz2 read from."""

    def __init__(self, stream: _Stream) -> None:
        self._packed = stream

    def read(self, size: int = -1) -> bytes:
        return self._packed.read_packed(size)

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        pass


class Pipe(_Stream):
    """Standard input, which can be read once. Raises TerminalError for a 7z archive, which cannot be streamed."""

    def __init__(self, raw: IO[bytes]) -> None:
        if raw.peek(6)[:6] == _SEVEN_ZIP:  # type: ignore[attr-defined]
            raise TerminalError("cannot read a 7z archive from a pipe; name the file, or pipe the output of `7z x -so`")
        super().__init__(raw, None)
        self._ahead = b""

    def put_back(self, piece: bytes) -> None:
        """Return bytes that were read ahead to the next reader."""
        self._ahead = piece

    def read(self, size: int) -> bytes:
        ahead, self._ahead = self._ahead, b""
        return ahead or super().read(size)


class _SevenZip:
    """A 7z archive, unpacked by a 7-Zip process, which reports sizes in advance but no position."""

    def __init__(self, path: Path, process: "subprocess.Popen[bytes]", unpacked: int) -> None:
        self._path, self._process = path, process
        self._unpacked, self._size = max(unpacked, 1), path.stat().st_size
        self._done = 0

    @property
    def position(self) -> int:
        return min(self._size, self._size * self._done // self._unpacked)

    def read(self, size: int) -> bytes:
        assert self._process.stdout
        piece = self._process.stdout.read(size)
        self._done += len(piece)
        if not piece and self._process.wait():
            raise EOFError("7-Zip could not unpack it")
        return piece


def likely_work(path: Path) -> int:
    """Estimate how long reading a file takes, without a unit: its size, more if it is packed. 0 for a pipe."""
    if not path.is_file():
        return 0
    with path.open("rb") as file:
        start = file.read(len(_SEVEN_ZIP))
    return path.stat().st_size * next((work for mark, work in _WORK.items() if start.startswith(mark)), 1)


@contextmanager
def unpacked(path: Path, expected: str | None = None) -> Iterator[Reading]:
    """Open the file for reading from its start. If `expected`, a checksum in hexadecimal digits, is given, raises
    TerminalError once the file has been read to its end and the packed file's checksum differs."""
    checksum = hashlib.new(_ALGORITHMS[len(expected)], usedforsecurity=False) if expected else None
    with open_regular(path, PIECE) as raw:
        is_archive = raw.read(6) == _SEVEN_ZIP
        raw.seek(0)
        if not is_archive:
            yield _Stream(raw, checksum)
        else:
            while checksum and (piece := raw.read(PIECE)):
                checksum.update(piece)
            with _seven_zip(path) as archive:
                yield archive
        if checksum and not raw.read(1) and checksum.hexdigest() != expected:
            raise TerminalError(f"'{path}' does not match its published checksum: download it again")


@contextmanager
def _seven_zip(path: Path) -> Iterator[_SevenZip]:
    program = next(filter(None, map(shutil.which, _SEVEN_ZIPS)), None)
    if not program:
        raise TerminalError(
            f"'{path}' is a 7z archive, and 7z is not installed; install 7-Zip (apt install p7zip-full)"
        )
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    listed = subprocess.run([program, "l", "-slt", "--", path], stdout=subprocess.PIPE, check=False, **quiet).stdout
    sizes = map(int, _UNPACKED_SIZE.findall(listed))
    with subprocess.Popen([program, "x", "-so", "--", path], stdout=subprocess.PIPE, **quiet) as process:
        try:
            yield _SevenZip(path, process, sum(sizes))
        finally:
            process.kill()
