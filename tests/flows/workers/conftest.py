"""The database of a Prefect server, which takes Prefect longer to make than to start."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.conftest import environment
from tests.once import once

_MAKE = """
import asyncio
from prefect.server.database import provide_database_interface
asyncio.run(provide_database_interface().create_db())
"""


@pytest.fixture(scope="session")
def prefect_database(shared_folder: Path) -> Path:
    """An empty one. Tests copy it into their PREFECT_HOME."""

    def make(folder: Path) -> None:
        subprocess.run([sys.executable, "-c", _MAKE], env=environment(PREFECT_HOME=str(folder)), check=True)

    return once(shared_folder / "prefect-home", make) / "prefect.db"
