"""Every model under every decoder, written and scored one after the other."""

from collections.abc import Mapping, Sequence

from evaluators.scoring import select
from flows.evaluating.generate import EvaluationRequest, PlannedRun, find_models, generate, load_model, plan
from flows.evaluating.write_shard import ShardedModel
from flows.progress import Progress
from flows.scoring.batches import BatchScoring
from flows.scoring.score_run import DEFAULT_BUDGET, LoadedEvaluators, choose, score_run
from flows.scoring.score_shard import ShardedScoring
from flows.workers.shards import Executor, ShardsFailed
from newwiki.decoding.grammar import Decoder, parse
from newwiki.errors import UsageError
from newwiki.models.backend import Backend
from newwiki.settings import Settings
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
    models: Sequence[str],
    decoders: Sequence[str],
    request: EvaluationRequest,
    settings: Settings,
    progress: Progress,
    *,
    metrics: str = "core",
    budget: int = DEFAULT_BUDGET,
    backend: str = "hf",
    arguments: Mapping[str, str] | None = None,
    executor: Executor | None = None,
    work: RunSteps = _HERE,
) -> set[str]:
    """Gives the ids of the evaluators that scored. Raises, before any work is done, for what cannot be had.

    With an executor, shards that fail for good leave their run incomplete; all others are done before ShardsFailed is
    raised.
    """
    chosen = [decoder for specification in decoders for decoder in parse(specification)]
    check(database, decoders, request, metrics)
    loading = dict(arguments or {})
    find_models(backend, models, loading)
    loaded_evaluators = LoadedEvaluators(choose(metrics, settings, progress), settings, budget)
    scoring = ShardedScoring(executor) if executor else None
    failures: list[str] = []
    for name in models:
        loaded = load_model(backend, name, loading)
        if executor:
            loaded = ShardedModel(loaded, backend, loading, chosen, executor)
        for decoder in chosen:
            planned = plan(database, loaded, decoder, request)
            try:
                work.write(database, planned, loaded, decoder, progress, at_once=executor is not None)
                work.score(database, planned, loaded_evaluators, progress, scoring)
            except ShardsFailed as error:
                failures.append(f"run {planned.run.run_id} ({name} {decoder.short}): {error}")
    if failures:
        raise ShardsFailed("; ".join(failures) + "; run the same command again for what is missing")
    return loaded_evaluators.ids(loaded_evaluators.evaluators)


def check(database: Database, decoders: Sequence[str], request: EvaluationRequest, metrics: str) -> None:
    """Raises for decoders, metrics or a snapshot that are not there, before anything is loaded."""
    for specification in decoders:
        parse(specification)
    select(metrics)
    resolve(database, request.snapshot)


def rows_at_once(text: str) -> int | None:
    """The number that --batch-size is; None for auto. Raises UsageError."""
    if text != "auto" and not text.isdigit():
        raise UsageError(f"--batch-size is a number or auto, not '{text}'")
    return None if text == "auto" else int(text)


def model_arguments(text: str, dtype: str = "auto", **flags: bool) -> dict[str, str]:
    """What a backend is loaded with: `text` is `key=value,key=value`, a flag that is set becomes `yes`.

    Raises UsageError.
    """
    parts = [part.partition("=") for part in text.split(",") if part]
    if any(not equals or not key for key, equals, _ in parts):
        raise UsageError(f"--model-args are written key=value,key=value, not '{text}'")
    named = {key.strip(): value.strip() for key, _, value in parts}
    return {"dtype": dtype, **{name: "yes" for name, is_set in flags.items() if is_set}} | named
