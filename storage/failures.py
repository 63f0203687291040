"""What DuckDB says when the world fails under a file, in words that name the file and the remedy."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from newwiki.errors import NewWikiError, TerminalError, TransientError

# DuckDB has no kinds of its own for these, so its words tell them apart; the first that is found holds.
_FULL = re.compile(r"No space left|Disk quota exceeded|File too large|Out of Disk", re.IGNORECASE)
_READ_ONLY = re.compile(r"Read-only file system|Permission denied", re.IGNORECASE)
_DAMAGED = re.compile(
    r"Corrupt|checksum|replaying WAL|invalidated|INTERNAL Error|Deserializ|Serializ\w* Error",
    re.IGNORECASE,
)
# What is wrong with a statement; its message repeats the user's own words, so they tell nothing of the file.
_ASKED = (duckdb.ProgrammingError, duckdb.DataError, duckdb.IntegrityError, duckdb.NotSupportedError)
_BUSY = ("Could not set lock", "different configuration", "Unique file handle conflict")


def is_busy(error: duckdb.Error) -> bool:
    """Whether somebody else has the file, so that waiting helps."""
    return any(words in str(error) for words in _BUSY)


def failure(path: Path, error: duckdb.Error) -> NewWikiError | None:
    """What is wrong with the file or the machine; None where it is neither, but what was asked."""
    said = first_line(error)
    if is_busy(error):
        return TransientError(f"'{path}' is in use by another program: {said}")
    if isinstance(error, _ASKED):
        return None
    if isinstance(error, duckdb.OutOfMemoryException):
        return TransientError(f"memory ran out while '{path}' was at work: {said}; end other programs, or ask for less")
    if _FULL.search(str(error)):
        return TransientError(
            f"the disk of '{path}' is full: {said}; make room and run the same command again, nothing stored is lost"
        )
    if _READ_ONLY.search(str(error)):
        return TerminalError(f"'{path}' cannot be written: {said}; allow it, or name a file elsewhere with --db")
    if _DAMAGED.search(str(error)):
        return TerminalError(
            f"'{path}' is damaged: {said}; put a copy of it in its place, or make it anew with `newwiki pull`"
        )
    if isinstance(error, duckdb.IOException):
        return TerminalError(f"'{path}' cannot be opened: {said}")
    return None


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Raises what `failure` makes of an error; one that is about what was asked stays as it is."""
    try:
        yield
    except duckdb.Error as error:
        if found := failure(path, error):
            raise found from error
        raise


def first_line(error: Exception) -> str:
    """What it says, without DuckDB's advice below."""
    return str(error).strip().partition("\n")[0]
