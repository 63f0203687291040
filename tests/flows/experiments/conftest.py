"""What experiments are tried with: a small model that has read none of the articles that they are asked about."""

import fcntl
from pathlib import Path

import pytest

from benchmarks.cutoff_seeds import control


@pytest.fixture(scope="session")
def well_read(shared_folder: Path) -> Path:
    """It has read other invented articles. Made once for all workers."""
    folder = shared_folder / "well-read"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            control(folder.with_suffix(".unfinished")).rename(folder)
    return folder
