"""Anchors are made and scored once for a snapshot, a length and an evaluator, and never mixed with runs."""

from dataclasses import replace
from pathlib import Path

import pytest

from evaluators.scoring import select
from flows.progress import Silent
from flows.scoring.anchor_texts import anchor_texts, score_anchors
from flows.scoring.batches import InThisProcess
from flows.scoring.score_run import LoadedEvaluators, score_run
from flows.scoring.texts_from_elsewhere import take_in
from newwiki.anchors import ANCHORS, nearest_length
from newwiki.settings import Settings
from newwiki.snapshot import Article
from storage import anchors, runs, snapshots
from storage.database import Database
from tests.flows.scoring.test_score import about_articles, written

LOADED = LoadedEvaluators(select("bleu,rep_4"), Settings(entities="rules-v1"), 200)


class Counting(InThisProcess):
    """Scores here, and counts the texts."""

    def __init__(self) -> None:
        self.texts = 0

    def score(self, loaded, batches):  # type: ignore[no-untyped-def]
        for batch in batches:
            self.texts += len(batch.texts)
            yield from super().score(loaded, [batch])


def scored(database: Path, file: Path, loaded: LoadedEvaluators = LOADED) -> tuple[str, int]:
    """Score a file's texts and their anchors, and return the run and the number of scored anchor texts."""
    run, articles = take_in(Database(database), file, snapshot="latest", model=None, decoder=None)
    score_run(Database(database), run, articles, loaded, Silent())
    counting = Counting()
    score_anchors(Database(database), run, articles, loaded, Silent(), counting)
    return run.run_id, counting.texts


def rows(database: Path, query: str) -> list[tuple[object, ...]]:
    with Database(database).read() as connection:
        return connection.execute(query).fetchall()


def test_anchors_are_scored_once_for_all_runs_of_a_length(database: Path, tmp_path: Path) -> None:
    texts = about_articles(database)
    _, count = scored(database, written(tmp_path, *texts))
    assert count == 3 * len(ANCHORS)
    again = [row | {"text": str(row["text"]) + "."} for row in texts]
    assert scored(database, written(tmp_path, *again, name="again.jsonl"))[1] == 0
    longer = [row | {"text": f"{row['text']} " * 3} for row in texts]
    assert scored(database, written(tmp_path, *longer, name="longer.jsonl"))[1] == 3 * len(ANCHORS)
    assert rows(database, "select distinct words from anchors order by 1") == [(40,), (120,)]


def test_only_what_an_evaluator_lacks_is_scored(database: Path, tmp_path: Path) -> None:
    file = written(tmp_path, *about_articles(database))
    scored(database, file, LOADED.only(LOADED.evaluators[:1]))
    before = rows(database, "select * from anchor_scores order by all")
    assert scored(database, file)[1] == 3 * len(ANCHORS)
    after = rows(database, "select * from anchor_scores order by all")
    assert set(before) < set(after) and len(after) == 2 * len(before)
    with Database(database).write() as connection:  # as a process that was killed between two writes leaves it
        connection.execute("delete from anchor_scores where page_id = (select min(page_id) from anchor_scores)")
    assert scored(database, file)[1] == len(ANCHORS)
    assert rows(database, "select * from anchor_scores order by all") == after


def test_anchors_are_no_runs(database: Path, tmp_path: Path) -> None:
    run_id, _ = scored(database, written(tmp_path, *about_articles(database)))
    assert {name for (name,) in rows(database, "select distinct run_id from scores")} == {
        run_id,
        *(name for (name,) in rows(database, "select run_id from leaderboard where is_reference")),
    }
    assert rows(database, "select count(distinct anchor), min(texts) from anchors where metric = 'bleu'") == [(5, 3)]
    assert all(count == 0 for _, count in Database(database).rows("integrity"))


def test_each_anchor_is_the_text_that_it_is_called(database: Path, tmp_path: Path) -> None:
    scored(database, written(tmp_path, *about_articles(database)))
    found = {
        (anchor, metric): mean for anchor, metric, mean in rows(database, "select anchor, metric, mean from anchors")
    }
    assert found["anchor:article", "bleu"] > found["anchor:other", "bleu"]  # type: ignore[operator]
    assert found["anchor:repeat", "rep_4"] > 0.2 > found["anchor:article", "rep_4"]  # type: ignore[operator]


def test_costly_evaluators_score_no_anchors(database: Path, tmp_path: Path) -> None:
    costly = LoadedEvaluators([replace(one, costly=True) for one in select("rep_4")], Settings(), 200)
    assert scored(database, written(tmp_path, *about_articles(database)), costly)[1] == 0


def test_texts_with_their_own_references_have_no_anchors(tmp_path: Path) -> None:
    prompt = "Orlow\n\nOrlow is a town."
    line: dict[str, object] = {"prompt": prompt, "reference": "It lies on the Lumen.", "text": "Soup is hot."}
    assert scored(tmp_path / "empty.duckdb", written(tmp_path, line))[1] == 0


def test_anchors_have_the_length_and_the_words_that_they_promise(database: Path) -> None:
    with Database(database).read():
        name = snapshots.resolve(Database(database), "latest").snapshot_id
        article, other, *_ = snapshots.articles(Database(database), name)
    texts = anchor_texts(article, other, 40, "en")
    assert texts.keys() == ANCHORS.keys()
    assert {len(text.split()) for text in texts.values()} == {40}
    assert article.completion.startswith(texts["anchor:article"]) and other.completion.startswith(texts["anchor:other"])
    assert sorted(texts["anchor:shuffled"].split()) == sorted(texts["anchor:article"].split())
    assert texts["anchor:repeat"].startswith(article.first_sentence[:20])


def test_a_short_article_gives_a_short_text(database: Path) -> None:
    article = Article(**{**vars(_any(database)), "completion": "It is old.", "first_sentence": "Lorn is a town."})
    assert anchor_texts(article, article, 40, "en")["anchor:article"] == "It is old."


def _any(database: Path) -> Article:
    name = snapshots.resolve(Database(database), "latest").snapshot_id
    return snapshots.articles(Database(database), name)[0]


@pytest.mark.parametrize(
    ("words", "length"), [(0, 15), (1, 15), (34, 30), (35, 40), (121, 120), (140, 160), (9999, 480)]
)
def test_lengths_are_nearest_by_ratio(words: int, length: int) -> None:
    assert nearest_length(words) == length


def test_median_is_that_of_kept_texts(database: Path, tmp_path: Path) -> None:
    run_id, _ = scored(database, written(tmp_path, *about_articles(database)))
    with Database(database).write() as connection:
        connection.execute("update completions set kept = false where sample = 1")
    assert anchors.median_words(Database(database), [run_id]) == {run_id: 40}
    assert runs.status(Database(database), run_id) == "complete"
