"""Which folders are checkpoints of a training, and when one of them is whole."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from newwiki.training.steps import by_step, lacking, record_of, step_of
from tests.adapters import lora, write_adapter


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("checkpoint-500", 500), ("step_1000", 1000), ("step1000", 1000), ("global_step_20", 20), ("ckpt-7", 7),
        ("iter_0000100", 100), ("checkpoint", None), ("checkpoint-best", None), ("epoch-3", None), ("500", None),
        ("my-checkpoint-5", None), ("checkpoint-5.part", None),
    ],
)  # fmt: skip
def test_a_name_tells_the_step(name: str, step: int | None) -> None:
    assert step_of(Path("out") / name) == step


def test_checkpoints_come_in_the_order_of_steps(tmp_path: Path) -> None:
    for name in ("checkpoint-1000", "checkpoint-90", "checkpoint-500", "logs"):
        (tmp_path / name).mkdir()
    (tmp_path / "checkpoint-1").touch()
    assert [one.name for one in by_step(tmp_path)] == ["checkpoint-90", "checkpoint-500", "checkpoint-1000"]


@pytest.fixture
def checkpoint(toy_checkpoint: Path, tmp_path: Path) -> Path:
    """One that was written an hour ago."""
    folder = Path(shutil.copytree(toy_checkpoint, tmp_path / "checkpoint-5"))
    grow_old(folder)
    return folder


def grow_old(folder: Path) -> None:
    for file in folder.rglob("*"):
        os.utime(file, (time.time() - 3600,) * 2)


def test_a_whole_checkpoint_lacks_nothing(checkpoint: Path) -> None:
    assert lacking(checkpoint, 10) is None


@pytest.mark.parametrize("share", [0.0, 0.0000005, 0.0001, 0.5, 0.999])
def test_weights_that_are_not_written_to_the_end_are_seen(checkpoint: Path, share: float) -> None:
    weights = checkpoint / "model.safetensors"
    os.truncate(weights, int(weights.stat().st_size * share))
    grow_old(checkpoint)
    assert lacking(checkpoint, 0) == "its model.safetensors is incomplete"


def test_a_part_of_the_weights_that_is_not_there_yet_is_missed(checkpoint: Path) -> None:
    (checkpoint / "model.safetensors").rename(checkpoint / "model-00001-of-00002.safetensors")
    names = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    (checkpoint / "model.safetensors.index.json").write_text(json.dumps({"weight_map": names}))
    assert lacking(checkpoint, 0) == "it has no model-00002-of-00002.safetensors"
    (checkpoint / "model.safetensors.index.json").write_text('{"weight_map": {"a": "mod')
    assert lacking(checkpoint, 0) == "its model.safetensors.index.json is incomplete"


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_what_is_missing_is_named(checkpoint: Path, name: str) -> None:
    (checkpoint / name).unlink()
    assert lacking(checkpoint, 0) == f"it has no {name}"


def test_a_half_written_configuration_is_seen(checkpoint: Path) -> None:
    (checkpoint / "config.json").write_text('{"model_type": "gp')
    assert lacking(checkpoint, 0) == "its config.json is incomplete"


def test_what_has_just_changed_may_change_again_unless_the_trainer_has_finished_it(checkpoint: Path) -> None:
    (checkpoint / "optimizer.pt").touch()
    assert lacking(checkpoint, 10) == "it has changed within the last 10 s"
    (checkpoint / "trainer_state.json").write_text('{"global_st')
    assert lacking(checkpoint, 10) == "it has changed within the last 10 s"
    (checkpoint / "trainer_state.json").write_text('{"global_step": 5}')
    assert lacking(checkpoint, 10) is None


def test_a_checkpoint_tells_its_step_and_shares_its_training_with_its_neighbours(checkpoint: Path) -> None:
    told = record_of(checkpoint)
    neighbour = record_of(Path(shutil.copytree(checkpoint, checkpoint.with_name("checkpoint-10"))))
    assert (told["training_step"], neighbour["training_step"]) == ("5", "10")
    assert told["training_run"] == neighbour["training_run"]
    assert str(checkpoint.parent) not in told["training_run"], "where somebody's folders are is nobody's business"
    assert record_of(checkpoint.parent) == {}


@pytest.fixture
def adapter(toy_checkpoint: Path, tmp_path: Path) -> Path:
    """An adapter's checkpoint that was written an hour ago."""
    folder = write_adapter(toy_checkpoint, tmp_path / "adapters" / "checkpoint-5", lora())
    grow_old(folder)
    return folder


def test_an_adapters_checkpoint_is_whole_without_a_model(adapter: Path) -> None:
    assert lacking(adapter, 10) is None
    (adapter / "optimizer.pt").touch()
    assert lacking(adapter, 10) == "it has changed within the last 10 s"


def test_an_adapter_that_is_not_written_to_the_end_is_seen(adapter: Path) -> None:
    weights = adapter / "adapter_model.safetensors"
    os.truncate(weights, weights.stat().st_size - 1)
    assert lacking(adapter, 0) == "its adapter_model.safetensors is incomplete"
    weights.unlink()
    assert lacking(adapter, 0) == "it has no adapter_model.safetensors"
    (adapter / "adapter_config.json").write_text('{"peft_type": "LO')
    assert lacking(adapter, 0) == "its adapter_config.json is incomplete"
