"""Generate the responses of each checkpoint under each decoder, and find their noun phrases; stored ones are reused."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from evaluators.analysis import Analyst
from evaluators.noun_phrases import NOUN_PHRASES, PhraseFinder, phrases_of
from evaluators.scoring import fingerprint
from flows.evaluating.asked_prompts import TEMPLATE, asked_of
from flows.evaluating.generate import Asked, plan_on
from flows.evaluating.write_shard import ShardedModel
from flows.experiments.corpora.checkpoints import PlannedCheckpoint
from flows.experiments.corpora.request import CorporaRequest
from flows.experiments.evaluations import Evaluations
from flows.workers.shards import ShardsFailed
from newwiki.decoding.grammar import Decoder, parse
from newwiki.knowledge_cutoff import known_cutoff
from newwiki.prompting.prompt_lists import read_prompt_list
from newwiki.prompting.prompt_set import PromptSet
from newwiki.records import Run
from storage import noun_phrases, runs, snapshots
from storage.database import Database
from storage.noun_phrases import Phrases

_AT_ONCE = 200  # number of responses whose phrases are stored in one batch


@dataclass(frozen=True)
class Prompts:
    """The prompts of all checkpoints, their template, and a description of their number and source.

    `own` is the prompt set of a file, or None for articles.
    """

    asked: Asked
    template: str
    words: str
    own: PromptSet | None = None


@dataclass(frozen=True)
class Responses:
    """The responses of a corpus's checkpoint under one decoder: the run, and the phrases of each response."""

    corpus: str
    run: Run
    phrases: Phrases

    @cached_property
    def times(self) -> Counter[str]:
        """The number of responses that contain each phrase."""
        return Counter(phrase for response in self.phrases.values() for phrase in response)


def prompts_of(database: Database, request: CorporaRequest, template: str) -> Prompts:
    """Return the prompts of the user's file, or the articles of the snapshot."""
    if request.prompt_file:
        own = read_prompt_list(request.prompt_file).first(request.prompts)
        return Prompts(asked_of(own), TEMPLATE, f"{len(own.prompts):,} prompts ({own.name})", own)
    snapshot = snapshots.resolve(database, request.snapshot)
    articles = snapshots.articles(database, snapshot.snapshot_id)[: request.prompts]
    plan = Asked(snapshot.snapshot_id, snapshot.wiki, snapshot.content_sha256, articles)
    return Prompts(plan, template, f"{len(articles):,} articles of {snapshot.snapshot_id} as prompts")


def decoders_of(request: CorporaRequest) -> list[Decoder]:
    """Return the requested decoders without duplicates."""
    return list(
        {decoder.canonical: decoder for specification in request.decoder for decoder in parse(specification)}.values()
    )


def write_responses(
    evaluations: Evaluations, request: CorporaRequest, planned: PlannedCheckpoint, prompts: Prompts
) -> list[Run]:
    """Write the responses of one checkpoint under each decoder.

    Raises ShardsFailed if an executor could not finish a run, after all other runs are finished.
    """
    name, executor = str(planned.folder), evaluations.executor
    known = dict(evaluations.settings.knowledge_cutoffs)
    cutoff = known_cutoff(name, request.knowledge_cutoff, known, planned.folder)
    model = evaluations.load(request.backend, name, request.loading)
    decoders, written, failures = decoders_of(request), [], []
    if executor:
        model = ShardedModel(model, request.backend, request.loading, decoders, executor)
    for decoder in decoders:
        run = plan_on(evaluations.database, prompts.asked, model, decoder, request, prompts.template, cutoff)
        try:
            evaluations.steps.write(
                evaluations.database, run, model, decoder, evaluations.progress, at_once=executor is not None
            )
        except ShardsFailed as error:
            failures.append(f"run {run.run.run_id} ({planned.corpus.label} {decoder.short}): {error}")
        written.append(run.run)
    if failures:
        raise ShardsFailed("; ".join(failures) + "; run the same command again for what is missing")
    return written


class StoredPhrases:
    """Find the noun phrases of runs with one finder, and store them; stored phrases are reused."""

    def __init__(self, evaluations: Evaluations, finder: PhraseFinder) -> None:
        self._database, self._progress = evaluations.database, evaluations.progress
        self._analyst = Analyst(finder)
        self.found_by = fingerprint(NOUN_PHRASES, self._analyst)
        self._registered = False

    def read(self, corpus: str, written: Sequence[Run]) -> list[Responses]:
        """Return the responses of these runs of a corpus's checkpoint, with their phrases."""
        if not self._registered:
            runs.register(self._database, [self.found_by], [])
            self._registered = True
        return [Responses(corpus, run, self._run_phrases(corpus, run)) for run in written]

    def _run_phrases(self, corpus: str, run: Run) -> Phrases:
        evaluator_id = self.found_by.evaluator_id
        texts = {(page_id, sample): text for page_id, sample, text in self._database.rows("run_texts", run.run_id)}
        stored = noun_phrases.stored(self._database, run.run_id, evaluator_id)
        missing = [key for key in texts if key not in stored]
        with self._progress.stretch(f"noun phrases of {corpus}", "responses") as bar:
            for begin in range(0, len(missing), _AT_ONCE):
                keys = missing[begin : begin + _AT_ONCE]
                read = dict(zip(keys, self._phrases([texts[key] for key in keys]), strict=True))
                noun_phrases.keep(self._database, run.run_id, evaluator_id, read)
                stored |= read
                bar.update(len(stored), len(texts))
        return {key: stored[key] for key in texts}

    def _phrases(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        return [phrases_of(analysis) for analysis in self._analyst.analyse(texts, NOUN_PHRASES.needs)]
