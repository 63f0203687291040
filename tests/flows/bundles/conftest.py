"""A toy that has written a month under two decoders, its texts scored, and all of it in a bundle."""

import shutil
from pathlib import Path
from typing import Any

import pytest

import newwiki
from flows.bundles.keys import make_pair
from tests.flows.bundles.forging import Forged
from tests.once import once

SHORT: dict[str, Any] = {
    "prompts": 3, "samples": 4, "keep": 2, "max_new_tokens": 10, "batch_size": 8, "metrics": "rep_4,bleu,self_bleu",
}  # fmt: skip
NUCLEUS = "sample:top_k=20,top_p=0.9"


@pytest.fixture(scope="session")
def evaluated(published: Path, toy_checkpoint: Path, shared_folder: Path) -> Path:
    def evaluate(folder: Path) -> None:
        folder.mkdir()
        path = Path(shutil.copy(published, folder / "newwiki.duckdb"))
        newwiki.evaluate(str(toy_checkpoint), decoder=["greedy", NUCLEUS], db=path, quiet=True, **SHORT)

    return once(shared_folder / "bundled", evaluate) / "newwiki.duckdb"


@pytest.fixture(scope="session")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("keys") / "alice"
    make_pair(path, Path("newwiki.duckdb"))
    return path


@pytest.fixture(scope="session")
def other_key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("keys") / "mallory"
    make_pair(path, Path("newwiki.duckdb"))
    return path


@pytest.fixture(scope="session")
def bundle(evaluated: Path, key: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both runs, signed by `key`. Tests that change it write another file."""
    return newwiki.submit("greedy", NUCLEUS, key=key, out=tmp_path_factory.mktemp("bundle") / "a.newwiki", db=evaluated)


@pytest.fixture
def forged(bundle: Path) -> Forged:
    return Forged(bundle)
