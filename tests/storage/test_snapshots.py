import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.errors import TerminalError, UsageError
from newwiki.snapshot import Article, Judged, Selection, Site, Snapshot, Window
from newwiki.text.prose import EXTRACTOR_VERSION
from storage.database import Database
from storage.snapshots import articles, content_sha256, find, parameters_json, resolve, snapshot_id, text_sha256, verify
from tests.storage.conftest import publish_pages, undone

SITE = Site("testwiki", "en", "https://wiki.example/wiki/Main_Page")
SEPTEMBER = Window.month("2026-09")
DAY = datetime(2026, 9, 3, 10, tzinfo=UTC)
LUMEN = Article(
    page_id=7,
    rev_id=70,
    title="Lumen",
    created_at=DAY,
    revised_at=DAY,
    revisions=10,
    words=500,
    first_sentence="The Lumen is long.",
    completion="It is a river.",
    text_sha256="",
)
RHINE = replace(LUMEN, page_id=8, rev_id=80, title="Rhine")

Publish = Callable[..., Snapshot]
Page = Callable[..., Judged]


def test_a_snapshot_is_named_for_wiki_and_window() -> None:
    assert snapshot_id(SITE, SEPTEMBER, Selection(), None) == "testwiki-2026-09"
    days = Window.days(date(2026, 9, 1), date(2026, 9, 15))
    assert snapshot_id(SITE, days, Selection(), None) == "testwiki-20260901-20260915"


def test_an_old_snapshot_is_named_for_its_day() -> None:
    """The defaults of old articles are those of experiment 3: 400 words, 2000 articles."""
    before = Window.before(date(2020, 1, 1))
    usual = Selection(min_words=400, sample=2000)
    assert snapshot_id(SITE, before, usual, None) == "testwiki-old-before-2020-01-01"
    named = {snapshot_id(SITE, before, other, None) for other in (Selection(), replace(usual, seed=1))}
    assert len(named) == 2
    assert all(name.startswith("testwiki-old-before-2020-01-01-") for name in named)


def test_whatever_was_asked_beyond_the_defaults_changes_the_name() -> None:
    asked = [
        Selection(min_words=1),
        Selection(min_revisions=1),
        Selection(sample=1),
        Selection(seed=1),
        Selection(limit=1),
    ]
    names = {snapshot_id(SITE, SEPTEMBER, selection, None) for selection in [Selection(), *asked]}
    names |= {snapshot_id(SITE, SEPTEMBER, Selection(), DAY + timedelta(days=n)) for n in (0, 1)}
    assert len(names) == 8
    assert all(name.startswith("testwiki-2026-09") for name in names)


def test_what_is_published_is_what_is_read(published: Publish, database: Database, selected: Page) -> None:
    snapshot = published(selected(7, "Lumen"), Judged(page_id=8, title="Rhine", created_at=DAY, verdict="redirect"))
    assert (snapshot.candidates, snapshot.articles, snapshot.extractor_version) == (2, 1, EXTRACTOR_VERSION)
    assert find(database, snapshot.snapshot_id) == resolve(database, snapshot.snapshot_id) == snapshot
    assert articles(database, snapshot.snapshot_id) == [
        Article(
            page_id=7,
            rev_id=1007,
            title="Lumen",
            created_at=DAY,
            revised_at=DAY,
            revisions=10,
            words=500,
            first_sentence="The Lumen is long.",
            completion="It is a river.",
            text_sha256=text_sha256("The Lumen is long.", "It is a river."),
        )
    ]


def test_every_page_considered_has_its_verdict(published: Publish, database: Database, selected: Page) -> None:
    hidden = Judged(page_id=9, title="Elbe", created_at=DAY, verdict="hidden")
    few = Judged(
        page_id=8,
        title="Rhine",
        created_at=DAY,
        verdict="few_words",
        detail="3 of 500 words",
        rev_id=80,
        revised_at=DAY,
        revisions=None,
        words=3,
    )
    published(selected(7, "Lumen"), few, hidden, replace(selected(10, "Oder"), verdict="not_sampled"))
    with database.read() as connection:
        rows = connection.execute("select page_id, title, verdict, detail, words from candidates order by 1").fetchall()
        funnel = connection.execute("select verdict, pages from funnel order by 1").fetchall()
    assert rows == [
        (7, "Lumen", "selected", None, 500),
        (8, "Rhine", "few_words", "3 of 500 words", 3),
        (9, "Elbe", "hidden", None, None),
        (10, "Oder", "not_sampled", None, 500),
    ]
    assert funnel == [("few_words", 1), ("hidden", 1), ("not_sampled", 1), ("selected", 1)]


