"""From texts to scores: every text analysed once, in batches, and stored batch by batch."""

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from evaluators.analysis import Analysis, Analyst, Maker
from evaluators.scoring import fingerprint, is_installed, made_by, needs_of, score, select
from flows.progress import Progress
from flows.steps.score_sets import DrawnParts, score_sets
from newwiki.records import Article, Run, Score
from newwiki.registry import Evaluator, SetEvaluator, makers
from newwiki.settings import Settings
from newwiki.text.prompts import DEFAULT_TEMPLATE, fill
from storage import references, runs
from storage.database import Database

_BATCH, _COSTLY_BATCH = 512, 8  # texts: seconds of work, which is what an interruption costs
DEFAULT_BUDGET = 200

Key = tuple[int, int]  # page id and sample
Known = Mapping[int, Mapping[str, Any]]  # by page id and part
T = TypeVar("T")


class Jury:
    """The evaluators with their models loaded. Those that are costly score only `budget` texts of a run."""

    def __init__(self, evaluators: Sequence[Evaluator], settings: Settings, budget: int = DEFAULT_BUDGET) -> None:
        """Raises TerminalError where a model is missing that one of the evaluators needs."""
        self.evaluators = [evaluator for evaluator in evaluators if not isinstance(evaluator, SetEvaluator)]
        self.set_evaluators = [evaluator for evaluator in evaluators if isinstance(evaluator, SetEvaluator)]
        self.budget = budget
        self._analyst = Analyst(*_makers(needs_of(evaluators), settings))
        self.fingerprints = {e.name: fingerprint(e, self._analyst) for e in evaluators}
        self.seconds = self._analyst.seconds

    @property
    def slowest(self) -> str:
        """What takes the time, models and evaluators: `all-MiniLM-L6-v2 81%, bleu 9%`."""
        total = sum(self.seconds.values()) or 1
        longest = sorted(self.seconds.items(), key=lambda one: -one[1])[:3]
        return ", ".join(f"{name.split('/')[-1]} {seconds / total:.0%}" for name, seconds in longest)

    def ids(self, evaluators: Sequence[Evaluator]) -> set[str]:
        return {self.fingerprints[evaluator.name].evaluator_id for evaluator in evaluators}

    def analyse(self, texts: Sequence[str], prompts: Sequence[str], evaluators: Sequence[Evaluator]) -> list[Analysis]:
        return self._analyst.analyse(texts, needs_of(evaluators), prompts)

    def known(
        self, database: Database, snapshot_id: str, articles: Sequence[Article], evaluators: Sequence[Evaluator]
    ) -> Known:
        """What models have made of reference articles before."""
        ids = [article.page_id for article in articles]
        makers = self._made_by(needs_of(evaluators))
        return references.known_parts(database, snapshot_id, ids, makers) if makers else {one: {} for one in ids}

    def read(
        self,
        database: Database,
        snapshot_id: str,
        articles: Sequence[Article],
        evaluators: Sequence[Evaluator],
        known: Known | None = None,
    ) -> dict[int, Analysis]:
        """The analyses of reference articles by page id: what is `known` of them is not made again, the rest stored."""
        known = known or self.known(database, snapshot_id, articles, evaluators)
        needs = needs_of(evaluators)
        makers = self._made_by(needs)
        ids = [article.page_id for article in articles]
        stored = [known[page_id] for page_id in ids]
        texts = [article.completion for article in articles]
        prompts = [fill(DEFAULT_TEMPLATE, article.title, article.first_sentence) for article in articles]
        analyses = dict(zip(ids, self._analyst.analyse(texts, needs, prompts, stored), strict=True))
        made = [
            (page_id, part, analysis.parts[part])
            for page_id, analysis in analyses.items()
            for part in makers
            if part not in known[page_id]
        ]
        references.add_parts(database, snapshot_id, made, makers)
        return analyses

    def _made_by(self, needs: frozenset[str]) -> dict[str, str]:
        return {part: made_by(maker) for maker in self._analyst.makers(needs) for part in maker.parts & needs}


def choose(metrics: str, settings: Settings, progress: Progress) -> list[Evaluator]:
    """The evaluators of these metrics. `all` leaves out those whose models would have to be downloaded, or whose
    packages are not installed, and says so."""
    chosen = select(metrics)
    if metrics != "all":
        return chosen
    here = [e for e in chosen if is_installed(e) and all(makers.get(part).at_hand(settings) for part in e.needs)]
    if away := sorted(metric.name for evaluator in chosen if evaluator not in here for metric in evaluator.metrics):
        progress.note(
            f"all leaves out {', '.join(away)}: their models or packages are not on this machine; ask for one by name "
            "to have it, or to hear what to install"
        )
    return here


def score_run(database: Database, run: Run, articles: Sequence[Article], jury: Jury, progress: Progress) -> None:
    """Scores what the run has kept, and its articles, with every evaluator that has not done so yet."""
    metrics = [metric for evaluator in (*jury.evaluators, *jury.set_evaluators) for metric in evaluator.metrics]
    runs.register(database, jury.fingerprints.values(), metrics)
    kept = runs.kept_completions(database, run.run_id)
    drawn = DrawnParts(kept, jury)
    for costly in (False, True):
        evaluators = [evaluator for evaluator in jury.evaluators if evaluator.costly == costly]
        if not evaluators:
            continue
        keys, pages = kept, sorted(article.page_id for article in articles)
        if costly:
            keys, pages = _drawn(keys, jury.budget), _drawn(pages, jury.budget)
        _score_articles(database, run, [a for a in articles if a.page_id in set(pages)], evaluators, jury, progress)
        _score_texts(database, run, keys, articles, evaluators, jury, drawn, progress)
    score_sets(database, run, articles, jury, drawn, progress)


