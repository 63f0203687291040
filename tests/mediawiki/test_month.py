"""A seeded month: what a refresh makes of it, what it costs, and that nothing that goes wrong changes it."""

import random
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from flows.progress import Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition
from flows.refreshing.gather_and_publish import refresh as step
from newwiki.errors import TerminalError
from newwiki.snapshot import Selection, Window
from newwiki.sources import backoff
from newwiki.sources.mediawiki import ApiSource
from storage.database import Database

from . import month
from .conftest import StartWiki
from .exports import write_export
from .refreshing import CONTACT, Refreshed, refresh, start
from .wiki import Wiki

pytestmark = pytest.mark.slow

CREATED = month.STUBS + month.REDIRECTS + len(month.EXPECTED)
# One pattern of its address for each kind of request
KINDS = {
    "site": "meta=siteinfo",
    "list": "letype=create",
    "moves": "letype=move",
    "rewritten": "letype=merge",
    "recent": "generator=recentchanges",
    "text": "rvprop=[^&]*content",
    "size": "rvprop=ids.size.sha1&",
    "history": "rvlimit=",
    "templates": "titles=Template",
}
BOT = {"NEWWIKI_BOT_USER": "Robot@newwiki", "NEWWIKI_BOT_PASSWORD": "a" * 32}


@dataclass(frozen=True)
class Month:
    wiki: Wiki
    written: Path  # the wiki's own export


@pytest.fixture(scope="module")
def busy(wiki: StartWiki, tmp_path_factory: pytest.TempPathFactory) -> Month:
    folder = tmp_path_factory.mktemp("month")
    served = wiki(write_export(folder / "month.xml", month.histories()))
    month.befall(served)
    return Month(served, served.export(folder / "written.xml"))


@pytest.fixture
def served(busy: Month) -> Wiki:
    busy.wiki.reset()
    return busy.wiki


@pytest.fixture(scope="module")
def undisturbed(busy: Month, tmp_path_factory: pytest.TempPathFactory) -> Refreshed:
    busy.wiki.reset()
    return refresh(tmp_path_factory.mktemp("api") / "api.duckdb", "--api", busy.wiki.api_url, *month.REQUEST)


