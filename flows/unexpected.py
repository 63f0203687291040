"""What nobody raised on purpose, in one line for the person at the command line: what the world did, or our defect."""

import errno
import traceback
from importlib.util import find_spec
from pathlib import Path

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_LOCKED = (errno.EROFS, errno.EACCES, errno.EPERM)
_HOME = Path(__file__).parents[1]
_PACKAGES = ("newwiki", "evaluators", "storage", "flows")


def in_one_line(error: Exception) -> str:
    """What happened, to what, and what to do next; of what is nobody's but our own fault, where it happened."""
    if isinstance(error, MemoryError) or "out of memory" in str(error).lower():
        return f"memory ran out{_because(error)}; end other programs, or ask for less at once (--batch-size 1)"
    if isinstance(error, ModuleNotFoundError) and error.name:
        package, _, inner = error.name.partition(".")
        if inner and find_spec(package):
            return f"the package '{package}' is too old or too new: it has no {inner}; install another version of it"
        return f"the package '{package}' is missing; install it: pip install {package}"
    if isinstance(error, ImportError):
        return f"a package that this needs cannot be imported{_because(error)}; install it"
    if isinstance(error, RecursionError):
        return "what was read is nested too deeply to be read; look at the file or the server that it came from"
    if isinstance(error, OSError):
        return _of_the_system(error)
    return f"{_defect(error)}; it is a defect: run it again with --debug, and report what that shows"


def _of_the_system(error: OSError) -> str:
    what = f"'{error.filename}'" if error.filename else "a file"
    if error.errno in _FULL:
        return f"the disk is full{_of(error)}; make room and run the same command again, nothing stored is lost"
    if error.errno in _LOCKED:
        return f"{what} may not be read or written ({error.strerror}); allow it, or name another place"
    return f"{what}: {error.strerror or error}; look at it, and run the same command again"


def _of(error: OSError) -> str:
    return f" where '{error.filename}' is" if error.filename else ""


def _because(error: Exception) -> str:
    said = " ".join(str(error).split())
    return f" ({said[:300]})" if said else ""


def _defect(error: Exception) -> str:
    frames = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    ours = [f"{file.relative_to(_HOME)}:{line}" for file, line in frames if _is_ours(file)]
    place = f" at {ours[-1]}" if ours else ""
    return f"an unexpected {type(error).__name__}{place}{_because(error)}"


def _is_ours(file: Path) -> bool:
    return file.is_relative_to(_HOME) and file.relative_to(_HOME).parts[0] in _PACKAGES
