"""Score the texts of the ladder, each once, a few articles at a time."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flows.experiments.metrics.ladder import RUNGS
from flows.progress import Progress
from flows.scoring.batches import TextBatch, score_batch
from flows.scoring.broken_scores import BrokenScores
from flows.scoring.loaded_evaluators import LoadedEvaluators
from newwiki.prompting.chat_prompts import before_completion
from newwiki.registry import Evaluator
from newwiki.snapshot import Article, Snapshot
from storage import ladders
from storage.database import Database
from storage.ladders import LadderScore

_ARTICLES, _COSTLY_ARTICLES = 16, 1  # at a time; each has up to 18 texts

Array = NDArray[np.float64]
Texts = Mapping[int, Mapping[str, str | None]]  # by page id and name of the rung


@dataclass(frozen=True)
class _Ladder:
    """The texts of a snapshot's articles, with the prompt and the hash of the texts of each article."""

    snapshot: Snapshot
    texts: Texts
    prompts: Mapping[int, str]
    hashes: Mapping[int, str]


def score_ladder(
    database: Database,
    snapshot: Snapshot,
    articles: Sequence[Article],
    texts: Texts,
    loaded: LoadedEvaluators,
    progress: Progress,
) -> dict[str, Array]:
    """Return the numbers of each metric, articles × rungs in the order of `RUNGS`; NaN where there is none.

    Costly evaluators score the texts of the articles that the budget chooses. The scores of each few articles are
    stored, so that an interrupted experiment goes on, and another with more metrics scores only by these. The
    evaluators have to be registered.
    """
    template = loaded.settings.template
    prompts = {
        article.page_id: before_completion(template, article.title, article.first_sentence) for article in articles
    }
    hashes = {page_id: _hash([prompts[page_id], *texts[page_id].values()]) for page_id in prompts}
    ladder = _Ladder(snapshot, texts, prompts, hashes)
    done = ladders.scored(database, snapshot.snapshot_id)
    asked: dict[str, str] = {}
    for costly in (False, True):
        evaluators = [evaluator for evaluator in loaded.evaluators if evaluator.costly == costly]
        chosen = list(articles)
        if costly:
            pages = set(loaded.budget.of_articles(sorted(prompts)))
            chosen = [article for article in articles if article.page_id in pages]
        for evaluator in evaluators:
            asked |= {metric.name: loaded.fingerprints[evaluator.name].evaluator_id for metric in evaluator.metrics}
        todo = [
            article for article in chosen
            if any((hashes[article.page_id], evaluator_id) not in done for evaluator_id in loaded.ids(evaluators))
        ]  # fmt: skip
        lacking = [
            evaluator for evaluator in evaluators
            if any((hashes[article.page_id], *loaded.ids([evaluator])) not in done for article in todo)
        ]  # fmt: skip
        if lacking:
            _score(database, ladder, todo, loaded, lacking, progress)
    order = [hashes[article.page_id] for article in articles]
    return ladders.values(database, snapshot.snapshot_id, asked, order, list(RUNGS))


def _score(
    database: Database,
    ladder: _Ladder,
    articles: Sequence[Article],
    loaded: LoadedEvaluators,
    evaluators: Sequence[Evaluator],
    progress: Progress,
) -> None:
    snapshot_id, names = ladder.snapshot.snapshot_id, list(RUNGS)
    size = _COSTLY_ARTICLES if evaluators[0].costly else _ARTICLES
    total = sum(text is not None for article in articles for text in ladder.texts[article.page_id].values())
    done, broken = 0, BrokenScores()
    with progress.stretch(f"score the ladder of {snapshot_id}", "texts") as bar:
        bar.update(0, total)
        for start in range(0, len(articles), size):
            batch = _batch(database, ladder, articles[start : start + size], loaded, evaluators)
            scored = score_batch(loaded, batch)
            rows = [
                LadderScore(
                    score.page_id, ladder.hashes[score.page_id], names[score.sample], score.metric,
                    score.evaluator_id, score.value, score.status,
                )
                for score in scored.scores
            ]  # fmt: skip
            with database.write():
                loaded.keep(database, snapshot_id, scored.new_parts, evaluators)
                ladders.add(database, snapshot_id, rows)
            broken.count(scored.scores)
            done += len(batch.keys)
            bar.update(done, total, loaded.slowest)
    broken.tell(progress, "text", stored="")


def _batch(
    database: Database,
    ladder: _Ladder,
    articles: Sequence[Article],
    loaded: LoadedEvaluators,
    evaluators: Sequence[Evaluator],
) -> TextBatch:
    """Return the texts of these articles. The place of a rung takes the part of the sample in the key."""
    present = [
        ((article.page_id, place), text)
        for article in articles
        for place, text in enumerate(ladder.texts[article.page_id].values())
        if text is not None
    ]
    return TextBatch(
        keys=[key for key, _ in present],
        texts=[text for _, text in present],
        prompts=[ladder.prompts[page_id] for (page_id, _), _ in present],
        articles=articles,
        known=loaded.known(database, ladder.snapshot.snapshot_id, articles, evaluators),
        evaluators=tuple(evaluator.name for evaluator in evaluators),
        language=ladder.snapshot.language,
    )


def _hash(texts: Sequence[str | None]) -> str:
    return hashlib.sha256(json.dumps(texts, ensure_ascii=False).encode()).hexdigest()
