"""`newwiki score`: texts from elsewhere, and what is missing; nothing is scored or read twice."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from evaluators.scoring import select
from evaluators.tagger import Mention
from flows.comparing.board import board
from flows.comparing.differences import compare_all
from flows.progress import Silent
from flows.scoring.batches import TextBatch, score_batch
from flows.scoring.score_run import LoadedEvaluators, score_run
from flows.scoring.texts_from_elsewhere import take_in
from newwiki.comparison_requests import ComparisonRequest
from newwiki.errors import UsageError
from newwiki.settings import Settings
from storage import runs, snapshots
from storage.database import Database
from tests.flows.conftest import Run

SETTINGS = Settings(entities="rules-v1")


def written(tmp_path: Path, *rows: dict[str, object], name: str = "texts.jsonl") -> Path:
    (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / name


def about_articles(database: Path, count: int = 3, samples: int = 2) -> list[dict[str, object]]:
    """Texts by title, of the snapshot's longest articles: their own words, turned round."""
    name = snapshots.resolve(Database(database), "latest").snapshot_id
    return [
        {"title": article.title, "text": " ".join(article.completion.split()[::-1][: 40 + sample])}
        for article in snapshots.articles(Database(database), name)[:count]
        for sample in range(samples)
    ]


def scores(database: Path, run_id: str) -> dict[tuple[int, int, str], float | None]:
    with Database(database).read() as connection:
        asked = "select page_id, sample, metric, value from scores where run_id = ?"
        return {(page, sample, name): v for page, sample, name, v in connection.execute(asked, [run_id]).fetchall()}


def score_file(database: Path, file: Path, metrics: str, *, costly: bool = False, budget: int = 200) -> str:
    run, articles = take_in(Database(database), file, snapshot="latest", model=None, decoder=None)
    evaluators = [replace(evaluator, costly=costly) for evaluator in select(metrics)]
    score_run(Database(database), run, articles, LoadedEvaluators(evaluators, SETTINGS, budget), Silent())
    return run.run_id


@pytest.mark.slow
def test_texts_from_elsewhere_stand_in_the_leaderboard(in_process: Run, database: Path, tmp_path: Path) -> None:
    file = written(tmp_path, *about_articles(database))
    asked = ("--metrics", "bleu,rep_4", "--model", "other", "--decoder", "nucleus 0.9", "--format", "json")
    ended = in_process("score", file, "--db", database, *asked)
    assert ended.returncode == 0, ended.stderr
    rows = {row["model"]: row for row in json.loads(ended.stdout)}
    assert rows.keys() == {"Wikipedia", "other"}
    assert (rows["other"]["decoder"], rows["other"]["prompts"], rows["other"]["completions"]) == ("nucleus 0.9", 3, 6)
    assert rows["other"]["bleu"] < rows["Wikipedia"]["bleu"] == pytest.approx(100)


def test_the_same_file_is_the_same_run(database: Path, tmp_path: Path) -> None:
    file = written(tmp_path, *about_articles(database))
    run_id = score_file(database, file, "rep_4,bleu")
    before = scores(database, run_id)
    assert len(before) == 6 * 2
    assert score_file(database, file, "rep_4,bleu") == run_id
    assert scores(database, run_id) == before


@pytest.mark.slow
def test_texts_with_their_own_references_need_no_snapshot(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        {"prompt": "Orlow\n\nOrlow is a town.", "reference": "It lies on the Lumen.", "text": "It lies on the Lumen."},
        {"prompt": "Orlow\n\nOrlow is a town.", "reference": "It lies on the Lumen.", "text": "Soup is hot."},
    )
    database = tmp_path / "empty.duckdb"
    run_id = score_file(database, file, "bleu,entity_overlap")
    found = scores(database, run_id)
    by_sample = {(sample, metric): value for (_, sample, metric), value in found.items()}
    assert (by_sample[0, "bleu"], by_sample[0, "entity_overlap"]) == (pytest.approx(100), 1)
    assert by_sample[1, "entity_overlap"] == 0


def own(number: int, text: str) -> dict[str, object]:
    """A line with its own reference."""
    return {"prompt": f"Place {number}", "reference": f"It is the number {number} of many.", "text": text}


def test_a_file_with_a_line_fewer_stays_comparable_on_what_both_have(tmp_path: Path) -> None:
    """A prompt is what it says, whatever stands beside it; the references are a row of their own."""
    database = Database(tmp_path / "empty.duckdb")
    whole = [own(number, f"A text of {number} words that goes on.") for number in range(15)]
    fewer = [own(number, f"Another text of {number}.") for number in range(1, 15)]
    ids = [
        score_file(database.path, written(tmp_path, *lines, name=name), "words,rep_4")
        for name, lines in (("whole", whole), ("fewer", fewer))
    ]
    ((*_, found, _),) = compare_all(database, ComparisonRequest(runs=tuple(ids), metrics="words"))
    assert [(one.metric, one.prompts) for one in found] == [("words", 14)]
    names = {row["run_id"]: row["model"] for row in board(database).records}
    assert sorted(names.values()) == ["fewer", "references", "references", "whole"]
    (of_whole,) = [f"reference:{row['snapshot_id']}" for row in board(database).records if row["run_id"] == ids[0]]
    ((*_, against, _),) = compare_all(database, ComparisonRequest(runs=(of_whole, ids[0]), metrics="words"))
    assert against[0].prompts == 15


