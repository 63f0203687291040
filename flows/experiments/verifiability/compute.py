"""Measure how much of the texts of models and decoders is supported by evidence; missing texts are written first."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import astuple

from flows.experiments.answer_runs import runs_of
from flows.experiments.directions import judged
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Answer
from flows.experiments.verifiability.corrected import Labels, agreement, checkers, corrections, labels_of
from flows.experiments.verifiability.metrics import differences, metrics_of
from flows.experiments.verifiability.request import VerifiabilityRequest
from flows.experiments.verifiability.result_tables import VerifiabilityDifference
from flows.experiments.verifiability.texts import Texts, of_articles, of_run
from flows.experiments.verifiability.words import DECISIVE, correction_words, verdict, words
from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError, UsageError
from newwiki.records import Run
from newwiki.settings import Settings
from storage import claim_labels, comparison, snapshots
from storage.database import Database


def compute(evaluations: Evaluations, request: VerifiabilityRequest) -> Answer:
    """Compute the answer of the experiment.

    Raises UsageError if the decoder to compare with is not among the decoders, and TerminalError if no text was
    checked.
    """
    database = evaluations.database
    against = _against(request)
    snapshot = snapshots.resolve(database, request.snapshot)
    metric = checked_by(evaluations.settings)
    runs = evaluations.write(request, metrics=_metrics(request, metric))
    evaluator_id = _evaluator(database, runs, metric, evaluations.scored_by)
    articles = {
        article.page_id: article for article in snapshots.articles(database, snapshot.snapshot_id)[: request.prompts]
    }
    human = of_articles(database, snapshot.snapshot_id, articles, metric, evaluator_id)
    texts = [of_run(database, run.run_id, (run.model, run.decoder), metric, evaluator_id) for run in runs]
    if not any(text.support for text in texts):
        raise TerminalError("no text has a sentence that could be checked; look at what was written: newwiki browse")
    metrics = [row for decoder_texts in (human, *texts) for row in metrics_of(decoder_texts, human, evaluator_id)]
    apart: list[VerifiabilityDifference] = []
    for model in dict.fromkeys(text.model for text in texts):
        model_texts = [text for text in texts if text.model == model]
        [beside] = [text for text in model_texts if text.decoder == against]
        apart += differences(model_texts, beside, request.seed)
    apart = judged(apart)
    labelled = claim_labels.labels_of(database, [run.run_id for run in runs])
    labels = [
        labels_of(decoder_texts, [sentence for sentence in labelled if sentence.run_id == run.run_id])
        for run, decoder_texts in zip(runs, texts, strict=True)
    ]
    corrected, checker = corrections(labels), checkers(labels)
    return Answer(
        snapshot_id=snapshot.snapshot_id,
        verdict=verdict(apart, against),
        words=[
            *words(metrics, apart, [human, *texts], metric, _judge(database, evaluator_id)),
            *correction_words(corrected, checker, agreement(labels)),
        ],
        runs=runs_of(database, [run.run_id for run in runs]),
        read={
            "snapshot": snapshot.content_sha256,
            "evaluator": evaluator_id,
            "numbers": _digest([human, *texts]),
            **({"labels": _digest_of_labels(labels)} if corrected else {}),
        },
        rows=[metrics, apart, corrected, checker],
        units=[difference.prompts for difference in apart if difference.metric == DECISIVE and difference.prompts],
    )


def checked_by(settings: Settings) -> str:
    """Return a metric of the evaluator whose verdicts decide if sentences are supported or refuted.

    The evidence is an index, as in the paper, if one is configured; otherwise it is the article.
    """
    return "claims_wiki_supported" if settings.evidence else "claims_article_supported"


def _metrics(request: VerifiabilityRequest, metric: str) -> str:
    if request.metrics == "all":
        raise UsageError("--metrics all is for `newwiki evaluate`; name what is measured beside the claims, or nothing")
    return metric if request.metrics == "claims" else f"{metric},{request.metrics}"


def _against(request: VerifiabilityRequest) -> str:
    """Return the decoder to compare with, in canonical form. Raises UsageError if it is not among the decoders."""
    decoders = [decoder.canonical for specification in request.decoder for decoder in parse(specification)]
    if request.against is None:
        return decoders[0]
    named = [decoder.canonical for decoder in parse(request.against)]
    if len(named) != 1 or named[0] not in decoders:
        raise UsageError(f"--against '{request.against}' must be one of the decoders; name it by --decoder, too")
    return named[0]


def _evaluator(database: Database, runs: Sequence[Run], metric: str, evaluator_ids: set[str]) -> str:
    evaluators = {
        text_scoring.evaluator_id
        for text_scoring in comparison.text_scorings(database, [run.run_id for run in runs])
        if text_scoring.metric == metric and text_scoring.evaluator_id in evaluator_ids
    }
    if len(evaluators) != 1:
        raise TerminalError(f"{len(evaluators)} evaluators have checked these runs, and one is needed; ask again")
    return evaluators.pop()


def _judge(database: Database, evaluator_id: str) -> str:
    [(name, sha256)] = database.rows("who_judged", evaluator_id)
    return f"{name} (weights {sha256[:8]})" if sha256 else str(name)


def _digest_of_labels(labels: Sequence[Labels]) -> str:
    content = [sorted((place, sorted(votes)) for place, votes in run_labels.by_place.items()) for run_labels in labels]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def _digest(texts: Sequence[Texts]) -> str:
    """Return a hash of all numbers, because more texts of the same runs may be checked later."""
    content = [
        [text.model, text.decoder, sorted((key, astuple(support)) for key, support in text.support.items())]
        for text in texts
    ]
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()
