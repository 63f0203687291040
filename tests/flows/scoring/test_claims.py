"""`--metrics claims`: verdicts are stored with the scores that count them, whoever makes them and however often."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from evaluators.scoring import select
from flows.progress import Silent
from flows.scoring import score_run as scoring_steps
from flows.scoring.batches import BatchScores, InThisProcess, TextBatch
from flows.scoring.loaded_evaluators import LoadedEvaluators, choose
from flows.scoring.score_run import score_run
from flows.scoring.score_shard import ShardedScoring
from flows.scoring.texts_from_elsewhere import take_in
from flows.settings_in_force import settings_in_force
from flows.workers.shards import R, S, Setting
from newwiki.errors import TerminalError, UsageError
from newwiki.settings import Settings
from storage.database import Database
from storage.keys import repeated
from storage.queries import query
from tests.evaluators.claims.indexed import index_of
from tests.evaluators.handmade import judge
from tests.flows.scoring.test_costly import Notes

Rows = dict[str, list[tuple[Any, ...]]]
TEXTS = ["A bridge is old. That river is wide.", "It stands.", "Zebras!", "", "That river is wide. " * 3, "A river."]


@pytest.fixture(scope="module")
def scorer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return judge(tmp_path_factory.mktemp("judge"))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two articles with six texts each."""
    rows = [
        {
            "prompt": f"{title}\n\nThe bridge is a good bridge.",
            "reference": "Its river is bad. Anna came.",
            "text": text,
        }
        for title in ("Bridge", "Old bridge")
        for text in TEXTS
    ]
    path = tmp_path_factory.mktemp("texts") / "texts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def settings(scorer: Path, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = index_of(tmp_path_factory.mktemp("index"), {"River": "A river is bad.", "Town": "It is a good town."})
    return Settings(pair_scorer=str(scorer), evidence=str(folder))


@pytest.fixture(scope="module")
def loaded(settings: Settings) -> LoadedEvaluators:
    return LoadedEvaluators(select("claims"), settings)


@pytest.fixture(scope="module")
def whole(file: Path, loaded: LoadedEvaluators, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Scored at one go."""
    database = Database(tmp_path_factory.mktemp("whole") / "newwiki.duckdb")
    score_file(database, file, loaded)
    return database


def score_file(database: Database, file: Path, loaded: LoadedEvaluators, scoring: Any = None) -> None:
    run, articles = take_in(database, file, snapshot="latest", model=None, decoder=None)
    score_run(database, run, articles, loaded, Silent(), scoring)


def rows(database: Database) -> Rows:
    with database.read() as connection:
        return {
            "claims": connection.execute("from claims order by all").fetchall(),
            "scores": connection.execute("from scores order by all").fetchall(),
            "scorings": connection.execute("select run_id, evaluator_id from scorings order by all").fetchall(),
        }


def problems(database: Database) -> list[tuple[Any, ...]]:
    with database.read() as connection:
        dangling = connection.execute(query("integrity")).fetchall()
        return [row for row in dangling if row[1]] + repeated(connection)


def test_the_shares_are_those_of_the_verdicts_that_are_stored(whole: Database) -> None:
    with whole.read() as connection:
        counted = connection.execute("""
            select run_id, page_id, sample, evaluators.name || '_' || replace(verdict, ' ', '_') as metric,
                count(*) filter (label = verdict) / count(*)
            from claims
            join evaluators using (evaluator_id)
            cross join (select unnest(['supported', 'refuted', 'not enough info']) as verdict)
            group by all
            order by all
        """).fetchall()
        stored = connection.execute("""
            select run_id, page_id, sample, metric, value from scores where value is not null order by all
        """).fetchall()
        empty = connection.execute("select distinct status from scores where value is null").fetchall()
    assert counted == stored
    assert {metric.split("_")[1] for _, _, _, metric, _ in stored} == {"article", "wiki"}
    assert empty == [("no sentences",)]
    assert not problems(whole)


def test_a_view_counts_a_runs_verdicts(whole: Database) -> None:
    with whole.read() as connection:
        found = connection.execute("""
            select evaluator, texts, sentences, supported, refuted, not_enough_info, refuted_share
            from claim_verdicts
            where not starts_with(run_id, 'reference:')
        """).fetchall()
    # Of either title the article supports that a bridge is old and stands, and refutes five times what a river is; the
    # index has nothing on what stands, and that a river is bad is the nearest to a bridge's being old.
    assert found == [("claims_article", 10, 16, 4, 10, 2, 10 / 16), ("claims_wiki", 10, 16, 0, 12, 4, 12 / 16)]


class OneAfterAnother:
    """Workers that are this process: shards go to them and come back as to those on other machines."""

    workers = 2
    setting = Setting((), "here", 0, None)

    def run(self, work: Callable[[S], R], shards: Sequence[S], name: Callable[[S], str]) -> Iterator[tuple[S, R]]:
        return ((shard, work(shard)) for shard in shards)


def test_workers_hand_back_the_same(whole: Database, file: Path, loaded: LoadedEvaluators, tmp_path: Path) -> None:
    database = Database(tmp_path / "newwiki.duckdb")
    score_file(database, file, loaded, ShardedScoring(OneAfterAnother()))
    assert rows(database) == rows(whole)


class Interrupted(Exception):
    """Of a scoring that was stopped."""


class StoppedAfter(InThisProcess):
    """A scoring that stops before one batch more than so many; it notes which texts it scores."""

    def __init__(self, batches: int) -> None:
        self._left = batches
        self.keys: list[tuple[int, int]] = []

    def score(self, loaded: LoadedEvaluators, batches: Iterable[TextBatch]) -> Iterator[tuple[TextBatch, BatchScores]]:
        for batch, scores in super().score(loaded, batches):
            if not self._left:
                raise Interrupted
            self._left -= 1
            self.keys += batch.keys
            yield batch, scores


def test_interrupted_it_goes_on_with_what_is_not_stored(
    whole: Database, file: Path, loaded: LoadedEvaluators, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring_steps, "_COSTLY_BATCH", 4)
    database = Database(tmp_path / "newwiki.duckdb")
    first, rest = StoppedAfter(2), StoppedAfter(99)  # the articles are the first batch
    with pytest.raises(Interrupted):
        score_file(database, file, loaded, first)
    assert len(first.keys) == 4
    assert not problems(database)
    score_file(database, file, loaded, rest)
    assert rows(database) == rows(whole)
    assert len(first.keys + rest.keys) == len({*first.keys, *rest.keys}) == 12
    score_file(database, file, loaded, StoppedAfter(0))  # nothing is left


def test_claims_without_an_index_leave_the_wiki_out_and_say_so(scorer: Path) -> None:
    notes = Notes()
    without = Settings(pair_scorer=str(scorer))
    assert [one.name for one in choose("claims", without, notes)] == ["claims_article"]
    assert notes.notes == [
        "claims_wiki is left out: no evidence index is set; build one with `newwiki evidence build`, and add "
        "--evidence FOLDER"
    ]
    by_name = choose("claims_wiki_refuted", without, notes)
    with pytest.raises(TerminalError, match="claims_wiki: no evidence index is set"):
        LoadedEvaluators(by_name, without)


def test_all_takes_claims_where_their_model_is_here(settings: Settings) -> None:
    assert {"claims_article", "claims_wiki"} <= {one.name for one in choose("all", settings, Notes())}


def test_a_wrong_pair_scorer_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('model = "m"\n')
    with pytest.raises(UsageError, match=r"mine.toml' needs 'labels'"):
        settings_in_force(None, pair_scorer=str(tmp_path / "mine.toml"))
