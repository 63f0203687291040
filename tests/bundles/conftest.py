"""Genuine results, made once for all forgeries."""

import json
from pathlib import Path

import pytest

from tests.bundles.world import World, build
from tests.flows.conftest import published
from tests.once import once_in_place

__all__ = ["published"]  # a fixture


@pytest.fixture(scope="session")
def world(published: Path, toy_checkpoint: Path, shared_folder: Path) -> World:
    def make(folder: Path) -> None:
        made = build(folder, published, toy_checkpoint)
        (folder / "runs.json").write_text(json.dumps([made.greedy, made.nucleus, made.likelihood]))

    folder = once_in_place(shared_folder / "world", make)
    return World(folder, toy_checkpoint, *json.loads((folder / "runs.json").read_text()))
