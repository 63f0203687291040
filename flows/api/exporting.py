"""Snapshots, runs and results for other people's tools and eyes."""

from pathlib import Path

from flows.api.arguments import asks
from flows.api.opening import PathLike, database_at, known, opened
from flows.progress import reporter
from newwiki.request import ReportRequest, TaskRequest
from newwiki.results_request import EveryEvalEverRequest, HubResultsRequest
from newwiki.site_request import SiteRequest


def export_snapshot(snapshot: str, *, out: PathLike, format: str, db: PathLike | None = None) -> list[Path]:
    """Writes a snapshot into a folder as `manifest`, `parquet`, `jsonl` or `datasets`; gives the files."""
    from storage.export_snapshot import FORMS, export

    return export(database_at(db), snapshot, known(format, FORMS), Path(out))


def export_runs(*runs: str, out: PathLike, format: str, db: PathLike | None = None) -> list[Path]:
    """Writes runs (all) with their scores into a folder as `parquet`, `jsonl` or `datasets`; gives the files."""
    from storage import export_runs as exporting
    from storage.comparison import contenders_or_all

    database = database_at(db)
    chosen = contenders_or_all(database, runs)
    return exporting.export_runs(database, chosen, known(format, exporting.RUN_FORMS), Path(out))


def export_results(*runs: str, out: PathLike, db: PathLike | None = None) -> list[Path]:
    """Writes the results of runs in lm-evaluation-harness's shape, to a file.json or a folder; gives the files."""
    from flows.exporting import lm_eval_results as results
    from storage.comparison import contenders

    database = database_at(db)
    return results.export_results(database, contenders(database, runs), Path(out))


@asks(EveryEvalEverRequest, by_place=("runs",))
def export_every_eval_ever(
    request: EveryEvalEverRequest,
    *,
    out: PathLike,
    db: PathLike | None = None,
    quiet: bool = False,
    **settings: str,
) -> list[Path]:
    """Writes the results of runs as records of Every Eval Ever into a folder; gives the files."""
    from flows.exporting.every_eval_ever import export_records

    return export_records(opened(db, settings)[1], request, Path(out), reporter(quiet))


@asks(HubResultsRequest, by_place=("runs",))
def export_hub_results(
    request: HubResultsRequest,
    *,
    out: PathLike,
    db: PathLike | None = None,
    quiet: bool = False,
    **settings: str,
) -> list[Path]:
    """Writes the results of runs as Hugging Face's Hub reads them, into a folder a model; gives the files."""
    from flows.exporting import hub_results

    return hub_results.export_hub_results(opened(db, settings)[1], request, Path(out), reporter(quiet))


@asks(TaskRequest)
def export_task(
    request: TaskRequest, *, out: PathLike, db: PathLike | None = None, quiet: bool = False, **settings: str
) -> list[Path]:
    """Writes a snapshot as a task of lm-evaluation-harness into a folder; gives the files."""
    from flows.exporting import lm_eval_task as task

    force, database = opened(db, settings)
    return task.export_task(database, request, force, Path(out), reporter(quiet))


@asks(ReportRequest)
def report(
    request: ReportRequest,
    *,
    out: PathLike | None = None,
    db: PathLike | None = None,
    quiet: bool = False,
    **settings: str,
) -> Path:
    """Writes what was found on a snapshot as one HTML file (`report-SNAPSHOT.html`), and gives its path."""
    from flows.report.page import write

    return write(opened(db, settings)[1], reporter(quiet), request, Path(out) if out else None)


@asks(SiteRequest)
def site(
    request: SiteRequest, *, out: PathLike, db: PathLike | None = None, quiet: bool = False, **settings: str
) -> Path:
    """Writes a static site of databases, shared folders and bundles (the database) into a folder of its own, and gives
    the path of its first page."""
    from flows.site.build import build

    return build(request, opened(db, settings)[0], reporter(quiet), Path(out)).folder / "index.html"
