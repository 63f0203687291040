"""What a database has done, put into a shared folder: snapshots, complete runs and finished scorings."""

from collections.abc import Callable
from dataclasses import dataclass

from newwiki.errors import TerminalError
from storage.database import Database
from storage.shared import Note, Part, SharedFolder, rows_sha256

SNAPSHOT_TABLES = ("candidates", "stored_articles", "requests", "novelty", "topics", "snapshots")


@dataclass
class Moved:
    """How much went over, and what was refused, one line each."""

    snapshots: int = 0
    runs: int = 0
    scorings: int = 0
    refused: tuple[str, ...] = ()

    def told(self) -> str:
        return f"{self.snapshots} snapshots, {self.runs} runs and {self.scorings} scorings"


def push(database: Database, folder: SharedFolder, note: Callable[[str], None]) -> Moved:
    """Writes what the folder lacks. Run again after an interruption, it goes on.

    Raises TerminalError in the end, with all else written, where the folder holds something else under the same name.
    """
    there, moved = folder.notes(), Moved()
    snapshots = [row[0] for row in database.rows("snapshot_list")]
    for name in snapshots:
        _snapshot(database, folder, there, moved, name)
    complete = database.rows("share_run_list")
    of_snapshots = {f"reference:{name}": name for name in snapshots}
    of_snapshots |= {run_id: name for run_id, name, has_articles in complete if has_articles}
    if alone := [run_id for run_id, _, has_articles in complete if not has_articles]:
        note(f"not pushed, as their references are in their files: {', '.join(alone)}")
    for run_id, name, has_articles in complete:
        if has_articles:
            _run(database, folder, there, moved, (("snapshot_id", name), ("run_id", run_id)))
    for run_id, evaluator_id, finished_at, scores, texts in database.rows("share_scorings"):
        if run_id in of_snapshots:
            keys = (("snapshot_id", of_snapshots[run_id]), ("run_id", run_id), ("evaluator_id", evaluator_id))
            facts = {"finished_at": finished_at.isoformat(), "texts": texts}
            _scoring(database, folder, there, moved, Part("scores" if scores else "run_scores", keys), facts)
    if moved.refused:
        raise TerminalError(f"{'; '.join(moved.refused)}; all else is pushed ({moved.told()})")
    return moved


def of_snapshot(table: str, name: str) -> Part:
    return Part(table, (("snapshot_id", name),))


def _snapshot(database: Database, folder: SharedFolder, there: dict[Part, Note], moved: Moved, name: str) -> None:
    """The row of `snapshots` last: by it others know that all the rest is there."""
    articles = database.table("share_stored_articles", name)
    if (noted := there.get(of_snapshot("stored_articles", name))) and of_snapshot("snapshots", name) in there:
        if noted.sha256 != rows_sha256(articles):
            moved.refused += (f"'{folder.url}' holds another snapshot '{name}'",)
        return
    for table in SNAPSHOT_TABLES:
        folder.write(of_snapshot(table, name), database.table(f"share_{table}", name), {})
    moved.snapshots += 1


def _run(
    database: Database, folder: SharedFolder, there: dict[Part, Note], moved: Moved, keys: tuple[tuple[str, str], ...]
) -> None:
    """The row of `runs` last, likewise."""
    run, written = Part("runs", keys), Part("completions", keys)
    completions = database.table("share_completions", run["run_id"])
    if (noted := there.get(written)) and run in there:
        if noted.sha256 != rows_sha256(completions):
            moved.refused += (f"'{folder.url}' holds other completions of run {run['run_id']}",)
        return
    folder.write(written, completions, {})
    folder.write(run, database.table("share_runs", run["run_id"]), {})
    moved.runs += 1


def _scoring(
    database: Database,
    folder: SharedFolder,
    there: dict[Part, Note],
    moved: Moved,
    part: Part,
    facts: dict[str, object],
) -> None:
    """Where the folder has as many texts scored by the evaluator or more, its scores stay."""
    evaluator_id = part["evaluator_id"]
    rows = database.table(f"share_{part.table}", part["run_id"], evaluator_id)
    noted = there.get(part)
    if noted and (noted.rows, noted.facts["texts"]) >= (rows.num_rows, facts["texts"]):
        return
    names = [name for (name,) in database.rows("share_metric_names", evaluator_id)]
    described = [("evaluators", "evaluator_id", evaluator_id), *(("metrics", "metric", name) for name in names)]
    for table, key, value in described:
        described_part = Part(table, ((key, value),))
        if described_part not in there:
            there[described_part] = folder.write(described_part, database.table(f"share_{table}", value), {})
    folder.write(part, rows, facts | {"metrics": names})
    moved.scorings += 1
