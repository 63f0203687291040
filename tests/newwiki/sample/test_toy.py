from pathlib import Path

import pytest

from newwiki.models.checkpoint import Checkpoint, Trust
from newwiki.sample import toy

pytestmark = pytest.mark.slow

TEXTS = [f"Page {n}\n\nThe river {n} runs to the sea. It is {n} km long." * 6 for n in range(6)]


def test_the_same_texts_give_the_same_checkpoint_and_others_another(tmp_path: Path) -> None:
    for name, texts in (("a", TEXTS), ("b", TEXTS), ("c", TEXTS[:5])):
        toy.train(texts, tmp_path / name, steps=2)
    assert (
        Checkpoint(tmp_path / "a", Trust()).sha256
        == Checkpoint(tmp_path / "b", Trust()).sha256
        != Checkpoint(tmp_path / "c", Trust()).sha256
    )


def test_every_step_is_reported(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    toy.train(TEXTS, tmp_path / "toy", steps=3, report=lambda step, steps: told.append((step, steps)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_the_folder_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    def interrupt(step: int, steps: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        toy.train(TEXTS, tmp_path / "toy", steps=2, report=interrupt)
    assert not (tmp_path / "toy").exists()
    toy.train(TEXTS, tmp_path / "toy", steps=2)
    assert [path.name for path in tmp_path.iterdir()] == ["toy"]
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= {
        path.name for path in (tmp_path / "toy").iterdir()
    }
