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
    for one in planned:
        make_checkpoint(evaluations, one)
        responses += reading.read(one.corpus.label, write_responses(evaluations, request, one, prompts))
    sets = PhraseSets(responses, request.threshold)
    facts = _facts(request, planned, sets)
    phrases = findings.phrases(sets, request.seed)
    written = findings.responses_of(sets)
    return Answer(
        snapshot_id=prompts.asked.snapshot_id,
        verdict=verdict(phrases),
        words=words(prompts.words, facts, written, phrases, reading.found_by, request.threshold),
        runs=runs_of(database, [one.run_id for one in written]),
        read={
            "corpora": {one.corpus: one.texts_sha256 for one in facts},
            "trainings": [one.training_sha256 for one in facts],
            "found_by": reading.found_by.evaluator_id,
            "phrases": _digest(responses),
        },
        rows=[facts, written, list(findings.frequencies(sets)), phrases],
    )


def _facts(request: CorporaRequest, planned: Sequence[PlannedCheckpoint], sets: PhraseSets) -> list[CorpusFacts]:
    shared = in_every([one.corpus for one in planned])
    files, snapshots = ", ".join(path.name for path in request.corpus_file), ", ".join(request.train_on)
    return [
        CorpusFacts(
            corpus=one.corpus.label,
            origin=files or f"{snapshots} by {request.by}",
            texts=len(one.corpus.texts.articles),
            repeated=one.corpus.repeated,
            in_every=shared,
            texts_sha256=one.corpus.sha256,
            training_sha256=one.training.record.sha256,
            checkpoint=str(one.folder),
            phrases=len(sets.sets[one.corpus.label]),
            unique_phrases=len(sets.sets[one.corpus.label] - sets.common),
        )
        for one in planned
    ]


def _digest(responses: Sequence[Responses]) -> str:
    told = [[one.run.run_id, sorted((key, phrases) for key, phrases in one.phrases.items())] for one in responses]
    return hashlib.sha256(json.dumps(told, ensure_ascii=False).encode()).hexdigest()
