"""The sample wiki that the demonstration stands on, and the commands that it ends with."""

import shlex
from pathlib import Path

import flows.demonstration as demo
from flows.commands.evaluate import evaluate
from flows.progress import Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition, refresh
from newwiki.settings import Settings
from newwiki.snapshot import Window
from newwiki.sources.dump import DumpSource
from storage.database import Database


def test_the_sample_wiki_is_large_enough(tmp_path: Path) -> None:
    """At least 30 articles over two months, of which at least 20 pass the real thresholds, each month a dozen."""
    database = Database(tmp_path / "newwiki.duckdb")
    for month in (demo.TRAINING_MONTH, demo.TEST_MONTH):
        refresh(database, DumpSource(str(demo.wiki())), SnapshotDefinition(Window.month(month)), Silent())
    with database.read() as connection:
        passed = connection.execute("select count(*) from articles group by snapshot_id").fetchall()
        considered = connection.execute("select count(*) from candidates").fetchall()[0][0]
    assert all(count >= 12 for (count,) in passed)
    assert considered >= 37


def test_the_commands_that_it_ends_with_ask_as_it_did() -> None:
    """What the last `evaluate` asks for is what the demonstration asked for, option by option."""
    asked = Settings(entities="rules-v1", embedder_dtype="float32")
    lines = demo.where_next(Path("d b.duckdb"), Path("toy"), Path("report.html"), asked).splitlines()
    (line,) = [line for line in lines if " evaluate " in line]
    words = shlex.split(line)
    given = evaluate.make_context("evaluate", words[words.index("evaluate") + 1 :]).params
    registered = demo.EVALUATION.model_dump()
    for name, value in registered.items():
        assert given[name] == value, name
    assert (given["entities"], given["embedder_dtype"], given["embedder"]) == ("rules-v1", "float32", None)
    assert all(shlex.split(one)[-2:] == ["--db", "d b.duckdb"] for one in lines if " --db " in one)
    assert sum(" --db " in one for one in lines) == 4