@pytest.fixture(scope="module")
def from_dump(busy: Month, tmp_path_factory: pytest.TempPathFactory) -> Refreshed:
    return refresh(tmp_path_factory.mktemp("dump") / "dump.duckdb", "--dump", busy.written, *month.REQUEST)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the client would have waited, in seconds: it does not."""
    waited: list[float] = []
    monkeypatch.setattr(backoff, "time", SimpleNamespace(sleep=waited.append))
    return waited


@pytest.fixture(scope="module")
def first_forty(busy: Month, tmp_path_factory: pytest.TempPathFactory) -> Refreshed:
    busy.wiki.reset()
    return in_process(busy.wiki, tmp_path_factory.mktemp("forty") / "api.duckdb", limit=40)


def in_process(wiki: Wiki, database: Path, limit: int | None = None) -> Refreshed:
    window = Window.month("2024-05")
    cutoff = window.end.replace(month=6, day=15)
    request = SnapshotDefinition(window, Selection(min_words=60, min_revisions=3, limit=limit), cutoff)
    step(Database(database), ApiSource(wiki.api_url, CONTACT), request, Silent())
    return Refreshed(database)


def assert_same(one: Refreshed, other: Refreshed) -> None:
    """The same snapshot, row for row; only when it was published, and what it has cost, is its own."""
    assert one.content_sha256 == other.content_sha256
    assert one.rows("snapshots", "published_at") == other.rows("snapshots", "published_at")
    for table in ("candidates", "articles"):
        assert one.rows(table) == other.rows(table), table


def test_the_snapshot_holds_exactly_the_pages_of_the_seed(undisturbed: Refreshed) -> None:
    verdicts = undisturbed.verdicts
    plain = {f"Stub {n}": "few_words" for n in range(month.STUBS)}
    plain |= {f"Other name {n}": "redirect" for n in range(month.REDIRECTS)}
    assert verdicts == plain | month.EXPECTED
    assert len(verdicts) == CREATED >= 600
    selected = {title for title, verdict in month.EXPECTED.items() if verdict == "selected"}
    assert {article["title"] for article in undisturbed.rows("articles")} == selected


def test_the_dump_gives_the_same_rows_but_for_what_is_deleted(undisturbed: Refreshed, from_dump: Refreshed) -> None:
    """A dump knows nothing of what was deleted."""
    there = [row for row in undisturbed.rows("candidates") if row["title"] != "Deleted later"]
    assert from_dump.rows("candidates") == there
    assert from_dump.rows("articles") == undisturbed.rows("articles")
    assert from_dump.content_sha256 == undisturbed.content_sha256


@pytest.mark.parametrize("title", ["Blanked at the cutoff", "Shrunk at the cutoff"])
def test_a_revision_that_emptied_its_page_is_stepped_over_and_told(undisturbed: Refreshed, title: str) -> None:
    (row,) = (row for row in undisturbed.rows("candidates") if row["title"] == title)
    (article,) = (article for article in undisturbed.rows("articles") if article["title"] == title)
    assert f"for revision {row['rev_id']} (" in row["detail"]
    assert "at the cutoff" in row["detail"]
    assert article["completion"].endswith("was built in 1807.")


def test_a_page_that_recovered_before_the_cutoff_is_taken_as_it_is(undisturbed: Refreshed) -> None:
    (row,) = (row for row in undisturbed.rows("candidates") if row["title"] == "Restored after a blanking")
    assert row["detail"] is None


def test_the_client_asks_at_most_a_tenth_of_what_a_title_a_request_takes(served: Wiki, tmp_path: Path) -> None:
    """Which are as many as there are titles."""
    titles = refresh(tmp_path / "api.duckdb", "--api", served.api_url, *month.REQUEST).verdicts
    ours = served.kinds()
    print(f"{ours.total()} requests ({dict(ours)}) against {len(titles)}")
    assert len(titles) == CREATED
    assert ours.total() * 10 <= len(titles)


def test_recent_changes_spare_more_requests_than_they_cost(
    served: Wiki, undisturbed: Refreshed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without them the snapshot is the same, and the redirects are read like everything else."""
    with_them = in_process(served, tmp_path / "with.duckdb")
    cost = served.kinds()
    served.reset()
    monkeypatch.setattr("newwiki.sources.creations._untouched_redirects", lambda *_: {})
    without = in_process(served, tmp_path / "without.duckdb")
    assert_same(with_them, without)
    assert cost["recent"] == 2
    print(f"{cost.total()} requests with recent changes, {served.kinds().total()} without")
    assert cost.total() < served.kinds().total()


@pytest.mark.parametrize(
    "faults",
    [
        ("lag:12", "status:429", "html", "half"),
        ("status:429,7", "status:502", "empty", "cut"),
        ("status:503", "status:504", "ratelimited", "exception"),
    ],
    ids=" ".join,
)
def test_faults_in_every_kind_of_request_change_nothing(
    faults: tuple[str, ...], served: Wiki, first_forty: Refreshed, waits: list[float], tmp_path: Path
) -> None:
    """But for recent changes, which a few pages are not worth, and templates, which the first of them do not use."""
    kinds = {kind: pattern for kind, pattern in KINDS.items() if kind not in ("recent", "templates")}
    assert_same(disturbed(faults, kinds, served, waits, tmp_path, limit=40), first_forty)


def test_a_fault_in_every_kind_of_request_of_a_whole_month_changes_nothing(
    served: Wiki, undisturbed: Refreshed, waits: list[float], tmp_path: Path
) -> None:
    assert_same(disturbed(("half",), KINDS, served, waits, tmp_path), undisturbed)


def disturbed(
    faults: tuple[str, ...],
    kinds: dict[str, str],
    served: Wiki,
    waits: list[float],
    folder: Path,
    limit: int | None = None,
) -> Refreshed:
    """A refresh in which each of these kinds of request meets each of these faults once, one after the other."""
    served.faults(*(f"{fault} {pattern}" for pattern in kinds.values() for fault in faults))
    api = in_process(served, folder / "api.duckdb", limit)
    assert served.faults_left() == []
    assert len(waits) == len(kinds) * len(faults)
    assert {row["kind"]: row["retries"] for row in api.rows("requests")} == dict.fromkeys(kinds, len(faults))
    return api


