"""The output folder of a training. One folder belongs to one request and appears when the training is complete."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from newwiki.errors import TransientError, UsageError
from newwiki.training import record
from newwiki.training.record import TrainingRecord


def unfinished(folder: Path) -> Path:
    """Return the folder that holds the training until `folder` appears."""
    return folder.with_name(f"{folder.name}.unfinished")


def is_done(folder: Path, planned: TrainingRecord) -> bool:
    """Return whether the folder holds the finished result of this training. Raises UsageError for any other content."""
    if not folder.exists():
        return False
    existing = record.read(folder)
    if existing is None or existing.sha256 != planned.sha256:
        what = "another training's" if existing else "there already, and no training's"
        raise UsageError(f"'{folder}' is {what}; name a new folder with --out")
    return True


@contextmanager
def alone(folder: Path, planned: TrainingRecord) -> Iterator[Path]:
    """Lock the working folder for this process, and yield it.

    Raises UsageError if the folder holds a different training, and TransientError if another process has the lock.
    """
    workplace = unfinished(folder)
    workplace.mkdir(parents=True, exist_ok=True)
    place = os.open(workplace, os.O_RDONLY)
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        begun = record.read(workplace)
        if begun is None and {path.name for path in workplace.iterdir()} - {f"{record.FILE}.part"}:
            raise UsageError(f"'{workplace}' is no training that was begun here; name another folder with --out")
        if begun is not None and begun.sha256 != planned.sha256:
            raise UsageError(
                f"'{workplace}' holds another training that is not finished; finish it by the same command that began "
                f"it, take it away, or name another folder than '{folder}' with --out"
            )
        yield workplace
    except BlockingIOError:
        raise TransientError(f"another process is training in '{workplace}'; wait for it") from None
    finally:
        os.close(place)
