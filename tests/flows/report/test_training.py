"""Curves against the training step: of what belongs together, and of nothing else."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from flows.presenting.charts import PageSigns
from flows.presenting.material import gather
from flows.report.training_curves import Training, training
from storage.database import Database
from tests.flows.report.conftest import METRICS, add_scores, add_texts, rules
from tests.flows.scored import add_run

_METRICS = METRICS[:2]


@pytest.fixture
def database(published: Path, tmp_path: Path) -> Database:
    return Database(shutil.copy(published, tmp_path / "newwiki.duckdb"))


def add(database: Database, pages: list[int], run_id: str, versions: dict[str, str], **changes: Any) -> None:
    with database.write():
        add_run(database, run_id, prompts=len(pages), versions=json.dumps(versions), **changes)
        add_texts(database, run_id, {(page, 0): "It is." for page in pages})
        add_scores(database, run_id, rules(), [(page, 0) for page in pages], len(run_id), _METRICS)


def step(number: int, training: str = "t", **more: str) -> dict[str, str]:
    return {"training_step": str(number), "training_run": training, **more}


def drawn(database: Database) -> Training:
    found = training(gather(database, "latest"), PageSigns())
    assert found
    return found


def test_there_is_nothing_to_draw_of_one_checkpoint(database: Database, pages: list[int]) -> None:
    add(database, pages, "one", step(5), model="out/checkpoint-5")
    add(database, pages, "other", step(5, "u"), model="other/checkpoint-5")
    add(database, pages, "plain", {}, model="gpt2")
    assert training(gather(database, "latest"), PageSigns()) is None


def test_checkpoints_of_a_training_are_a_series_by_step(database: Database, pages: list[int]) -> None:
    for number in (1000, 90, 500):
        add(database, pages, f"run-{number}", step(number), model=f"models/out/checkpoint-{number}")
    add(database, pages, "apart", step(90, "u"), model="elsewhere/checkpoint-90")
    add(database, pages, "sampled", step(500), decoder="sample:top_p=0.9", model="models/out/checkpoint-500")
    found = drawn(database)
    (series,) = found.series
    assert series.label == "out · greedy"
    assert [number for number, _ in series.points] == [90, 500, 1000]
    assert [row.record["run_id"] for _, row in series.points] == ["run-90", "run-500", "run-1000"]
    assert [panel.column.name for panel in found.panels] == [metric.name for metric in reversed(_METRICS)]


def test_what_a_training_began_with_is_its_step_0_and_what_it_ended_with_its_last(
    database: Database, pages: list[int]
) -> None:
    base, told = "b" * 64, {"base_sha256": "b" * 64}
    add(database, pages, "base", {}, model="gpt2", model_sha256=base)
    add(database, pages, "longer", {}, model="gpt2", model_sha256=base, max_new_tokens=99)
    add(database, pages, "half", step(10, **told), model="out.unfinished/checkpoint-10", model_sha256="1" * 64)
    add(database, pages, "whole", step(20, **told), model="out", model_sha256="2" * 64)
    (series,) = drawn(database).series
    assert series.label == "out · greedy"
    assert [(number, row.record["run_id"]) for number, row in series.points] == [
        (0, "base"), (10, "half"), (20, "whole"),
    ]  # fmt: skip


def test_a_picture_says_its_numbers_in_words(database: Database, pages: list[int]) -> None:
    for number in (5, 10):
        add(database, pages, f"run-{number}", step(number), model=f"<b>/checkpoint-{number}")
    found = drawn(database)
    panel = found.panels[0]
    means = [row.cells[0].mean for _, row in found.series[0].points]
    assert means[0] is not None and means[1] is not None
    told = f"means: &lt;b&gt; · greedy: 5 {means[0]:.4g}, 10 {means[1]:.4g}"
    assert told in panel.image
