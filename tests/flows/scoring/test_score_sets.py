"""A run's metrics as a whole, from completions in the database to the leaderboard."""

import hashlib
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import evaluators.scoring
from evaluators.scoring import select
from flows.comparing.board import board
from flows.progress import Silent
from flows.scoring import score_run as scoring
from flows.scoring import score_sets
from flows.scoring.score_all import score_all
from newwiki.records import Completion, Run
from newwiki.request import ScoringRequest
from newwiki.settings import Settings
from newwiki.snapshot import Article
from storage import runs, snapshots
from storage.database import Database

SETS = "mauve,ngram_entropy_1,self_bleu,backward_bleu,nist,distinct_4grams,diversity_simctg"
METRICS = {
    "diversity_simctg",
    "mauve",
    "ngram_entropy_1",
    "ngram_entropy_2",
    "ngram_entropy_3",
    "self_bleu",
    "backward_bleu",
    "nist",
    "distinct_4grams",
    "four_gram_proportion",
}


class HashEmbedder:
    """A unit vector by the hash of a text. It remembers what it was given."""

    parts = frozenset({"embedding"})
    packages: tuple[str, ...] = ()
    parameters: Mapping[str, object] = {}
    model = "hash"
    model_sha256 = None
    dtype = None
    backend = None

    def __init__(self) -> None:
        self.texts: list[str] = []

    def make(self, prompts: Sequence[str], texts: Sequence[str], parts: Set[str]) -> Mapping[str, Sequence[Any]]:
        self.texts += texts
        rows = [
            np.frombuffer(hashlib.sha256(text.encode("utf-8", "replace")).digest(), np.uint8) - 127.5 for text in texts
        ]
        return {"embedding": [row / np.linalg.norm(row) for row in rows]}


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> HashEmbedder:
    made = HashEmbedder()
    monkeypatch.setattr("evaluators.embedding.load_embedder", lambda *choice: made)
    return made


@pytest.fixture
def here(database: Path) -> Database:
    return Database(database)


def written(database: Database, run_id: str, prompts: int, samples: int) -> tuple[Run, list[Article]]:
    """A complete run whose texts are pieces of the articles."""
    snapshot = snapshots.resolve(database, "latest")
    articles = list(snapshots.articles(database, snapshot.snapshot_id))[:prompts]
    run = Run(
        run_id=run_id,
        snapshot_id=snapshot.snapshot_id,
        model="toy",
        model_sha256="0" * 64,
        backend="hf",
        decoder="sample",
        decoder_parameters="{}",
        prompt_template="{title}\n\n{first_sentence}",
        prompts=prompts,
        seed=0,
        samples=samples,
        keep=samples,
        max_new_tokens=8,
        dtype="float32",
        versions="{}",
    )
    runs.start(database, run)
    texts = [
        Completion(a.page_id, sample, " ".join(a.completion.split()[sample * 7 : 100]), 5, 90, "stop", False)
        for a in articles
        for sample in range(samples)
    ]
    runs.add_completions(database, run_id, texts)
    runs.complete(database, run_id, samples)
    return run, articles


def score(database: Database, run: Run, articles: Sequence[Article], metrics: str = SETS) -> None:
    loaded_evaluators = scoring.LoadedEvaluators(select(metrics), Settings(entities="rules-v1"))
    scoring.score_run(database, run, articles, loaded_evaluators, Silent())


def rows(database: Database, question: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(database.path), read_only=True) as connection:
        return connection.execute(question).fetchall()


def test_a_run_and_its_articles_get_every_number_once(here: Database, embedder: HashEmbedder) -> None:
    run, articles = written(here, "run-1", 5, 3)
    for _ in range(2):
        score(here, run, articles)
    stored = rows(here, "select run_id, metric, texts from run_scores")
    of_articles = f"reference:{run.snapshot_id}"
    assert sorted(stored) == sorted(
        (run_id, metric, texts) for run_id, texts in (("run-1", 15), (of_articles, 5)) for metric in METRICS
    )
    assert len(embedder.texts) == len(set(embedder.texts)) == 15 + 5
    assert (
        rows(here, "select status from run_scores where metric = 'mauve'")
        == [("fewer than 20 texts or articles that can be embedded",)] * 2
    )
    values = dict(rows(here, "select metric, value from run_scores where run_id <> 'run-1'"))
    assert (values["backward_bleu"], values["four_gram_proportion"]) == (1, 1)
    board = rows(here, "select run_id, self_bleu, self_bleu_sd, self_bleu_low from leaderboard order by run_id")
    assert [(run_id, low) for run_id, *_, low in board] == [(of_articles, None), ("run-1", None)]
    assert board[0][2] is None, "there is one draw of the articles"
    assert board[1][2] > 0


