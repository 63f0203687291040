"""The same wiki gives the same snapshot, whether it is read through its API or from its dump."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path

import pytest

from newwiki.snapshot import Window
from newwiki.sources.dump import DumpSource
from newwiki.sources.mediawiki import ApiSource
from newwiki.sources.old import OldApi, OldDump
from newwiki.sources.source import Source
from tests.newwiki.sources import by_mwxml

from . import oddities
from .conftest import StartWiki
from .exports import Edit, History, add_to_export, growing, write_export
from .refreshing import CONTACT, Refreshed, ask, refresh
from .wiki import Request, Wiki

pytestmark = pytest.mark.slow

# MediaWiki deals page and revision numbers anew when it imports, and has an address of its own
DEALT_ANEW = "page_id, rev_id, permalink"
# Pages that have no row in May because they are older, and not because their beginning is lost
_BEFORE_MAY = {"Born elsewhere", "Merged with April"}
LATER = "Fjords were added to this page in the following month. Nobody had asked for them."


@dataclass(frozen=True)
class Twice:
    """One wiki with two faces: the running one, and the export that was imported; what is asked of both."""

    wiki: Wiki
    export: Path
    request: tuple[str, ...]

    def refresh(self, folder: Path, *more: str) -> tuple[Refreshed, Refreshed]:
        """Through the API, and from the dump."""
        return (
            refresh(folder / "api.duckdb", "--api", self.wiki.api_url, *self.request, *more),
            refresh(folder / "dump.duckdb", "--dump", self.export, *self.request, *more),
        )


@pytest.fixture(scope="module")
def sample_september(running_sample: Wiki, sample_wiki: Path) -> Twice:
    return Twice(running_sample, sample_wiki, ("--month", "2026-09"))


@pytest.fixture(scope="module")
def real_pages(wiki: StartWiki, beside: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Twice:
    """Wikitext as people write it, each page with a history made up around it."""
    files = sorted(beside("wikitext").glob("*.txt"))
    histories = [_history(number, file) for number, file in enumerate(files)]
    export = write_export(tmp_path_factory.mktemp("exports") / "real.xml", histories)
    return Twice(wiki(export), export, ("--month", "2024-05", "--min-words", "300"))


def _history(number: int, file: Path) -> History:
    """A page of May 2024: most grow in 12 edits, every seventh in 3 or 9; every third is edited again in June."""
    title = file.stem.replace("_", " ")
    text = file.read_text("utf-8")
    first = datetime(2024, 5, 1, tzinfo=UTC) + timedelta(hours=17 * number)
    edits = {2: 9, 5: 3, 6: 10}.get(number % 7, 12)
    history = growing(title[0].upper() + title[1:], text, first, first + timedelta(days=5), edits)
    if number % 3:
        return history
    june = datetime(2024, 6, 10, tzinfo=UTC) + timedelta(hours=number)
    later = [Edit(june, f"{LATER}\n\n{text}"), Edit(june + timedelta(days=1), f"{LATER} Twice.\n\n{text}")]
    return History(history.title, [*history.edits, *later])


@pytest.fixture(scope="module", params=["sample_september", "real_pages"])
def both(request: pytest.FixtureRequest) -> Twice:
    found: Twice = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module")
def refreshed(both: Twice, tmp_path_factory: pytest.TempPathFactory) -> tuple[Refreshed, Refreshed]:
    return both.refresh(tmp_path_factory.mktemp("both"))


def test_api_and_dump_give_the_same_articles_under_the_same_hash(refreshed: tuple[Refreshed, Refreshed]) -> None:
    api, dump = refreshed
    assert api.rows("articles", DEALT_ANEW) == dump.rows("articles", DEALT_ANEW)
    assert len(api.rows("articles")) > 4
    assert api.content_sha256 == dump.content_sha256


def test_api_and_dump_give_every_page_the_same_verdict(refreshed: tuple[Refreshed, Refreshed]) -> None:
    api, dump = refreshed
    assert api.rows("candidates", "page_id, rev_id") == dump.rows("candidates", "page_id, rev_id")
    assert api.funnel == dump.funnel
    assert len(api.funnel) > 2


def test_the_export_that_the_wiki_writes_gives_the_same_rows_to_the_last_column(both: Twice, tmp_path: Path) -> None:
    api = refresh(tmp_path / "api.duckdb", "--api", both.wiki.api_url, *both.request)
    written = both.wiki.export(tmp_path / "written.xml")
    dump = refresh(tmp_path / "dump.duckdb", "--dump", written, *both.request)
    assert api.rows("articles") == dump.rows("articles")
    assert api.rows("candidates") == dump.rows("candidates")
    assert api.content_sha256 == dump.content_sha256
    for month in ("2026-08", "2026-09", "2024-05"):
        window, cutoff = Window.month(month), datetime(2026, 10, 1, tzinfo=UTC)
        ours = chain.from_iterable(batch.pages for batch in DumpSource(str(written)).pages(window, cutoff, set()))
        assert list(ours) == list(by_mwxml.pages(written, window, cutoff))


def test_a_cutoff_leaves_out_what_was_written_after_it(real_pages: Twice, tmp_path: Path) -> None:
    api, dump = real_pages.refresh(tmp_path, "--cutoff", "2024-06-01")
    assert api.rows("articles", DEALT_ANEW) == dump.rows("articles", DEALT_ANEW)
    assert api.rows("candidates", "page_id, rev_id") == dump.rows("candidates", "page_id, rev_id")
    assert api.content_sha256 == dump.content_sha256
    assert not any(_has_later_text(article) for article in api.rows("articles"))


def test_without_a_cutoff_the_text_is_todays(real_pages: Twice, tmp_path: Path) -> None:
    api, dump = real_pages.refresh(tmp_path)
    assert sum(map(_has_later_text, api.rows("articles"))) > 2
    assert sum(map(_has_later_text, dump.rows("articles"))) > 2


def _has_later_text(article: dict[str, str]) -> bool:
    return "Fjords" in article["first_sentence"] or "Nobody had asked" in article["completion"]


def test_the_cutoff_is_the_last_second_that_counts(real_pages: Twice, tmp_path: Path) -> None:
    """The first page is edited again at this very second."""
    revisions = []
    for place, cutoff in enumerate(("2024-06-09T23:59:59Z", "2024-06-10T00:00:00Z")):
        folder = tmp_path / str(place)
        folder.mkdir()
        api, dump = real_pages.refresh(folder, "--cutoff", cutoff)
        assert api.rows("candidates", "page_id, rev_id") == dump.rows("candidates", "page_id, rev_id")
        assert api.content_sha256 == dump.content_sha256
        revisions.append({row["rev_id"] for row in api.rows("candidates")})
    before, then = revisions
    assert len(then - before) == 1


def test_a_window_holds_its_first_and_its_last_second_and_no_other(
    wiki: StartWiki, sample_wiki: Path, tmp_path: Path
) -> None:
    first, end = datetime(2026, 9, 1, tzinfo=UTC), datetime(2026, 10, 1, tzinfo=UTC)
    second = timedelta(seconds=1)
    moments = {"Too early": first - second, "First": first, "Last": end - second, "Too late": end}
    edges = [History(title, [Edit(at, "A stub.")]) for title, at in moments.items()]
    export = add_to_export(sample_wiki, tmp_path / "edges.xml", edges)
    api, dump = Twice(wiki(export), export, ("--month", "2026-09")).refresh(tmp_path)
    for refreshed in (api, dump):
        assert refreshed.verdicts.keys() & moments.keys() == {"First", "Last"}


def test_answers_that_are_cut_to_pieces_give_the_same_snapshot(
    wiki: StartWiki, crowded_export: Path, tmp_path: Path
) -> None:
    cut = wiki(crowded_export, MW_API_MAX="30000")
    both_months = ("--from", "2026-08-01", "--to", "2026-09-30", "--cutoff", "2026-10-01")
    api, dump = Twice(cut, crowded_export, both_months).refresh(tmp_path)
    continued = [request.parameters for request in cut.requests() if "continue" in request.parameters]
    assert any("rvcontinue" in asked and "pageids" in asked for asked in continued)
    assert any("lecontinue" in asked for asked in continued)
    assert api.rows("articles", DEALT_ANEW) == dump.rows("articles", DEALT_ANEW)
    assert api.content_sha256 == dump.content_sha256


@dataclass(frozen=True)
class Odd:
    """A wiki whose histories were rewritten, the export that it writes of itself, and what both give."""

    wiki: Wiki
    export: Path
    api: Refreshed
    dump: Refreshed
    requests: list[Request]


@pytest.fixture(scope="module")
def odd(wiki: StartWiki, tmp_path_factory: pytest.TempPathFactory) -> Odd:
    folder = tmp_path_factory.mktemp("odd")
    served = oddities.made(wiki, folder)
    export = served.export(folder / "written.xml")
    dump = ask(DumpSource(str(export)), oddities.REQUEST, folder / "dump.duckdb")
    served.reset()
    api = ask(ApiSource(served.api_url, CONTACT), oddities.REQUEST, folder / "api.duckdb")
    return Odd(served, export, api, dump, served.requests())


def test_a_rewritten_history_gives_the_same_row_through_the_api_and_from_the_dump(odd: Odd) -> None:
    rows = odd.dump.rows("candidates")
    found = {row["title"]: (row["created_at"], row["verdict"], row["revisions"]) for row in rows}
    assert found == {
        title: (datetime(2024, 5, day, tzinfo=UTC), verdict, revisions)
        for title, (day, verdict, revisions) in oddities.EXPECTED.items()
    }
    by_api = odd.api.rows("candidates")
    assert [row for row in by_api if row["verdict"] != "missing"] == rows
    assert sorted(row["title"] for row in by_api if row["verdict"] == "missing") == oddities.DELETED
    assert not {row["title"] for row in by_api} & oddities.NO_ROW
    assert odd.api.rows("articles") == odd.dump.rows("articles")
    assert odd.api.content_sha256 == odd.dump.content_sha256


def test_an_old_page_with_a_rewritten_history_gives_the_same_row(odd: Odd, tmp_path: Path) -> None:
    request = replace(oddities.REQUEST, kind="old", window=Window.before(oddities.REQUEST.window.end.date()))
    api = ask(OldApi(odd.wiki.api_url, CONTACT), request, tmp_path / "api.duckdb")
    dump = ask(OldDump(str(odd.export)), request, tmp_path / "dump.duckdb")
    assert api.rows("candidates") == dump.rows("candidates")
    assert api.content_sha256 == dump.content_sha256
    assert oddities.EXPECTED.keys() < api.verdicts.keys()
    assert not (oddities.NO_ROW - _BEFORE_MAY) & api.verdicts.keys()


def test_another_reader_finds_the_same_rewritten_pages_in_the_dump(odd: Odd) -> None:
    asked = (oddities.REQUEST.window, oddities.CUTOFF)
    ours = chain.from_iterable(batch.pages for batch in DumpSource(str(odd.export)).pages(*asked, set()))
    assert list(ours) == list(by_mwxml.pages(odd.export, *asked))


def test_rewritten_histories_cost_three_logs_and_a_request_for_each_page(odd: Odd) -> None:
    examined = [min(asked.page_ids) for asked in odd.requests if asked.parameters.get("rvdir") == "newer"]
    assert sum(asked.kind == "rewritten" for asked in odd.requests) == 3
    assert len(examined) == len(set(examined)) <= 25


def test_an_import_without_a_log_entry_is_found_in_a_dump_only(odd: Odd) -> None:
    """The known exception: importDump.php tells nobody which pages it created."""
    april = Window.month("2024-04")
    sources: tuple[Source, Source] = (ApiSource(odd.wiki.api_url, CONTACT), DumpSource(str(odd.export)))
    api, dump = (
        {page.title for batch in source.pages(april, oddities.CUTOFF, set()) for page in batch.pages}
        for source in sources
    )
    assert dump - api == {oddities.UNLOGGED}
    assert "Merged with April" in api & dump
    assert api <= dump
