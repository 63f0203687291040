"""Score stored runs and files of external texts in sequence."""

from pathlib import Path

from flows.progress import Progress
from flows.scoring.anchor_texts import score_anchors
from flows.scoring.score_run import LoadedEvaluators, choose, score_run
from flows.scoring.score_shard import ShardedScoring
from flows.scoring.texts_from_elsewhere import take_in
from flows.workers.shards import Executor, ShardsFailed
from newwiki.errors import UsageError
from newwiki.knowledge_cutoff import known_cutoff
from newwiki.records import Run
from newwiki.registry import Evaluator, ReadingEvaluator
from newwiki.request import ScoringRequest
from newwiki.settings import Settings
from newwiki.snapshot import Article
from storage import knowledge_cutoffs, runs
from storage.comparison import stored_runs
from storage.database import Database


def score_all(
    database: Database,
    request: ScoringRequest,
    settings: Settings,
    progress: Progress,
    *,
    executor: Executor | None = None,
) -> set[str]:
    """Compute the missing scores of these runs, or of all with `missing`, and return the ids of the evaluators.

    Raises UsageError if the request names no run and no file. Raises ShardsFailed at the end if an executor failed on a
    shard.
    """
    if not request.files and not request.run and not request.missing:
        raise UsageError("name what to score: a FILE.jsonl, --run RUN, or --missing for every stored run")
    loaded = LoadedEvaluators(_text_evaluators(request.metrics, settings, progress), settings, request.budget)
    work = [_taken_in(database, file, request, settings, progress) for file in request.files]
    snapshot = None if request.snapshot == "latest" else request.snapshot
    ids = [run.run_id for run in stored_runs(database, request.run, snapshot=snapshot, note=progress.note)]
    if request.missing:
        stored, alone, prompted = runs.complete_runs(database)
        ids += stored
        if prompted:
            progress.note(f"not scored, as they are on prompts (`newwiki experiment fairness`): {', '.join(prompted)}")
        if alone:
            progress.note(f"not scored, as their references are in their files: {', '.join(alone)}")
    if ids:
        with database.read():
            work += [runs.with_articles(database, run_id) for run_id in dict.fromkeys(ids)]
    scoring = ShardedScoring(executor) if executor else None
    failures: list[str] = []
    for run, articles in work:
        try:
            score_run(database, run, articles, loaded, progress, scoring)
            score_anchors(database, run, articles, loaded, progress, scoring)
        except ShardsFailed as error:
            failures.append(f"run {run.run_id}: {error}")
    if failures:
        raise ShardsFailed("; ".join(failures) + "; run the same command again for what is missing")
    return loaded.all_ids


def _text_evaluators(metrics: str, settings: Settings, progress: Progress) -> list[Evaluator]:
    """Return the evaluators of these metrics. Raises UsageError for a metric of a likelihood run."""
    chosen = choose(metrics, settings, progress)
    text_evaluators = [evaluator for evaluator in chosen if not isinstance(evaluator, ReadingEvaluator)]
    if metrics != "all" and len(text_evaluators) < len(chosen):
        [other, *_] = [evaluator.metrics[0].name for evaluator in chosen if evaluator not in text_evaluators]
        raise UsageError(
            f"'{other}' is no number of a text: a model has to read the articles for it, as with `newwiki evaluate "
            "MODEL --likelihood-only`"
        )
    return text_evaluators


def _taken_in(
    database: Database, file: Path, request: ScoringRequest, settings: Settings, progress: Progress
) -> tuple[Run, list[Article]]:
    model = request.model or file.stem
    cutoff = known_cutoff(model, request.knowledge_cutoff, dict(settings.knowledge_cutoffs))
    run, articles = take_in(
        database, file, snapshot=request.snapshot, model=model, decoder=request.decoder, cutoff=cutoff
    )
    if cutoff and (message := knowledge_cutoffs.enter(database, run.run_id, cutoff)):
        progress.note(message)
    return run, articles
