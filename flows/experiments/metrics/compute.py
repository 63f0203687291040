"""Make the ladder of a snapshot, score it, and tell what each metric sees."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evaluators.perturbations import derangement
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Answer
from flows.experiments.metrics.ladder import RUNGS, VERSIONS, Wording, rungs
from flows.experiments.metrics.pairs import Scored, pairs_of, parts_of
from flows.experiments.metrics.request import EXPERIMENT, MetricsRequest
from flows.experiments.metrics.result_tables import MetricPair, MetricRung, MetricSet, MetricSight, MetricStratum
from flows.experiments.metrics.scoring import Texts, score_ladder
from flows.experiments.metrics.sight import rungs_of, sets_of, sights_of
from flows.experiments.metrics.words import verdict, words
from flows.scoring.loaded_evaluators import LoadedEvaluators, choose
from newwiki.errors import TerminalError, UsageError
from newwiki.registry import ReadingEvaluator, SetEvaluator
from newwiki.snapshot import Article, Snapshot, language_code
from newwiki.text.language import load_language
from newwiki.text.words import split_words
from storage import experiments, runs, snapshots, strata
from storage.database import Database

_TABLES = (MetricSight, MetricPair, MetricRung, MetricSet, MetricStratum)


def compute(evaluations: Evaluations, request: MetricsRequest) -> Answer:
    """Compute the answer of the experiment, or read it if it is stored.

    Raises UsageError if none of the metrics scores single texts, or if the snapshot cannot be split as requested, and
    TerminalError for a snapshot with fewer than two articles, or if a model that scores is missing.
    """
    database, settings = evaluations.database, evaluations.settings
    snapshot = snapshots.resolve(database, request.snapshot)
    articles = snapshots.articles(database, snapshot.snapshot_id)[: request.prompts]
    if len(articles) < 2:
        raise TerminalError(
            f"{len(articles)} articles of {snapshot.snapshot_id} are read, and a ladder takes two or more, because "
            "sentences of one replace those of another: name a larger --snapshot or a larger --prompts"
        )
    parts = strata.pages(database, request.by, snapshot.snapshot_id) if request.by else {}
    loaded = LoadedEvaluators(_of_texts(evaluations, request), settings, request.budget)
    with database.write():
        metrics = [metric for evaluator in loaded.evaluators for metric in evaluator.metrics]
        runs.register(database, list(loaded.fingerprints.values()), metrics)
    topics = _topics(database, snapshot.snapshot_id)
    read: dict[str, Any] = {
        "snapshot": snapshot.content_sha256,
        "evaluators": {name: loaded.fingerprints[name].evaluator_id for name in sorted(loaded.fingerprints)},
        "versions": VERSIONS,
        "pages": _digest([[article.page_id, topics.get(article.page_id)] for article in articles]),
        "parts": _digest({value: pages.tolist() for value, pages in parts.items()}),
        "asked": [settings.template, request.budget, request.seed],
    }
    rows = _stored(database, snapshot.snapshot_id, read)
    if rows is None:
        texts = _texts(snapshot, articles, topics, request.seed)
        values = score_ladder(database, snapshot, articles, texts, loaded, evaluations.progress)
        scored = [
            Scored(metric.name, loaded.fingerprints[evaluator.name].evaluator_id, metric.direction, values[metric.name])
            for evaluator in loaded.evaluators
            for metric in evaluator.metrics
        ]
        scored.sort(key=lambda metric: metric.metric)
        pairs = pairs_of(scored)
        page_ids = np.array([article.page_id for article in articles])
        chosen = {value: np.isin(page_ids, pages) for value, pages in parts.items()}
        rows = [
            sights_of(scored, pairs),
            pairs,
            rungs_of(scored, _lengths(texts)),
            sets_of(pairs),
            parts_of(scored, request.by, chosen) if request.by else [],
        ]
    sights, pairs, means, sets, _ = rows
    return Answer(
        snapshot_id=snapshot.snapshot_id,
        verdict=verdict(sights, sets),
        words=words(sights, pairs, means, bool(topics)),
        runs=[],
        read=read,
        rows=rows,
    )


def _of_texts(evaluations: Evaluations, request: MetricsRequest) -> list[Any]:
    """Return the evaluators of single texts, and note which metrics are left out."""
    chosen = choose(request.metrics, evaluations.settings, evaluations.progress)
    others = [evaluator for evaluator in chosen if isinstance(evaluator, SetEvaluator | ReadingEvaluator)]
    of_texts = [evaluator for evaluator in chosen if evaluator not in others]
    names = ", ".join(sorted(metric.name for evaluator in others for metric in evaluator.metrics))
    if not of_texts:
        raise UsageError(f"{names}: no metric of a single text is among --metrics; name one, such as core")
    if others:
        evaluations.progress.note(f"left out are {names}, which are no metrics of a single text")
    return of_texts


def _topics(database: Database, snapshot_id: str) -> dict[int, str]:
    """Return the topic of each article; empty if nobody has looked the topics up."""
    try:
        parts = strata.pages(database, "topic", snapshot_id)
    except TerminalError:
        return {}
    return {int(page_id): value for value, pages in parts.items() for page_id in pages}


def _texts(snapshot: Snapshot, articles: Sequence[Article], topics: Mapping[int, str], seed: int) -> Texts:
    by_page = {article.page_id: article for article in articles}
    others = derangement({page_id: topics.get(page_id) for page_id in by_page}, seed)
    wording = _wording(snapshot)
    return {page_id: rungs(article, by_page[others[page_id]], wording, seed) for page_id, article in by_page.items()}


def _wording(snapshot: Snapshot) -> Wording:
    try:
        code = language_code(snapshot.language, snapshot.wiki)
        language = load_language(code)
    except TerminalError:  # texts from elsewhere may be in a language without a data file
        return Wording(None, (), {})
    return Wording(code, language.months, language.negations)


def _lengths(texts: Texts) -> dict[str, list[int]]:
    return {
        name: [len(split_words(text)) for made in texts.values() if (text := made[name]) is not None] for name in RUNGS
    }


def _stored(database: Database, snapshot_id: str, read: Mapping[str, Any]) -> list[Any] | None:
    """Return the rows of a stored answer that read the same, or None if there is none."""
    for answer in experiments.on_snapshot(database, snapshot_id):
        if (answer.name, answer.version) == (EXPERIMENT.name, EXPERIMENT.version):
            before = {name: value for name, value in json.loads(answer.read).items() if name != "runs"}
            if before == read:
                return [experiments.rows(database, table, answer.experiment_id) for table in _TABLES]
    return None


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
