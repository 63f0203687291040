"""Export runs with their texts, scores and evaluators, as Parquet, as JSON lines or for Hugging Face's `datasets`."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from newwiki.errors import TerminalError
from storage.database import Database
from storage.folders import is_free, write_text
from storage.outputs import safe
from storage.rows import RowsForm, write_rows
from storage.run_names import Contender
from storage.runs_card import card

_LIST = "export.json"
_OF_EACH_RUN = ("completions", "runs", "scores", "scores_wide", "summaries", "claims")
_OF_ALL = ("evaluators", "metrics", "judgements")


def export_runs(database: Database, runs: Sequence[Contender], form: str, folder: Path) -> list[Path]:
    """Write the runs into a folder in the form `parquet`, `jsonl` or `datasets`, and return the paths of the files.

    The tables are:

    - `completions`: all completions, with the titles of the articles
    - `scores`: one row per text and metric; `scores_wide`: one row per text
    - `summaries`: one row per run and metric
    - `claims`: one row per checked sentence
    - `judgements`: one row per answer on a pair of these runs
    - `runs`, `metrics` and `evaluators`: how the runs were made, and by which metrics and evaluators they were scored

    Scores are those of the newest evaluator that has finished the run. Raises TerminalError if the folder holds
    anything else.
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
    parameters = {table: [[run_id] for run_id in ids] for table in _OF_EACH_RUN} | {table: [[ids]] for table in _OF_ALL}
    paths = {table: folder / f"{table}.{form}" for table in parameters}
    for table, path in paths.items():
        write_rows(database, f"exported_{table}", parameters[table], path, form)
    return list(paths.values())


def _require_ours(folder: Path, ids: Sequence[str]) -> None:
    if is_free(folder):
        return
    marked = folder / _LIST
    if not marked.is_file():
        raise TerminalError(f"'{folder}' holds something else than exported runs; name a new folder")
    if json.loads(marked.read_text("utf-8")).get("runs") != list(ids):
        raise TerminalError(f"'{folder}' holds other runs; name a new folder")
