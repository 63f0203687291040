import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from newwiki.errors import TransientError
from newwiki.snapshot import Judged, Requests
from storage.staging import Staging

CUTOFF = datetime(2026, 10, 15, tzinfo=UTC)
LATER = CUTOFF + timedelta(days=1)
DAY = datetime(2026, 9, 3, 10, tzinfo=UTC)

Page = Callable[..., Judged]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The database that a refresh is for; staging makes its folder, and touches nothing else."""
    return tmp_path / "folder" / "newwiki.duckdb"


def test_a_new_refresh_has_done_nothing(database: Path) -> None:
    staging = Staging.open(database, "testwiki-2026-09", CUTOFF)
    assert (staging.cutoff, staging.done(), staging.pages()) == (CUTOFF, set(), [])
    assert not database.exists()


def test_what_was_judged_is_given_back_as_it_was(database: Path, selected: Page) -> None:
    staging = Staging.open(database, "a", CUTOFF)
    pages = [
        selected(9, "שלום 🙂", headings='[[2, "Über", 4]]'),
        Judged(page_id=-3, title="", created_at=DAY, verdict="hidden"),
        Judged(
            page_id=7,
            title="Lumen",
            created_at=DAY,
            verdict="few_words",
            detail="3 of 500 words",
            rev_id=70,
            revised_at=DAY,
            revisions=None,
            words=3,
        ),
    ]
    staging.add(pages[:1])
    staging.add(pages[1:])
    assert staging.done() == {9, -3, 7}
    assert staging.pages() == sorted(pages, key=lambda page: page.page_id)


def test_it_knows_which_pages_have_passed(database: Path, selected: Page) -> None:
    staging = Staging.open(database, "a", CUTOFF)
    assert staging.passed() == set()
    staging.add([selected(7), Judged(page_id=8, title="Rhine", created_at=DAY, verdict="redirect")])
    staging.add([selected(9)])
    assert staging.passed() == {7, 9}


def test_an_interrupted_refresh_goes_on_with_its_first_cutoff(database: Path, selected: Page) -> None:
    Staging.open(database, "a", CUTOFF).add([selected(7)])
    again = Staging.open(database, "a", LATER)
    assert again.cutoff == CUTOFF
    assert again.done() == {7}


def test_another_snapshot_has_a_refresh_of_its_own(database: Path, selected: Page) -> None:
    Staging.open(database, "a", CUTOFF).add([selected(7)])
    other = Staging.open(database, "b", LATER)
    assert (other.cutoff, other.done()) == (LATER, set())


def test_a_page_is_judged_once(database: Path, selected: Page) -> None:
    staging = Staging.open(database, "a", CUTOFF)
    staging.add([selected(7)])
    with pytest.raises(TransientError, match=r"another process is at work on newwiki\.duckdb\.refresh-a; wait for it"):
        staging.add([selected(8), replace(selected(7), verdict="redirect")])
    assert staging.pages() == [selected(7)]


def test_an_empty_batch_is_nothing(database: Path) -> None:
    staging = Staging.open(database, "a", CUTOFF)
    staging.add([])
    assert staging.done() == set()


def test_discarding_leaves_no_file_and_can_be_repeated(database: Path, selected: Page) -> None:
    staging = Staging.open(database, "a", CUTOFF)
    staging.add([selected(7)])
    staging.discard()
    staging.discard()
    assert list(database.parent.iterdir()) == []
    assert Staging.open(database, "a", LATER).cutoff == LATER


@pytest.mark.slow
def test_times_come_back_in_utc_wherever_the_machine_stands(database: Path) -> None:
    """The cutoff goes on to the wiki, which would cut at another moment."""
    program = f"""
from datetime import datetime
from pathlib import Path
from newwiki.snapshot import Judged, Requests
from storage.staging import Staging
staging = Staging.open(Path({str(database)!r}), "a", datetime.fromisoformat("{CUTOFF.isoformat()}"))
page = dict(page_id=7, title="Lumen", created_at=datetime.fromisoformat("{DAY.isoformat()}"), verdict="hidden")
staging.add([Judged(**page)])
print(staging.cutoff.isoformat(), staging.pages()[0].created_at.isoformat())
"""
    answer = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"TZ": "America/New_York"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.split() == [CUTOFF.isoformat(), DAY.isoformat()]


@pytest.mark.slow
def test_a_refresh_that_another_process_has_open_is_transient(database: Path, selected: Page) -> None:
    staging = Staging.open(database, "a", CUTOFF)
    hold = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    file = database.with_name("newwiki.duckdb.refresh-a")
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout and holder.stdout.readline() == b"held\n"
        with pytest.raises(TransientError, match="another process is at work"):
            staging.add([selected(7)])
        with pytest.raises(TransientError, match="another process is at work"):
            Staging.open(database, "a", LATER)


def test_answers_are_kept_in_their_order(database: Path) -> None:
    staging = Staging.open(database, "a", CUTOFF)
    for question, answer in (("list", "1"), ("moves", "x"), ("list", "2"), ("list", "1")):
        staging.keep(question, answer)
    again = Staging.open(database, "a", LATER)
    assert (again.recall("list"), again.recall("moves"), again.recall("other")) == (["1", "2", "1"], ["x"], [])


def test_requests_are_added_up_over_all_attempts(database: Path, selected: Page) -> None:
    Staging.open(database, "a", CUTOFF).add([selected(7)], [Requests("text", 3, 1, 1000, 0.5)])
    again = Staging.open(database, "a", LATER)
    again.add([], [Requests("text", 1, 0, 200, 0.25), Requests("list", 1, 0, 50, 0.1)])
    assert again.requests() == [Requests("list", 1, 0, 50, 0.1), Requests("text", 4, 1, 1200, 0.75)]
