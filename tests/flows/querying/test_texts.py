"""One line of SQL answers, from `texts` and `leaderboard`: by hand on a database of a dozen texts."""

from pathlib import Path
from typing import Any

import pytest

from newwiki.records import Completion, Fingerprint, Metric, Score
from newwiki.snapshot import Topic
from storage import runs, topics
from storage.cookbook import question
from storage.database import Database
from tests.flows.scored import SNAPSHOT, add_run

BY, LATER = (Fingerprint(name, "by hand", version) for name, version in (("by-hand", "1"), ("later", "2")))
GREEDY, NUCLEUS = "greedy", "sample:top_p=0.9"
CANONICAL = (
    "sample:frequency_penalty=0,presence_penalty=0,repetition_penalty=1,temperature=1,top_k=0,top_p=0.9,typical_p=1"
)
# By run, page and sample: S-BERT, repetition.
NUMBERS: dict[str, dict[tuple[int, int], tuple[float, float | None]]] = {
    "greedy": {(0, 0): (0.9, 0.5), (0, 1): (0.7, 0.1), (1, 0): (0.2, 0.05), (1, 1): (0.4, None)},
    "nucleus": {(0, 0): (0.5, 0.0), (0, 1): (0.6, 0.0), (1, 0): (0.8, 0.2), (1, 1): (0.3, 0.0)},
}
REFERENCE = f"reference:{SNAPSHOT}"
Row = dict[str, Any]