def test_an_article_may_have_a_reference_of_its_own(database: Path, tmp_path: Path) -> None:
    """Which is then what its text is compared with, unless it is the very text of the snapshot."""
    article = snapshots.articles(Database(database), snapshots.resolve(Database(database), "latest").snapshot_id)[0]
    line = {"page_id": article.page_id, "title": article.title, "text": "Soup is hot."}
    same, _ = take_in(
        Database(database), written(tmp_path, line | {"reference": article.completion}), snapshot="latest", model=None,
        decoder=None,
    )  # fmt: skip
    assert same.snapshot_id == "samplewiki-2026-09"
    other, (reference,) = take_in(
        Database(database), written(tmp_path, line | {"reference": "Soup is cold."}), snapshot="latest", model=None,
        decoder=None,
    )  # fmt: skip
    assert other.snapshot_id.startswith("file:")
    assert (reference.title, reference.completion) == (article.title, "Soup is cold.")


def test_equal_lines_stay_as_many_texts(tmp_path: Path) -> None:
    database = tmp_path / "empty.duckdb"
    run_id = score_file(database, written(tmp_path, *[own(1, "The same text.")] * 3), "words")
    assert sorted(sample for _, sample, _ in scores(database, run_id)) == [0, 1, 2]


@pytest.mark.slow
def test_the_published_diversity_comes_from_the_command_line(
    in_process: Run, beside: Callable[[str], Path], tmp_path: Path
) -> None:
    """89.35 of the texts and 92.98 of their references, as their authors published them: by words between spaces. One
    text is a run of Burmese, in which that is a single word and here are 33; it is left out, and had no 4-gram."""
    texts = json.loads(beside("generations/wikitext_contrastive_k_5_alpha_0.6_result.json").read_text())
    lines = [
        {"prompt": one["prefix_text"], "reference": one["reference_text"], "text": one["generated_result"]["0"]}
        for one in texts
        if "\N{MYANMAR LETTER MA}" not in one["generated_result"]["0"]
    ]
    assert len(lines) == len(texts) - 1
    asked = ("--metrics", "diversity_simctg", "--model", "gpt2-xl", "--format", "json", "--db", "own.duckdb")
    ended = in_process("score", written(tmp_path, *lines), *asked)
    assert ended.returncode == 0, ended.stderr
    found = {row["model"]: round(row["diversity_simctg"], 2) for row in json.loads(ended.stdout)}
    assert found == {"gpt2-xl": 89.35, "references": 92.98}


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([{"title": "Fletch Habour", "text": "x"}], "line 1: 'Fletch Habour' is no article .* did you mean"),
        ([{"page_id": 10**9, "text": "x"}], "line 1: page 1000000000 is no article of the snapshot"),
        ([{"title": "Low Water Hymns", "text": "x", "sample": 1}] * 2, "line 2: there is already a text of sample 1"),
        (
            [{"title": "Low Water Hymns", "text": "x"}, {"prompt": "a", "reference": "b", "text": "c"}],
            "line 2: it brings its own reference, and another line brings none; split the file",
        ),
    ],
)
def test_a_file_that_does_not_fit_leaves_the_database_as_it_was(
    database: Path, tmp_path: Path, rows: Sequence[dict[str, object]], problem: str
) -> None:
    before = database.read_bytes()
    with pytest.raises(UsageError, match=problem):
        take_in(Database(database), written(tmp_path, *rows), snapshot="latest", model=None, decoder=None)
    assert database.read_bytes() == before


