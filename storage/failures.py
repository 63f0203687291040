"""Turn DuckDB's errors about the disk, the memory or the file into messages that name the file and the remedy."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from newwiki.errors import NewWikiError, TerminalError, TransientError

# DuckDB has no error classes for these failures, so the message decides. The first pattern that matches applies.
_FULL = re.compile(r"No space left|Disk quota exceeded|File too large|Out of Disk", re.IGNORECASE)
_READ_ONLY = re.compile(r"Read-only file system|Permission denied", re.IGNORECASE)
_DAMAGED = re.compile(
    r"Corrupt|checksum|replaying WAL|invalidated|INTERNAL Error|Deserializ|Serializ\w* Error",
    re.IGNORECASE,
)
# Errors in a statement. Their messages quote the user's SQL, so the patterns above must not be applied to them.
_ASKED = (duckdb.ProgrammingError, duckdb.DataError, duckdb.IntegrityError, duckdb.NotSupportedError)
_BUSY = ("Could not set lock", "different configuration", "Unique file handle conflict")


def is_busy(error: duckdb.Error) -> bool:
    """Return whether another program or connection has the file open, so that waiting helps."""
    return any(words in str(error) for words in _BUSY)


def failure(path: Path, error: duckdb.Error) -> NewWikiError | None:
    """Return an error that describes a failure of the file or the machine; None if the statement is at fault."""
    message = first_line(error)
    if is_busy(error):
        return TransientError(f"'{path}' is in use by another program: {message}")
    if isinstance(error, _ASKED):
        return None
    if isinstance(error, duckdb.OutOfMemoryException):
        return TransientError(f"out of memory while using '{path}': {message}; close other programs, or request less")
    if _FULL.search(str(error)):
        return TransientError(
            f"the disk of '{path}' is full: {message}; make room and run the same command again, nothing stored is lost"
        )
    if _READ_ONLY.search(str(error)):
        return TerminalError(f"'{path}' cannot be written: {message}; allow it, or name a file elsewhere with --db")
    if _DAMAGED.search(str(error)):
        return TerminalError(
            f"'{path}' is damaged: {message}; restore a backup, or rebuild it with `newwiki sync pull`"
        )
    if isinstance(error, duckdb.IOException):
        return TerminalError(f"'{path}' cannot be opened: {message}")
    return None


@contextmanager
def described_errors(path: Path) -> Iterator[None]:
    """Raises the error that `failure` returns for a duckdb.Error. Errors about the statement stay unchanged."""
    try:
        yield
    except duckdb.Error as error:
        if described := failure(path, error):
            raise described from error
        raise


def first_line(error: Exception) -> str:
    """Return the first line of the message, without DuckDB's advice on the following lines."""
    return str(error).strip().partition("\n")[0]
