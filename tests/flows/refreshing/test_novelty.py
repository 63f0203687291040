"""Pages that nearly repeat an earlier one are dropped and named; the earlier one stays."""

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from flows.progress import Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition, refresh
from flows.refreshing.near_duplicates import drop_near_duplicates
from flows.refreshing.rebuild import rebuild
from newwiki.errors import TerminalError, UsageError
from newwiki.snapshot import Judged, Nearest, Selection, Site, Snapshot, Window
from newwiki.sources.dump import DumpSource
from newwiki.sources.revisions import RevisionsOfDump
from storage.database import Database
from storage.export_snapshot import manifest
from storage.snapshots import articles, find, verify
from tests.mediawiki.exports import History, growing, write_export

SITE = Site("testwiki", "en", "https://test.example/wiki/Main_Page")
AUGUST, SEPTEMBER = Window.month("2026-08"), Window.month("2026-09")
DAY = datetime(2026, 9, 3, tzinfo=UTC)


def sentences(seed: int, count: int = 60) -> list[str]:
    chance = random.Random(seed)
    words = [
        f"{first}{last}" for first in ("lum", "tar", "bel", "ost", "ver") for last in ("en", "ia", "or", "um", "il")
    ]
    return [f"The {' '.join(chance.choices(words, k=10))} {seed}x{place} is old." for place in range(count)]


LUMEN, RHINE, ELBE = sentences(1), sentences(2), sentences(3)
LUMEN_IN_PART = [*LUMEN[:20], *sentences(9, 6), *LUMEN[26:]]  # a tenth of its words in one passage


def grown(title: str, text: Sequence[str], created: datetime) -> History:
    return growing(title, " ".join(text), created, created + timedelta(days=1), 12)


def ask(database: Path, question: str) -> list[tuple[Any, ...]]:
    with Database(database).read() as connection:
        return connection.execute(question).fetchall()


def publish(
    folder: Path, window: Window, *histories: History, against: tuple[str, ...] = (), **selection: int
) -> Snapshot:
    export = write_export(folder / "export.xml", histories)
    return refresh(
        Database(folder / "newwiki.duckdb"),
        DumpSource(str(export)),
        SnapshotDefinition(window, Selection(**selection), novel_against=against),
        Silent(),
    )


def test_a_copy_under_another_title_is_dropped_and_named_and_the_original_stays(tmp_path: Path) -> None:
    snapshot = publish(
        tmp_path, SEPTEMBER,
        grown("Another Lumen", LUMEN, DAY + timedelta(hours=1)), grown("Rhine", RHINE, DAY),
        grown("Lumen", LUMEN, DAY), grown("A third Lumen", LUMEN_IN_PART, DAY + timedelta(hours=2)),
    )  # fmt: skip
    database = tmp_path / "newwiki.duckdb"
    assert {article.title for article in articles(Database(database), snapshot.snapshot_id)} == {"Lumen", "Rhine"}
    assert ask(database, "select title, detail from candidates where verdict = 'near_duplicate' order by 1 desc") == [
        ("Another Lumen", "1.00 like 'Lumen' in testwiki-2026-09"),
        ("A third Lumen", "0.81 like 'Lumen' in testwiki-2026-09"),
    ]
    assert ask(database, "select verdict, pages from funnel order by 1") == [("near_duplicate", 2), ("selected", 2)]
    assert verify(Database(database), "latest") == []