class Counting:
    """What the analyst's models were asked to make."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from evaluators.entities import SpacyTagger

        self.texts = 0
        find = SpacyTagger.find

        def counted(tagger: SpacyTagger, texts: Sequence[str]) -> list[list[Mention]]:
            self.texts += len(texts)
            return find(tagger, texts)

        monkeypatch.setattr(SpacyTagger, "find", counted)


@pytest.mark.slow
def test_a_reference_is_read_once_a_snapshot_and_a_text_once_a_run(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = about_articles(database)
    counting = Counting(monkeypatch)
    score_file(database, written(tmp_path, *rows, name="one.jsonl"), "entity_overlap")
    assert counting.texts == 3 + 6
    score_file(database, written(tmp_path, *rows[:4], name="two.jsonl"), "entity_overlap,information_density")
    assert counting.texts == 3 + 6 + 4


@pytest.mark.slow
def test_prompt_again_gains_nothing_by_what_is_new_and_stored_articles_are_read_again(
    database: Path, tmp_path: Path
) -> None:
    """The second file is compared with the parts of the articles that the first has stored."""
    name = snapshots.resolve(Database(database), "latest").snapshot_id
    articles = snapshots.articles(Database(database), name)[:2]
    metrics = "prompt_copied,entity_recall_new,entity_overlap_people,entity_overlap_dates"
    found = []
    for file in ("one", "two"):
        rows: list[dict[str, object]] = [{"title": one.title, "text": one.first_sentence} for one in articles]
        rows += [{"title": article.title, "text": f"{article.completion} {file}"} for article in articles]
        of_file = scores(database, score_file(database, written(tmp_path, *rows, name=f"{file}.jsonl"), metrics))
        for article in articles:
            repeated, whole = [
                [of_file[article.page_id, sample, metric] for metric in ("prompt_copied", "entity_recall_new")]
                for sample in (0, 1)
            ]
            assert repeated == [1, 0]
            assert whole[0] is not None and whole[0] < 0.2 and whole[1] == pytest.approx(1, abs=0.05)
        found.append([of_file[article.page_id, 1, "entity_overlap_people"] for article in articles])
        dates = [of_file[article.page_id, 1, "entity_overlap_dates"] for article in articles]
        assert dates == [1, 1]
    assert found == [[None, None]] * 2  # rules-v1 tells no kinds apart


def test_language_of_the_snapshot_decides_how_numbers_are_read(database: Path) -> None:
    """1.500 is a thousand and a half in German, and one and a half in English."""
    evaluators = LoadedEvaluators(select("entity_overlap_numbers"), SETTINGS)
    name = snapshots.resolve(Database(database), "latest").snapshot_id
    article = replace(snapshots.articles(Database(database), name)[0], completion="Es hat 1500 Meter und 1.500 Seen.")
    key, text = (article.page_id, 0), "Es hat 1500 m und 1500,0 Seen."
    values = {}
    for language in ("de", "en", "sw"):
        names = ("value_overlap",)
        batch = TextBatch([key], [text], [""], [article], {article.page_id: {}}, names, language)
        [score] = [one for one in score_batch(evaluators, batch).scores if one.metric == "entity_overlap_numbers"]
        values[language] = score.value
    assert values == {"de": 1, "en": 1 / 2, "sw": None}


@pytest.mark.slow
def test_another_evaluator_scores_only_what_is_missing(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path, *about_articles(database))
    run_id = score_file(database, file, "entity_overlap,rep_4")
    before = scores(database, run_id)
    counting = Counting(monkeypatch)
    score_file(database, file, "entity_overlap,rep_4,distinct_2")
    assert counting.texts == 0
    assert scores(database, run_id).items() > before.items()
    assert len(scores(database, run_id)) == 3 * 6


def test_a_costly_evaluator_scores_a_sample_that_grows_with_the_budget(database: Path, tmp_path: Path) -> None:
    file = written(tmp_path, *about_articles(database))
    few = scores(database, score_file(database, file, "rep_4", costly=True, budget=2)).keys()
    more = scores(database, score_file(database, file, "rep_4", costly=True, budget=5)).keys()
    assert (len(few), len(more)) == (2, 5)
    assert few < more


@pytest.mark.slow
def test_stored_runs_are_scored_by_name_or_where_something_is_missing(
    in_process: Run, database: Path, tmp_path: Path
) -> None:
    run_id = score_file(database, written(tmp_path, *about_articles(database)), "rep_4")
    for chosen, metric in ((("--run", run_id), "distinct_1"), (("--missing",), "distinct_3")):
        ended = in_process("score", *chosen, "--metrics", metric, "--db", database)
        assert ended.returncode == 0, ended.stderr
        assert metric in {name for _, _, name in scores(database, run_id)}
    with pytest.raises(UsageError, match=f"did you mean '{run_id}'"):
        runs.with_articles(Database(database), run_id[:-1] + "x")


def test_what_an_evaluator_fails_at_is_counted_and_told_and_the_others_go_on(in_process: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from newwiki import Metric, evaluator\n"
        "@evaluator(metrics=[Metric('inverse', 'x', 0, 1, 'none', 'd', 's')], version='1')\n"
        "def inverse(analysis, reference):\n"
        "    return 1 / len(analysis.words)\n"
    )
    file = written(tmp_path, own(1, ""), own(2, "Two words."))
    ended = in_process("score", file, "--plugin", "mine.py", "--metrics", "inverse,words", "--format", "json")
    assert ended.returncode == 0, ended.stderr
    assert "inverse has no number for 1 text: error: ZeroDivisionError: division by zero; they are NULL" in ended.stderr
    (row,) = [row for row in json.loads(ended.stdout) if row["model"] == "texts"]
    assert (row["inverse"], row["inverse_texts"], row["words_texts"]) == (0.5, 1, 2)
    assert "1 of 2" in row["inverse_status"] and "ZeroDivisionError" in row["inverse_status"]
