"""What becomes of pages that are deleted, moved, renamed or hidden between their creation and the refresh."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from .conftest import StartWiki
from .exports import Edit, History, write_export
from .refreshing import Refreshed, refresh
from .wiki import Wiki

pytestmark = pytest.mark.slow

TITLES = ("Deleted", "Hidden creation", "Moved to draft", "Old name", "Restored", "Untouched")
REQUEST = ("--month", "2024-05", "--min-words", "10", "--min-revisions", "3")
BEFORE_JUNE = (*REQUEST, "--cutoff", "2024-06-01")


def _prose(title: str, last: str) -> str:
    """No five words of it are in another page's."""
    return f"'''{title}''' is a {title} page of {title}. It says {title} things in {title} words, says {title}. {last}"


def _may(day: int) -> datetime:
    return datetime(2024, 5, day, tzinfo=UTC)


def _page(title: str) -> History:
    return History(title, [Edit(_may(day), _prose(title, f"It is day {day}.")) for day in (3, 4, 5)])


def _hidden(title: str, *hidden_days: int) -> History:
    """A page with a revision on each of five days of May, those of some days hidden, and one more in June."""
    texts = {day: None if day in hidden_days else _prose(title, f"It is day {day}.") for day in (3, 4, 5, 6, 7)}
    edits = [Edit(_may(day), text) for day, text in texts.items()]
    return History(title, [*edits, Edit(datetime(2024, 6, 5, tzinfo=UTC), _prose(title, "It is June."))])


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    histories = [
        *map(_page, (*TITLES, "Draft:Begun as a draft")),
        _hidden("Hidden at the cutoff", 7),
        _hidden("Hidden before the cutoff", 4, 6),
    ]
    return write_export(tmp_path_factory.mktemp("exports") / "changes.xml", histories)


@pytest.fixture(scope="module")
def changed_wiki(wiki: StartWiki, changes: Path) -> Wiki:
    changed = wiki(changes)
    changed.delete("Deleted")
    changed.delete("Restored")
    changed.restore("Restored")
    changed.move("Moved to draft", to="Draft:Moved to draft")
    changed.move("Old name", to="New name")
    changed.hide_creation("Hidden creation")
    changed.move("Draft:Begun as a draft", to="Begun as a draft")
    return changed


@pytest.fixture(scope="module")
def before(wiki: StartWiki, changes: Path, tmp_path_factory: pytest.TempPathFactory) -> Refreshed:
    """The same wiki with nothing changed, read through its API."""
    return refresh(tmp_path_factory.mktemp("before") / "api.duckdb", "--api", wiki(changes).api_url, *REQUEST)


@pytest.fixture(scope="module")
def changed(changed_wiki: Wiki, tmp_path_factory: pytest.TempPathFactory) -> Refreshed:
    return refresh(tmp_path_factory.mktemp("changed") / "api.duckdb", "--api", changed_wiki.api_url, *REQUEST)


@pytest.fixture(scope="module")
def at_cutoff(changed_wiki: Wiki, tmp_path_factory: pytest.TempPathFactory) -> tuple[Refreshed, Refreshed]:
    """The changed wiki cut at the end of May: through the API, and from the export that it writes itself."""
    folder = tmp_path_factory.mktemp("cutoff")
    written = changed_wiki.export(folder / "written.xml")
    return (
        refresh(folder / "api.duckdb", "--api", changed_wiki.api_url, *BEFORE_JUNE),
        refresh(folder / "dump.duckdb", "--dump", written, *BEFORE_JUNE),
    )


def test_pages_that_nobody_changed_are_selected(before: Refreshed) -> None:
    assert {before.verdicts[title] for title in TITLES} == {"selected"}


def test_a_deleted_page_is_missing(changed: Refreshed) -> None:
    assert changed.verdicts["Deleted"] == "missing"


def test_a_restored_page_is_what_it_was(before: Refreshed, changed: Refreshed) -> None:
    was, now = (_rows(refreshed, "Restored".__eq__) for refreshed in (before, changed))
    assert len(now) == 1
    assert now == was


def test_a_page_moved_out_of_the_main_namespace_before_the_cutoff_is_moved(changed: Refreshed) -> None:
    assert changed.verdicts["Draft:Moved to draft"] == "moved"


def test_a_page_whose_creation_is_hidden_in_the_log_is_what_it_was(
    before: Refreshed, changed: Refreshed, at_cutoff: tuple[Refreshed, Refreshed]
) -> None:
    was, now = (_rows(refreshed, "Hidden creation".__eq__) for refreshed in (before, changed))
    assert len(now) == 1
    assert now == was
    assert all(refreshed.verdicts["Hidden creation"] == "selected" for refreshed in at_cutoff)


def test_a_renamed_page_keeps_its_id_and_gets_its_new_title(before: Refreshed, changed: Refreshed) -> None:
    (old,) = (row for row in before.rows("articles") if row["title"] == "Old name")
    (new,) = (row for row in changed.rows("articles") if row["title"] == "New name")
    assert new["page_id"] == old["page_id"]
    assert new["completion"] == old["completion"]
    assert "Old name" not in changed.verdicts


def test_a_revision_hidden_at_the_cutoff_makes_its_page_hidden(at_cutoff: tuple[Refreshed, Refreshed]) -> None:
    for refreshed in at_cutoff:
        assert refreshed.verdicts["Hidden at the cutoff"] == "hidden"


def test_a_hidden_revision_before_the_cutoff_counts_and_does_no_harm(at_cutoff: tuple[Refreshed, Refreshed]) -> None:
    for refreshed in at_cutoff:
        (article,) = (row for row in refreshed.rows("articles") if row["title"] == "Hidden before the cutoff")
        assert article["completion"].endswith("It is day 7.")


def test_api_and_dump_agree_on_the_pages_that_are_still_there(at_cutoff: tuple[Refreshed, Refreshed]) -> None:
    """A dump knows nothing of what was deleted. All that was moved was moved after the cutoff."""
    hidden = {"Hidden at the cutoff", "Hidden before the cutoff"}
    api, dump = (_rows(refreshed, "Deleted".__ne__) for refreshed in at_cutoff)
    assert {row["title"] for row in api} == {*TITLES, *hidden} - {"Deleted"}
    assert api == dump


def _rows(refreshed: Refreshed, wanted: Callable[[str], bool]) -> list[dict[str, object]]:
    return [row for row in refreshed.rows("candidates") if wanted(row["title"])]