def test_texts_that_are_embedded_for_other_metrics_are_not_embedded_again(
    here: Database, embedder: HashEmbedder
) -> None:
    run, articles = written(here, "run-1", 3, 2)
    score(here, run, articles, "sbert,mauve")
    assert len(embedder.texts) == len(set(embedder.texts)) == 6 + 3


def test_only_drawn_texts_are_embedded_for_a_set_metric(here: Database, embedder: HashEmbedder) -> None:
    run, articles = written(here, "run-1", 2, 8)
    score(here, run, articles, "mauve")
    assert len(embedder.texts) == 2 * 5 + 2


def test_what_came_before_an_interruption_is_not_scored_again(
    here: Database, embedder: HashEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, articles = written(here, "run-1", 2, 1)
    score(here, run, articles, "ngram_entropy_1,self_bleu")
    whole = rows(here, "select * from run_scores order by all")
    with here.write() as connection:
        connection.execute("delete from run_scores where metric = 'self_bleu'")
        connection.execute("delete from scorings")
    asked: list[str] = []
    real = evaluators.scoring.score_set

    def noted(*given: Any) -> Any:
        asked.append(given[0].name)
        return real(*given)

    monkeypatch.setattr(score_sets, "score_set", noted)
    score(here, run, articles, "ngram_entropy_1,self_bleu")
    assert asked == ["self_bleu", "self_bleu"]
    assert rows(here, "select * from run_scores order by all") == whole
    assert rows(here, "select count(*) from leaderboard") == [(2,)]


def test_a_run_on_more_articles_gives_the_articles_new_numbers(here: Database, embedder: HashEmbedder) -> None:
    for run_id, prompts in (("run-1", 2), ("run-2", 4), ("run-3", 3)):
        score(here, *written(here, run_id, prompts, 1), "ngram_entropy_1")
    texts = rows(here, "select run_id, texts from run_scores where metric = 'ngram_entropy_1' order by all")
    assert texts[0][1] == 4
    assert texts[1:] == [("run-1", 2), ("run-2", 4), ("run-3", 3)]
    assert rows(here, "select count(*) from run_scores") == [(4 * 3,)]
    assert rows(here, "select count(*) from leaderboard") == [(4,)]


def test_a_run_that_kept_nothing_has_reasons(here: Database, embedder: HashEmbedder) -> None:
    run, articles = written(here, "run-1", 2, 0)
    score(here, run, articles, "mauve,self_bleu")
    assert rows(here, "select distinct value, status from run_scores where run_id = 'run-1'") == [(None, "no texts")]


def test_core_has_no_metric_of_a_run_and_all_has_every_one() -> None:
    assert {metric.scope for evaluator in select("core") for metric in evaluator.metrics} == {"text"}
    of_runs = {metric.name for evaluator in select("all") for metric in evaluator.metrics if metric.scope == "run"}
    assert of_runs == METRICS


def test_after_a_scoring_the_leaderboard_shows_the_number_that_it_gave_the_run(
    here: Database, embedder: HashEmbedder
) -> None:
    """Whichever evaluator is newer: that which was asked for just now."""
    written(here, "run-1", 3, 2)
    asked, of_models = ScoringRequest(run=("run-1",), metrics="mauve"), {}
    for model in ("hash", "another"):
        embedder.model = model
        [of_models[model]] = score_all(here, asked, Settings(), Silent())
    assert of_models["hash"] != of_models["another"]
    for evaluator_id in of_models.values():
        records = board(here, prefer={evaluator_id}).records
        assert {record["mauve_scored_by"] for record in records} == {evaluator_id}
