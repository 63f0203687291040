"""Two machines and a shared folder: everything comes over once, checked, and contradictions are refused."""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any
from uuid import uuid4

import duckdb
import pyarrow as pa
import pytest

from flows.admitting.gate import admit
from flows.cli import main
from flows.scoring.text_budget import TextBudget
from newwiki.errors import TerminalError, TransientError, UsageError
from newwiki.knowledge_cutoff import ORIGINS, KnowledgeCutoff
from newwiki.records import Completion, Score
from storage import knowledge_cutoffs, run_changes, runs
from storage.database import Database
from storage.pull import Contradiction, pull
from storage.push import push
from storage.shared import GatheredParts, Note, SharedFolder, SharedPart
from tests.storage.machines import BLEU, score, texts, write

TABLES = (
    "snapshots", "stored_articles", "candidates", "runs", "completions", "scores", "run_scores", "scorings",
    "evaluators", "metrics", "stored_summaries", "page_means", "claims", "judgements", "rubrics",
)  # fmt: skip


def everything(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    with duckdb.connect(str(database.path), read_only=True) as connection:
        return {table: sorted(connection.execute(f"from {table}").fetchall(), key=repr) for table in TABLES}


@pytest.fixture
def folder() -> GatheredParts:
    return GatheredParts("elsewhere")


def over(source: Database, folder: SharedFolder | GatheredParts, target: Database) -> None:
    push(source, folder, print)
    pull(target, admit(folder, "pull"), print)


def test_a_new_database_becomes_the_same_and_a_second_time_nothing_moves(first: Database, tmp_path: Path) -> None:
    folder, new = SharedFolder(f"memory://{uuid4()}"), Database(tmp_path / "new.duckdb")
    over(first, folder, new)
    assert everything(new) == everything(first)

    with new.read() as connection:
        [(mean,)] = connection.execute("select bleu from leaderboard where run_id = 'run-a'").fetchall()
    assert mean == 21.5

    before = new.path.read_bytes()
    assert push(first, folder, print).words() == "0 snapshots, 0 runs, 0 scorings and 0 judgements"
    assert pull(new, admit(folder, "pull"), print).words() == "0 snapshots, 0 runs, 0 scorings and 0 judgements"
    assert new.path.read_bytes() == before


def test_hidden_runs_stay_and_deleted_ones_come_back(first: Database, folder: GatheredParts) -> None:
    """A folder forgets nothing. A hidden run is not pushed, and stays hidden whatever comes."""
    notes: list[str] = []
    run_changes.hide(first, ["run-a"])
    assert push(first, folder, notes.append).runs == 0
    assert notes == ["not pushed, as they are hidden (`newwiki runs show`): run-a"]
    run_changes.show(first, ["run-a"])
    assert push(first, folder, print).runs == 1
    before = everything(first)
    run_changes.delete(first, ["run-a"])
    assert pull(first, admit(folder, "pull"), print).runs == 1
    assert everything(first)["completions"] == before["completions"]
    run_changes.hide(first, ["run-a"])
    assert pull(first, admit(folder, "pull"), print).runs == 0
    assert database_hides(first) == ["run-a"]


def test_a_renamed_run_is_known_by_its_former_name(first: Database, folder: GatheredParts) -> None:
    push(first, folder, print)
    run_changes.rename(first, ["run-a"], "base")
    assert push(first, folder, print).runs == pull(first, admit(folder, "pull"), print).runs == 0
    with first.read() as connection:
        assert connection.execute("select model from runs").fetchall() == [("base",)]


def database_hides(database: Database) -> list[str]:
    with database.read() as connection:
        return [run_id for (run_id,) in connection.execute("select run_id from hidden_runs").fetchall()]


def test_the_work_of_two_machines_comes_together(
    first: Database, second: Database, folder: GatheredParts, run_of: Any
) -> None:
    write(second, run_of("run-b"), texts(of="other"))
    score(second, "run-b", value=30)
    score(second, "reference:testwiki-2026-09", value=90)
    over(second, folder, first)
    over(first, folder, second)
    assert [row[0] for row in everything(first)["runs"]] == ["run-a", "run-b"]
    moments = {"scorings"}  # each machine finished the articles at its own time
    assert {name: rows for name, rows in everything(first).items() if name not in moments} == {
        name: rows for name, rows in everything(second).items() if name not in moments
    }


def test_an_unfinished_run_is_completed_by_what_another_has_finished(
    first: Database, second: Database, folder: GatheredParts, run_of: Any
) -> None:
    runs.start(second, run_of("run-a"))
    runs.add_completions(second, "run-a", texts()[:3])
    over(first, folder, second)
    assert everything(second) == everything(first)


def test_a_scoring_that_has_grown_goes_over_again(
    first: Database, second: Database, folder: GatheredParts, run_of: Any
) -> None:
    write(first, run_of("run-b", keep=2), texts())
    chosen = TextBudget(6).of_texts([(page, sample) for page in (1, 2, 3) for sample in (0, 1)])
    scores = [Score(page, sample, "bleu", 50.0, "ok", BLEU.evaluator_id) for page, sample in chosen]
    runs.add_scores(first, "run-b", scores[:3])
    runs.finish_scoring(first, "run-b", {BLEU.evaluator_id})
    over(first, folder, second)
    assert everything(second) == everything(first)
    runs.add_scores(first, "run-b", scores[3:])
    over(first, folder, second)
    assert everything(second) == everything(first)


def test_another_snapshot_of_the_name_stays_out_with_all_that_is_about_it(
    written: Database, second: Database, folder: GatheredParts, run_of: Any
) -> None:
    with second.write() as connection:
        connection.execute("update stored_articles set title = 'another'")
    write(second, run_of("run-b"), texts())
    push(written, folder, print)
    before = folder.notes()
    with pytest.raises(TerminalError, match=r"holds another snapshot 'testwiki-2026-09'; all else is pushed \(0 snap"):
        push(second, folder, print)
    assert folder.notes() == before


def test_a_push_that_was_stopped_shows_no_half_of_a_run_and_goes_on(
    first: Database, folder: GatheredParts, third: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = folder.write

    def stop(part: SharedPart, rows: pa.Table, facts: Mapping[str, Any]) -> Note:
        if part.table == "runs":
            raise KeyboardInterrupt
        return written(part, rows, facts)

    with monkeypatch.context() as patched:
        patched.setattr(folder, "write", stop)
        with pytest.raises(KeyboardInterrupt):
            push(first, folder, print)
    assert pull(third, admit(folder, "pull"), print).words() == "1 snapshots, 0 runs, 0 scorings and 0 judgements"
    assert push(first, folder, print).words() == "0 snapshots, 1 runs, 4 scorings and 0 judgements"
    pull(third, admit(folder, "pull"), print)
    assert everything(third) == everything(first)


def test_other_completions_of_the_same_run_are_refused_on_both_sides(
    first: Database, second: Database, folder: GatheredParts, run_of: Any
) -> None:
    write(second, run_of("run-a"), texts(of="changed"))
    push(first, folder, print)
    with pytest.raises(TerminalError, match=r"run run-a is another one here than there.*all else is here"):
        pull(second, admit(folder, "pull"), print)
    assert "run-a" not in {row[0] for row in everything(second)["scores"]}, (
        "nor are scores of other completions taken in"
    )
    score(second, "run-a")
    runs.add_scores(second, "run-a", [Score(page, 1, "bleu", 50.0, "ok", BLEU.evaluator_id) for page in (1, 2, 3)])
    there = folder.notes()
    with pytest.raises(TerminalError, match=r"holds other completions of run run-a; all else is pushed"):
        push(second, folder, print)
    assert folder.notes() == there, "nor are scores of other completions pushed"
    assert {row[3] for row in everything(second)["completions"]} == {text.text for text in texts(of="changed")}


def _with_ids() -> list[Completion]:
    return [replace(one, token_ids=(1, 2, 3, 4, one.page_id)) for one in texts()]


@pytest.mark.parametrize(("ids_here", "ids_there"), [(False, True), (True, False)])
def test_run_of_an_older_version_without_token_ids_is_the_same_run(
    ids_here: bool, ids_there: bool, second: Database, tmp_path: Path, folder: GatheredParts, run_of: Any
) -> None:
    here, there = second, Database(shutil.copy(second.path, tmp_path / "there.duckdb"))
    for database, ids in ((here, ids_here), (there, ids_there)):
        write(database, run_of("run-a"), _with_ids() if ids else texts())
    push(there, folder, print)
    if not ids_there:  # as it was written before there was the column
        [(part, note)] = [(part, note) for part, note in folder.notes().items() if part.table == "completions"]
        older = folder.read(note).drop_columns(["token_ids"])
        assert folder.write(part, older, {}).sha256 == note.sha256
    pull(here, admit(folder, "pull"), print)
    assert push(here, folder, print).words() == "0 snapshots, 0 runs, 0 scorings and 0 judgements"


def test_other_token_ids_of_the_same_texts_are_refused(
    second: Database, tmp_path: Path, folder: GatheredParts, run_of: Any
) -> None:
    here, there = second, Database(shutil.copy(second.path, tmp_path / "there.duckdb"))
    write(there, run_of("run-a"), _with_ids())
    write(here, run_of("run-a"), [replace(one, token_ids=(9,) * 5) for one in texts()])
    push(there, folder, print)
    with pytest.raises(TerminalError, match="run run-a is another one here than there"):
        pull(here, admit(folder, "pull"), print)


def test_scores_may_differ_by_rounding_and_no_more(
    first: Database, second: Database, folder: GatheredParts, run_of: Any
) -> None:
    write(second, run_of("run-a"), texts())
    with second.write() as connection:
        connection.execute("update runs set started_at = now()")
    score(second, "run-a", value=20.000001)
    before = everything(second)["scores"]
    over(first, folder, second)
    assert [row for row in everything(second)["scores"] if row[0] == "run-a"] == before
    with second.write() as connection:
        connection.execute("update scores set value = value + 1 where run_id = 'run-a'")
    before = everything(second)["scores"]
    with pytest.raises(TerminalError, match=f"the scores of run run-a by evaluator {BLEU.evaluator_id} is another"):
        pull(second, admit(folder, "pull"), print)
    assert everything(second)["scores"] == before


def test_a_file_that_was_changed_is_not_taken(first: Database, second: Database, tmp_path: Path) -> None:
    folder = SharedFolder(f"file://{tmp_path}/shared")
    push(first, folder, print)
    file = tmp_path / "shared" / "completions" / "snapshot_id=testwiki-2026-09" / "run_id=run-a" / "completions.parquet"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TransientError, match=r"completions.parquet' is not what its note"):
        pull(second, admit(folder, "pull"), print)
    assert everything(second)["runs"] == []
    file.write_bytes(whole)
    pull(second, admit(folder, "pull"), print)
    assert everything(second) == everything(first)


def test_duckdb_reads_the_shared_folder_as_it_is(first: Database, tmp_path: Path) -> None:
    push(first, SharedFolder(f"file://{tmp_path}/shared"), print)
    asked = "select run_id, count(*) from read_parquet(?, hive_partitioning = true) group by all"
    assert duckdb.execute(asked, [f"{tmp_path}/shared/completions/*/*/*.parquet"]).fetchall() == [("run-a", 6)]


def test_what_was_never_pushed_or_cannot_be_reached_is_said(first: Database, tmp_path: Path) -> None:
    with pytest.raises(TerminalError, match="nothing has been pushed to"):
        pull(first, admit(SharedFolder(f"file://{tmp_path}/none"), "pull"), print)
    with pytest.raises(UsageError, match="'nothing://x' cannot be reached"):
        SharedFolder("nothing://x")


@pytest.mark.parametrize("command", ["push", "pull"])
def test_a_ducklake_is_refused_in_one_line(
    first: Database, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ["newwiki", command, "ducklake:postgres:password=hush", "--db", str(first.path)]
    monkeypatch.setattr("sys.argv", asked)
    assert main() == 2
    told = capsys.readouterr().err
    assert (told.count("\n"), "hush" in told) == (1, False)
    assert "a DuckLake is not supported any more; name a folder" in told
    assert [path.name for path in tmp_path.iterdir() if "ducklake" in path.name] == []


def test_what_is_said_later_of_a_models_cutoff_goes_over_with_its_run(
    written: Database, second: Database, folder: GatheredParts, third: Database
) -> None:
    """Where one machine says nothing of it. Of two days neither is overwritten."""
    over(written, folder, second)
    by_card, asked = (KnowledgeCutoff(date(2026, month, 1), said) for month, said in ((5, ORIGINS[3]), (6, ORIGINS[0])))
    knowledge_cutoffs.enter(written, "run-a", by_card)
    over(written, folder, second)
    assert knowledge_cutoffs.of_run(second, "run-a") == by_card
    knowledge_cutoffs.enter(second, "run-a", asked)
    push(second, folder, print)
    with pytest.raises(Contradiction, match="knowledge_cutoff is 2026-05-01 here and 2026-06-01 there"):
        pull(written, admit(folder, "pull"), print)
    assert knowledge_cutoffs.of_run(written, "run-a") == by_card
    pull(third, admit(folder, "pull"), print)
    assert knowledge_cutoffs.of_run(third, "run-a") == asked


def test_a_run_that_an_older_version_has_pushed_has_no_cutoff(
    written: Database, second: Database, folder: GatheredParts
) -> None:
    push(written, folder, print)
    [(part, note)] = [(part, note) for part, note in folder.notes().items() if part.table == "runs"]
    folder.write(part, folder.read(note).drop_columns(["knowledge_cutoff", "knowledge_cutoff_from"]), {})
    pull(second, admit(folder, "pull"), print)
    assert knowledge_cutoffs.of_run(second, "run-a") is None
