"""What experiments are tried with: a small model that has read none of the articles that they are asked about."""

from pathlib import Path

import pytest

from benchmarks.cutoff_seeds import control
from tests.once import once


@pytest.fixture(scope="session")
def well_read(shared_folder: Path) -> Path:
    """It has read other invented articles. Made once for all workers."""
    return once(shared_folder / "well-read", control)
