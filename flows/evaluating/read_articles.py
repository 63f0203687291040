"""Likelihood runs: a model reads the articles of a snapshot and writes nothing."""

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, cast

from evaluators.analysis import Analyst
from evaluators.scoring import fingerprint, score_reading
from flows.evaluating.adapter_beside import told_of_adapter
from flows.evaluating.generate import PlannedRun, ended_well, sheet_of
from flows.evaluating.leak import exposure, leak
from flows.evaluating.run_identity import model_label, stored_settings
from flows.progress import Progress
from newwiki.knowledge_cutoff import KnowledgeCutoff
from newwiki.models.backend import ArticleReader, Backend, numerics_of, reads_articles
from newwiki.models.engine.reading_windows import RULE
from newwiki.prompting.chat_prompts import resolved, turns
from newwiki.protocol import protocol_json
from newwiki.records import Prompt, Reading, Run, Score, Unscorable
from newwiki.registry import ReadingEvaluator
from newwiki.request import EvaluationRequest
from newwiki.snapshot import Article
from newwiki.source_code import source_sha256
from storage import knowledge_cutoffs, runs, snapshots
from storage.database import Database, in_one_read

DECODER = "likelihood"  # takes the place of a decoder's name

_BATCH = 64_000  # bytes of articles per batch: an interruption loses one batch, which takes seconds


@in_one_read
def plan_reading(
    database: Database,
    backend: Backend,
    request: EvaluationRequest,
    template: str,
    cutoff: KnowledgeCutoff | None = None,
) -> PlannedRun:
    """Plan the likelihood run of this request, as `generate.plan` does for generation."""
    with database.read():
        snapshot = snapshots.resolve(database, request.snapshot)
        articles = snapshots.articles(database, snapshot.snapshot_id)[: request.prompts]
    template = resolved(template, snapshot)
    numerics = numerics_of(backend)
    identity = _identity(
        content_sha256=snapshot.content_sha256,
        pages=[article.page_id for article in articles],
        model_sha256=backend.sha256,
        backend_code=source_sha256(type(backend)),
        backend=backend.backend,
        settings=backend.settings,
        template=template,
        dtype=backend.dtype,
        numerics=numerics,
    )
    circumstances = {
        **backend.versions,
        **backend.settings,
        **exposure(backend, snapshot.wiki, articles),
        **(cast(ArticleReader, backend).reading if reads_articles(backend) else {}),
    }
    run = Run(
        run_id=_run_id(identity),
        snapshot_id=snapshot.snapshot_id,
        model=model_label(backend.name),
        model_sha256=backend.sha256,
        backend=backend.backend,
        decoder=DECODER,
        decoder_parameters=json.dumps(RULE, sort_keys=True),
        prompt_template=template,
        prompts=len(articles),
        seed=None,
        samples=0,
        keep=0,
        max_new_tokens=None,
        dtype=backend.dtype,
        versions=json.dumps(circumstances, sort_keys=True),
        numerics=numerics,
        protocol=protocol_json(
            max_new_tokens=None,
            samples=None,
            keep=None,
            template=template,
            stop=(),
            chat=backend.settings.get("chat") == "yes",
            settings=backend.settings,
        ),
        knowledge_cutoff=cutoff.day if cutoff else None,
        knowledge_cutoff_from=cutoff.origin if cutoff else None,
        prompt_sheet=sheet_of(backend, articles, template),
    )
    return PlannedRun(run, articles, request, cutoff=cutoff)


def _run_id(identity: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]


def stored_run_id(run: Run, content_sha256: str, pages: Sequence[int]) -> str:
    """Compute the id of a stored likelihood run of a built-in backend from its row."""
    return _run_id(
        _identity(
            content_sha256=content_sha256,
            pages=pages,
            model_sha256=run.model_sha256,
            backend_code=None,
            backend=run.backend,
            settings=stored_settings(run),
            template=run.prompt_template,
            dtype=run.dtype,
            numerics=run.numerics,
        )
    )


