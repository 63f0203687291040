"""Compare the noun phrases that a model writes after each corpus; missing checkpoints and responses are made first."""

import hashlib
import json
from collections.abc import Sequence

from evaluators.noun_phrases import load_phrase_finder
from flows.experiments.answer_runs import runs_of
from flows.experiments.corpora import findings
from flows.experiments.corpora.checkpoints import PlannedCheckpoint, make_checkpoint, plan_checkpoints
from flows.experiments.corpora.corpora import corpora_of, in_every
from flows.experiments.corpora.phrase_sets import PhraseSets
from flows.experiments.corpora.request import CorporaRequest
from flows.experiments.corpora.responses import Responses, StoredPhrases, decoders_of, prompts_of, write_responses
from flows.experiments.corpora.result_tables import CorpusFacts
from flows.experiments.corpora.words import verdict, words
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Answer
from newwiki.text.prompts import fill
from storage import prompt_sets


def compute(evaluations: Evaluations, request: CorporaRequest) -> Answer:
    """Compute the answer of the experiment.

    Raises UsageError if corpora or prompts cannot be read, and TerminalError if the base or the noun phrase finder is
    not available. Both errors occur before anything is stored or trained.
    """
    database, template = evaluations.database, evaluations.settings.template
    fill(template, "", "")
    decoders_of(request)
    finder = load_phrase_finder(request.noun_phrases)
    corpora = corpora_of(database, request, template)
    prompts = prompts_of(database, request, template)
    evaluated = [] if request.prompt_file else [prompts.asked.snapshot_id]
    planned = plan_checkpoints(evaluations, request, corpora, evaluated)
    if prompts.own:
        prompt_sets.publish(database, prompts.own)
    reading = StoredPhrases(evaluations, finder)
    responses: list[Responses] = []
    for checkpoint in planned:
        make_checkpoint(evaluations, checkpoint)
        responses += reading.read(checkpoint.corpus.label, write_responses(evaluations, request, checkpoint, prompts))
    sets = PhraseSets(responses, request.threshold)
    facts = _facts(request, planned, sets)
    phrases = findings.phrases(sets, request.seed)
    written = findings.responses_of(sets)
    return Answer(
        snapshot_id=prompts.asked.snapshot_id,
        verdict=verdict(phrases),
        words=words(prompts.words, facts, written, phrases, reading.found_by, request.threshold),
        runs=runs_of(database, [run.run_id for run in written]),
        read={
            "corpora": {corpus.corpus: corpus.texts_sha256 for corpus in facts},
            "trainings": [corpus.training_sha256 for corpus in facts],
            "found_by": reading.found_by.evaluator_id,
            "phrases": _digest(responses),
        },
        rows=[facts, written, list(findings.frequencies(sets)), phrases],
    )


def _facts(request: CorporaRequest, planned: Sequence[PlannedCheckpoint], sets: PhraseSets) -> list[CorpusFacts]:
    shared = in_every([checkpoint.corpus for checkpoint in planned])
    files, snapshots = ", ".join(path.name for path in request.corpus_file), ", ".join(request.train_on)
    return [
        CorpusFacts(
            corpus=checkpoint.corpus.label,
            origin=files or f"{snapshots} by {request.by}",
            texts=len(checkpoint.corpus.texts.articles),
            repeated=checkpoint.corpus.repeated,
            in_every=shared,
            texts_sha256=checkpoint.corpus.sha256,
            training_sha256=checkpoint.training.record.sha256,
            checkpoint=str(checkpoint.folder),
            phrases=len(sets.sets[checkpoint.corpus.label]),
            unique_phrases=len(sets.sets[checkpoint.corpus.label] - sets.common),
        )
        for checkpoint in planned
    ]


def _digest(responses: Sequence[Responses]) -> str:
    content = [
        [run_responses.run.run_id, sorted((key, phrases) for key, phrases in run_responses.phrases.items())]
        for run_responses in responses
    ]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()
