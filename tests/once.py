"""What several workers need is made by the first one that needs it."""

import fcntl
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def once(path: Path, make: Callable[[Path], object]) -> Path:
    """Return the file or folder at `path`, which `make` writes where no worker has done so yet. No test changes it."""
    with alone(path):
        if not path.exists():
            unfinished = path.with_name(f"unfinished-{path.name}")
            make(unfinished)
            unfinished.rename(path)
    return path


def once_in_place(folder: Path, make: Callable[[Path], object]) -> Path:
    """Do the same for a folder whose files hold its name, so that it cannot be made under another one."""
    with alone(folder):
        is_made = folder.with_name(f"{folder.name}.made")
        if not is_made.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            is_made.touch()
    return folder


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock of `path`, as no other worker can meanwhile."""
    with Path(f"{path}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
