"""The training set of a model: the articles of snapshots, each page once, or whole texts. Some texts are held out."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date
from typing import TYPE_CHECKING

from flows.progress import Progress
from newwiki.snapshot import Article
from newwiki.text.prompts import fill
from newwiki.training.record import Trained
from storage import snapshots
from storage.database import Database

if TYPE_CHECKING:
    from newwiki.training.examples import TrainingText


@dataclass(frozen=True)
class TrainingArticle:
    """An article and its wiki."""

    wiki: str
    article: Article

    @property
    def trained(self) -> Trained:
        return Trained(self.wiki, self.article.page_id, self.article.title, self.article.text_sha256)

    def text(self, template: str) -> "TrainingText":
        from newwiki.training.examples import TrainingText

        article = self.article
        return TrainingText(article.page_id, fill(template, article.title, article.first_sentence), article.completion)


@dataclass(frozen=True)
class WholeText:
    """A text that the model learns completely, without a prompt before it.

    `trained` names it in the training record.
    """

    trained: Trained
    whole: str

    def text(self, template: str) -> "TrainingText":
        """Return the training text. The template has no effect."""
        from newwiki.training.examples import TrainingText

        return TrainingText(self.trained.page_id, "", self.whole)


@dataclass(frozen=True)
class TrainingSet:
    """Articles or texts, ordered by wiki and page id, with the ids and content hashes of their snapshots.

    `latest` is the UTC date of the latest revision, or None if unknown.
    """

    articles: Sequence[TrainingArticle | WholeText]
    snapshots: Sequence[dict[str, str]]
    latest: date | None

    @property
    def trained(self) -> list[Trained]:
        return [entry.trained for entry in self.articles]


def choose(database: Database, names: Sequence[str], progress: Progress) -> TrainingSet:
    """Return all articles of these snapshots. A page in several snapshots uses its text from the first, with a note."""
    resolved = [snapshots.resolve(database, name) for name in names]
    by_page: dict[tuple[str, int], TrainingArticle] = {}
    repeated = 0
    for snapshot in resolved:
        for article in snapshots.articles(database, snapshot.snapshot_id):
            repeated += (snapshot.wiki, article.page_id) in by_page
            by_page.setdefault((snapshot.wiki, article.page_id), TrainingArticle(snapshot.wiki, article))
    if repeated:
        progress.note(f"{repeated} articles are in several of these snapshots; each is read once, as in the first")
    origin = [{"snapshot_id": source.snapshot_id, "content_sha256": source.content_sha256} for source in resolved]
    return TrainingSet([by_page[page] for page in sorted(by_page)], origin, latest(by_page.values()))


def latest(articles: Iterable[TrainingArticle]) -> date | None:
    """Return the UTC date of the latest revision among the articles, or None without articles."""
    return max((entry.article.revised_at.astimezone(UTC).date() for entry in articles), default=None)


def held_out(
    articles: Sequence[TrainingArticle | WholeText], share: float, seed: int
) -> tuple[list[TrainingArticle | WholeText], list[TrainingArticle | WholeText]]:
    """Divide the articles into held-out and training articles by a seeded hash.

    At least one article is held out, unless the share is 0.
    """

    def place(entry: TrainingArticle | WholeText) -> bytes:
        trained = entry.trained
        return hashlib.sha256(f"{seed}:{trained.wiki}:{trained.page_id}".encode()).digest()

    count = max(1, round(share * len(articles))) if share else 0
    apart = {id(entry) for entry in sorted(articles, key=place)[:count]}
    return [entry for entry in articles if id(entry) in apart], [entry for entry in articles if id(entry) not in apart]
