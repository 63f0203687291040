"""Every model under every decoder, written and scored one after the other."""

from collections.abc import Mapping

from evaluators.scoring import select
from flows.evaluating.generate import PlannedRun, find_models, generate, load_model, plan
from flows.evaluating.write_shard import ShardedModel
from flows.progress import Progress
from flows.scoring.batches import BatchScoring
from flows.scoring.score_run import LoadedEvaluators, choose, score_run
from flows.scoring.score_shard import ShardedScoring
from flows.workers.shards import Executor, ShardsFailed
from newwiki.decoding.grammar import Decoder, parse
from newwiki.knowledge_cutoff import KnowledgeCutoff, known_cutoff
from newwiki.models.backend import Backend
from newwiki.request import EvaluationRequest
from newwiki.settings import Settings
from newwiki.text.prompts import fill
from storage.database import Database
from storage.snapshots import resolve


class RunSteps:
    """How the two halves of a run are done: here, one after the other."""

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


_HERE = RunSteps()


def evaluate_all(
    database: Database,
    request: EvaluationRequest,
    settings: Settings,
    progress: Progress,
    *,
    executor: Executor | None = None,
    work: RunSteps = _HERE,
) -> set[str]:
    """Gives the ids of the evaluators that scored. Raises, before any work is done, for what cannot be had.

    With an executor, shards that fail for good leave their run incomplete; all others are done before ShardsFailed is
    raised.
    """
    cutoffs = check(database, request, settings)
    chosen = [decoder for specification in request.decoder for decoder in parse(specification)]
    loaded_evaluators = LoadedEvaluators(choose(request.metrics, settings, progress), settings, request.budget)
    scoring = ShardedScoring(executor) if executor else None
    failures: list[str] = []
    for name in request.models:
        loaded = load_model(request.backend, name, request.loading)
        if executor:
            loaded = ShardedModel(loaded, request.backend, request.loading, chosen, executor)
        for decoder in chosen:
            planned = plan(database, loaded, decoder, request, settings.template, cutoffs[name])
            try:
                work.write(database, planned, loaded, decoder, progress, at_once=executor is not None)
                work.score(database, planned, loaded_evaluators, progress, scoring)
            except ShardsFailed as error:
                failures.append(f"run {planned.run.run_id} ({name} {decoder.short}): {error}")
    if failures:
        raise ShardsFailed("; ".join(failures) + "; run the same command again for what is missing")
    return loaded_evaluators.ids(loaded_evaluators.evaluators)


def check(database: Database, request: EvaluationRequest, settings: Settings) -> Mapping[str, KnowledgeCutoff | None]:
    """What is known of the models' knowledge cutoffs. Raises for a template, decoders, metrics, a snapshot or models
    that cannot be had, before anything is loaded."""
    fill(settings.template, "", "")
    for specification in request.decoder:
        parse(specification)
    select(request.metrics)
    resolve(database, request.snapshot)
    found = find_models(request.backend, request.models, request.loading)
    return {
        name: known_cutoff(name, request.knowledge_cutoff, dict(settings.knowledge_cutoffs), folder)
        for name, folder in found.items()
    }
