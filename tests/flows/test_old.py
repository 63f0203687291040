from datetime import date
from pathlib import Path

import pytest

from flows.demo import wiki
from flows.progress import Silent
from flows.steps.refresh import RefreshRequest, refresh
from newwiki.errors import UsageError
from newwiki.records import Window
from newwiki.sources.dump import DumpSource
from storage.database import Database
from tests.flows.conftest import Run


def test_a_source_that_cannot_walk_at_random_is_refused(tmp_path: Path) -> None:
    request = RefreshRequest(Window.before(date(2026, 9, 20)), kind="old")
    with pytest.raises(UsageError, match=r"dump wiki.xml lists new pages only; .* open it as old-api or old-dump"):
        refresh(Database(tmp_path / "newwiki.duckdb"), DumpSource(str(wiki())), request, Silent())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("more", [(), ("--prefect",)], ids=["direct", "prefect"])
def test_old_articles_are_published_and_verified(newwiki: Run, more: tuple[str, ...]) -> None:
    asked = ("--kind", "old", "--before", "2026-09-20", "--min-words", "400", "--sample", "5")
    ended = newwiki("refresh", "--dump", wiki(), *asked, *more, "--format", "json", "--quiet")
    assert ended.returncode == 0, ended.stderr
    assert '"articles": 5' in ended.stdout
    assert '"kind": "old"' in ended.stdout
    assert newwiki("snapshots", "verify", "latest").returncode == 0
