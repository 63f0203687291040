"""Old articles: the same random walk through the API and through the dump that the wiki writes itself."""

from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from flows.progress import Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition
from flows.refreshing.gather_and_publish import refresh as step
from newwiki.snapshot import Selection, Window
from newwiki.sources.old import OldApi, OldDump
from newwiki.sources.source import Source
from storage.database import Database

from .conftest import StartWiki
from .exports import Edit, History, add_to_export, stubs
from .refreshing import Refreshed, refresh
from .wiki import Wiki

pytestmark = pytest.mark.slow

REQUEST = ("--kind", "old", "--before", "2026-09-20", "--min-words", "400", "--cutoff", "2026-10-01")


@pytest.fixture(scope="module")
def changed_wiki(wiki: StartWiki, sample_wiki: Path, tmp_path_factory: pytest.TempPathFactory) -> Wiki:
    """The sample wiki among 260 stubs; some pages are deleted, moved, renamed or hidden, one was edited later."""
    edits = [Edit(datetime(2026, 9, day, tzinfo=UTC), f"It is day {day}.") for day in range(1, 9)]
    october = Edit(datetime(2026, 10, 2, tzinfo=UTC), "It is October.")
    more = [
        *stubs(260, datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 9, 30, tzinfo=UTC)),
        History("Edited later", [*edits, october]),
        History("Hidden", [*edits[:-1], Edit(edits[-1].at, None), october]),
    ]
    export = add_to_export(sample_wiki, tmp_path_factory.mktemp("exports") / "old.xml", more)
    changed = wiki(export)
    changed.delete(*(f"Stub {number}" for number in (*range(100, 130), 259)))
    changed.move("Stub 7", to="Draft:Stub 7")
    changed.move("Stub 8", to="A stub renamed")
    return changed


