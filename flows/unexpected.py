"""Unexpected errors in one line for the command line: a problem of the system, or a defect of the program."""

import errno
import traceback
from importlib.util import find_spec
from pathlib import Path

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_LOCKED = (errno.EROFS, errno.EACCES, errno.EPERM)
_HOME = Path(__file__).parents[1]
_PACKAGES = ("newwiki", "evaluators", "storage", "flows")


def in_one_line(error: Exception) -> str:
    """Return the problem, its object and the next step in one line.

    For a defect of the program, the line also names the place in the code.
    """
    if isinstance(error, MemoryError) or "out of memory" in str(error).lower():
        return f"out of memory{_because(error)}: close other programs, or reduce the batch (--batch-size 1)"
    if isinstance(error, ModuleNotFoundError) and error.name:
        package, _, inner = error.name.partition(".")
        if inner and find_spec(package):
            return f"the package '{package}' is too old or too new: it has no {inner}; install another version"
        return f"the package '{package}' is missing: run pip install {package}"
    if isinstance(error, ImportError):
        return f"a required package cannot be imported{_because(error)}: install it"
    if isinstance(error, RecursionError):
        return "the input is nested too deeply: check the file or the server that it comes from"
    if isinstance(error, OSError):
        return _system_error(error)
    return f"{_defect(error)}: this is a defect; run the command again with --debug, and report the traceback"


def _system_error(error: OSError) -> str:
    what = f"'{error.filename}'" if error.filename else "a file"
    if error.errno in _FULL:
        return f"the disk is full{_of(error)}: free some space and run the same command again; no stored data is lost"
    if error.errno in _LOCKED:
        return (
            f"no permission to read or write {what} ({error.strerror}): change the permissions, or name another place"
        )
    return f"{what}: {error.strerror or error}; check it, and run the same command again"


def _of(error: OSError) -> str:
    return f" at '{error.filename}'" if error.filename else ""


def _because(error: Exception) -> str:
    message = " ".join(str(error).split())
    return f" ({message[:300]})" if message else ""


def _defect(error: Exception) -> str:
    frames = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    ours = [f"{file.relative_to(_HOME)}:{line}" for file, line in frames if _is_ours(file)]
    place = f" at {ours[-1]}" if ours else ""
    return f"an unexpected {type(error).__name__}{place}{_because(error)}"


def _is_ours(file: Path) -> bool:
    return file.is_relative_to(_HOME) and file.relative_to(_HOME).parts[0] in _PACKAGES
