"""Generate and score with every model and every decoder in turn, and score the articles with the models."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace

from evaluators.scoring import select
from flows.evaluating.generate import PlannedRun, find_models, generate, load_model, plan
from flows.evaluating.read_articles import plan_reading, read_articles
from flows.evaluating.write_shard import ShardedModel
from flows.progress import Progress
from flows.scoring.anchor_texts import score_anchors
from flows.scoring.batches import BatchScoring
from flows.scoring.score_run import LoadedEvaluators, choose, score_run
from flows.scoring.score_shard import ShardedScoring
from flows.workers.shards import Executor, ShardsFailed
from newwiki.decoding.grammar import Decoder, parse
from newwiki.errors import TerminalError, UsageError
from newwiki.knowledge_cutoff import KnowledgeCutoff, known_cutoff
from newwiki.models.backend import Backend, reads_articles
from newwiki.models.merging import bases_stay
from newwiki.prompting.chat_prompts import is_chat, resolved
from newwiki.registry import ReadingEvaluator, models, reading_evaluators, reading_metrics
from newwiki.request import EvaluationRequest
from newwiki.settings import Settings
from storage.database import Database
from storage.snapshots import resolve


class RunSteps:
    """The steps of a run. This class does them in this process, in sequence."""

    def write(
        self,
        database: Database,
        planned: PlannedRun,
        backend: Backend,
        decoder: Decoder,
        progress: Progress,
        *,
        at_once: bool,
    ) -> None:
        generate(database, planned, backend, decoder, progress, at_once=at_once)

    def score(
        self,
        database: Database,
        planned: PlannedRun,
        loaded_evaluators: LoadedEvaluators,
        progress: Progress,
        scoring: BatchScoring | None,
    ) -> None:
        score_run(database, planned.run, planned.articles, loaded_evaluators, progress, scoring)
        score_anchors(database, planned.run, planned.articles, loaded_evaluators, progress, scoring)

    def read(
        self,
        database: Database,
        planned: PlannedRun,
        backend: Backend,
        evaluators: Sequence[ReadingEvaluator],
        progress: Progress,
    ) -> set[str]:
        return read_articles(database, planned, backend, evaluators, progress)


HERE = RunSteps()


def evaluate_all(
    database: Database,
    request: EvaluationRequest,
    settings: Settings,
    progress: Progress,
    *,
    executor: Executor | None = None,
    work: RunSteps = HERE,
    load: Callable[[str, str, dict[str, str]], Backend] = load_model,
) -> set[str]:
    """Generate and score every run of the request, and return the ids of the evaluators that scored.

    Checks the whole request before any work and raises an error if something is missing. With an executor, a shard that
    fails for good leaves its run incomplete. ShardsFailed is raised after all other shards are done.
    """
    request = for_chat(database, request, settings)
    cutoffs = check(database, request, settings)
    chosen = [decoder for specification in request.decoder for decoder in parse(specification)]
    text_evaluators, readers = [], reading_of(request)
    if executor:
        refuse_workers(request)
    if not request.likelihood_only:
        text_evaluators = choose(request.metrics, settings, progress)
        if left_out := _not_read(request, executor is not None):
            progress.note(left_out)
        else:
            readers = [*readers, *_read_by_default(request)]
    loaded_evaluators = LoadedEvaluators(text_evaluators, settings, request.budget)
    scorers = loaded_evaluators.all_ids
    scoring = ShardedScoring(executor) if executor else None
    failures: list[str] = []
    with bases_stay() if len(request.models) > 1 else nullcontext():
        for name in request.models:
            loaded = load(request.backend, name, request.loading)
            if readers:
                planned = plan_reading(database, loaded, request, settings.template, cutoffs[name])
                scorers |= work.read(database, planned, loaded, readers, progress)
            if executor:
                loaded = ShardedModel(loaded, request.backend, request.loading, chosen, executor)
            for decoder in chosen:
                planned = plan(database, loaded, decoder, request, settings.template, cutoffs[name])
                try:
                    work.write(database, planned, loaded, decoder, progress, at_once=executor is not None)
                    work.score(database, planned, loaded_evaluators, progress, scoring)
                except ShardsFailed as error:
                    failures.append(f"run {planned.run.run_id} ({name} {decoder.short}): {error}")
            del loaded  # so that it and the next one need not fit into memory together
    if failures:
        raise ShardsFailed("; ".join(failures) + "; run the same command again for what is missing")
    return scorers


def for_chat(database: Database, request: EvaluationRequest, settings: Settings) -> EvaluationRequest:
    """Return the request with what follows from a chat: a template of chats needs `chat`, and a chat template that asks
    for the date gets the day of the snapshot's cutoff."""
    if not is_chat(settings.template) and not request.chat:
        return request
    if "date" not in getattr(models.get(request.backend), "chat_arguments", ()):
        return replace(request, chat=True)  # a backend of somebody else
    day = request.date or resolve(database, request.snapshot).cutoff.date()
    return replace(request, chat=True, date=day)


