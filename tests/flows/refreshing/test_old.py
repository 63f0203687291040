import json
from datetime import date
from pathlib import Path

import pytest

from flows.demonstration import wiki
from flows.progress import Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition, refresh
from newwiki.errors import UsageError
from newwiki.snapshot import OLD_SELECTION, Window
from newwiki.sources.dump import DumpSource
from storage.database import Database
from tests.flows.conftest import Run


def test_a_source_that_cannot_walk_at_random_is_refused(tmp_path: Path) -> None:
    request = SnapshotDefinition(Window.before(date(2026, 9, 20)), kind="old")
    with pytest.raises(UsageError, match=r"dump wiki.xml lists new pages only; .* open it as old-api or old-dump"):
        refresh(Database(tmp_path / "newwiki.duckdb"), DumpSource(str(wiki())), request, Silent())
    assert list(tmp_path.iterdir()) == []


def test_old_articles_are_published_and_verified(in_process: Run) -> None:
    asked = ("--kind", "old", "--before", "2026-09-20", "--min-words", "400", "--sample", "5")
    ended = in_process("refresh", "--dump", wiki(), *asked, "--format", "json", "--quiet")
    assert ended.returncode == 0, ended.stderr
    (snapshot,) = json.loads(ended.stdout)
    assert (snapshot["articles"], snapshot["kind"]) == (5, "old")
    assert in_process("snapshots", "verify", snapshot["snapshot_id"]).returncode == 0


@pytest.mark.parametrize(
    ("asked", "chosen"),
    [
        (("--kind", "old"), (400, 2000)),
        (("--kind", "old", "--min-words", "500"), (500, 2000)),
        (("--kind", "old", "--sample", "3000"), (400, 3000)),
    ],
    ids=lambda value: " ".join(map(str, value)),
)
def test_old_articles_have_defaults_of_their_own(
    in_process: Run, asked: tuple[str, ...], chosen: tuple[int, int]
) -> None:
    ended = in_process("refresh", "--dump", wiki(), "--before", "2026-09-20", *asked, "--format", "json", "--quiet")
    assert ended.returncode == 0, ended.stderr
    (snapshot,) = json.loads(ended.stdout)
    parameters = json.loads(snapshot["parameters"])
    assert (parameters["min_words"], parameters["sample"]) == chosen
    usual = chosen == (OLD_SELECTION.min_words, OLD_SELECTION.sample)
    assert (snapshot["snapshot_id"] == "samplewiki-old-before-2026-09-20") == usual


def test_the_help_tells_the_defaults_of_both_kinds(in_process: Run) -> None:
    told = " ".join(in_process("refresh", "--help").stdout.split())
    assert "500, or 400 with --kind old" in told
    assert "3000, or 2000 with --kind old" in told