def test_what_the_database_holds_decides_nothing(tmp_path: Path) -> None:
    """The same month into an empty database and into one with months of others, which it repeats: the same content."""
    (tmp_path / "empty").mkdir()
    pages = [grown("Lumen (river)", LUMEN_IN_PART, DAY), grown("Rhine", RHINE, DAY)]
    for month in (10, 11):
        window = Window.month(f"{2025 + (month + 8) // 12}-{(month + 8) % 12 + 1:02}")
        text = LUMEN if window == AUGUST else [*RHINE[: 4 * month], *sentences(20 + month, 60 - 4 * month)]
        publish(tmp_path, window, grown("Lumen" if window == AUGUST else "Rhine", text, window.start))
    one, other = publish(tmp_path, SEPTEMBER, *pages), publish(tmp_path / "empty", SEPTEMBER, *pages)
    assert (one.snapshot_id, one.content_sha256, one.articles) == (other.snapshot_id, other.content_sha256, 2)
    candidates = "select * from candidates where snapshot_id = 'testwiki-2026-09' order by title"
    assert ask(tmp_path / "newwiki.duckdb", candidates) == ask(tmp_path / "empty" / "newwiki.duckdb", candidates)
    recorded = (
        "select nearest_title, nearest_snapshot_id, round(similarity, 2) from novelty "
        "where similarity > 0 and snapshot_id = 'testwiki-2026-09' order by 1"
    )
    assert ask(tmp_path / "newwiki.duckdb", "select count(*) from snapshots") == [(3,)]
    assert ask(tmp_path / "newwiki.duckdb", recorded) == [
        ("Lumen", "testwiki-2026-08", 0.81), ("Rhine", "testwiki-2026-07", 0.5),
    ]  # fmt: skip


@dataclass(frozen=True)
class Published:
    """The database, and the export that the snapshot is made of."""

    database: Database
    export: Path
    snapshot: Snapshot


