"""Score a run: analyze each text once, in batches, and store the scores of each batch."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from flows.progress import Progress
from flows.scoring.batches import BatchScoring, InThisProcess, TextBatch, Upcoming, compared_with_articles
from flows.scoring.broken_scores import BrokenScores
from flows.scoring.loaded_evaluators import LoadedEvaluators, choose
from flows.scoring.prompted_sentences import sentences_of
from flows.scoring.score_sets import DrawnParts, score_sets
from flows.scoring.storing import Storing
from flows.scoring.text_budget import Key
from newwiki.prompting.chat_prompts import before_completion
from newwiki.records import Run
from newwiki.registry import Evaluator
from newwiki.snapshot import Article
from storage import runs, snapshots
from storage.database import Database
from storage.prompt_sets import is_prompt_set

__all__ = ["LoadedEvaluators", "choose", "score_run"]

_BATCH, _COSTLY_BATCH = 512, 8  # texts: an interruption loses one batch, which takes seconds


@dataclass(frozen=True)
class _Stage:
    """A part of a scoring: some evaluators, and the texts or articles that at least one of them still has to score.

    `todo` of the `total` texts remain. The evaluators in `read_by` need analyses of the articles. `finished` says that
    the database records all evaluators as finished with the run. A stage `is_of_part` of a run never finishes it.
    """

    run_id: str
    title: str
    unit: str
    evaluators: Sequence[Evaluator]
    read_by: Sequence[Evaluator]
    todo: int
    total: int
    finished: bool
    batches: Upcoming
    is_of_part: bool = False


def score_run(
    database: Database,
    run: Run,
    articles: Sequence[Article],
    loaded: LoadedEvaluators,
    progress: Progress,
    scoring: BatchScoring | None = None,
) -> None:
    """Score the kept completions of a run and its articles with each evaluator that has not finished.

    Opens the database once at the beginning, and then once for each write. A write also reads the next batch. Without
    `scoring`, this process scores the batches.
    """
    scoring = scoring or InThisProcess()
    with database.read():
        keys = runs.kept_completions(database, run.run_id)
        storing = Storing(database, loaded)
        stages = _stages(database, run, articles, keys, loaded, scoring)
        todo = [stage for stage in stages if stage.todo]
        for stage in todo[:1]:
            stage.batches.make_next()
    unfinished = [stage for stage in stages if not stage.todo and not stage.finished]
    # The first transaction also registers the evaluators, so one is needed even if there is nothing to score.
    if unfinished or (not storing.entered and not todo):
        with storing.transaction():
            for stage in unfinished:
                _finish(database, stage, loaded)
    parts = DrawnParts(keys, loaded)
    for stage, following in zip_longest(todo, todo[1:]):
        _score(database, run, stage, following, loaded, parts, progress, scoring, storing)
    score_sets(database, run, articles, loaded, parts, progress)


def score_prompts(
    database: Database, run: Run, articles: Sequence[Article], loaded: LoadedEvaluators, progress: Progress
) -> None:
    """Score the kept completions of these articles' prompts, and these articles, as far as they have no scores.

    The run may have more prompts, so no scoring is recorded as finished, and metrics of a whole run are left out.
    """
    scoring, pages = InThisProcess(), {article.page_id for article in articles}
    with database.read():
        keys = [key for key in runs.kept_completions(database, run.run_id) if key[0] in pages]
        storing = Storing(database, loaded)
        stages = _stages(database, run, articles, keys, loaded, scoring)
        todo = [replace(stage, is_of_part=True) for stage in stages if stage.todo]
        for stage in todo[:1]:
            stage.batches.make_next()
    parts = DrawnParts(keys, loaded)
    for stage, following in zip_longest(todo, todo[1:]):
        _score(database, run, stage, following, loaded, parts, progress, scoring, storing)


def _score(
    database: Database,
    run: Run,
    stage: _Stage,
    following: _Stage | None,
    loaded: LoadedEvaluators,
    parts: DrawnParts,
    progress: Progress,
    scoring: BatchScoring,
    storing: Storing,
) -> None:
    done, broken = stage.total - stage.todo, BrokenScores()
    with progress.stretch(stage.title, stage.unit) as bar:
        for batch, scored in scoring.score(loaded, stage.batches):
            done += len(batch.keys or batch.articles)
            with storing.transaction():
                loaded.keep(database, run.snapshot_id, scored.new_parts, stage.read_by)
                runs.add_scores(database, stage.run_id, scored.scores, scored.claims)
                if done < stage.total:
                    stage.batches.make_next()
                else:
                    if not stage.is_of_part:
                        _finish(database, stage, loaded)
                    if following:
                        following.batches.make_next()
            if batch.keys:
                parts.note(scored.parts)
            broken.count(scored.scores)
            bar.update(done, stage.total, loaded.slowest)
    broken.tell(progress, stage.unit.removesuffix("s"))


def _stages(
    database: Database,
    run: Run,
    articles: Sequence[Article],
    kept_keys: Sequence[Key],
    loaded: LoadedEvaluators,
    scoring: BatchScoring,
) -> list[_Stage]:
    """Return the stages of a scoring in order.

    The articles come before the texts, which need the analyses of the articles.
    """
    snapshot = snapshots.find(database, run.snapshot_id)
    language = snapshot.language if snapshot else None
    stages = []
    for costly in (False, True):
        evaluators = [evaluator for evaluator in loaded.evaluators if evaluator.costly == costly]
        if not evaluators:
            continue
        keys, pages = kept_keys, sorted(article.page_id for article in articles)
        if costly:
            keys, pages = loaded.budget.of_texts(keys), loaded.budget.of_articles(pages)
        if not is_prompt_set(run.snapshot_id):
            themselves = [article for article in articles if article.page_id in set(pages)]
            stages.append(_article_stage(database, run, themselves, evaluators, loaded, scoring, language))
        stages.append(_text_stage(database, run, keys, articles, evaluators, loaded, scoring, language))
    return stages


def _article_stage(
    database: Database,
    run: Run,
    articles: Sequence[Article],
    evaluators: Sequence[Evaluator],
    loaded: LoadedEvaluators,
    scoring: BatchScoring,
    language: str | None,
) -> _Stage:
    """Return the stage that scores the articles against themselves: the row "Wikipedia" in table 3 of the paper."""
    run_id = f"reference:{run.snapshot_id}"
    lacking, todo = _lacking(database, run_id, [(article.page_id, 0) for article in articles], evaluators, loaded)
    by_page = {article.page_id: article for article in articles}

    def batches() -> Iterator[TextBatch]:
        for part in scoring.cut(todo, _size(lacking)):
            unread = [by_page[page_id] for page_id, _ in part]
            known = loaded.known(database, run.snapshot_id, unread, lacking)
            yield TextBatch((), (), (), unread, known, _names(lacking), language)

    return _Stage(
        run_id=run_id,
        title="scoring the reference articles",
        unit="articles",
        evaluators=evaluators,
        read_by=lacking,
        todo=len(todo),
        total=len(todo),
        finished=loaded.ids(evaluators) <= runs.finished_scorings(database, run_id),
        batches=Upcoming(batches()),
    )


def _text_stage(
    database: Database,
    run: Run,
    keys: Sequence[Key],
    articles: Sequence[Article],
    evaluators: Sequence[Evaluator],
    loaded: LoadedEvaluators,
    scoring: BatchScoring,
    language: str | None,
) -> _Stage:
    finished = runs.finished_scorings(database, run.run_id)
    open_ones = [evaluator for evaluator in evaluators if evaluator.costly or not loaded.ids([evaluator]) <= finished]
    lacking, todo = _lacking(database, run.run_id, keys, open_ones, loaded)
    by_page = {article.page_id: article for article in articles}
    compared = compared_with_articles(lacking)
    as_scored = sentences_of(database, run, loaded.judged) if todo and is_prompt_set(run.snapshot_id) else None

    def batches() -> Iterator[TextBatch]:
        for part in scoring.cut(todo, _size(lacking)):
            pages = [by_page[page_id] for page_id in dict(part)]
            with database.read():
                known = loaded.known(database, run.snapshot_id, pages, compared)
                texts = runs.kept_texts(database, run.run_id, part[0][0], part[-1][0])
            prompts = {a.page_id: before_completion(run.prompt_template, a.title, a.first_sentence) for a in pages}
            written = [(prompts[key[0]], texts[key]) for key in part]
            if as_scored:
                written = [as_scored(key[0], prompt, text) for key, (prompt, text) in zip(part, written, strict=True)]
            before, after = zip(*written, strict=True)
            yield TextBatch(part, after, before, pages, known, _names(lacking), language)

    with_costly = " with costly evaluators" if evaluators[0].costly else ""
    return _Stage(
        run_id=run.run_id,
        title=f"scoring {run.model} {run.decoder}{with_costly}",
        unit="texts",
        evaluators=evaluators,
        read_by=compared,
        todo=len(todo),
        total=len(keys),
        finished=loaded.ids(evaluators) <= finished,
        batches=Upcoming(batches()),
    )


def _lacking(
    database: Database, run_id: str, keys: Sequence[Key], evaluators: Sequence[Evaluator], loaded: LoadedEvaluators
) -> tuple[list[Evaluator], list[Key]]:
    """Return the evaluators with unscored texts, and the texts that at least one of these evaluators has not scored."""
    scored = runs.scored_texts(database, run_id, loaded.ids(evaluators))
    missing = {e.name: set(keys) - scored[loaded.fingerprints[e.name].evaluator_id] for e in evaluators}
    lacking = [evaluator for evaluator in evaluators if missing[evaluator.name]]
    return lacking, sorted(set[Key]().union(*missing.values()))


def _names(evaluators: Sequence[Evaluator]) -> tuple[str, ...]:
    return tuple(evaluator.name for evaluator in evaluators)


def _size(evaluators: Sequence[Evaluator]) -> int:
    return _COSTLY_BATCH if evaluators[0].costly else _BATCH


def _finish(database: Database, stage: _Stage, loaded: LoadedEvaluators) -> None:
    runs.finish_scoring(database, stage.run_id, loaded.ids(stage.evaluators))
