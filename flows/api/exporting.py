"""Snapshots, runs and results as files for other tools."""

from pathlib import Path

from flows.api.opening import PathLike, database_at, known


def export_snapshot(snapshot: str, *, out: PathLike, format: str, db: PathLike | None = None) -> list[Path]:
    """Write a snapshot into a folder as `manifest`, `parquet`, `jsonl` or `datasets`, and return the files."""
    from storage.export_snapshot import FORMS, export

    return export(database_at(db), snapshot, known(format, FORMS), Path(out))


def export_runs(
    *runs: str, out: PathLike, format: str, snapshot: str | None = None, db: PathLike | None = None
) -> list[Path]:
    """Write runs (default: all) with their scores into a folder as `parquet`, `jsonl` or `datasets`.

    Returns the files.
    """
    from storage import export_runs as exporting
    from storage.comparison import contenders_or_all

    database = database_at(db)
    chosen = contenders_or_all(database, runs, snapshot=snapshot)
    return exporting.export_runs(database, chosen, known(format, exporting.RUN_FORMS), Path(out))


def export_results(*runs: str, out: PathLike, snapshot: str | None = None, db: PathLike | None = None) -> list[Path]:
    """Write the results of runs in the format of lm-evaluation-harness, to a FILE.json or a folder.

    Returns the files.
    """
    from flows.exporting import lm_eval_results as results
    from storage.comparison import contenders

    database = database_at(db)
    return results.export_results(database, contenders(database, runs, snapshot=snapshot), Path(out))
