"""A snapshot as a task of lm-evaluation-harness: a folder that `lm_eval --include_path` reads wherever it stands."""

import re
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet

from evaluators.scorer_metrics import is_preset, scorer_of
from flows.exporting import lm_eval_task_files as task_files
from flows.progress import Progress
from flows.scoring.score_run import choose
from newwiki.errors import UsageError
from newwiki.file_names import file_name
from newwiki.private_places import public_decoder
from newwiki.records import Metric
from newwiki.registry import Evaluator, ReadingEvaluator, SetEvaluator
from newwiki.request import TaskRequest
from newwiki.settings import Settings
from newwiki.snapshot import Article, Snapshot
from newwiki.text.prompts import fill
from storage import snapshots
from storage.database import Database
from storage.export_snapshot import write_folder
from storage.folders import whole, write_text

TASK_VERSION = "1.0"  # raise it whenever the same snapshot would give a task with other numbers
_SCORING = ("entities", "embedder", "embedder_dtype", "embedder_backend", "lexicon", "likelihood_model")
HIGHER_IS_BETTER = {"higher": True, "lower": False, "none": None}


def task_name(snapshot_id: str) -> str:
    """`newwiki_enwiki_2026_10`."""
    return f"newwiki_{re.sub(r'[^a-z0-9]+', '_', file_name(snapshot_id.lower()))}"


def export_task(
    database: Database, request: TaskRequest, settings: Settings, folder: Path, progress: Progress
) -> list[Path]:
    """Writes the task's folder; gives the files.

    It holds the prompts by `settings.template`, the references, the metrics to score by, and by which models, as the
    settings name them; a note tells of those that are paths of this machine. Raises UsageError for a metric that a task
    cannot have, TerminalError for a folder that holds anything else.
    """
    _note_private_paths(settings, progress)
    evaluators = _evaluators(choose(request.metrics, settings, progress), everything=request.metrics == "all")
    metrics = [metric for evaluator in evaluators for metric in evaluator.metrics]

    def write(database: Database, snapshot: Snapshot, folder: Path) -> Sequence[Path]:
        articles = snapshots.articles(database, snapshot.snapshot_id)[: request.prompts]
        task = task_name(snapshot.snapshot_id)
        about = {
            "version": TASK_VERSION,
            "snapshot_id": snapshot.snapshot_id,
            "content_sha256": snapshot.content_sha256,
            "prompt_template": settings.template,
            "newwiki_version": version("newwiki-eval"),
        }
        scoring = {setting: getattr(settings, setting) for setting in _SCORING}
        texts = {
            f"{task}.yaml": task_files.yaml(task, request.max_new_tokens, [_entry(metric) for metric in metrics]),
            "newwiki_task.py": task_files.module(about, ",".join(metric.name for metric in metrics), scoring),
            "README.md": task_files.readme(task, snapshot, len(articles), metrics),
        }
        for place, text in texts.items():
            write_text(folder / place, text)
        with whole(folder / task_files.DOCUMENTS) as part:
            parquet.write_table(_documents(articles, settings.template), part, compression="zstd")
        return [folder / place for place in (*texts, task_files.DOCUMENTS)]

    return write_folder(database, request.snapshot, folder, write)


def _note_private_paths(settings: Settings, progress: Progress) -> None:
    """The task must find its models again, so the paths stay in it."""
    for name in _SCORING:
        if (value := str(getattr(settings, name) or "")) != public_decoder(value):
            progress.note(
                f"the task names --{name.replace('_', '-')} {value}: whoever gets it reads this path and does not have "
                "the file; to share the task, name a model of the Hub or a relative path"
            )


def _evaluators(chosen: Sequence[Evaluator], everything: bool) -> list[Evaluator]:
    """Those of them that score one text by itself; any other is refused, unless `everything` was chosen."""
    unfit = {evaluator.metrics[0].name: why for evaluator in chosen if (why := _unfit(evaluator))}
    if unfit and not everything:
        name, why = next(iter(unfit.items()))
        raise UsageError(f"lm_eval cannot score by {name}: {why}")
    return [evaluator for evaluator in chosen if evaluator.metrics[0].name not in unfit]


def _unfit(evaluator: Evaluator) -> str | None:
    """Why a task cannot score by it."""
    if isinstance(evaluator, SetEvaluator):
        return "it is one number a run; log the samples, and give the log to `newwiki score`"
    if isinstance(evaluator, ReadingEvaluator):
        return "it is of no text that a model writes; `newwiki evaluate MODEL --likelihood-only` has it"
    if evaluator.verdicts:
        return "its verdicts are kept sentence by sentence; log the samples, and give the log to `newwiki score`"
    scorer = scorer_of(evaluator)
    if (scorer and not is_preset(scorer)) or evaluator.function.__module__.startswith("newwiki_plugin_"):
        return "it comes from a file of yours, which the task would not find; install it by an entry point"
    return None


def _entry(metric: Metric) -> dict[str, object]:
    better = HIGHER_IS_BETTER[metric.direction]
    return {"metric": metric.name, "aggregation": "mean", "higher_is_better": better}


def _documents(articles: Sequence[Article], template: str) -> pa.Table:
    """One row an article, the longest first, so that lm_eval's --limit takes those that our --prompts takes."""
    columns = ("page_id", "title", "first_sentence", "completion")
    table = {column: [getattr(article, column) for article in articles] for column in columns}
    prompts = [fill(template, article.title, article.first_sentence) for article in articles]
    return pa.table(table | {"prompt": prompts})
