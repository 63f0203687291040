"""Compute the diversity and coherence of expert and amateur texts under each decoder; missing runs are generated."""

import hashlib
import json
from collections.abc import Sequence

from flows.evaluating.generate import find_models
from flows.experiments.answer_runs import runs_of
from flows.experiments.contrast.differences import differences, judged
from flows.experiments.contrast.numbers import (
    METRICS,
    TEXT_METRICS,
    ReadRun,
    chosen_metrics,
    evaluators_of,
    read_run,
    texts_of,
)
from flows.experiments.contrast.request import ContrastRequest
from flows.experiments.contrast.result_tables import ContrastDifference, ContrastVariant
from flows.experiments.contrast.variants import variants
from flows.experiments.contrast.words import judges, verdict, words
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Answer
from newwiki.errors import TerminalError
from newwiki.records import Run
from storage import snapshots


def compute(evaluations: Evaluations, request: ContrastRequest) -> Answer:
    """Compute the answer of the experiment.

    Raises UsageError if a model is not available or a metric does not belong to the experiment, and TerminalError if no
    text could be scored.
    """
    database = evaluations.database
    snapshot = snapshots.resolve(database, request.snapshot)
    metrics, left_out = chosen_metrics(request.metrics, evaluations.settings)
    by_model = {model: variants(request, model) for model in dict.fromkeys(request.models)}
    find_models(request.backend, [*by_model, *request.amateur], request.loading)
    runs = [
        run
        for model, model_variants in by_model.items()
        for run in _write_runs(evaluations, request, model_variants, metrics)
    ]
    scored_by, ids = evaluations.scored_by, [run.run_id for run in runs]
    articles = [
        (article.page_id, 0) for article in snapshots.articles(database, snapshot.snapshot_id)[: request.prompts]
    ]
    with database.read():
        text_evaluators = evaluators_of(database, ids, [name for name in TEXT_METRICS if name in metrics], scored_by)
        read = [
            read_run(
                database,
                run.run_id,
                (run.model, run.decoder),
                texts_of(database, run.run_id),
                text_evaluators,
                scored_by,
            )
            for run in runs
        ]
        reference = f"reference:{snapshot.snapshot_id}"
        human = read_run(database, reference, ("Wikipedia", "reference"), articles, text_evaluators, scored_by)
    if not any(number.mean is not None for run in read for number in run.numbers.values()):
        raise TerminalError("no text could be scored; look at what was written: newwiki browse")
    apart: list[ContrastDifference] = []
    for model, model_variants in by_model.items():
        apart += differences(
            model_variants,
            {run.decoder: run for run in read if run.model == model},
            list(text_evaluators),
            request.seed,
        )
    apart = judged(apart)
    every = [variant for model_variants in by_model.values() for variant in model_variants]
    numbers = [run.numbers[name] for run in (human, *read) for name in METRICS if name in run.numbers]
    return Answer(
        snapshot_id=snapshot.snapshot_id,
        verdict=verdict(every, apart),
        words=words(every, numbers, apart, left_out, judges(database, text_evaluators, runs)),
        runs=runs_of(database, ids),
        read={
            "snapshot": snapshot.content_sha256,
            "scored_by": {number.metric: number.evaluator_id for number in numbers},
            "numbers": _digest([human, *read]),
        },
        rows=[every, numbers, apart],
    )


def _write_runs(
    evaluations: Evaluations,
    request: ContrastRequest,
    model_variants: Sequence[ContrastVariant],
    metrics: Sequence[str],
) -> list[Run]:
    """Make and return the runs of one model."""
    decoders = tuple(dict.fromkeys(variant.decoder for variant in model_variants))
    return evaluations.write(request, models=(model_variants[0].model,), decoder=decoders, metrics=",".join(metrics))


def _digest(runs: Sequence[ReadRun]) -> str:
    """Return a hash of all numbers, because more texts of the same runs may be scored later."""
    content = [[run.run_id, {name: sorted(means.items()) for name, means in run.prompt_means.items()}] for run in runs]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
