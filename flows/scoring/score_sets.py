"""Compute the metrics of whole runs. They read the kept completions together, and each has one value per run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evaluators.corpus import Corpus, Key, draw_keys, split_words
from evaluators.scoring import needs_of, score_set
from flows.progress import Progress
from flows.scoring.broken_scores import BrokenScores
from newwiki.prompting.chat_prompts import before_completion
from newwiki.records import Run
from newwiki.registry import SetEvaluator
from newwiki.snapshot import Article
from storage import runs
from storage.database import Database

if TYPE_CHECKING:
    from flows.scoring.loaded_evaluators import Known, LoadedEvaluators

_BATCH = 256


class DrawnParts:
    """The analyses of the drawn texts, collected during the scoring of single texts.

    No model reads a text twice, unless the scoring was interrupted in between.
    """

    def __init__(self, keys: Iterable[Key], loaded: LoadedEvaluators) -> None:
        self.needs = needs_of(loaded.set_evaluators)
        self.parts: dict[Key, Mapping[str, Any]] = {}
        self._drawn = {key for drawn in draw_keys(keys) for key in drawn} if self.needs else set()

    def note(self, parts: Mapping[Key, Mapping[str, Any]]) -> None:
        for key, drawn in parts.items():
            if key in self._drawn and self.needs <= drawn.keys():
                self.parts[key] = {need: drawn[need] for need in self.needs}

    @property
    def lacking(self) -> list[Key]:
        return sorted(self._drawn - self.parts.keys())


def score_sets(
    database: Database,
    run: Run,
    articles: Sequence[Article],
    loaded: LoadedEvaluators,
    drawn: DrawnParts,
    progress: Progress,
) -> None:
    """Score the run, and its articles as a run of their own, with each set evaluator that has not finished.

    If the run has more articles than earlier runs, the articles get new scores.
    """
    if not loaded.set_evaluators:
        return
    article_run_id = f"reference:{run.snapshot_id}"
    ids = loaded.ids(loaded.set_evaluators)
    with database.read():
        lacking = {
            run.run_id: _lacking(database, run.run_id, len(runs.kept_completions(database, run.run_id)), loaded),
            article_run_id: _lacking(database, article_run_id, len(articles), loaded),
        }
        unfinished = [run_id for run_id in lacking if not ids <= runs.finished_scorings(database, run_id)]
        texts, known = _stored(database, run, articles, loaded) if any(lacking.values()) else ({}, {})
    if any(lacking.values()):
        read = _read(database, run, articles, texts, known, lacking[run.run_id], loaded, drawn, progress)
        corpora = {run.run_id: read, article_run_id: _article_corpus(read)}
        todo = [(run_id, evaluator) for run_id, evaluators in lacking.items() for evaluator in evaluators]
        broken = BrokenScores()
        with progress.stretch(f"scoring {run.model} {run.decoder} as a whole", "evaluators") as bar:
            for done, (run_id, evaluator) in enumerate(todo, start=1):
                [name] = loaded.ids([evaluator])
                scores = score_set(evaluator, name, corpora[run_id])
                with database.write():
                    runs.add_run_scores(database, run_id, scores)
                    if evaluator is lacking[run_id][-1]:
                        runs.finish_scoring(database, run_id, ids)
                broken.count(scores)
                bar.update(done, len(todo))
        broken.tell(progress, "run")
    if nothing_left := [run_id for run_id in unfinished if not lacking[run_id]]:
        with database.write():
            for run_id in nothing_left:
                runs.finish_scoring(database, run_id, ids)


def _stored(
    database: Database, run: Run, articles: Sequence[Article], loaded: LoadedEvaluators
) -> tuple[Mapping[Key, str], Known]:
    """Return the kept completions of the run, and the stored analyses of its articles."""
    pages = [article.page_id for article in articles]
    texts = runs.kept_texts(database, run.run_id, min(pages), max(pages)) if pages else {}
    return texts, loaded.known(database, run.snapshot_id, articles, loaded.set_evaluators)


def _lacking(database: Database, run_id: str, texts: int, loaded: LoadedEvaluators) -> list[SetEvaluator]:
    """Return the evaluators that have scored fewer than `texts` texts."""
    scored = runs.set_scored(database, run_id)
    done = {name for name, count in scored.items() if count >= texts}
    return [evaluator for evaluator in loaded.set_evaluators if not loaded.ids([evaluator]) <= done]


def _read(
    database: Database,
    run: Run,
    articles: Sequence[Article],
    texts: Mapping[Key, str],
    known: Known,
    evaluators: Sequence[SetEvaluator],
    loaded: LoadedEvaluators,
    drawn: DrawnParts,
    progress: Progress,
) -> Corpus:
    if needs_of(evaluators) and drawn.lacking:
        _read_drawn(run, articles, texts, loaded, drawn, progress)
    parts: dict[int, Mapping[str, Any]] = {}
    for start in range(0, len(articles), _BATCH):
        analyses, new_parts = loaded.examine(articles[start : start + _BATCH], loaded.set_evaluators, known)
        loaded.keep(database, run.snapshot_id, new_parts, loaded.set_evaluators)
        parts |= {page_id: analysis.parts for page_id, analysis in analyses.items()}
    return Corpus(
        {key: split_words(text) for key, text in texts.items()},
        {article.page_id: split_words(article.completion) for article in articles},
        drawn.parts,
        parts,
    )


def _read_drawn(
    run: Run,
    articles: Sequence[Article],
    texts: Mapping[Key, str],
    loaded: LoadedEvaluators,
    drawn: DrawnParts,
    progress: Progress,
) -> None:
    prompts = {a.page_id: before_completion(run.prompt_template, a.title, a.first_sentence) for a in articles}
    keys = drawn.lacking
    with progress.stretch("reading the drawn texts", "texts") as bar:
        for start in range(0, len(keys), _BATCH):
            batch = keys[start : start + _BATCH]
            before = [prompts[page_id] for page_id, _ in batch]
            analyses = loaded.analyse([texts[key] for key in batch], before, loaded.set_evaluators)
            drawn.note({key: analysis.parts for key, analysis in zip(batch, analyses, strict=True)})
            bar.update(start + len(batch), len(keys))


def _article_corpus(corpus: Corpus) -> Corpus:
    """Return a corpus with the articles in place of the texts."""
    texts = {(page_id, 0): words for page_id, words in corpus.references.items()}
    parts = {(page_id, 0): needed for page_id, needed in corpus.reference_parts.items()}
    return Corpus(texts, corpus.references, parts, corpus.reference_parts)