def _makers(needs: frozenset[str], settings: Settings) -> list[Maker]:
    """Loaded, those first that are not on this machine: what is missing is told before others take their time."""
    wanted = sorted(map(makers.get, sorted(needs)), key=lambda maker: maker.at_hand(settings))
    return [load(settings) for load in dict.fromkeys(maker.load for maker in wanted)]


def _score_articles(
    database: Database,
    run: Run,
    articles: Sequence[Article],
    evaluators: Sequence[Evaluator],
    jury: Jury,
    progress: Progress,
) -> None:
    """The articles themselves, each against itself: the row "Wikipedia" of the paper's table 3."""
    run_id = f"reference:{run.snapshot_id}"
    lacking, todo = _lacking(database, run_id, [(article.page_id, 0) for article in articles], evaluators, jury)
    if todo:
        unread = [article for article in articles if (article.page_id, 0) in set(todo)]
        done = 0
        with progress.stretch("reading the reference articles", "articles") as bar:
            for batch in _batches(unread, lacking):
                analyses = jury.read(database, run.snapshot_id, batch, lacking)
                keys = [(page_id, 0) for page_id in analyses]
                scores = score(lacking, jury.fingerprints, keys, list(analyses.values()), analyses)
                runs.add_scores(database, run_id, scores)
                done += len(batch)
                bar.update(done, len(unread))
    _finish(database, run_id, evaluators, jury)


def _score_texts(
    database: Database,
    run: Run,
    keys: Sequence[Key],
    articles: Sequence[Article],
    evaluators: Sequence[Evaluator],
    jury: Jury,
    drawn: DrawnParts,
    progress: Progress,
) -> None:
    with database.read():
        finished = runs.finished_scorings(database, run.run_id)
        open_ones = [evaluator for evaluator in evaluators if evaluator.costly or not jury.ids([evaluator]) <= finished]
        lacking, todo = _lacking(database, run.run_id, keys, open_ones, jury)
    if todo:
        by_page = {article.page_id: article for article in articles}
        done = len(keys) - len(todo)
        title = f"scoring {run.model} {run.decoder}" + (" with costly evaluators" if lacking[0].costly else "")
        with progress.stretch(title, "texts") as bar:
            for batch in _batches(todo, lacking):
                analyses, analysed = _analysed(database, run, batch, by_page, lacking, jury)
                drawn.note(batch, analyses)
                _store(database, run.run_id, lacking, jury, batch, analyses, analysed)
                done += len(batch)
                bar.update(done, len(keys), jury.slowest)
    _finish(database, run.run_id, evaluators, jury)


def _store(
    database: Database,
    run_id: str,
    evaluators: Sequence[Evaluator],
    jury: Jury,
    keys: Sequence[Key],
    analyses: Sequence[Analysis],
    analysed: Mapping[int, Analysis],
) -> None:
    scores: list[Score] = []
    for evaluator in evaluators:
        started = time.perf_counter()
        scores += score([evaluator], jury.fingerprints, keys, analyses, analysed)
        jury.seconds[evaluator.name] += time.perf_counter() - started
    runs.add_scores(database, run_id, scores)


def _analysed(
    database: Database,
    run: Run,
    keys: Sequence[Key],
    by_page: Mapping[int, Article],
    evaluators: Sequence[Evaluator],
    jury: Jury,
) -> tuple[list[Analysis], dict[int, Analysis]]:
    """The texts, and the articles that they are to be compared with by page id."""
    pages = [by_page[page_id] for page_id in dict(keys)]
    compared = [evaluator for evaluator in evaluators if not evaluator.alone]
    with database.read():
        known = jury.known(database, run.snapshot_id, pages, compared)
        texts = runs.kept_texts(database, run.run_id, keys[0][0], keys[-1][0])
    analysed = jury.read(database, run.snapshot_id, pages, compared, known)
    prompts = {a.page_id: fill(run.prompt_template, a.title, a.first_sentence) for a in pages}
    analyses = jury.analyse([texts[key] for key in keys], [prompts[page_id] for page_id, _ in keys], evaluators)
    return analyses, analysed


def _lacking(
    database: Database, run_id: str, keys: Sequence[Key], evaluators: Sequence[Evaluator], jury: Jury
) -> tuple[list[Evaluator], list[Key]]:
    """The evaluators that have not scored all of these texts, and the texts that one of them has not scored."""
    scored = runs.scored_texts(database, run_id, jury.ids(evaluators))
    missing = {e.name: set(keys) - scored[jury.fingerprints[e.name].evaluator_id] for e in evaluators}
    lacking = [evaluator for evaluator in evaluators if missing[evaluator.name]]
    return lacking, sorted(set[Key]().union(*missing.values()))


def _batches(items: Sequence[T], evaluators: Sequence[Evaluator]) -> Iterator[Sequence[T]]:
    size = _COSTLY_BATCH if evaluators[0].costly else _BATCH
    return (items[start : start + size] for start in range(0, len(items), size))


def _finish(database: Database, run_id: str, evaluators: Sequence[Evaluator], jury: Jury) -> None:
    runs.finish_scoring(database, run_id, jury.ids(evaluators))


def _drawn(items: Sequence[T], count: int) -> list[T]:
    """So many of them, the same ones always, and with a higher count these and more."""
    return sorted(items, key=lambda item: hashlib.sha256(repr(item).encode()).digest())[:count]
