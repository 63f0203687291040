"""A Prefect server for all tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.flows.serving import PrefectServer, prefect_server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrefectServer]:
    with prefect_server(tmp_path_factory.mktemp("server")) as server:
        yield server
