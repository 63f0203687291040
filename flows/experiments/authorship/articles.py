"""Mark the articles of a snapshot that editors suspect, or that were deleted later."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from flows.experiments.authorship.request import Mark
from flows.experiments.authorship.result_tables import AuthorshipArticle
from newwiki.errors import TerminalError
from newwiki.snapshot import Snapshot
from storage import editions
from storage.database import Database

_MACHINE = "machine_generated"


@dataclass(frozen=True)
class Article:
    """What is known of an article.

    - `tags`: the kinds of its maintenance templates; None if the version that published it did not read them
    - `deleted_at`: the time of its deletion; None if no later edition records one
    - `deletion_kinds`: what it was deleted for; None if it was not deleted, or if its comment is unknown
    - `is_lost`: a later edition lacks it for an unknown reason
    """

    page_id: int
    words: int
    tags: list[str] | None
    deleted_at: datetime | None
    deletion_kinds: list[str] | None
    is_lost: bool

    def is_marked(self, mark: Mark) -> bool | None:
        """Return whether the article belongs to the marked articles; None if that is unknown."""
        tagged, deleted = self.has_tag(mark), self.is_deleted(mark)
        if tagged or deleted:
            return True
        return None if tagged is None or deleted is None else False

    def has_tag(self, mark: Mark) -> bool | None:
        """Return whether a tag marks it; None if its tags were not read."""
        if mark == "deleted":
            return False
        if self.tags is None:
            return None
        return _MACHINE in self.tags if mark == _MACHINE else bool(self.tags)

    def is_deleted(self, mark: Mark) -> bool | None:
        """Return whether a later deletion marks it; None if that, or the reason, is unknown."""
        if mark == "tagged":
            return False
        if self.is_lost:
            return None
        if mark != _MACHINE or self.deleted_at is None:
            return self.deleted_at is not None
        return None if self.deletion_kinds is None else _MACHINE in self.deletion_kinds


@dataclass(frozen=True)
class Marked:
    """The articles whose group is known, by page id, and which of them are marked.

    `unknown` is the number of articles that belong to neither group. `editions` are the later editions whose deletions
    were read.
    """

    pages: NDArray[np.int64]
    words: NDArray[np.float64]
    is_marked: NDArray[np.bool_]
    rows: Sequence[AuthorshipArticle]
    tagged: int
    deleted: int
    unknown: int
    editions: Sequence[str]


def mark_articles(database: Database, snapshot: Snapshot, mark: Mark) -> Marked:
    """Return the articles of the snapshot by group.

    Raises TerminalError if nothing is known that the mark needs, or if no article is marked.
    """
    later = editions.editions_of(database, snapshot.snapshot_id)
    articles = database.records(Article, "articles_to_mark", snapshot.snapshot_id)
    if mark == "deleted" and not later:
        raise TerminalError(
            f"nobody has looked which articles of {snapshot.snapshot_id} were deleted later; "
            f"`newwiki snapshots revisit {snapshot.snapshot_id}` does"
        )
    if mark != "deleted" and all(article.tags is None for article in articles):
        raise TerminalError(
            f"the maintenance templates of {snapshot.snapshot_id} are not stored here, as it was published by an older "
            f"version; for a database that has them: `newwiki snapshots export {snapshot.snapshot_id} --format "
            "manifest --out FOLDER`, and `newwiki snapshots rebuild FOLDER/manifest.json --db NEW.duckdb`"
        )
    groups = [(article, article.is_marked(mark)) for article in articles]
    known = [(article, is_marked) for article, is_marked in groups if is_marked is not None]
    marked = [article for article, is_marked in known if is_marked]
    if not marked:
        raise TerminalError(
            f"no article of {snapshot.snapshot_id} is marked ({mark}), so none can be set apart; choose another "
            f"--mark, or look for later deletions with `newwiki snapshots revisit {snapshot.snapshot_id}`"
        )
    return Marked(
        pages=np.array([article.page_id for article, _ in known], np.int64),
        words=np.array([article.words for article, _ in known], float),
        is_marked=np.array([is_marked for _, is_marked in known], bool),
        rows=[_row(article) for article in marked],
        tagged=sum(bool(article.has_tag(mark)) for article in marked),
        deleted=sum(bool(article.is_deleted(mark)) for article in marked),
        unknown=len(groups) - len(known),
        editions=later,
    )


def _row(article: Article) -> AuthorshipArticle:
    return AuthorshipArticle(
        page_id=article.page_id,
        tags=", ".join(article.tags or ()),
        deleted_on=article.deleted_at.astimezone(UTC).date() if article.deleted_at else None,
        deletion_kinds=None if article.deletion_kinds is None else ", ".join(article.deletion_kinds),
    )
