"""Score the runs on a snapshot against a later edition, and find statements in their texts that came true."""

from collections.abc import Iterator, Mapping, Sequence

from evaluators.analysis import Analysis
from evaluators.came_true import CAME_TRUE, Additions, Edition
from evaluators.scoring import reads_article, score
from flows.progress import Progress
from flows.scoring.broken_scores import BrokenScores
from flows.scoring.loaded_evaluators import LoadedEvaluators, choose
from flows.scoring.score_run import score_run
from newwiki.errors import UsageError
from newwiki.prompting.chat_prompts import before_completion
from newwiki.records import Run, Score
from newwiki.registry import Evaluator, SetEvaluator
from newwiki.settings import Settings
from newwiki.snapshot import Article, Snapshot
from storage import editions, runs, snapshots
from storage.database import Database
from storage.editions import CameTrueText, CameTrueThing, Key
from storage.structures import known_facts

_BATCH = 256  # texts or articles per batch


def score_edition(
    database: Database, first: Snapshot, edition: Snapshot, metrics: str, settings: Settings, progress: Progress
) -> None:
    """Compute the missing scores of every complete run with kept completions, against the first and the later edition.

    The same evaluators score both. Raises UsageError if no metric reads the article, and TerminalError if a model is
    missing.
    """
    on_first = editions.runs_on(database, first.snapshot_id)
    if not on_first:
        progress.note(f"no run on {first.snapshot_id} is complete, so nothing is judged again")
        return
    chosen = _chosen(metrics, settings, progress)
    loaded = LoadedEvaluators([*chosen, CAME_TRUE], settings)
    scoring = EditionScoring(database, first, edition, loaded, chosen, progress)
    for run_id in on_first:
        run, articles = runs.with_articles(database, run_id)
        score_run(database, run, articles, loaded.only(chosen), progress)
        scoring.judge(run, articles)


def _chosen(metrics: str, settings: Settings, progress: Progress) -> list[Evaluator]:
    """Return the evaluators of single texts whose scores depend on the article. Raises UsageError if there are none."""
    evaluators = choose(metrics, settings, progress)
    chosen = [
        evaluator
        for evaluator in evaluators
        if not isinstance(evaluator, SetEvaluator) and not evaluator.costly and reads_article(evaluator)
    ]
    if not chosen:
        raise UsageError(
            f"none of {metrics} compares a single text with its article, so none can change with it; "
            "name others, such as entity_overlap or fact_recall"
        )
    return chosen


