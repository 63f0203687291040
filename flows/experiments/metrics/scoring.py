"""Score the texts of the ladder, each once, a few articles at a time."""

from collections.abc import Mapping, Sequence

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
from storage.database import Database

_ARTICLES, _COSTLY_ARTICLES = 16, 1  # at a time; each has up to 18 texts

Array = NDArray[np.float64]
Texts = Mapping[int, Mapping[str, str | None]]  # by page id and name of the rung


def score_ladder(
    database: Database,
    snapshot: Snapshot,
    articles: Sequence[Article],
    texts: Texts,
    loaded: LoadedEvaluators,
    progress: Progress,
) -> dict[str, Array]:
    """Return the numbers of each metric, articles × rungs in the order of `RUNGS`; NaN where there is none.

    Costly evaluators score the texts of the articles that the budget chooses. Only new analyses of the articles
    themselves are stored.
    """
    values = {
        metric.name: np.full((len(articles), len(RUNGS)), np.nan)
        for evaluator in loaded.evaluators
        for metric in evaluator.metrics
    }
    rows = {article.page_id: row for row, article in enumerate(articles)}
    for costly in (False, True):
        evaluators = [evaluator for evaluator in loaded.evaluators if evaluator.costly == costly]
        chosen = list(articles)
        if costly:
            pages = set(loaded.budget.of_articles(sorted(rows)))
            chosen = [article for article in articles if article.page_id in pages]
        if evaluators and chosen:
            _score(database, snapshot, chosen, texts, loaded, evaluators, progress, rows, values)
    return values


def _score(
    database: Database,
    snapshot: Snapshot,
    articles: Sequence[Article],
    texts: Texts,
    loaded: LoadedEvaluators,
    evaluators: Sequence[Evaluator],
    progress: Progress,
    rows: Mapping[int, int],
    values: Mapping[str, Array],
) -> None:
    size = _COSTLY_ARTICLES if evaluators[0].costly else _ARTICLES
    total = sum(text is not None for article in articles for text in texts[article.page_id].values())
    done, broken = 0, BrokenScores()
    with progress.stretch(f"score the ladder of {snapshot.snapshot_id}", "texts") as bar:
        bar.update(0, total)
        for start in range(0, len(articles), size):
            batch = _batch(database, snapshot, articles[start : start + size], texts, loaded, evaluators)
            scored = score_batch(loaded, batch)
            loaded.keep(database, snapshot.snapshot_id, scored.new_parts, evaluators)
            for score in scored.scores:
                if score.value is not None:
                    values[score.metric][rows[score.page_id], score.sample] = score.value
            broken.count(scored.scores)
            done += len(batch.keys)
            bar.update(done, total, loaded.slowest)
    broken.tell(progress, "text", stored="")


def _batch(
    database: Database,
    snapshot: Snapshot,
    articles: Sequence[Article],
    texts: Texts,
    loaded: LoadedEvaluators,
    evaluators: Sequence[Evaluator],
) -> TextBatch:
    """Return the texts of these articles. The place of a rung takes the part of the sample in the key."""
    prompts = {
        article.page_id: before_completion(loaded.settings.template, article.title, article.first_sentence)
        for article in articles
    }
    present = [
        ((article.page_id, place), text)
        for article in articles
        for place, text in enumerate(texts[article.page_id].values())
        if text is not None
    ]
    return TextBatch(
        keys=[key for key, _ in present],
        texts=[text for _, text in present],
        prompts=[prompts[page_id] for (page_id, _), _ in present],
        articles=articles,
        known=loaded.known(database, snapshot.snapshot_id, articles, evaluators),
        evaluators=tuple(evaluator.name for evaluator in evaluators),
        language=snapshot.language,
    )
