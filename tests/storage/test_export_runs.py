"""Runs outside the database: the same rows, whatever the form, with who scored beside the numbers."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest

from newwiki.errors import TerminalError, UsageError
from newwiki.judging.rubric import read_rubric
from newwiki.records import Completion, Fingerprint, Metric, Run, Score
from newwiki.snapshot import Judged, Snapshot
from storage import judgements, runs
from storage.comparison import contenders, contenders_or_all
from storage.database import Database
from storage.export_runs import export_runs
from storage.rows import _WRITERS
from storage.run_names import Contender
from tests.storage.conftest import Filled
from tests.storage.machines import checked, judged

TEXT = 'He said: "Rhein 🙂"\n\nשלום,\ttabs </script>'
OLDER, NEWER = Fingerprint("evaluator-1", "repetition", "1"), Fingerprint("evaluator-2", "repetition", "2")
TABLES = {
    "claims", "completions", "runs", "scores", "scores_wide", "summaries", "evaluators", "metrics", "judgements",
}  # fmt: skip


@pytest.fixture
def stored(
    database: Database,
    published: Callable[..., Snapshot],
    selected: Callable[..., Judged],
    run_of: Callable[..., Run],
    filled: Filled,
) -> Database:
    """Two runs on two pages. The first was scored twice, and one of its texts cannot be."""
    return filled("two runs", database, lambda: fill(database, published, selected, run_of))


def fill(
    database: Database,
    published: Callable[..., Snapshot],
    selected: Callable[..., Judged],
    run_of: Callable[..., Run],
) -> None:
    published(selected(7, "Lumen"), selected(8, "Rhein | Elbe"))
    for run_id, by in (("first", (OLDER, NEWER)), ("second", (OLDER,))):
        run = run_of(run_id, decoder=run_id, knowledge_cutoff=date(2026, 6, 30), knowledge_cutoff_from="asked")
        runs.start(database, run)
        texts = [Completion(page, 0, f"{TEXT} {run_id} {page}", 3, 5, "stop", truncated=False) for page in (7, 8)]
        runs.add_completions(database, run_id, texts)
        runs.complete(database, run_id, 1)
        runs.register(database, by, [Metric("rep_4", "ratio", 0, 1, "lower", "", "")])
        for one in by:
            scores = [Score(7, 0, "rep_4", 0.25, "ok", one.evaluator_id)]
            scores += [Score(8, 0, "rep_4", None, "no words", one.evaluator_id)]
            runs.add_scores(database, run_id, scores, [checked(7, 0, one.evaluator_id)])
            runs.finish_scoring(database, run_id, {one.evaluator_id})


def named(database: Database, *names: str) -> list[Contender]:
    return contenders_or_all(database, names)


def rows(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]
    found: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return found


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_a_run_goes_out_with_its_texts_its_scores_and_who_scored(stored: Database, tmp_path: Path, form: str) -> None:
    paths = export_runs(stored, named(stored, "first"), form, tmp_path / "out")
    found = {path.stem: rows(path) for path in paths[1:]}
    assert found.keys() == TABLES
    assert [(row["page_id"], row["title"], row["text"], row["kept"]) for row in found["completions"]] == [
        (7, "Lumen", f"{TEXT} first 7", True),
        (8, "Rhein | Elbe", f"{TEXT} first 8", True),
    ]
    assert [(row["page_id"], row["value"], row["status"]) for row in found["scores"]] == [
        (7, 0.25, "ok"),
        (8, None, "no words"),
    ]
    assert [(row["page_id"], row["rep_4"]) for row in found["scores_wide"]] == [(7, 0.25), (8, None)]
    [claim] = found["claims"]
    assert (claim["claim"], claim["label"], claim["evidence"]) == ("“7” shines.", "refuted", "It is dark.")
    [summary] = found["summaries"]
    assert (summary["mean"], summary["scored"], summary["unscored"]) == (0.25, 1, 1)
    [evaluator] = found["evaluators"]
    assert (
        evaluator["evaluator_id"]
        == summary["evaluator_id"]
        == found["scores"][0]["evaluator_id"]
        == claim["evaluator_id"]
    )
    assert evaluator["version"] == "2", "the newest one's numbers are shown, and no other's"
    assert [row["metric"] for row in found["metrics"]] == ["rep_4"]
    assert [(row["run_id"], row["model_sha256"]) for row in found["runs"]] == [("first", "0" * 64)]
    [run] = found["runs"]
    moment = str(run["finished_at"])
    assert str(run["knowledge_cutoff"]) == "2026-06-30" and len(moment) > len("2026-06-30"), "a day, and a time"


LOAD = """
import sys, datasets
for name in sys.argv[2:]:
    print(name, datasets.load_dataset(sys.argv[1], *filter(None, [name]), split="test").num_rows)
