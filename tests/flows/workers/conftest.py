"""A Prefect server for all tests of this folder, and its database, which takes longer to make than to start."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.conftest import environment
from tests.flows.serving import PrefectServer, prefect_server
from tests.once import once

_MAKE = """
import asyncio
from prefect.server.database import provide_database_interface
asyncio.run(provide_database_interface().create_db())
"""


@pytest.fixture(scope="session")
def prefect_database(shared_folder: Path) -> Path:
    """An empty one, for servers to copy."""

    def make(folder: Path) -> None:
        subprocess.run([sys.executable, "-c", _MAKE], env=environment(PREFECT_HOME=str(folder)), check=True)

    return once(shared_folder / "prefect-home", make) / "prefect.db"


@pytest.fixture(scope="session")
def server(prefect_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrefectServer]:
    with prefect_server(tmp_path_factory.mktemp("server"), prefect_database) as server:
        yield server
