"""`newwiki export`: snapshots, runs and results for other tools."""

from pathlib import Path

import click

from flows.completing import completer
from flows.jobs.job import Answer, Here, files_answer, job
from flows.listing import Argument, CommandGroup, exemplified, listed
from flows.options import Output, common, open_database
from flows.printing import say
from flows.progress import reporter
from newwiki.comparison_requests import SNAPSHOT_OF_RUNS
from newwiki.fields import field
from newwiki.request import TaskRequest
from newwiki.results_request import EveryEvalEverRequest, HubResultsRequest
from newwiki.settings import METRIC_MODELS, Settings

_NEW_FOLDER = "New or empty folder to write to."
_folder = click.option("--out", type=Output(file_okay=False, path_type=Path), required=True, help=_NEW_FOLDER)
_of_runs = click.option("--snapshot", metavar="ID", shell_complete=completer("snapshot"), help=SNAPSHOT_OF_RUNS)
_OUT = field(help=_NEW_FOLDER, writes="folder")


@listed(
    "share",
    "Export snapshots, runs and results to other tools.",
    examples=("newwiki export runs --format parquet --out runs",),
)
@click.group(cls=CommandGroup)
def export() -> None:
    """Export snapshots, runs and results to other tools."""


# Snapshot, runs and results have no request and one function call each, so they are plain commands.


@exemplified("newwiki export snapshot latest --format parquet --out september")
@export.command("snapshot")
@click.argument(
    "snapshot", cls=Argument, description="Snapshot: its id, or latest.", shell_complete=completer("snapshot")
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["manifest", "parquet", "jsonl", "datasets"]),
    required=True,
    help="Format of the files.",
)
@_folder
@common
def export_snapshot(settings: Settings, quiet: bool, snapshot: str, form: str, out: Path) -> None:
    """Write a snapshot into a folder: its revisions without texts, or its articles and candidates."""
    from storage.export_snapshot import export as write

    _show(write(open_database(settings), snapshot, form, out))


@exemplified("newwiki export runs --format jsonl --out runs")
@export.command("runs")
@click.argument(
    "runs",
    cls=Argument,
    description="Run to export, named as for `newwiki compare` (default: all).",
    nargs=-1,
    metavar="[RUN]...",
    shell_complete=completer("runs"),
)
@_of_runs
@click.option(
    "--format",
    "form",
    type=click.Choice(["parquet", "jsonl", "datasets"]),
    required=True,
    help="Format of the files.",
)
@_folder
@common
def export_runs(
    settings: Settings, quiet: bool, runs: tuple[str, ...], snapshot: str | None, form: str, out: Path
) -> None:
    """Write runs (default: all that are not hidden) into a folder: the completions, their scores, and the evaluators.

    reference:SNAPSHOT exports the scores of a snapshot's articles.
    """
    from storage.comparison import contenders_or_all
    from storage.export_runs import export_runs as write

    database = open_database(settings)
    chosen = contenders_or_all(database, runs, snapshot=snapshot, note=reporter(quiet).note)
    _show(write(database, chosen, form, out))


@exemplified("newwiki export results gpt2/greedy --out results")
@export.command("results")
@click.argument(
    "runs",
    cls=Argument,
    description="Run to export, named as for `newwiki compare`.",
    nargs=-1,
    required=True,
    metavar="RUN...",
    shell_complete=completer("runs"),
)
@_of_runs
@click.option(
    "--out", type=Output(path_type=Path), required=True, help="File (FILE.json) for one run, or folder to write to."
)
@common
def export_results(settings: Settings, quiet: bool, runs: tuple[str, ...], snapshot: str | None, out: Path) -> None:
    """Write the results of runs in the format of lm-evaluation-harness, one file per run."""
    from flows.exporting.lm_eval_results import export_results as write
    from storage.comparison import contenders

    database = open_database(settings)
    chosen = contenders(database, runs, snapshot=snapshot, note=reporter(quiet).note)
    _show(write(database, chosen, out))


@job(
    EveryEvalEverRequest,
    summary="Export results as records of Every Eval Ever.",
    examples=(
        "newwiki export every-eval-ever gpt2/greedy --organization mine --relationship third_party "
        "--model-id openai-community/gpt2 --out records",
    ),
    returns="paths",
    result="Returns the files.",
    by_place=("runs",),
)
def export_every_eval_ever(request: EveryEvalEverRequest, here: Here, *, out: Path = _OUT) -> Answer:
    """Write the results of runs as records of Every Eval Ever, one file per run."""
    from flows.exporting.every_eval_ever import export_records

    return files_answer(export_records(here.database, request, out, here.progress))


@job(
    HubResultsRequest,
    summary="Export results for the Hugging Face Hub.",
    examples=(
        "newwiki export hub-results gpt2/greedy --dataset mine/new-wiki --model-id openai-community/gpt2 --out hub",
    ),
    returns="paths",
    result="Returns the files.",
    by_place=("runs",),
)
def export_hub_results(request: HubResultsRequest, here: Here, *, out: Path = _OUT) -> Answer:
    """Write the results of runs in the format of the Hugging Face Hub: .eval_results/*.yaml in a folder per model."""
    from flows.exporting.hub_results import export_hub_results as write

    return files_answer(write(here.database, request, out, here.progress))


@job(
    TaskRequest,
    summary="Export a snapshot as a task of lm-evaluation-harness.",
    examples=("newwiki export task latest --out task",),
    settings=("template", *METRIC_MODELS),
    returns="paths",
    result="Returns the files.",
)
def export_task(request: TaskRequest, here: Here, *, out: Path = _OUT) -> Answer:
    """Write a snapshot as a task of lm-evaluation-harness, which evaluates models with the metrics of newwiki."""
    from flows.exporting.lm_eval_task import export_task as write
    from flows.exporting.lm_eval_task import task_name
    from storage.snapshots import resolve

    files = files_answer(write(here.database, request, here.settings, out, here.progress))
    task = task_name(resolve(here.database, request.snapshot).snapshot_id)

    def show(form: str) -> None:
        files.show(form)
        model = "--model hf --model_args pretrained=MODEL,dtype=float32"
        here.note([f"lm_eval {model} --tasks {task} --include_path {out}"])

    return Answer(files.value, show)


export.add_command(export_every_eval_ever, "every-eval-ever")
export.add_command(export_hub_results, "hub-results")
export.add_command(export_task, "task")


def _show(paths: list[Path]) -> None:
    for path in paths:
        say(path)