@pytest.fixture(scope="module")
def novel(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """September with a page that nearly repeats one of August, which it was asked not to. No test changes it."""
    folder = tmp_path_factory.mktemp("novel")
    publish(folder, AUGUST, grown("Lumen", LUMEN, datetime(2026, 8, 3, tzinfo=UTC)))
    snapshot = publish(
        folder, SEPTEMBER, grown("Lumen (river)", LUMEN_IN_PART, DAY), grown("Rhine", RHINE, DAY),
        against=("testwiki-2026-08",),
    )  # fmt: skip
    return Published(Database(folder / "newwiki.duckdb"), folder / "export.xml", snapshot)


def test_a_page_that_repeats_an_article_of_a_snapshot_that_was_named_is_dropped(novel: Published) -> None:
    assert [article.title for article in articles(novel.database, novel.snapshot.snapshot_id)] == ["Rhine"]
    detail = ask(novel.database.path, "select detail from candidates where verdict = 'near_duplicate'")
    assert detail == [("0.81 like 'Lumen' in testwiki-2026-08",)]


def test_the_snapshots_that_were_named_are_part_of_what_was_asked(novel: Published) -> None:
    august = find(novel.database, "testwiki-2026-08")
    assert august
    named = {"testwiki-2026-08": august.content_sha256}
    assert json.loads(novel.snapshot.parameters)["novel_against"] == named
    assert manifest(novel.database, novel.snapshot.snapshot_id).parameters["novel_against"] == named
    assert novel.snapshot.snapshot_id.startswith("testwiki-2026-09-")


def test_a_rebuild_checks_the_snapshots_that_were_named(tmp_path: Path, novel: Published) -> None:
    """Another August of the same name is refused; without any it is said that nobody has checked."""
    told = manifest(novel.database, novel.snapshot.snapshot_id)
    source = RevisionsOfDump(str(novel.export))
    (tmp_path / "other").mkdir()
    other = publish(tmp_path / "other", AUGUST, grown("Elbe", ELBE, datetime(2026, 8, 3, tzinfo=UTC)))
    with pytest.raises(TerminalError, match=f"another testwiki-2026-08, of content {other.content_sha256}"):
        rebuild(Database(tmp_path / "other" / "newwiki.duckdb"), source, told, Silent())
    rebuilt = rebuild(Database(tmp_path / "none.duckdb"), source, told, Silent())
    assert rebuilt.report(told)[1:] == [
        "it does not repeat testwiki-2026-08, which is not in the database, so nobody has checked what it is"
    ]


def test_a_snapshot_that_is_named_and_not_here_is_a_misuse(tmp_path: Path) -> None:
    publish(tmp_path, AUGUST, grown("Lumen", LUMEN, datetime(2026, 8, 3, tzinfo=UTC)))
    with pytest.raises(UsageError, match="there is no snapshot 'testwiki-2026-07'"):
        publish(tmp_path, SEPTEMBER, grown("Rhine", RHINE, DAY), against=("testwiki-2026-07",))


def test_a_page_is_no_copy_of_itself_in_another_snapshot_of_the_same_month(tmp_path: Path) -> None:
    pages = [grown("Lumen", LUMEN, DAY), grown("Rhine", RHINE, DAY)]
    publish(tmp_path, SEPTEMBER, *pages)
    assert publish(tmp_path, SEPTEMBER, *pages, seed=1).articles == 2


def test_an_older_month_that_is_published_later_keeps_its_originals(tmp_path: Path) -> None:
    publish(tmp_path, SEPTEMBER, grown("Copy of Lumen", LUMEN, DAY))
    assert publish(tmp_path, AUGUST, grown("Lumen", LUMEN, datetime(2026, 8, 3, tzinfo=UTC))).articles == 1


def test_every_article_has_its_nearest_earlier_text(tmp_path: Path) -> None:
    publish(tmp_path, AUGUST, grown("Lumen", LUMEN, datetime(2026, 8, 3, tzinfo=UTC)))
    half = [*LUMEN[:30], *ELBE[30:]]
    publish(tmp_path, SEPTEMBER, grown("Half", half, DAY), grown("Rhine", RHINE, DAY))
    found = ask(
        tmp_path / "newwiki.duckdb",
        "select title, nearest_title, nearest_snapshot_id, similarity > 0.3 and similarity < 0.35 from novelty "
        "join articles using (snapshot_id, page_id) order by snapshot_id, title",
    )
    assert found == [
        ("Lumen", None, None, None),
        ("Half", "Lumen", "testwiki-2026-08", True),
        ("Rhine", None, None, None),
    ]


def test_of_what_is_published_novelty_rows_are_there_for_the_selected_alone(tmp_path: Path) -> None:
    pages = [grown("Lumen", LUMEN, DAY), grown("Rhine", RHINE, DAY), grown("Copy", RHINE, DAY + timedelta(hours=1))]
    publish(tmp_path, SEPTEMBER, *pages, sample=1)
    database = tmp_path / "newwiki.duckdb"
    assert ask(database, "select page_id from novelty") == ask(database, "select page_id from articles")
    assert ask(database, "select verdict from candidates order by 1") == [
        ("near_duplicate",), ("not_sampled",), ("selected",)
    ]  # fmt: skip


def judged(page_id: int, text: Sequence[str], created: datetime) -> Judged:
    return Judged(
        page_id=page_id,
        title=f"Page {page_id}",
        created_at=created,
        verdict="selected",
        first_sentence=text[0],
        completion=" ".join(text[1:]),
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_order_that_pages_come_in_makes_no_difference(tmp_path: Path, seed: int) -> None:
    texts = [LUMEN, RHINE, ELBE, LUMEN_IN_PART, [*RHINE[:50], *ELBE[50:]], [*LUMEN[:25], *RHINE[25:]]]
    pages = [judged(number, text, DAY + timedelta(hours=number)) for number, text in enumerate(texts)]
    shuffled = random.Random(seed).sample(pages, len(pages))
    database = Database(tmp_path / "none.duckdb")
    expected, nearest = drop_near_duplicates(database, "now", SITE, SEPTEMBER, pages)
    found, also_nearest = drop_near_duplicates(database, "now", SITE, SEPTEMBER, shuffled)
    assert sorted(found, key=lambda page: page.page_id) == expected
    assert also_nearest == nearest
    assert [page.verdict for page in expected].count("near_duplicate") == 2
    assert not database.path.exists()


def test_of_two_pages_created_in_the_same_second_the_first_by_title_stays(tmp_path: Path) -> None:
    pages = [judged(2, LUMEN, DAY), judged(1, LUMEN, DAY)]
    found, nearest = drop_near_duplicates(Database(tmp_path / "none.duckdb"), "now", SITE, SEPTEMBER, pages)
    assert [page.verdict for page in found] == ["near_duplicate", "selected"]
    assert nearest == {2: Nearest(2, "Page 1", "now", 1.0)}


def test_what_was_dropped_before_is_compared_with_nothing(tmp_path: Path) -> None:
    few = replace(judged(1, LUMEN, DAY), verdict="few_revisions")
    pages = [few, judged(2, LUMEN, DAY + timedelta(hours=1))]
    found, nearest = drop_near_duplicates(Database(tmp_path / "none.duckdb"), "now", SITE, SEPTEMBER, pages)
    assert (found, nearest) == (pages, {})
