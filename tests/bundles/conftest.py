"""Genuine results, made once for all forgeries."""

from pathlib import Path

import pytest

from tests.bundles.world import World, build
from tests.flows.conftest import published

__all__ = ["published"]  # a fixture


@pytest.fixture(scope="session")
def world(published: Path, toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> World:
    return build(tmp_path_factory.mktemp("world"), published, toy_checkpoint)
