"""Snapshots of invented articles: of one style and length, about people and places drawn anew for each."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from benchmarks.cutoff_seeds import Article
from newwiki.snapshot import Judged, Selection, Site, Snapshot, Window
from newwiki.text.language import load_language
from newwiki.text.structure import structure_json
from storage.database import Database
from storage.snapshots import parameters_json, publish

WIKI = Site("inventedwiki", "en", "https://wiki.example/wiki/Main_Page")
CUTOFF = datetime(2027, 1, 1, tzinfo=UTC)


def publish_month(
    database: Database,
    month: str,
    articles: Sequence[Article],
    first_page: int,
    templates: Mapping[int, str] | None = None,
) -> Snapshot:
    """The articles as those of a month (`2026-10`), numbered from `first_page` on. With `templates`, by page id, their
    structure is known."""
    window = Window.month(month)
    name = f"{WIKI.wiki}-{month}"
    pages = [invented_page(first_page + place, one, window, templates) for place, one in enumerate(articles)]
    return publish(database, name, WIKI, window, CUTOFF, parameters_json(window, Selection(), "new"), pages)


def invented_page(page_id: int, article: Article, window: Window, templates: Mapping[int, str] | None) -> Judged:
    created = window.start + timedelta(hours=page_id % 600)
    return Judged(
        page_id=page_id,
        title=article.title,
        created_at=created,
        verdict="selected",
        rev_id=1000 + page_id,
        revised_at=created,
        revisions=10,
        words=len(article.text.split()),
        first_sentence=article.first_sentence,
        completion=article.completion,
        structure=None
        if templates is None
        else structure_json(templates.get(page_id, "") + article.text, load_language("en")),
    )
