"""From texts to scores: every text analysed once, in batches, and stored batch by batch."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import TypeVar

from flows.progress import Progress
from flows.scoring.batches import BatchScoring, InThisProcess, Key, TextBatch, compared_with_articles
from flows.scoring.broken_scores import BrokenScores
from flows.scoring.loaded_evaluators import LoadedEvaluators, choose
from flows.scoring.prompted_sentences import sentences_of
from flows.scoring.score_sets import DrawnParts, score_sets
from newwiki.records import Run
from newwiki.registry import Evaluator
from newwiki.snapshot import Article
from newwiki.text.prompts import fill
from storage import runs
from storage.database import Database
from storage.prompt_sets import is_prompt_set

__all__ = ["LoadedEvaluators", "choose", "score_run"]

_BATCH, _COSTLY_BATCH = 512, 8  # texts: seconds of work, which is what an interruption costs

T = TypeVar("T")


def score_run(
    database: Database,
    run: Run,
    articles: Sequence[Article],
    loaded: LoadedEvaluators,
    progress: Progress,
    scoring: BatchScoring | None = None,
) -> None:
    """Scores what the run has kept, and its articles, with every evaluator that has not done so yet.

    `scoring` None scores in this process.
    """
    metrics = [metric for evaluator in (*loaded.evaluators, *loaded.set_evaluators) for metric in evaluator.metrics]
    runs.register(database, loaded.fingerprints.values(), metrics)
    kept = runs.kept_completions(database, run.run_id)
    drawn = DrawnParts(kept, loaded)
    scoring = scoring or InThisProcess()
    for costly in (False, True):
        evaluators = [evaluator for evaluator in loaded.evaluators if evaluator.costly == costly]
        if not evaluators:
            continue
        keys, pages = kept, sorted(article.page_id for article in articles)
        if costly:
            keys, pages = _drawn(keys, loaded.budget), _drawn(pages, loaded.budget)
        if not is_prompt_set(run.snapshot_id):
            _score_articles(
                database, run, [a for a in articles if a.page_id in set(pages)], evaluators, loaded, progress, scoring
            )
        _score_texts(database, run, keys, articles, evaluators, loaded, drawn, progress, scoring)
    score_sets(database, run, articles, loaded, drawn, progress)


def _score_articles(
    database: Database,
    run: Run,
    articles: Sequence[Article],
    evaluators: Sequence[Evaluator],
    loaded: LoadedEvaluators,
    progress: Progress,
    scoring: BatchScoring,
) -> None:
    """The articles themselves, each against itself: the row "Wikipedia" of the paper's table 3."""
    run_id = f"reference:{run.snapshot_id}"
    lacking, todo = _lacking(database, run_id, [(article.page_id, 0) for article in articles], evaluators, loaded)
    if todo:
        by_page = {article.page_id: article for article in articles}
        done, broken = 0, BrokenScores()

        def batches() -> Iterator[TextBatch]:
            for part in scoring.cut(todo, _size(lacking)):
                unread = [by_page[page_id] for page_id, _ in part]
                known = loaded.known(database, run.snapshot_id, unread, lacking)
                yield TextBatch((), (), (), unread, known, _names(lacking))

        with progress.stretch("reading the reference articles", "articles") as bar:
            for batch, scored in scoring.score(loaded, batches()):
                loaded.keep(database, run.snapshot_id, scored.made, lacking)
                runs.add_scores(database, run_id, scored.scores, scored.claims)
                broken.count(scored.scores)
                done += len(batch.articles)
                bar.update(done, len(todo))
        broken.tell(progress, "article")
    _finish(database, run_id, evaluators, loaded)


def _score_texts(
    database: Database,
    run: Run,
    keys: Sequence[Key],
    articles: Sequence[Article],
    evaluators: Sequence[Evaluator],
    loaded: LoadedEvaluators,
    drawn: DrawnParts,
    progress: Progress,
    scoring: BatchScoring,
) -> None:
    with database.read():
        finished = runs.finished_scorings(database, run.run_id)
        open_ones = [
            evaluator for evaluator in evaluators if evaluator.costly or not loaded.ids([evaluator]) <= finished
        ]
        lacking, todo = _lacking(database, run.run_id, keys, open_ones, loaded)
    if todo:
        by_page = {article.page_id: article for article in articles}
        compared = compared_with_articles(lacking)
        as_scored = sentences_of(database, run) if is_prompt_set(run.snapshot_id) else None
        done, broken = len(keys) - len(todo), BrokenScores()

        def batches() -> Iterator[TextBatch]:
            for part in scoring.cut(todo, _size(lacking)):
                pages = [by_page[page_id] for page_id in dict(part)]
                with database.read():
                    known = loaded.known(database, run.snapshot_id, pages, compared)
                    texts = runs.kept_texts(database, run.run_id, part[0][0], part[-1][0])
                prompts = {a.page_id: fill(run.prompt_template, a.title, a.first_sentence) for a in pages}
                written = [(prompts[key[0]], texts[key]) for key in part]
                if as_scored:
                    written = [as_scored(key[0], *one) for key, one in zip(part, written, strict=True)]
                before, after = zip(*written, strict=True)
                yield TextBatch(part, after, before, pages, known, _names(lacking))

        title = f"scoring {run.model} {run.decoder}" + (" with costly evaluators" if lacking[0].costly else "")
        with progress.stretch(title, "texts") as bar:
            for batch, scored in scoring.score(loaded, batches()):
                loaded.keep(database, run.snapshot_id, scored.made, compared)
                drawn.note(scored.parts)
                runs.add_scores(database, run.run_id, scored.scores, scored.claims)
                broken.count(scored.scores)
                done += len(batch.keys)
                bar.update(done, len(keys), loaded.slowest)
        broken.tell(progress, "text")
    _finish(database, run.run_id, evaluators, loaded)


def _lacking(
    database: Database, run_id: str, keys: Sequence[Key], evaluators: Sequence[Evaluator], loaded: LoadedEvaluators
) -> tuple[list[Evaluator], list[Key]]:
    """The evaluators that have not scored all of these texts, and the texts that one of them has not scored."""
    scored = runs.scored_texts(database, run_id, loaded.ids(evaluators))
    missing = {e.name: set(keys) - scored[loaded.fingerprints[e.name].evaluator_id] for e in evaluators}
    lacking = [evaluator for evaluator in evaluators if missing[evaluator.name]]
    return lacking, sorted(set[Key]().union(*missing.values()))


def _names(evaluators: Sequence[Evaluator]) -> tuple[str, ...]:
    return tuple(evaluator.name for evaluator in evaluators)


def _size(evaluators: Sequence[Evaluator]) -> int:
    return _COSTLY_BATCH if evaluators[0].costly else _BATCH


def _finish(database: Database, run_id: str, evaluators: Sequence[Evaluator], loaded: LoadedEvaluators) -> None:
    runs.finish_scoring(database, run_id, loaded.ids(evaluators))


def _drawn(items: Sequence[T], count: int) -> list[T]:
    """So many of them, the same ones always, and with a higher count these and more."""
    return sorted(items, key=lambda item: hashlib.sha256(repr(item).encode()).digest())[:count]