class EditionScoring:
    """Score runs against one edition. The additions of the edition are read once for all runs."""

    def __init__(
        self,
        database: Database,
        first: Snapshot,
        edition: Snapshot,
        loaded: LoadedEvaluators,
        chosen: Sequence[Evaluator],
        progress: Progress,
    ) -> None:
        self._database, self._edition, self._loaded = database, edition.snapshot_id, loaded
        self._language = edition.language
        self._chosen, self._progress = chosen, progress
        runs.register(
            database, loaded.fingerprints.values(), [metric for evaluator in chosen for metric in evaluator.metrics]
        )
        changed = set(editions.changed_pages(database, self._edition))
        before, self._later = (
            {article.page_id: article for article in snapshots.articles(database, name) if article.page_id in changed}
            for name in (first.snapshot_id, self._edition)
        )
        self._additions = self._read(first.snapshot_id, before)
        self._ids = loaded.ids([*chosen, CAME_TRUE])

    def judge(self, run: Run, articles: Sequence[Article]) -> None:
        """Score the kept completions that have no scores against the edition yet."""
        editions.copy_unchanged(self._database, self._edition, run.run_id, self._loaded.ids(self._chosen))
        prompts = {
            article.page_id: before_completion(run.prompt_template, article.title, article.first_sentence)
            for article in articles
        }
        keys = [key for key in runs.kept_completions(self._database, run.run_id) if key[0] in self._later]
        lacking = self._lacking(run, keys)
        todo = sorted(set[Key]().union(*lacking.values()))
        broken = BrokenScores()
        if todo:
            with self._progress.stretch(f"judging {run.model} {run.decoder} beside {self._edition}", "texts") as bar:
                for start in range(0, len(todo), _BATCH):
                    batch = todo[start : start + _BATCH]
                    broken.count(self._judge_batch(run, batch, prompts, lacking))
                    bar.update(len(keys) - len(todo) + start + len(batch), len(keys), self._loaded.slowest)
        broken.tell(self._progress, "text")
        editions.finish(self._database, self._edition, run.run_id, self._ids)

    def _lacking(self, run: Run, keys: Sequence[Key]) -> dict[str, set[Key]]:
        """Return the unscored texts of each evaluator."""
        done = editions.scored_texts(self._database, self._edition, run.run_id, self._ids)
        by_name = {
            evaluator.name: self._loaded.fingerprints[evaluator.name].evaluator_id
            for evaluator in (*self._chosen, CAME_TRUE)
        }
        return {name: set(keys) - done[evaluator_id] for name, evaluator_id in by_name.items()}

    def _judge_batch(
        self, run: Run, batch: Sequence[Key], prompts: Mapping[int, str], lacking: Mapping[str, set[Key]]
    ) -> list[Score]:
        wanted = [evaluator for evaluator in self._chosen if lacking[evaluator.name].intersection(batch)]
        kept_texts = runs.kept_texts(self._database, run.run_id, batch[0][0], batch[-1][0])
        pages = [self._later[page_id] for page_id in dict(batch)]
        references = self._loaded.read(self._database, self._edition, pages, [*wanted, CAME_TRUE], self._language)
        analyses = self._loaded.analyse(
            [kept_texts[key] for key in batch],
            [prompts[page_id] for page_id, _ in batch],
            [*wanted, CAME_TRUE],
            language=self._language,
        )
        scores = score(wanted, self._loaded.fingerprints, batch, analyses, references, self._language)
        texts, things = self._came_true(batch, analyses)
        editions.add(self._database, self._edition, run.run_id, scores, texts, things)
        return scores

    def _came_true(
        self, batch: Sequence[Key], analyses: Sequence[Analysis]
    ) -> tuple[list[CameTrueText], list[CameTrueThing]]:
        by = self._loaded.fingerprints[CAME_TRUE.name].evaluator_id
        texts, things = [], []
        for (page_id, sample), analysis in zip(batch, analyses, strict=True):
            for outcome in self._additions.said(page_id, analysis.text, analysis.named()):
                count = len(outcome.terms) if outcome.status == "ok" else None
                texts.append(
                    CameTrueText(
                        page_id, sample, by, outcome.kind, outcome.additions, count, outcome.chance, outcome.status
                    )
                )
                things += [CameTrueThing(page_id, sample, by, outcome.kind, term) for term in outcome.terms]
        return texts, things

    def _read(self, first_id: str, before: Mapping[int, Article]) -> Additions:
        additions, pages = Additions(), sorted(before)
        if not pages:
            return additions
        with self._progress.stretch(f"reading what is new in {self._edition}", "articles") as bar:
            for start in range(0, len(pages), _BATCH):
                for page_id, first, later in self._editions(first_id, before, pages[start : start + _BATCH]):
                    additions.add(page_id, first, later)
                bar.update(min(start + _BATCH, len(pages)), len(pages))
        return additions

    def _editions(
        self, first_id: str, before: Mapping[int, Article], pages: Sequence[int]
    ) -> Iterator[tuple[int, Edition, Edition]]:
        """Yield both editions of each article.

        Entities of the first edition are not extracted, because a term in its text is never an addition.
        """
        later = [self._later[page_id] for page_id in pages]
        facts = known_facts(self._database, first_id, pages)
        read = self._loaded.read(self._database, self._edition, later, [CAME_TRUE])
        leads = self._loaded.analyse([article.first_sentence for article in later], [""] * len(later), [CAME_TRUE])
        for article, lead in zip(later, leads, strict=True):
            page_id, rest = article.page_id, read[article.page_id]
            mentions = [*lead.named(), *rest.named()]
            first = Edition(_whole(before[page_id]), (), facts[page_id])
            yield page_id, first, Edition(_whole(article), mentions, rest.part("facts"))


def _whole(article: Article) -> str:
    return f"{article.title}\n\n{article.first_sentence}\n\n{article.completion}"