def test_articles_come_longest_first(published: Publish, database: Database, selected: Page) -> None:
    published(selected(3, words=600), selected(2, words=700), selected(1, words=600), selected(4, words=500))
    assert [article.page_id for article in articles(database, "testwiki-2026-09")] == [2, 1, 3, 4]


@pytest.mark.parametrize(
    ("base", "link"),
    [
        ("https://en.wikipedia.org/wiki/Main_Page", "https://en.wikipedia.org/wiki/Special:PermanentLink/1007"),
        ("https://w.example/index.php?title=Main_Page", "https://w.example/index.php?title=Special:PermanentLink/1007"),
        ("http://w.example/index.php/Hauptseite", "http://w.example/index.php/Special:PermanentLink/1007"),
    ],
)
def test_an_article_has_a_permanent_link(database: Database, selected: Page, base: str, link: str) -> None:
    from storage.snapshots import publish

    site, parameters = replace(SITE, base_url=base), parameters_json(SEPTEMBER, Selection(), "new")
    publish(database, "a", site, SEPTEMBER, DAY, parameters, [selected(7)])
    with database.read() as connection:
        assert connection.execute("select permalink from articles").fetchall() == [(link,)]


def test_a_published_snapshot_refuses_change(published: Publish, database: Database, selected: Page) -> None:
    before = published(selected(7))
    with pytest.raises(TerminalError, match="'testwiki-2026-09' is published already, and a published snapshot never"):
        published(selected(8))
    assert resolve(database, before.snapshot_id) == before
    assert [article.page_id for article in articles(database, before.snapshot_id)] == [7]
    assert verify(database, before.snapshot_id) == []


def test_a_snapshot_that_cannot_be_published_leaves_nothing(
    published: Publish, database: Database, selected: Page
) -> None:
    with pytest.raises(duckdb.Error):
        published(selected(7), Judged(page_id=8, title=None, created_at=DAY, verdict="hidden"))  # type: ignore[arg-type]
    with database.read() as connection:
        for table in ("snapshots", "candidates", "articles"):
            assert connection.execute(f"select count(*) from {table}").fetchall() == [(0,)]  # noqa: S608


def test_the_latest_snapshot_is_that_of_the_newest_window(
    published: Publish, database: Database, selected: Page
) -> None:
    for wiki, month in (("nlwiki", "2026-08"), ("enwiki", "2026-07"), ("nlwiki", "2026-06")):
        published(selected(7), name=f"{wiki}-{month}", wiki=wiki, window=Window.month(month))
    assert resolve(database, "latest").snapshot_id == "nlwiki-2026-08"
    assert resolve(database, "latest:enwiki").snapshot_id == "enwiki-2026-07"
    with database.read() as connection:
        latest = connection.execute("select snapshot_id from latest_snapshots order by 1").fetchall()
    assert latest == [("enwiki-2026-07",), ("nlwiki-2026-08",)]


def test_an_old_snapshot_is_never_the_latest(published: Publish, database: Database, selected: Page) -> None:
    with database.write():
        pass
    with pytest.raises(TerminalError, match=r"holds no snapshot yet; publish one with `newwiki refresh`$"):
        resolve(database, "latest")
    old = published(selected(7), name="testwiki-old", window=Window.before(date(2026, 9, 20)))
    with pytest.raises(TerminalError, match=r"holds no snapshot of new pages yet; .*, or name one: testwiki-old$"):
        resolve(database, "latest")
    published(selected(7), name="testwiki-2026-08", window=Window.month("2026-08"))
    assert resolve(database, "latest").snapshot_id == resolve(database, "latest:testwiki").snapshot_id
    assert resolve(database, "latest").snapshot_id == "testwiki-2026-08"
    assert resolve(database, "testwiki-old") == old


def test_an_old_snapshot_does_not_keep_a_wiki_fresh(published: Publish, database: Database, selected: Page) -> None:
    published(selected(7), name="enwiki-2026-08", wiki="enwiki", window=Window.month("2026-08"))
    for wiki in ("enwiki", "dewiki"):
        published(selected(7), name=f"{wiki}-old", wiki=wiki, window=Window.before(date(2026, 9, 20)))
    with database.write() as connection:
        connection.execute(
            "update snapshots set published_at = now() - interval 40 days where snapshot_id = 'enwiki-2026-08'"
        )
    with database.read() as connection:
        assert connection.execute("select wiki, days from staleness").fetchall() == [("enwiki", 40)]
        kinds = "select wiki, kind from latest_snapshots order by all"
        assert connection.execute(kinds).fetchall() == [("dewiki", "old"), ("enwiki", "new"), ("enwiki", "old")]


