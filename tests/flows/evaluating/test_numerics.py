"""The version of the engine's bytes is part of a run's identity: nothing that another one began is gone on with."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from flows.evaluating.generate import generate, load_model, plan
from flows.progress import Silent
from newwiki.decoding.grammar import parse
from newwiki.models.backend import NUMERICS
from newwiki.models.local import LocalModel
from newwiki.request import EvaluationRequest
from storage import runs
from storage.database import Database

_REQUEST = EvaluationRequest(models=("toy",), decoder=("greedy",), prompts=1, samples=1, keep=1, max_new_tokens=4)
_GREEDY = parse("greedy")[0]


class Noting(Silent):
    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


@pytest.fixture(scope="module")
def backend(toy_checkpoint: Path) -> Any:
    return load_model("hf", str(toy_checkpoint), {})


@pytest.fixture
def copied(published: Path, tmp_path: Path) -> Database:
    return Database(Path(shutil.copy(published, tmp_path / "newwiki.duckdb")))


@pytest.mark.parametrize("before", [None, NUMERICS])
def test_a_half_written_run_of_another_version_is_named_and_left(
    copied: Database,
    backend: Any,
    before: int | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(backend, "numerics", before)
    begun = plan(copied, backend, _GREEDY, _REQUEST).run
    runs.start(copied, begun)
    monkeypatch.setattr(backend, "numerics", NUMERICS + 1)
    planned = plan(copied, backend, _GREEDY, _REQUEST)
    assert planned.run.run_id != begun.run_id
    progress = Noting()
    generate(copied, planned, backend, _GREEDY, progress)
    [told] = progress.notes
    assert f"run {begun.run_id} of the same request is incomplete and used another version" in told
    assert f"it is left unchanged, and run {planned.run.run_id} starts from the beginning" in told
    assert runs.status(copied, begun.run_id) == "running"
    assert runs.stored_completions(copied, begun.run_id) == set()
    assert runs.status(copied, planned.run.run_id) == "complete"
    with copied.read() as connection:
        stored = connection.execute("select run_id, numerics from runs").fetchall()
    assert sorted(stored) == sorted([(begun.run_id, before), (planned.run.run_id, NUMERICS + 1)])


def test_a_run_of_the_same_version_is_gone_on_with_in_silence(copied: Database, backend: Any) -> None:
    begun = plan(copied, backend, _GREEDY, _REQUEST)
    runs.start(copied, begun.run)
    progress = Noting()
    generate(copied, begun, backend, _GREEDY, progress)
    assert runs.status(copied, begun.run.run_id) == "complete"
    assert progress.notes == []


def test_where_another_program_computes_there_is_no_version(
    copied: Database, backend: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(LocalModel, "numerics")
    planned = plan(copied, backend, _GREEDY, _REQUEST)
    assert (planned.run.numerics, planned.earlier) == (None, [])