def reading_of(request: EvaluationRequest) -> list[ReadingEvaluator]:
    """Return the evaluators that the request names whose scores come from a model that reads the articles.

    Raises UsageError if the request is `likelihood_only` and names a metric of texts.
    """
    if request.likelihood_only and request.metrics in ("core", "all"):
        return list(reading_evaluators.all().values())
    if request.metrics == "all":
        return []
    chosen = select(request.metrics)
    readers = [evaluator for evaluator in chosen if isinstance(evaluator, ReadingEvaluator)]
    if request.likelihood_only and len(readers) < len(chosen):
        [other, *_] = [evaluator.name for evaluator in chosen if evaluator not in readers]
        known = ", ".join(sorted(reading_metrics()))
        raise UsageError(f"--likelihood-only writes no texts, which '{other}' is of; it measures: {known}")
    return readers


def _read_by_default(request: EvaluationRequest) -> list[ReadingEvaluator]:
    """Return the reading evaluators that `core` and `all` include, as far as the request does not name them."""
    names = [name.strip() for name in request.metrics.split(",")]
    named = reading_of(request)
    return [
        evaluator
        for evaluator in reading_evaluators.all().values()
        if evaluator not in named and ("all" in names or ("core" in names and evaluator.core))
    ]


def refuse_workers(request: EvaluationRequest) -> None:
    """Raise UsageError if the request names a metric of reading models, because workers cannot read articles.

    `core` and `all` leave these metrics out instead. One process alone can keep to a limit of costs and wait for
    batches.
    """
    if request.max_cost is not None or request.server_batch:
        option = "--server-batch" if request.server_batch else "--max-cost"
        raise UsageError(f"{option} needs one process, which sends all requests; leave --runner out, or {option}")
    if reading_of(request):
        raise UsageError("workers write and score, and read no articles; leave --runner out, or those metrics")


def _not_read(request: EvaluationRequest, on_workers: bool) -> str | None:
    """Return a note that the metrics of reading models that the request includes by default are left out, or None."""
    metrics = [metric.name for evaluator in _read_by_default(request) for metric in evaluator.metrics]
    if metrics and on_workers:
        return f"without {', '.join(metrics)}: articles are read in this process; evaluate without a runner for them"
    if metrics and not reads_articles(models.get(request.backend)):
        return f"without {', '.join(metrics)}: backend {request.backend} gives no log-probabilities"
    return None


def check(database: Database, request: EvaluationRequest, settings: Settings) -> Mapping[str, KnowledgeCutoff | None]:
    """Return the known knowledge cutoff of each model, or None for an unknown cutoff.

    Raises an error if the template, a decoder, a metric, the snapshot or a model is invalid or missing. Nothing is
    loaded before these checks.
    """
    for specification in request.decoder:
        parse(specification)
    if request.likelihood_only and not reads_articles(models.get(request.backend)):
        raise TerminalError(
            f"backend '{request.backend}' gives no log-probabilities of a text that is given; --likelihood-only needs "
            f"one that does: {', '.join(name for name, backend in models.all().items() if reads_articles(backend))}"
        )
    reading_of(request)
    resolved(settings.template, resolve(database, request.snapshot))
    folders = find_models(request.backend, request.models, request.loading)
    return {
        name: known_cutoff(name, request.knowledge_cutoff, dict(settings.knowledge_cutoffs), folder)
        for name, folder in folders.items()
    }