def test_a_snapshot_that_is_not_there_is_misuse_and_lists_the_others(
    published: Publish, database: Database, selected: Page
) -> None:
    assert find(database, "testwiki-2026-09") is None
    published(selected(7))
    assert find(database, "other") is None
    with pytest.raises(UsageError, match="there is no snapshot 'other'; there are: testwiki-2026-09"):
        resolve(database, "other")
    with pytest.raises(
        TerminalError, match=r"holds no snapshot of new pages of nowiki yet; .* name one: testwiki-2026-09"
    ):
        resolve(database, "latest:nowiki")


@given(st.permutations([replace(LUMEN, page_id=n, title=f"Page {n}") for n in range(6)]))
def test_the_content_hash_does_not_depend_on_the_order(shuffled: list[Article]) -> None:
    in_order = sorted(shuffled, key=lambda article: article.page_id)
    assert content_sha256(shuffled, "{}", "1") == content_sha256(in_order, "{}", "1")


def test_the_content_hash_does_not_depend_on_a_wikis_bookkeeping() -> None:
    other = [replace(LUMEN, page_id=1007, rev_id=3), RHINE]
    assert content_sha256(other, "{}", "1") == content_sha256([LUMEN, RHINE], "{}", "1")


def test_the_content_hash_does_not_depend_on_the_zone_that_a_time_is_written_in() -> None:
    elsewhere = DAY.astimezone(timezone(timedelta(hours=9)))
    assert content_sha256([replace(LUMEN, created_at=elsewhere)], "{}", "1") == content_sha256([LUMEN], "{}", "1")


@pytest.mark.parametrize(
    "change",
    [
        {"title": "Lumens"},
        {"first_sentence": "The Lumen is long. "},
        {"completion": "It is a river!"},
        {"words": 501},
        {"revisions": 11},
        {"created_at": DAY + timedelta(seconds=1)},
        {"revised_at": DAY + timedelta(seconds=1)},
        {"first_sentence": "The Lumen is long. It", "completion": "is a river."},
    ],
)
def test_the_content_hash_depends_on_all_that_a_model_is_tested_on(change: dict[str, Any]) -> None:
    assert content_sha256([replace(LUMEN, **change), RHINE], "{}", "1") != content_sha256([LUMEN, RHINE], "{}", "1")


def test_the_content_hash_depends_on_parameters_extractor_and_number() -> None:
    asked = [
        parameters_json(SEPTEMBER, Selection(), "new"),
        parameters_json(SEPTEMBER, Selection(seed=1), "new"),
        parameters_json(Window.month("2026-08"), Selection(), "new"),
        parameters_json(SEPTEMBER, Selection(), "old"),
    ]
    hashes = {content_sha256([LUMEN], parameters, "1") for parameters in asked}
    hashes |= {
        content_sha256([LUMEN], asked[0], "2"),
        content_sha256([LUMEN, LUMEN], asked[0], "1"),
        content_sha256([], asked[0], "1"),
    }
    assert len(hashes) == 7


def test_headings_are_stored_and_hashed(published: Publish, database: Database, selected: Page) -> None:
    headings = '[[2, "Où \\"là\\"", 4]]'
    published(selected(7, headings=headings))
    assert [article.headings for article in articles(database, "testwiki-2026-09")] == [headings]
    assert verify(database, "testwiki-2026-09") == []


def test_a_snapshot_of_the_first_extractor_keeps_its_hash() -> None:
    """It had no headings."""
    with_headings = replace(LUMEN, headings='[[2, "X", 0]]')
    assert content_sha256([with_headings], "{}", "1") == content_sha256([LUMEN], "{}", "1")
    assert content_sha256([with_headings], "{}", "2") != content_sha256([LUMEN], "{}", "2")


def test_the_text_hash_is_of_sentence_and_completion() -> None:
    """By `printf 'The Lumen is long.\\nIt is a river.' | sha256sum`."""
    assert (
        text_sha256("The Lumen is long.", "It is a river.")
        == "d55abcd44d821846410838185c9ccece55ad5d133c7e2ece0cee0c922e98f846"
    )


@pytest.fixture(scope="module")
def two_articles(empty: Path, selected: Page, tmp_path_factory: pytest.TempPathFactory) -> Database:
    database = Database(shutil.copy(empty, tmp_path_factory.mktemp("two") / "newwiki.duckdb"))
    publish_pages(database, selected(7, "Lumen"), selected(8, "Rhine"))
    assert verify(database, "testwiki-2026-09") == []
    return database


