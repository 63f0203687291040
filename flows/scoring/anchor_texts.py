"""Make the anchors of a snapshot and score them: texts of known quality beside each article that a run wrote about."""

from collections.abc import Iterator, Mapping, Sequence

from evaluators.perturbations import (
    PERTURBATIONS_VERSION,
    derangement,
    repeated,
    replaced,
    sentences_of,
    shuffled_words,
)
from flows.progress import Progress
from flows.scoring.batches import BatchScoring, InThisProcess, TextBatch
from flows.scoring.loaded_evaluators import LoadedEvaluators
from flows.scoring.storing import Storing
from flows.scoring.text_budget import Key
from newwiki.anchors import ANCHORS, ARTICLE, HALF, OTHER, REPEAT, SHUFFLED
from newwiki.records import Run
from newwiki.registry import Evaluator
from newwiki.snapshot import Article
from newwiki.text.prompts import DEFAULT_TEMPLATE, fill
from newwiki.text.words import first_words
from storage import anchors, snapshots
from storage.anchors import AnchorScore
from storage.database import Database

_SEED = 0
_BATCH = 512  # texts


def anchor_texts(article: Article, other: Article, words: int, language: str | None) -> dict[str, str]:
    """Return the text of each anchor of an article in this language, of at most `words` words. `other` is another
    article."""
    beginning = first_words(article.completion, words)
    mixed = replaced(sentences_of(article.completion, language), sentences_of(other.completion, language), 0.5)
    return {
        REPEAT: repeated(article.first_sentence, words),
        OTHER: first_words(other.completion, words),
        SHUFFLED: shuffled_words(beginning, _SEED, article.page_id),
        HALF: first_words(mixed, words),
        ARTICLE: beginning,
    }


def score_anchors(
    database: Database,
    run: Run,
    articles: Sequence[Article],
    loaded: LoadedEvaluators,
    progress: Progress,
    scoring: BatchScoring | None = None,
) -> None:
    """Score the anchors of a run's articles, at the length nearest to the median of the run's texts, with each
    evaluator that has not.

    Texts of a file with its own references have no anchors, nor do prompt sets, nor a snapshot of one article. Costly
    evaluators and those of whole runs do not score anchors.
    """
    evaluators = [evaluator for evaluator in loaded.evaluators if not evaluator.costly]
    with database.read():
        snapshot = snapshots.find(database, run.snapshot_id)
        length = anchors.lengths(database, [run.run_id]).get(run.run_id)
        if snapshot is None or length is None or not evaluators:
            return
        topics = anchors.topics(database, run.snapshot_id)
        version = f"{PERTURBATIONS_VERSION}, by topic" if any(topics.values()) else PERTURBATIONS_VERSION
        others = derangement(topics, _SEED)
        done = anchors.scored(database, run.snapshot_id, length, version)
        ids = loaded.ids(evaluators)
        pages = [article.page_id for article in articles if article.page_id in others]
        todo = [page_id for page_id in pages if any((page_id, evaluator_id) not in done for evaluator_id in ids)]
        if not todo:
            return
        whole = {article.page_id: article for article in snapshots.articles(database, run.snapshot_id)}
    storing, scoring = Storing(database, loaded), scoring or InThisProcess()
    pairs = {page_id: (whole[page_id], whole[others[page_id]]) for page_id in todo}
    work = _batches(database, run.snapshot_id, pairs, length, evaluators, loaded, snapshot.language, scoring)
    kinds, count = list(ANCHORS), 0
    with progress.stretch(f"scoring anchors of {length} words", "texts") as bar:
        for batch, scores in scoring.score(loaded, work):
            rows = [
                AnchorScore(
                    kinds[score.sample], score.page_id, score.metric, score.evaluator_id, score.value, score.status
                )
                for score in scores.scores
            ]
            with storing.transaction():
                loaded.keep(database, run.snapshot_id, scores.new_parts, evaluators)
                anchors.add(database, run.snapshot_id, length, version, rows)
            count += len(batch.keys)
            bar.update(count, len(todo) * len(kinds), loaded.slowest)


def _batches(
    database: Database,
    snapshot_id: str,
    pairs: Mapping[int, tuple[Article, Article]],
    length: int,
    evaluators: Sequence[Evaluator],
    loaded: LoadedEvaluators,
    language: str | None,
    scoring: BatchScoring,
) -> Iterator[TextBatch]:
    """Yield the texts of each article and its other article; the sample of a text is the position of its anchor."""
    names = tuple(evaluator.name for evaluator in evaluators)
    keys: list[Key] = [(page_id, place) for page_id in sorted(pairs) for place in range(len(ANCHORS))]
    for part in scoring.cut(keys, _BATCH):
        articles = [pairs[page_id][0] for page_id in dict(part)]
        known = loaded.known(database, snapshot_id, articles, evaluators)
        made = {
            article.page_id: [*anchor_texts(*pairs[article.page_id], length, language).values()] for article in articles
        }
        texts = [made[page_id][place] for page_id, place in part]
        before = {
            article.page_id: fill(DEFAULT_TEMPLATE, article.title, article.first_sentence) for article in articles
        }
        yield TextBatch(part, texts, [before[page_id] for page_id, _ in part], articles, known, names, language)
