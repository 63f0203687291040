"""The articles of snapshots as a training set: each page once, some of them held out."""

import hashlib
from collections.abc import Sequence
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
class TrainingSet:
    """Articles in the order of wikis and page ids, and the snapshots (id and content hash) that they come from."""

    articles: Sequence[TrainingArticle]
    snapshots: Sequence[dict[str, str]]

    @property
    def trained(self) -> list[Trained]:
        return [one.trained for one in self.articles]

    @property
    def latest(self) -> date | None:
        """The day (UTC) of the latest revision among them."""
        return max((one.article.revised_at.astimezone(UTC).date() for one in self.articles), default=None)


def choose(database: Database, names: Sequence[str], progress: Progress) -> TrainingSet:
    """All articles of these snapshots. Of a page that is in several the first one's text is taken, with a note."""
    found = [snapshots.resolve(database, name) for name in names]
    by_page: dict[tuple[str, int], TrainingArticle] = {}
    repeated = 0
    for snapshot in found:
        for article in snapshots.articles(database, snapshot.snapshot_id):
            repeated += (snapshot.wiki, article.page_id) in by_page
            by_page.setdefault((snapshot.wiki, article.page_id), TrainingArticle(snapshot.wiki, article))
    if repeated:
        progress.note(f"{repeated} articles are in several of these snapshots; each is read once, as in the first")
    origin = [{"snapshot_id": one.snapshot_id, "content_sha256": one.content_sha256} for one in found]
    return TrainingSet([by_page[page] for page in sorted(by_page)], origin)


def held_out(
    articles: Sequence[TrainingArticle], share: float, seed: int
) -> tuple[list[TrainingArticle], list[TrainingArticle]]:
    """The share of articles to validate by, at least one unless it is 0, and the others: drawn by a seeded hash."""

    def place(one: TrainingArticle) -> bytes:
        return hashlib.sha256(f"{seed}:{one.wiki}:{one.article.page_id}".encode()).digest()

    count = max(1, round(share * len(articles))) if share else 0
    apart = {id(one) for one in sorted(articles, key=place)[:count]}
    return [one for one in articles if id(one) in apart], [one for one in articles if id(one) not in apart]
