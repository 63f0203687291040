"""`newwiki export`: snapshots, runs and results for other people's tools."""

from collections.abc import Sequence
from pathlib import Path

import click

from flows.completing import completer
from flows.listing import exemplified, listed
from flows.options import Output, common, metric_models_options, open_database, template_option
from flows.printing import say
from flows.progress import reporter
from flows.request_options import asks
from newwiki.request import TaskRequest
from newwiki.results_request import EveryEvalEverRequest, HubResultsRequest
from newwiki.settings import Settings

_folder = click.option(
    "--out", type=Output(file_okay=False, path_type=Path), required=True, help="A new or empty folder."
)


@listed(
    "share", "Snapshots, runs and results for other tools.", example="newwiki export runs --format parquet --out runs"
)
@click.group()
def export() -> None:
    """Write snapshots, runs and results for other people's tools."""


@exemplified("newwiki export snapshot latest --format parquet --out september")
@export.command("snapshot")
@click.argument("snapshot", shell_complete=completer("snapshot"))
@click.option("--format", "form", type=click.Choice(["manifest", "parquet", "jsonl", "datasets"]), required=True)
@_folder
@common
def export_snapshot(settings: Settings, quiet: bool, snapshot: str, form: str, out: Path) -> None:
    """Write a snapshot into a folder: its revisions without texts, or its articles and candidates."""
    from storage.export_snapshot import export as write

    _show(write(open_database(settings), snapshot, form, out))


@exemplified("newwiki export runs --format jsonl --out runs")
@export.command("runs")
@click.argument("runs", nargs=-1, metavar="[RUN]...", shell_complete=completer("runs"))
@click.option("--format", "form", type=click.Choice(["parquet", "jsonl", "datasets"]), required=True)
@_folder
@common
def export_runs(settings: Settings, quiet: bool, runs: tuple[str, ...], form: str, out: Path) -> None:
    """Write runs (all) into a folder: what the models wrote, its scores, and who scored.

    RUN is named as for `newwiki compare`; reference:SNAPSHOT are the scores of a snapshot's articles.
    """
    from storage.comparison import contenders_or_all
    from storage.export_runs import export_runs as write

    database = open_database(settings)
    _show(write(database, contenders_or_all(database, runs), form, out))


@exemplified("newwiki export results gpt2/greedy --out results")
@export.command("results")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", shell_complete=completer("runs"))
@click.option("--out", type=Output(path_type=Path), required=True, help="A FILE.json for one run, or a folder.")
@common
def export_results(settings: Settings, quiet: bool, runs: tuple[str, ...], out: Path) -> None:
    """Write the results of runs as lm-evaluation-harness would, a file each."""
    from flows.exporting.lm_eval_results import export_results as write
    from storage.comparison import contenders

    database = open_database(settings)
    _show(write(database, contenders(database, runs), out))


@exemplified("newwiki export every-eval-ever gpt2/greedy --organization mine --relationship third_party --out records")
@export.command("every-eval-ever")
@asks(EveryEvalEverRequest)
@_folder
@common
def export_every_eval_ever(settings: Settings, quiet: bool, out: Path, request: EveryEvalEverRequest) -> None:
    """Write the results of runs as records of Every Eval Ever, a file each."""
    from flows.exporting.every_eval_ever import export_records as write

    _show(write(open_database(settings), request, out, reporter(quiet)))


@exemplified("newwiki export hub-results gpt2/greedy --dataset mine/new-wiki --out hub")
@export.command("hub-results")
@asks(HubResultsRequest)
@_folder
@common
def export_hub_results(settings: Settings, quiet: bool, out: Path, request: HubResultsRequest) -> None:
    """Write the results of runs as Hugging Face's Hub reads them, .eval_results/*.yaml in a folder a model."""
    from flows.exporting.hub_results import export_hub_results as write

    _show(write(open_database(settings), request, out, reporter(quiet)))


@exemplified("newwiki export task latest --out task")
@export.command("task")
@asks(TaskRequest)
@template_option
@metric_models_options
@_folder
@common
def export_task(settings: Settings, quiet: bool, out: Path, request: TaskRequest) -> None:
    """Write a snapshot as a task of lm-evaluation-harness, which runs it with our metrics."""
    from flows.exporting.lm_eval_task import export_task as write
    from flows.exporting.lm_eval_task import task_name
    from storage.snapshots import resolve

    database, progress = open_database(settings), reporter(quiet)
    _show(write(database, request, settings, out, progress))
    task = task_name(resolve(database, request.snapshot).snapshot_id)
    progress.note(f"lm_eval --model hf --model_args pretrained=MODEL,dtype=float32 --tasks {task} --include_path {out}")


def _show(paths: Sequence[Path]) -> None:
    for path in paths:
        say(path)