@pytest.mark.parametrize(
    ("tampering", "found"),
    [
        ("update stored_articles set completion = completion || ' ' where page_id = 7", "text of 'Lumen'"),
        ("update stored_articles set first_sentence = 'X.' where page_id = 7", "text of 'Lumen'"),
        ("update stored_articles set text_sha256 = 'x' where page_id = 7", "text of 'Lumen'"),
        ("update stored_articles set title = 'Limen' where page_id = 7", "content hash"),
        ("update stored_articles set words = 1 where page_id = 7", "content hash"),
        ("update stored_articles set headings = '[[2, \"X\", 0]]' where page_id = 7", "content hash"),
        ("update stored_articles set revisions = 1 where page_id = 7", "content hash"),
        ("update stored_articles set created_at = now() where page_id = 7", "content hash"),
        ("update stored_articles set revised_at = now() where page_id = 7", "content hash"),
        ("update snapshots set content_sha256 = 'x'", "content hash"),
        ("update snapshots set parameters = '{}'", "content hash"),
        ("update snapshots set extractor_version = 'x'", "content hash"),
        ("delete from stored_articles where page_id = 7", "1 articles are stored, 2 were published"),
        (
            "insert into stored_articles select * from stored_articles where page_id = 7",
            "3 articles are stored, 2 were published",
        ),
        ("update snapshots set articles = 3", "2 articles are stored, 3 were published"),
        ("update snapshots set candidates = 9", "2 candidates are stored, 9 were published"),
        ("update snapshots set kind = 'old'", "its kind is not that of its parameters"),
        ("update snapshots set window_start = '2026-08-31'", "its window is not that of its parameters"),
        ("update snapshots set window_end = '2026-11-01'", "its window is not that of its parameters"),
        ("delete from candidates where page_id = 7", "1 candidates are stored, 2 were published"),
        ("delete from candidates where page_id = 7", "'Lumen' is an article, and not selected as it stands there"),
        ("insert into candidates select * from candidates where page_id = 7", "page 7 is a candidate 2 times"),
        ("update candidates set verdict = 'redirect' where page_id = 7", "'Lumen' is an article, and not selected"),
        ("update candidates set title = 'Limen' where page_id = 7", "'Lumen' is an article, and not selected"),
        ("update candidates set rev_id = 1 where page_id = 7", "'Lumen' is an article, and not selected"),
        ("update candidates set words = 7 where page_id = 7", "'Lumen' is selected with 7 words and 10 revisions"),
        ("update candidates set revisions = 2 where page_id = 7", "'Lumen' is selected with 500 words and 2 revisions"),
        ("delete from stored_articles where page_id = 7", "'Lumen' is selected, and no article"),
        ("update candidates set created_at = '2026-10-01' where page_id = 7", "'Lumen' was not created in the window"),
        (
            "update stored_articles set revised_at = '2026-10-16' where page_id = 7",
            "'Lumen' was revised after the cutoff",
        ),
        (
            "update stored_articles set rev_id = 1 where page_id = 7",
            "permanent link of 'Lumen' is not that of revision 1",
        ),
        (
            "update stored_articles set permalink = '' where page_id = 7",
            "permanent link of 'Lumen' is not that of revision",
        ),
        (
            "update stored_articles set permalink = 'https://else.example/Special:PermanentLink/1007' where page_id=7",
            "the permanent links are of more than one wiki",
        ),
    ],
)
def test_verifying_names_what_was_tampered_with(two_articles: Database, tampering: str, found: str) -> None:
    with undone(two_articles, tampering):
        problems = verify(two_articles, "testwiki-2026-09")
    assert found in " ".join(problems)
    assert "Rhine" not in " ".join(problems)


def test_verifying_asks_of_each_candidate_whether_its_verdict_can_be(
    published: Publish, database: Database, selected: Page
) -> None:
    published(
        selected(7, "Lumen"),
        Judged(
            page_id=8,
            title="Rhine",
            created_at=DAY,
            verdict="few_words",
            detail=None,
            rev_id=80,
            revised_at=DAY,
            revisions=None,
            words=500,
        ),
        Judged(
            page_id=9,
            title="Elbe",
            created_at=DAY,
            verdict="few_revisions",
            detail=None,
            rev_id=90,
            revised_at=DAY,
            revisions=10,
            words=500,
        ),
        Judged(
            page_id=10,
            title="Oder",
            created_at=DAY,
            verdict="not_sampled",
            detail=None,
            rev_id=100,
            revised_at=DAY,
            revisions=10,
            words=500,
        ),
    )
    assert verify(database, "latest") == [
        "'Rhine' is few_words with 500 words and no revisions",
        "'Elbe' is few_revisions with 500 words and 10 revisions",
        "'Oder' is not_sampled, and the sample says otherwise",
    ]


def test_a_large_snapshot_verifies(published: Publish, database: Database, selected: Page) -> None:
    """Rows of a snapshot come back in another order than they went in."""
    pages = [selected(n, f"Page {n} 🙂", completion=f"שלום {n}.\n\nTwo." * 20, words=500 + n % 7) for n in range(2000)]
    random.Random(0).shuffle(pages)
    published(*pages)
    assert verify(database, "latest") == []
