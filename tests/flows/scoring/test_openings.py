"""A scoring opens the database once to read, and then as often as there is something to store."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import duckdb
import pytest

from evaluators.scoring import select
from flows.progress import Silent
from flows.scoring import score_run as scoring
from flows.scoring.batches import BatchScores, InThisProcess, TextBatch
from flows.scoring.loaded_evaluators import LoadedEvaluators
from flows.scoring.texts_from_elsewhere import take_in
from newwiki.records import Run
from newwiki.settings import Settings
from newwiki.snapshot import Article
from storage import runs
from storage.attached import attached
from storage.database import Database
from tests.flows.scoring.test_score import about_articles, written

TEXTS, ARTICLES = 6, 3


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How the file was opened, each time."""
    times: list[str] = []

    def counted(path: Path, *, read_only: bool) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        times.append("read" if read_only else "write")
        return attached(path, read_only=read_only)

    monkeypatch.setattr("storage.database.attached", counted)
    return times


@pytest.fixture
def run(database: Path, tmp_path: Path) -> tuple[Run, list[Article]]:
    file = written(tmp_path, *about_articles(database, ARTICLES, TEXTS // ARTICLES))
    return take_in(Database(database), file, snapshot="latest", model=None, decoder=None)


def loaded(metrics: str = "rep_4,bleu,entity_overlap") -> LoadedEvaluators:
    return LoadedEvaluators(select(metrics), Settings(entities="rules-v1"))


def score(database: Path, run: tuple[Run, list[Article]], evaluators: LoadedEvaluators, how: InThisProcess) -> None:
    scoring.score_run(Database(database), *run, evaluators, Silent(), how)


@pytest.mark.slow
def test_a_small_run_is_read_once_and_stored_with_its_articles_in_two_transactions(
    database: Path, run: tuple[Run, list[Article]], opened: list[str]
) -> None:
    evaluators = loaded()
    opened.clear()
    score(database, run, evaluators, InThisProcess())
    assert opened == ["read", "write", "write"]
    opened.clear()
    score(database, run, evaluators, InThisProcess())
    assert opened == ["read"], "all is scored, so nothing is stored"


def test_numbers_of_the_whole_run_are_one_reading_more_and_a_transaction_each(
    database: Path, run: tuple[Run, list[Article]], opened: list[str]
) -> None:
    evaluators = loaded("rep_4,self_bleu")
    opened.clear()
    score(database, run, evaluators, InThisProcess())
    assert opened == ["read", "write", "write", "read", "write", "write"]
    opened.clear()
    score(database, run, evaluators, InThisProcess())
    assert opened == ["read", "read"]


@pytest.mark.slow
def test_each_batch_is_one_transaction_more(
    database: Path, run: tuple[Run, list[Article]], opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "_BATCH", 2)
    evaluators = loaded()
    opened.clear()
    score(database, run, evaluators, InThisProcess())
    assert opened == ["read", *["write"] * (2 + 3)], "two batches of articles, three of texts"


def test_a_file_of_texts_is_taken_in_by_one_transaction(database: Path, tmp_path: Path, opened: list[str]) -> None:
    file = written(tmp_path, *about_articles(database))
    here = Database(database)
    opened.clear()
    take_in(here, file, snapshot="latest", model=None, decoder=None)
    assert opened == ["read", "read", "write"]


class Watched(InThisProcess):
    """Ends with the process after so many batches; others write to the database before each."""

    def __init__(self, path: Path, batches: int) -> None:
        self._path, self._batches = path, batches

    def score(self, loaded: LoadedEvaluators, batches: Iterable[TextBatch]) -> Iterator[tuple[TextBatch, BatchScores]]:
        for batch in batches:
            with duckdb.connect(str(self._path)) as other:
                other.execute("insert into scorings values ('another', uuid()::varchar, now())")
            if not self._batches:
                raise KeyboardInterrupt
            self._batches -= 1
            yield from super().score(loaded, [batch])


@pytest.mark.parametrize("batches", [0, 2, 4])
def test_others_write_between_batches_and_what_was_done_when_it_ended_is_not_done_again(
    database: Path, run: tuple[Run, list[Article]], batches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "_BATCH", 2)
    evaluators = loaded("rep_4")
    with pytest.raises(KeyboardInterrupt):
        score(database, run, evaluators, Watched(database, batches))
    name = evaluators.ids(evaluators.evaluators)
    assert not name & runs.finished_scorings(Database(database), run[0].run_id)
    score(database, run, evaluators, Watched(database, 5 - batches))
    assert name <= runs.finished_scorings(Database(database), run[0].run_id)
    with Database(database).read() as connection:
        asked = "select count(*), count(distinct (run_id, page_id, sample)) from scores"
        assert connection.execute(asked).fetchall() == [(TEXTS + ARTICLES, TEXTS + ARTICLES)]
        assert len(connection.execute("select * from scorings where run_id = 'another'").fetchall()) >= 5
