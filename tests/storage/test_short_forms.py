"""The short form of a run's decoder stands with the run, whoever enters it."""

from pathlib import Path

import duckdb
import pytest

from storage import short_forms
from storage.database import Database
from tests.flows.scored import add_run
from tests.storage.earlier import undoing

CANONICAL = (
    "sample:frequency_penalty=0,presence_penalty=0,repetition_penalty=1,temperature=1,top_k=0,top_p=0.9,typical_p=1"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    database = Database(tmp_path / "newwiki.duckdb")
    for run_id, decoder in (("nucleus", CANONICAL), ("greedy", "greedy"), ("plug-in", "gone:x=1"), ("grid", "a[1,2]")):
        add_run(database, run_id, decoder)
    return database.path


def stored(path: Path) -> dict[str, str]:
    with Database(path).read() as connection:
        return dict(connection.execute("select run_id, decoder_short from runs").fetchall())


EXPECTED = {"nucleus": "sample:top_p=0.9", "greedy": "greedy", "plug-in": "gone:x=1", "grid": "a[1,2]"}


def test_a_run_that_is_begun_has_it(path: Path) -> None:
    assert stored(path) == EXPECTED


def test_runs_of_an_earlier_version_get_it_when_the_database_is_opened(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        for statement in undoing(34):
            connection.execute(statement)
    assert stored(path) == EXPECTED


def test_one_that_is_not_its_decoders_is_found(path: Path) -> None:
    with Database(path).write() as connection:
        assert short_forms.doubtful(connection) == []
        connection.execute("update runs set decoder_short = 'sample:top_p=0.8' where run_id = 'nucleus'")
        connection.execute("update runs set decoder_short = null where run_id = 'greedy'")
        connection.execute("update runs set decoder_short = 'gone' where run_id = 'plug-in'")
        assert sorted(short_forms.doubtful(connection)) == [
            "run greedy is under greedy, and its short form is NULL",
            f"run nucleus is under {CANONICAL}, and its short form is sample:top_p=0.8",
        ]
