"""Open files that a user or another person names, which have to be regular: reading a named pipe would never end."""

import errno
import os
import stat
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO


def open_regular(path: Path, buffering: int = -1) -> BinaryIO:
    """Open a file for reading in binary mode, with a buffer of that many bytes; `io.TextIOWrapper` reads it as text.

    Raises OSError, whose `strerror` says why, for a file that cannot be opened, and for a folder, named pipe, socket or
    device.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # does not wait for a pipe's writer
    kind = os.fstat(descriptor).st_mode
    if stat.S_ISREG(kind):
        return os.fdopen(descriptor, "rb", buffering)
    os.close(descriptor)
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def read_regular(path: Path) -> bytes:
    """Return the content of a file. Raises OSError as `open_regular` does."""
    with open_regular(path) as stream:
        return stream.read()


def read_regular_text(path: Path, encoding: str = "utf-8") -> str:
    """Return the text of a file, with each line end as a newline.

    Raises OSError as `open_regular` does, and UnicodeError for text in another encoding.
    """
    with open_regular(path) as stream, TextIOWrapper(stream, encoding) as text:
        return text.read()
