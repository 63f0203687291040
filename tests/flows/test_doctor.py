"""`newwiki doctor --model`: a checkpoint is tried, and the exit status says whether it is fit."""

import json
from pathlib import Path

from tests.flows.conftest import Run


def test_a_checkpoint_that_is_read_right_is_fit(newwiki: Run, toy_checkpoint: Path) -> None:
    ended = newwiki("doctor", "--model", toy_checkpoint, "--format", "json")
    assert ended.returncode == 0, ended.stderr
    states = {row["what"]: row["state"] for row in json.loads(ended.stdout)}
    assert states.keys() >= {"checkpoint", "path", "token by token", "batches", "greedy", "beam:num_beams=3"}
    assert set(states.values()) == {"ok"}
    assert "texts" in ended.stderr


def test_one_that_cannot_be_read_is_a_problem_with_its_remedy(newwiki: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ended = newwiki("doctor", "--model", "empty", "--format", "json")
    assert ended.returncode == 1
    [row] = json.loads(ended.stdout)
    assert row["state"] == "problem"
    assert "has no config.json; name a folder" in row["in words"]


def test_what_a_model_is_loaded_with_needs_a_model(newwiki: Run) -> None:
    ended = newwiki("doctor", "--model-args", "device=cpu")
    assert ended.returncode == 2
    assert "add --model FOLDER" in ended.stderr