@pytest.fixture(scope="module")
def dump(changed_wiki: Wiki, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return changed_wiki.export(tmp_path_factory.mktemp("dump") / "written.xml")


@pytest.mark.parametrize("more", [("--sample", "8", "--seed", "1"), ("--sample", "1")])
def test_api_and_dump_give_the_same_rows_under_the_same_hash(
    changed_wiki: Wiki, dump: Path, tmp_path: Path, more: tuple[str, ...]
) -> None:
    changed_wiki.reset()
    api = refresh(tmp_path / "api.duckdb", "--api", changed_wiki.api_url, *REQUEST, *more)
    from_dump = refresh(tmp_path / "dump.duckdb", "--dump", dump, *REQUEST, *more)
    assert api.content_sha256 == from_dump.content_sha256
    for table in ("articles", "candidates", "funnel"):
        assert api.rows(table) == from_dump.rows(table), table
    assert api.rows("articles")


@pytest.fixture(scope="module")
def eight(changed_wiki: Wiki, tmp_path_factory: pytest.TempPathFactory) -> Refreshed:
    database = tmp_path_factory.mktemp("eight") / "api.duckdb"
    return refresh(database, "--api", changed_wiki.api_url, *REQUEST, "--sample", "8")


@pytest.fixture(scope="module")
def every(dump: Path, tmp_path_factory: pytest.TempPathFactory) -> Refreshed:
    """All old pages, as the sample is never full."""
    return refresh(tmp_path_factory.mktemp("every") / "dump.duckdb", "--dump", dump, *REQUEST, "--sample", "2000")


def test_the_walk_ends_when_the_sample_is_full(eight: Refreshed, every: Refreshed) -> None:
    assert eight.funnel["selected"] == 8
    assert len(eight.rows("candidates")) < len(every.rows("candidates")) / 2


def test_the_walk_that_is_not_full_has_considered_every_old_page(every: Refreshed) -> None:
    assert every.funnel["selected"] < 2000
    titles = every.verdicts.keys()
    assert {"Stub 7", "Stub 8", "Edited later", "Hidden", "Stub 0"} <= titles, "all are as they were at the cutoff"
    assert not {"Draft:Stub 7", "A stub renamed", "Stub 120"} & titles, "moved out later, renamed later, deleted"
    assert all(row["created_at"] < datetime(2026, 9, 20, tzinfo=UTC) for row in every.rows("candidates"))


def test_a_page_is_judged_as_it_stood_at_the_cutoff(every: Refreshed) -> None:
    details = {row["title"]: (row["verdict"], row["detail"]) for row in every.rows("candidates")}
    assert details["Edited later"] == ("few_words", "4 of 400 words")
    assert details["Hidden"] == ("hidden", None)


def test_another_seed_draws_other_articles(eight: Refreshed, dump: Path, tmp_path: Path) -> None:
    other = refresh(tmp_path / "other.duckdb", "--dump", dump, *REQUEST, "--sample", "8", "--seed", "1")
    drawn, others = ({row["title"] for row in each.rows("articles")} for each in (eight, other))
    assert len(drawn) == len(others) == 8
    assert drawn != others


def test_a_larger_sample_holds_the_smaller_one(eight: Refreshed, every: Refreshed) -> None:
    assert {row["title"] for row in eight.rows("articles")} < {row["title"] for row in every.rows("articles")}
    assert eight.verdicts.items() <= every.verdicts.items()


def test_an_old_snapshot_is_named_for_its_day(dump: Path, tmp_path: Path) -> None:
    usual = ("--kind", "old", "--before", "2026-09-20", "--min-words", "400", "--sample", "2000", "--seed", "0")
    (snapshot,) = refresh(tmp_path / "named.duckdb", "--dump", dump, *usual).rows("snapshots")
    assert (snapshot["snapshot_id"], snapshot["kind"]) == ("samplewiki-old-before-2026-09-20", "old")


class _Interrupted(Silent):
    """Breaks off at the second batch that is reported."""

    def __init__(self) -> None:
        self._reported = 0

    def update(self, done: int, total: int, note: str = "") -> None:
        self._reported += 1
        if self._reported == 2:
            raise KeyboardInterrupt

    def stretch(self, title: str, unit: str):  # type: ignore[no-untyped-def]
        from contextlib import nullcontext

        return nullcontext(self)


@pytest.mark.parametrize("kind", ["api", "dump"])
def test_an_interrupted_walk_goes_on_where_it_was(
    changed_wiki: Wiki, dump: Path, tmp_path: Path, every: Refreshed, kind: str
) -> None:
    request = SnapshotDefinition(
        Window(datetime(1970, 1, 1, tzinfo=UTC), datetime(2026, 9, 20, tzinfo=UTC)),
        Selection(min_words=400, sample=2000),
        datetime(2026, 10, 1, tzinfo=UTC),
        "old",
    )
    source: Source = OldApi(changed_wiki.api_url) if kind == "api" else OldDump(str(dump))
    database = Database(tmp_path / "interrupted.duckdb")
    with pytest.raises(KeyboardInterrupt):
        step(database, source, request, _Interrupted())
    (staged,) = tmp_path.glob("*.refresh-*")
    with duckdb.connect(str(staged), read_only=True) as connection:
        before = {page_id for (page_id,) in connection.execute("select page_id from judged").fetchall()}
    assert 0 < len(before) < len(every.rows("candidates"))
    changed_wiki.reset()
    step(database, source, request, Silent())
    assert not {n for asked in changed_wiki.requests() if asked.kind == "history" for n in asked.page_ids} & before
    assert Refreshed(database.path).content_sha256 == every.content_sha256
    assert Refreshed(database.path).rows("candidates") == every.rows("candidates")


def test_the_walk_costs_what_it_says(changed_wiki: Wiki, tmp_path: Path) -> None:
    """Four requests for fifty ids and one a page of the main namespace; after the cutoff, one more for each of both.

    Beside these: what wiki it is, its newest creations, and that no page is beyond them.
    """
    changed_wiki.reset()
    refresh(tmp_path / "api.duckdb", "--api", changed_wiki.api_url, *REQUEST, "--sample", "2000")
    asked = changed_wiki.requests()
    beginnings = [min(each.page_ids) for each in asked if each.parameters.get("rvdir") == "newer"]
    histories = [min(each.page_ids) for each in asked if each.parameters.get("rvdir") == "older"]
    assert len(set(beginnings)) == len(beginnings) > 250
    assert len(set(histories)) == len(histories) < 20
    fifties = max(beginnings) // 50 + 1
    assert len(asked) - len(beginnings) - len(histories) <= 5 * fifties + 4
