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
    runs = [run for model, asked in by_model.items() for run in _made(evaluations, request, asked, metrics)]
    made, ids = evaluations.scored_by, [run.run_id for run in runs]
    articles = [(one.page_id, 0) for one in snapshots.articles(database, snapshot.snapshot_id)[: request.prompts]]
    with database.read():
        of_texts = evaluators_of(database, ids, [name for name in TEXT_METRICS if name in metrics], made)
        read = [
            read_run(database, run.run_id, (run.model, run.decoder), texts_of(database, run.run_id), of_texts, made)
            for run in runs
        ]
        reference = f"reference:{snapshot.snapshot_id}"
        human = read_run(database, reference, ("Wikipedia", "reference"), articles, of_texts, made)
    if not any(number.mean is not None for one in read for number in one.numbers.values()):
        raise TerminalError("no text could be scored; look at what was written: newwiki browse")
    apart: list[ContrastDifference] = []
    for model, asked in by_model.items():
        apart += differences(
            asked, {one.decoder: one for one in read if one.model == model}, list(of_texts), request.seed
        )
    apart = judged(apart)
    every = [one for of_model in by_model.values() for one in of_model]
    numbers = [one.numbers[name] for one in (human, *read) for name in METRICS if name in one.numbers]
    return Answer(
        snapshot_id=snapshot.snapshot_id,
        verdict=verdict(every, apart),
        words=words(every, numbers, apart, left_out, judges(database, of_texts, runs)),
        runs=runs_of(database, ids),
        read={
            "snapshot": snapshot.content_sha256,
            "scored_by": {one.metric: one.evaluator_id for one in numbers},
            "numbers": _digest([human, *read]),
        },
        rows=[every, numbers, apart],
    )


def _made(
    evaluations: Evaluations, request: ContrastRequest, asked: Sequence[ContrastVariant], metrics: Sequence[str]
) -> list[Run]:
    """Make and return the runs of one model."""
    decoders = tuple(dict.fromkeys(one.decoder for one in asked))
    return evaluations.write(request, models=(asked[0].model,), decoder=decoders, metrics=",".join(metrics))


def _digest(runs: Sequence[ReadRun]) -> str:
    """Return a hash of all numbers, because more texts of the same runs may be scored later."""
    told = [[one.run_id, {name: sorted(of.items()) for name, of in one.prompt_means.items()}] for one in runs]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
