"""Runs outside the database: what was written, its scores, and who scored, as Parquet, JSON lines or for `datasets`."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from newwiki.errors import TerminalError
from storage.comparison import Contender
from storage.database import Database
from storage.folders import is_free, write_text
from storage.outputs import safe
from storage.rows import RowsForm, write_rows
from storage.runs_card import card

_LIST = "export.json"
_OF_EACH_RUN = ("completions", "runs", "scores", "scores_wide", "summaries", "claims")
_OF_ALL = ("evaluators", "metrics", "judgements")


def export_runs(database: Database, runs: Sequence[Contender], form: str, folder: Path) -> list[Path]:
    """Writes the runs into a folder in the form `parquet`, `jsonl` or `datasets`; gives the files.

    `completions` are all that was written, with the articles' titles; `scores` has a row a text and metric,
    `scores_wide` one a text, `summaries` one a run and metric, `claims` one a sentence that was checked, `judgements`
    one an answer on a pair of these runs; `runs`, `metrics` and `evaluators` say how, what, and by whom: by the newest
    evaluator that has finished the run. Raises TerminalError for a folder that holds anything else.
    """
    ids = [run.run_id for run in runs]
    _require_ours(safe(folder, database.path), ids)
    write_text(folder / _LIST, json.dumps({"runs": ids}, indent=1) + "\n")
    return [folder / _LIST, *RUN_FORMS[form](database, runs, folder)]


def _parquet(database: Database, runs: Sequence[Contender], folder: Path) -> list[Path]:
    return _tables(database, runs, folder, "parquet")


def _jsonl(database: Database, runs: Sequence[Contender], folder: Path) -> list[Path]:
    return _tables(database, runs, folder, "jsonl")


def _datasets(database: Database, runs: Sequence[Contender], folder: Path) -> list[Path]:
    files = _tables(database, runs, folder / "data", "parquet")
    write_text(folder / "README.md", card(files, runs))
    return [folder / "README.md", *files]


RUN_FORMS: dict[str, Callable[[Database, Sequence[Contender], Path], list[Path]]] = {
    "parquet": _parquet,
    "jsonl": _jsonl,
    "datasets": _datasets,
}


def _tables(database: Database, runs: Sequence[Contender], folder: Path, form: RowsForm) -> list[Path]:
    ids = [run.run_id for run in runs]
    asked = {table: [[run_id] for run_id in ids] for table in _OF_EACH_RUN} | {table: [[ids]] for table in _OF_ALL}
    paths = {table: folder / f"{table}.{form}" for table in asked}
    for table, path in paths.items():
        write_rows(database, f"exported_{table}", asked[table], path, form)
    return list(paths.values())


def _require_ours(folder: Path, ids: Sequence[str]) -> None:
    if is_free(folder):
        return
    marked = folder / _LIST
    if not marked.is_file():
        raise TerminalError(f"'{folder}' holds something else than exported runs; name a new folder")
    if json.loads(marked.read_text("utf-8")).get("runs") != list(ids):
        raise TerminalError(f"'{folder}' holds other runs; name a new folder")
