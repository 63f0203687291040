"""From texts to scores: every text analysed once, in batches, and stored batch by batch."""

from collections.abc import Mapping, Sequence

from evaluators.analysis import Analysis, Analyst
from evaluators.embedding import load_embedder
from evaluators.entities import load_tagger
from evaluators.scoring import fingerprint, needs_of, score
from flows.progress import Progress
from flows.steps.evaluate import PlannedRun
from newwiki.records import Article
from newwiki.registry import Evaluator
from storage import runs
from storage.database import Database

_BATCH = 64  # texts: seconds of work, which is what an interruption costs


class Jury:
    """The evaluators with their models loaded, and the reference articles that they have read already."""

    def __init__(self, evaluators: Sequence[Evaluator], *, entities: str, embedder: str) -> None:
        """Raises TerminalError where a model is missing that one of the evaluators needs."""
        self.evaluators = list(evaluators)
        needs = needs_of(evaluators)
        self._analyst = Analyst(
            load_tagger(entities) if "entities" in needs else None,
            load_embedder(embedder) if "embedding" in needs else None,
        )
        self.fingerprints = {e.name: fingerprint(e, self._analyst) for e in evaluators}
        self._references: dict[int, Analysis] = {}

    def analyse(self, texts: Sequence[str], evaluators: Sequence[Evaluator]) -> list[Analysis]:
        return self._analyst.analyse(texts, needs_of(evaluators))

    def references(self, articles: Sequence[Article], progress: Progress) -> Mapping[int, Analysis]:
        """The analyses of the articles' completions by page id."""
        unread = [article for article in articles if article.page_id not in self._references]
        if unread:
            with progress.stretch("reading the reference articles", "articles") as bar:
                for start in range(0, len(unread), _BATCH):
                    batch = unread[start : start + _BATCH]
                    analyses = self.analyse([article.completion for article in batch], self.evaluators)
                    self._references |= {a.page_id: analysis for a, analysis in zip(batch, analyses, strict=True)}
                    bar.update(start + len(batch), len(unread))
        return self._references


def score_run(database: Database, planned: PlannedRun, jury: Jury, progress: Progress) -> None:
    """Scores what the run has kept with every evaluator that has not finished it yet."""
    run_id = planned.run.run_id
    metrics = [metric for evaluator in jury.evaluators for metric in evaluator.metrics]
    runs.register(database, jury.fingerprints.values(), metrics)
    _score_references(database, planned, jury, progress)
    finished = runs.finished_scorings(database, run_id)
    evaluators = [e for e in jury.evaluators if jury.fingerprints[e.name].evaluator_id not in finished]
    if not evaluators:
        return
    references = jury.references(planned.articles, progress)
    texts = {(page_id, sample): text for page_id, sample, text in runs.kept_texts(database, run_id)}
    done = _done(database, run_id, evaluators, jury)
    todo = [key for key in texts if key not in done]
    with progress.stretch(f"scoring {planned.run.model} {planned.run.decoder}", "texts") as bar:
        for start in range(0, len(todo), _BATCH):
            keys = todo[start : start + _BATCH]
            analyses = jury.analyse([texts[key] for key in keys], evaluators)
            scores = score(evaluators, jury.fingerprints, keys, analyses, references)
            runs.add_scores(database, run_id, scores)
            bar.update(len(done) + start + len(keys), len(texts))
    runs.finish_scoring(database, run_id, _ids(evaluators, jury))


def _score_references(database: Database, planned: PlannedRun, jury: Jury, progress: Progress) -> None:
    """The articles themselves, each against itself: the row "Wikipedia" of the paper's table 3."""
    run_id = f"reference:{planned.run.snapshot_id}"
    done = _done(database, run_id, jury.evaluators, jury)
    todo = [article for article in planned.articles if (article.page_id, 0) not in done]
    if todo:
        references = jury.references(todo, progress)
        keys = [(article.page_id, 0) for article in todo]
        analyses = [references[article.page_id] for article in todo]
        runs.add_scores(database, run_id, score(jury.evaluators, jury.fingerprints, keys, analyses, references))
    runs.finish_scoring(database, run_id, _ids(jury.evaluators, jury) - runs.finished_scorings(database, run_id))


def _done(database: Database, run_id: str, evaluators: Sequence[Evaluator], jury: Jury) -> set[tuple[int, int]]:
    """The (page id, sample) pairs that all of these evaluators have scored."""
    return set.intersection(*(runs.scored_texts(database, run_id, name) for name in _ids(evaluators, jury)))


def _ids(evaluators: Sequence[Evaluator], jury: Jury) -> set[str]:
    return {jury.fingerprints[evaluator.name].evaluator_id for evaluator in evaluators}