@pytest.fixture(scope="module")
def database(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Two runs of two prompts and two samples, one by each of two decoders, and the two articles; `nucleus` was written
    last. The articles are a human and a film."""
    path = tmp_path_factory.mktemp("texts") / "newwiki.duckdb"
    path.write_bytes(published.read_bytes())
    database = Database(path)
    pages = [page for (page,) in _asked(database, "select page_id from articles order by title limit 2")]
    topics.store(
        database, SNAPSHOT, [Topic(page, "Q1", (), topic) for page, topic in zip(pages, ("Human", "Film"), strict=True)]
    )
    metrics = [Metric(name, "", None, None, "higher", f"{name} by hand", "") for name in ("sbert", "rep_4")]
    runs.register(database, [BY, LATER], metrics)
    for run_id, decoder in (("greedy", GREEDY), ("nucleus", CANONICAL)):
        add_run(database, run_id, decoder, samples=2, keep=2)
        written = [
            Completion(pages[place], sample, f"{run_id} {place} {sample}", 3, 3, "stop", False)
            for place, sample in NUMBERS[run_id]
        ]
        runs.add_completions(database, run_id, written)
        runs.complete(database, run_id, 2)
        _score(database, run_id, [(pages[place], sample, *both) for (place, sample), both in NUMBERS[run_id].items()])
    _score(database, REFERENCE, [(page, 0, 1.0, 0.01) for page in pages])
    return database


def _score(database: Database, run_id: str, numbers: list[tuple[Any, ...]], by: Fingerprint = BY) -> None:
    runs.add_scores(database, run_id, [
        Score(page, sample, metric, value, "ok" if value is not None else "no words", by.evaluator_id)
        for page, sample, *both in numbers for metric, value in zip(("sbert", "rep_4"), both, strict=True)
    ])  # fmt: skip
    runs.finish_scoring(database, run_id, {by.evaluator_id})


def _asked(database: Database, text: str) -> list[tuple[Any, ...]]:
    with database.fenced() as connection:
        found: list[tuple[Any, ...]] = connection.sql(text).fetchall()
        return found


def answer(database: Database, name: str) -> list[tuple[Any, ...]]:
    return _asked(database, question(name).query)


def test_a_text_has_all_that_is_known_of_it_in_one_row(database: Database) -> None:
    titles = [title for (title,) in _asked(database, "select title from articles order by title limit 2")]
    columns = (
        "model, decoder, run_id, snapshot_id, wiki, title, topic, sample, text, text_words, is_reference, sbert, rep_4"
    )
    rows = _asked(database, f"select {columns} from texts where sbert is not null order by run_id, text")  # noqa: S608
    wiki = SNAPSHOT.rpartition("-2026")[0]
    assert rows[0] == (
        "models/toy", "greedy", "greedy", SNAPSHOT, wiki, titles[0], "Human", 0, "greedy 0 0", 3, False, 0.9, 0.5
    )  # fmt: skip
    assert rows[7][:4] == ("models/toy", NUCLEUS, "nucleus", SNAPSHOT)
    assert [row[:4] + row[10:] for row in rows[8:]] == [
        ("Wikipedia", "reference", REFERENCE, SNAPSHOT, True, 1, 0.01)
    ] * 2
    assert len(rows) == 10


def test_the_worst_by_a_metric_are_a_line_away(database: Database) -> None:
    assert [row[1:] for row in answer(database, "most_repetitive")[:2]] == [(0.2, "nucleus 1 0"), (0.0, "nucleus 0 0")]
    assert [row[1:] for row in answer(database, "least_like_the_article")] == [
        (0.3, "nucleus 1 1"), (0.5, "nucleus 0 0"), (0.6, "nucleus 0 1"), (0.8, "nucleus 1 0")
    ]  # fmt: skip
    of_all = _asked(database, "select decoder, rep_4, text from texts where not is_reference order by rep_4 desc, text")
    assert of_all[:3] == [("greedy", 0.5, "greedy 0 0"), (NUCLEUS, 0.2, "nucleus 1 0"), ("greedy", 0.1, "greedy 0 1")]
    assert of_all[-1] == ("greedy", None, "greedy 1 1") and len(of_all) == 8


def test_the_best_decoder_by_topic_is_a_line_away(database: Database) -> None:
    """By hand: greedy has 0.8 on the human and 0.3 on the film, nucleus 0.55 on both."""
    rows = [row[:5] for row in answer(database, "best_decoder_by_topic")]
    model = "models/toy"
    assert rows == [
        ("Film", model, CANONICAL, pytest.approx(0.55), 2), ("Human", model, "greedy", pytest.approx(0.8), 2)
    ]  # fmt: skip
    of_texts = _asked(
        database,
        "select topic, decoder, avg(sbert) as mean from texts where not is_reference and topic is not null "
        "group by topic, decoder qualify row_number() over (partition by topic order by mean desc) = 1 order by topic",
    )
    assert of_texts == [("Film", NUCLEUS, pytest.approx(0.55)), ("Human", "greedy", pytest.approx(0.8))]
    assert [row[0::2] for row in answer(database, "weakest_topics")] == [("Film", 2), ("Human", 2)]
    assert [row[1:] for row in answer(database, "weakest_titles")] == [(pytest.approx(0.55), 2)] * 2


def test_shares_lengths_and_rows_are_counted_by_hand(database: Database) -> None:
    assert answer(database, "repetitive_share") == [("Film", 0.5, 2), ("Human", 0.0, 2)]
    assert [row[1:] for row in answer(database, "one_article")] == [(0, 3, "nucleus 0 0"), (1, 3, "nucleus 0 1")]
    assert len(answer(database, "longest_texts")) == 4
    ((written,),) = _asked(database, "select completion from articles order by title limit 1")
    article = _asked(database, "select sample, text, text_words from texts where is_reference order by title limit 1")
    assert article == [(0, written, None)]
    boards = [(row[0], row[2], row[3], row[4]) for row in answer(database, "best_runs")]
    assert boards == [("models/toy", pytest.approx(0.55), None, None)] * 2


def test_rows_of_articles_are_marked_wherever_they_stand_among_runs(database: Database) -> None:
    for view in ("texts", "leaderboard", "scores_wide"):
        marked = _asked(database, f"select distinct run_id, is_reference from {view} order by 1")  # noqa: S608
        assert marked == [("greedy", False), ("nucleus", False), (REFERENCE, True)], view


def test_a_text_that_another_evaluator_scored_has_no_number_in_the_column(database: Database, tmp_path: Path) -> None:
    """A later evaluator has scored one of the runs, and then both: the column is of who has scored all."""
    other = Database(tmp_path / "other.duckdb")
    other.path.write_bytes(database.path.read_bytes())
    pages = [page for (page,) in _asked(other, "select page_id from articles order by title limit 2")]
    asked = "select run_id, sum(sbert) from texts where sbert is not null group by run_id order by run_id"
    of_first = [("greedy", pytest.approx(2.2)), ("nucleus", pytest.approx(2.2)), (REFERENCE, 2.0)]
    _score(other, "greedy", [(page, sample, 7.0, 7.0) for page in pages for sample in (0, 1)], LATER)
    assert _asked(other, asked)[:2] == of_first[:2]
    _score(other, "nucleus", [(page, sample, 8.0, 8.0) for page in pages for sample in (0, 1)], LATER)
    assert _asked(other, asked) == [("greedy", 28.0), ("nucleus", 32.0)]


def test_the_short_form_of_a_decoder_stands_with_the_run(database: Database) -> None:
    assert _asked(database, "select run_id, decoder_short from runs order by 1") == [
        ("greedy", "greedy"), ("nucleus", NUCLEUS)
    ]  # fmt: skip