"""


def test_what_judges_said_of_pairs_of_the_runs_goes_out_with_what_was_asked(stored: Database, tmp_path: Path) -> None:
    rubric = read_rubric()
    judgements.keep(stored, rubric, [judged("first", "second", "Ada", rubric), judged("first", "third", "Bob", rubric)])
    export_runs(stored, named(stored, "first", "second"), "parquet", tmp_path / "out")
    [said] = rows(tmp_path / "out" / "judgements.parquet")
    assert (said["judge_name"], said["criterion"], said["preferred"]) == ("Ada", rubric.names[0], "first")
    assert json.loads(said["rubric"])[0]["question"] == rubric.criteria[0].question


@pytest.mark.slow
def test_datasets_loads_all_runs_where_none_is_named(stored: Database, tmp_path: Path) -> None:
    """By Hugging Face's own library, in a process of its own, which finds the tables by the card. It refuses
    one without rows, as that of the judgements is here."""
    export_runs(stored, named(stored), "datasets", tmp_path / "out")
    program = [sys.executable, "-c", LOAD, str(tmp_path / "out"), "", *sorted(TABLES - {"judgements"})]
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hub")}
    ended = subprocess.run(program, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    counts = {line.rpartition(" ")[0]: int(line.rpartition(" ")[2]) for line in ended.stdout.splitlines()}
    assert "judgements.parquet" not in (tmp_path / "out" / "README.md").read_text("utf-8")
    assert counts == {
        "": 4, "claims": 2, "completions": 4, "runs": 2, "scores": 4, "scores_wide": 4, "summaries": 2, "evaluators": 2,
        "metrics": 1,
    }  # fmt: skip


@pytest.mark.parametrize("form", ["jsonl", "datasets"])
def test_exporting_again_gives_the_same_bytes(stored: Database, tmp_path: Path, form: str) -> None:
    out = tmp_path / "out"
    first = {path: path.read_bytes() for path in export_runs(stored, named(stored), form, out)}
    for path in first:
        if path.name != "export.json":
            path.write_bytes(b"half")
    assert {path: path.read_bytes() for path in export_runs(stored, named(stored), form, out)} == first
    assert {path for path in out.rglob("*") if path.is_file()} == set(first)


def test_a_folder_that_holds_something_else_is_left_alone(stored: Database, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export_runs(stored, named(stored, "first"), "parquet", out)
    before = {path: path.read_bytes() for path in out.iterdir()}
    with pytest.raises(TerminalError, match="holds other runs; name a new folder"):
        export_runs(stored, named(stored, "second"), "parquet", out)
    assert {path: path.read_bytes() for path in out.iterdir()} == before
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").write_text("years of work")
    with pytest.raises(TerminalError, match="holds something else than exported runs"):
        export_runs(stored, named(stored, "first"), "parquet", tmp_path / "thesis")


def test_a_file_that_cannot_be_finished_is_not_there(
    stored: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(path: Path, schema: object) -> Any:
        path.write_text("half")
        raise OSError("disk full")

    monkeypatch.setitem(_WRITERS, "jsonl", broken)
    with pytest.raises(OSError, match="disk full"):
        export_runs(stored, named(stored), "jsonl", tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["export.json"]


def test_there_must_be_runs(database: Database, published: Callable[..., Snapshot], selected: Any) -> None:
    published(selected(7))
    with pytest.raises(UsageError, match="there are no runs yet"):
        contenders_or_all(database, [])
    with pytest.raises(UsageError, match="there is no run 'first'; there are none yet"):
        contenders(database, ["first"])