def _identity(
    *,
    content_sha256: str,
    pages: Sequence[int],
    model_sha256: str,
    backend_code: str | None,
    backend: str,
    settings: Mapping[str, str],
    template: str,
    dtype: str,
    numerics: int | None,
) -> dict[str, Any]:
    """Return all settings that determine a likelihood run.

    `newwiki/protocol.py` says how a comparison treats each of them.
    """
    return {
        "content_sha256": content_sha256,
        "pages": list(pages),
        "model_sha256": model_sha256,
        "others": {"backend_code": backend_code},
        "backend": backend,
        "settings": dict(settings),
        "decoder": {"name": DECODER, **RULE},
        "template": template,
        "dtype": dtype,
        "numerics": numerics,
    }


def read_articles(
    database: Database,
    planned: PlannedRun,
    backend: Backend,
    evaluators: Sequence[ReadingEvaluator],
    progress: Progress,
) -> set[str]:
    """Let the model read the articles that lack scores of an evaluator, and return the ids of the evaluators.

    Stores the scores after each batch. All articles of the run determine the batches, so a resumed run has the same
    bits as an uninterrupted run. A backend without log-probabilities gives NULL scores with a reason. If the model
    fails, the run is marked as failed and keeps its scores.
    """
    run = planned.run
    fingerprints = {evaluator.name: fingerprint(evaluator, Analyst()) for evaluator in evaluators}
    ids = {identity.evaluator_id for identity in fingerprints.values()}
    runs.register(database, fingerprints.values(), [metric for evaluator in evaluators for metric in evaluator.metrics])
    for warning in filter(None, (leak(run), told_of_adapter(run))):
        progress.note(warning)
    if planned.cutoff and (note := knowledge_cutoffs.enter(database, run.run_id, planned.cutoff)):
        progress.note(note)
    with database.read():
        is_complete = runs.status(database, run.run_id) == "complete"
        finished, scored = runs.finished_scorings(database, run.run_id), runs.scored_texts(database, run.run_id, ids)
    if is_complete and ids <= finished:
        progress.note(f"{run.model} {DECODER}: all {run.prompts:,} articles are read (run {run.run_id})")
        return ids
    done = {page_id for page_id, _ in set.intersection(*scored.values())}
    batches = [batch for batch in _batches(planned.articles) if any(article.page_id not in done for article in batch)]
    runs.start(database, run)
    with (
        progress.stretch(f"reading {run.model}", "articles") as bar,
        nullcontext() if is_complete else ended_well(database, run.run_id),
    ):
        count, tokens, start = len(done), 0, time.monotonic()
        bar.update(count, run.prompts)
        for batch in batches:
            readings = _read(
                backend, batch, run.prompt_template, any(evaluator.standardised for evaluator in evaluators)
            )
            scores: list[Score] = []
            for article, reading in zip(batch, readings, strict=True):
                scores += score_reading(evaluators, fingerprints, article.page_id, reading)
                tokens += _tokens(reading)
            runs.add_scores(database, run.run_id, scores)
            count += sum(article.page_id not in done for article in batch)
            bar.update(count, run.prompts, f"{tokens / (time.monotonic() - start):,.0f} tokens/s")
    with database.write():
        runs.finish_scoring(database, run.run_id, ids)
        if not is_complete:
            runs.complete(database, run.run_id, run.keep)
    return ids


def _batches(articles: Sequence[Article]) -> Iterator[list[Article]]:
    """Yield batches of articles of similar length, the longest first, so that a lack of memory shows immediately."""
    batch: list[Article] = []
    room = _BATCH
    for article in sorted(articles, key=lambda candidate: (-len(candidate.completion.encode()), candidate.page_id)):
        size = len(article.completion.encode())
        if batch and size > room:
            yield batch
            batch, room = [], _BATCH
        batch.append(article)
        room -= size
    if batch:
        yield batch


def _read(backend: Backend, articles: Sequence[Article], template: str, standardised: bool) -> list[Reading]:
    if not reads_articles(backend):
        lacking = Unscorable(f"backend {backend.backend} gives no log-probabilities")
        return [Reading(lacking, lacking)] * len(articles)
    pairs = [
        (Prompt(article.page_id, *turns(template, article.title, article.first_sentence)), article.completion)
        for article in articles
    ]
    return cast(ArticleReader, backend).readings(pairs, standardised=standardised)


def _tokens(reading: Reading) -> int:
    passages = (reading.prompt, reading.rest)
    return sum(0 if isinstance(passage, Unscorable) else len(passage.log_probabilities) for passage in passages)
