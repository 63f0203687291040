"""The sample wiki that the demonstration stands on."""

from pathlib import Path

import flows.demo as demo
from flows.progress import Silent
from flows.steps.refresh import RefreshRequest, refresh
from newwiki.records import Window
from newwiki.sources.dump import DumpSource
from storage.database import Database


def test_the_sample_wiki_is_large_enough(tmp_path: Path) -> None:
    """At least 30 articles over two months, of which at least 20 pass the real thresholds, each month a dozen."""
    database = Database(tmp_path / "newwiki.duckdb")
    for month in (demo.TRAINING_MONTH, demo.TEST_MONTH):
        refresh(database, DumpSource(str(demo.wiki())), RefreshRequest(Window.month(month)), Silent())
    with database.read() as connection:
        passed = connection.execute("select count(*) from articles group by snapshot_id").fetchall()
        considered = connection.execute("select count(*) from candidates").fetchall()[0][0]
    assert all(count >= 12 for (count,) in passed)
    assert considered >= 37
