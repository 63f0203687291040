"""A refresh that is killed in the middle and run again ends as if nothing had happened."""

import signal
import time
from pathlib import Path

import pytest

from flows.progress import Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition
from flows.refreshing.gather_and_publish import refresh as step
from newwiki.snapshot import Window
from newwiki.sources.mediawiki import ApiSource
from storage.commit_counter import path_of
from storage.database import Database
from storage.staging import Staging

from .refreshing import Refreshed, refresh, start
from .wiki import Request, Wiki

pytestmark = pytest.mark.slow

PATIENCE = 60  # seconds after which a refresh that does not come so far is stuck


@pytest.fixture(scope="module")
def uninterrupted(running_crowd: Wiki, tmp_path_factory: pytest.TempPathFactory) -> Refreshed:
    database = tmp_path_factory.mktemp("uninterrupted") / "api.duckdb"
    return refresh(database, *_arguments(running_crowd))


def _arguments(wiki: Wiki) -> tuple[str, ...]:
    return ("--api", wiki.api_url, "--month", "2026-09")


def _killed_at(wiki: Wiki, database: Path, kind: str, number: int) -> list[Request]:
    """Kills a refresh while its request of this kind and number (from 1) is under way; what was asked until then."""
    pattern = {"site": "meta=siteinfo", "list": "letype=create", "text": "rvprop=[^&]*content", "history": "rvlimit="}[
        kind
    ]
    wiki.faults(*[f"pass {pattern}"] * (number - 1), f"hold {pattern}")
    process = start(database, *_arguments(wiki))
    deadline = time.monotonic() + PATIENCE
    while wiki.kinds()[kind] < number:
        assert process.exitcode is None, f"the refresh ended before its {kind} request {number}"
        assert time.monotonic() < deadline, f"the refresh did not come to its {kind} request {number}"
        time.sleep(0.01)
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    asked = wiki.requests()
    wiki.reset()
    return asked


@pytest.mark.parametrize(("kind", "number"), [("list", 1), ("text", 4), ("history", 9)])
def test_a_killed_refresh_run_again_ends_as_if_nothing_had_happened(
    kind: str, number: int, served_crowd: Wiki, uninterrupted: Refreshed, tmp_path: Path
) -> None:
    database = tmp_path / "api.duckdb"
    _killed_at(served_crowd, database, kind, number)
    assert not database.exists()
    again = refresh(database, *_arguments(served_crowd))
    moments = {
        "snapshots": "published_at, cutoff", "schema_migrations": "applied_at", "topics": "looked_up_at",
        "snapshot_hashes": "taken_at, sha256",  # of which the one is in the other
    }  # fmt: skip
    found, expected = again.all_rows(moments), uninterrupted.all_rows(moments)
    assert found.keys() == expected.keys()
    for table in found.keys() - {"requests", "this_database"}:
        assert found[table] == expected[table], table
    assert {path.name for path in tmp_path.iterdir()} == {database.name, path_of(database).name}


def test_the_second_run_does_not_ask_again_for_what_the_first_had(served_crowd: Wiki, tmp_path: Path) -> None:
    database = tmp_path / "api.duckdb"
    first = [request for request in _killed_at(served_crowd, database, "text", 4) if request.kind == "text"]
    had = set().union(*(request.page_ids for request in first[:3]))
    assert len(had) == 150
    again = refresh(database, *_arguments(served_crowd))
    asked = [request.page_ids for request in served_crowd.requests() if request.kind == "text"]
    assert had.isdisjoint(set().union(*asked))
    # The redirect is known from recent changes, and never read
    assert len(had) + sum(map(len, asked)) == sum(again.funnel.values()) - again.funnel["redirect"]


def test_a_refresh_killed_after_it_has_published_leaves_nothing_beside_the_database(
    served_sample: Wiki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moment between two statements is too short for a signal: here the second one does not come to pass."""
    database, source = Database(tmp_path / "api.duckdb"), ApiSource(served_sample.api_url)
    request = SnapshotDefinition(Window.month("2026-09"))
    with monkeypatch.context() as killed:
        killed.setattr(Staging, "discard", _interrupt)
        with pytest.raises(KeyboardInterrupt):
            step(database, source, request, Silent())
    assert len(list(tmp_path.iterdir())) == 3
    step(database, source, request, Silent())
    assert {path.name for path in tmp_path.iterdir()} == {"api.duckdb", "api.duckdb.commits"}


def _interrupt(staging: Staging) -> None:
    raise KeyboardInterrupt


def test_a_refresh_killed_between_two_others_cuts_when_the_first_began(served_crowd: Wiki, tmp_path: Path) -> None:
    """However often it is killed: pages judged early and late are all cut at the same moment."""
    database = tmp_path / "api.duckdb"
    cutoffs = set()
    for number in (3, 2, 2):
        asked = _killed_at(served_crowd, database, "text", number)
        cutoffs |= {request.parameters["rvstart"] for request in asked if request.kind == "history"}
    (snapshot,) = refresh(database, *_arguments(served_crowd)).rows("snapshots")
    cutoffs |= {request.parameters["rvstart"] for request in served_crowd.requests() if request.kind == "history"}
    assert cutoffs == {f"{snapshot['cutoff']:%Y-%m-%dT%H:%M:%SZ}"}