def test_a_refresh_that_is_killed_at_four_random_moments_ends_as_if_nothing_had_happened(
    served: Wiki, undisturbed: Refreshed, tmp_path: Path
) -> None:
    """A moment is a number of requests and some milliseconds; a refresh that is done by then is begun anew."""
    chance = random.Random(20)
    database = tmp_path / "0.duckdb"
    killed = 0
    while killed < 4:
        asked, delay = len(served.requests()) + chance.randint(1, 12), chance.uniform(0, 0.03)
        process = start(database, "--api", served.api_url, *month.REQUEST, "--quiet")
        while len(served.requests()) < asked and process.exitcode is None:
            time.sleep(0.002)
        time.sleep(delay)
        process.kill()
        process.join()
        if process.exitcode == -signal.SIGKILL:
            killed += 1
        else:
            assert_same(Refreshed(database), undisturbed)
            database = tmp_path / f"{killed}.duckdb"
    assert_same(refresh(database, "--api", served.api_url, *month.REQUEST), undisturbed)


def test_the_list_is_not_asked_for_again(
    served: Wiki, undisturbed: Refreshed, waits: list[float], tmp_path: Path
) -> None:
    """The second of its two rounds fails for good: the first one is kept."""
    served.faults(f"pass {KINDS['list']}", *[f"status:503 {KINDS['list']}"] * 6)
    with pytest.raises(Exception, match="HTTP status 503"):
        in_process(served, tmp_path / "api.duckdb")
    served.reset()
    api = in_process(served, tmp_path / "api.duckdb")
    again = [request.parameters for request in served.requests() if request.kind == "list"]
    assert all("lecontinue" in asked for asked in again)
    assert_same(api, undisturbed)
    told = {row["kind"]: row["requests"] for row in api.rows("requests")}
    assert told["list"] == 1 + 6 + len(again)


@pytest.mark.parametrize("number", [1, 40])
def test_a_limit_takes_the_pages_that_were_created_first(number: int, busy: Month, tmp_path: Path) -> None:
    busy.wiki.reset()
    limit = (*month.REQUEST, "--min-words", "1", "--min-revisions", "1", "--limit", str(number))
    api = refresh(tmp_path / "api.duckdb", "--api", busy.wiki.api_url, *limit)
    dump = refresh(tmp_path / "dump.duckdb", "--dump", busy.written, *limit)
    assert_same(api, dump)
    assert sum(api.funnel.values()) == number
    assert busy.wiki.kinds()["text"] == 1


def test_a_bot_password_makes_the_batches_larger(
    served: Wiki, undisturbed: Refreshed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in BOT.items():
        monkeypatch.setenv(name, value)
    api = in_process(served, tmp_path / "api.duckdb")
    assert_same(api, undisturbed)
    assert served.kinds()["login"] == 3
    assert max(len(request.page_ids) for request in served.requests()) > 50
    assert BOT["NEWWIKI_BOT_PASSWORD"] not in (served.home / "requests.jsonl").read_text()
    assert BOT["NEWWIKI_BOT_PASSWORD"].encode() not in api.path.read_bytes()


def test_faults_while_logging_in_change_nothing(
    served: Wiki, first_forty: Refreshed, waits: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in BOT.items():
        monkeypatch.setenv(name, value)
    served.faults("status:503 type=login", "half action=login", "empty meta=userinfo")
    assert_same(in_process(served, tmp_path / "api.duckdb", limit=40), first_forty)
    assert served.faults_left() == []


def test_a_wrong_bot_password_ends_with_what_to_do(
    served: Wiki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (BOT | {"NEWWIKI_BOT_PASSWORD": "b" * 32}).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(TerminalError, match=r"rejects the login of 'Robot@newwiki': .*check NEWWIKI_BOT_USER"):
        in_process(served, tmp_path / "api.duckdb")
