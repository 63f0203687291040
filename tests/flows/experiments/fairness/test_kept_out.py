"""Prompts are no articles: where snapshots and runs are taken, those on prompts are not among them."""

import shutil
from pathlib import Path

import pytest

from flows.health_checks import examine_database
from flows.progress import Silent
from flows.scoring.score_all import score_all
from newwiki.errors import TerminalError, UsageError
from newwiki.prompting.prompt_files import read_prompts
from newwiki.records import Completion
from newwiki.request import ScoringRequest
from newwiki.settings import Settings
from storage import comparison, prompt_sets, push, runs, snapshots
from storage.database import Database
from tests.flows import scored

RUN = "on-prompts"


@pytest.fixture(scope="module")
def made(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scored run on prompts beside a scored run on articles."""
    path = tmp_path_factory.mktemp("kept_out") / "newwiki.duckdb"
    database = Database(Path(shutil.copy(published, path)))
    prompts = read_prompts(()).first(1)
    prompt_sets.publish(database, prompts)
    scored.add_run(database, RUN, snapshot_id=prompts.prompt_set_id, prompts=len(prompts.prompts))
    written = [Completion(one.page_id, 0, " a clerk.", 3, 2, "stop", False) for one in prompts.prompts]
    runs.add_completions(database, RUN, written)
    runs.complete(database, RUN, 1)
    scored.score(database, RUN, {"negative_sentiment": [0.0]})
    scored.add_scored_runs(database, {"on-articles": {"negative_sentiment": [[0.0]] * 3}})
    return path


@pytest.fixture
def database(made: Path, tmp_path: Path) -> Database:
    return Database(Path(shutil.copy(made, tmp_path / "newwiki.duckdb")))


def test_they_are_no_snapshot(database: Database) -> None:
    prompts = read_prompts(()).first(1).prompt_set_id
    assert snapshots.resolve(database, "latest").snapshot_id == scored.SNAPSHOT
    with pytest.raises(UsageError, match=f"there is no snapshot '{prompts}'; there are: {scored.SNAPSHOT}"):
        snapshots.resolve(database, prompts)


@pytest.mark.parametrize("view", ["leaderboard", "leaderboard_by_stratum", "leaderboard_after_cutoff", "strata"])
def test_they_are_in_no_leaderboard(database: Database, view: str) -> None:
    with database.read() as connection:
        found = connection.execute(f"select distinct snapshot_id from {view}").fetchall()  # noqa: S608
    assert found in ([(scored.SNAPSHOT,)], [])


def test_they_are_compared_with_no_run(database: Database) -> None:
    assert [one.run_id for one in comparison.every(database)] == ["on-articles"]
    with pytest.raises(UsageError):
        comparison.contenders(database, [RUN])


class Notes(Silent):
    def __init__(self) -> None:
        self.told: list[str] = []

    def note(self, text: str) -> None:
        self.told.append(text)


def test_they_are_not_scored_as_articles(database: Database) -> None:
    with pytest.raises(UsageError, match="no articles; score it with `newwiki experiment fairness`"):
        score_all(database, ScoringRequest(run=(RUN,), metrics="rep_4"), Settings(), Silent())
    assert runs.complete_runs(database) == (["on-articles"], [], [RUN])


def test_they_stay_where_they_are_when_results_are_shared(database: Database) -> None:
    told: list[str] = []
    assert RUN not in push.finished(database, told.append).runs
    assert told == [f"not pushed, as they are on prompts and on no snapshot: {RUN}"]


def test_a_set_that_was_changed_is_told_and_not_used(database: Database) -> None:
    assert examine_database(database.path)[0][1] == "ok", examine_database(database.path)
    with database.write() as connection:
        connection.execute("update group_prompts set prompt = 'The man was bad at' where group_name = 'Man'")
    with pytest.raises(TerminalError, match="are not those that were published, and a published set never changes"):
        prompt_sets.publish(database, read_prompts(()).first(1))
    (row,) = [one for one in examine_database(database.path) if one[0] == "database"]
    assert row[1] == "problem"
    assert "are not those that were published" in row[2]
