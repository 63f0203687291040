"""One column, one evaluator: whatever shows numbers of several runs never mixes those of two evaluators.

One evaluator's numbers lie within 1,000 of a million, the other's within 1,000 of minus a million. So a column with
both signs is mixed, and a number far from both, and from zero, is made of both.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest

from evaluators.scoring import needs_of
from flows.commands import score as command
from flows.comparing.board import board
from flows.comparing.one_evaluator import remedy
from newwiki.records import Completion, Fingerprint, Metric, RunScore, Score
from newwiki.registry import evaluators, makers, set_evaluators
from storage import runs
from storage.comparison import Scoring, contenders_or_all, text_scorings
from storage.cookbook import questions
from storage.database import Database
from storage.export_runs import export_runs
from tests.flows.scored import SNAPSHOT, add_run, add_scored_runs

METRICS = ("sbert", "rep_4", "flesch_reading_ease", "distinct_2")
OLDER, NEWER = (Fingerprint(f"by-{name}", "both", version) for name, version in (("older", "1"), ("newer", "2")))
PAGES = 3
LONG_FORM = {"metric", "other_metric", "evaluator_id"}


@pytest.fixture(scope="module")
def mixed(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Three runs by two models, the articles, and numbers of each metric by either evaluator: `both` has two."""
    path = tmp_path_factory.mktemp("mixed") / "newwiki.duckdb"
    path.write_bytes(published.read_bytes())
    database = Database(path)
    texts = [Completion(page, 0, "a b c", 3, 3, "stop", False) for page in _pages(database)]
    for number, (run_id, made_by) in enumerate((("both", (OLDER, NEWER)), ("older", (OLDER,)), ("newer", (NEWER,)))):
        decoder = f"sample:top_p=0.{number + 1}"
        parameters = f'{{"top_p": 0.{number + 1}}}'
        runs.add_completions(database, add_run(database, run_id, decoder, decoder_parameters=parameters), texts)
        runs.complete(database, run_id, 1)
        for by in made_by:
            _score(database, run_id, by, number)
    for by in (OLDER, NEWER):
        _score(database, f"reference:{SNAPSHOT}", by, 9)
    return database


def _pages(database: Database) -> list[int]:
    with database.read() as connection:
        return [page for (page,) in connection.execute("select page_id from articles order by 1 limit 3").fetchall()]


def _score(database: Database, run_id: str, by: Fingerprint, number: int) -> None:
    """Numbers by which the rows' order would be another if they were mixed."""
    middle = 1e6 if by is OLDER else -1e6
    runs.register(database, [by], [Metric(name, "", None, None, "higher", "", "") for name in METRICS])
    runs.add_scores(database, run_id, [
        Score(page, 0, name, middle + 10 * number + place, "ok", by.evaluator_id)
        for name in METRICS for place, page in enumerate(_pages(database))
    ])  # fmt: skip
    runs.register(database, [by], [Metric("self_bleu", "", None, None, "lower", "", "", "run")])
    runs.add_run_scores(database, run_id, [RunScore("self_bleu", middle + number, None, "ok", by.evaluator_id, PAGES)])
    runs.finish_scoring(database, run_id, {by.evaluator_id})


def mixtures(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The columns of these rows that hold numbers of both evaluators, or a number that was made of both."""
    signs: dict[tuple[Any, ...], set[bool]] = defaultdict(set)
    for row in rows:
        whose = tuple(row[name] for name in sorted(LONG_FORM & row.keys()))
        for name, cell in row.items():
            for value in cell if isinstance(cell, list) else [cell]:
                if isinstance(value, float) and not math.isnan(value) and abs(value) > 2000:
                    signs[*whose, name].add(value > 0)
                    if not 999_000 < abs(value) < 1_001_000:
                        yield f"{name} of {whose} is made of both: {value}"
    yield from (f"{key} holds numbers of both" for key, found in signs.items() if len(found) > 1)


def test_mixtures_are_found() -> None:
    assert list(mixtures([{"sbert": 1e6}, {"sbert": -1e6}])) == ["('sbert',) holds numbers of both"]
    assert list(mixtures([{"metric": "sbert", "mean": 0.4e6}]))
    assert not list(mixtures([{"evaluator_id": "a", "mean": 1e6}, {"evaluator_id": "b", "mean": -1e6}]))


def test_no_view_mixes_them(mixed: Database) -> None:
    with mixed.read() as connection:
        views = [
            name for (name,) in connection.sql("select view_name from duckdb_views() where not internal").fetchall()
        ]
        assert {"leaderboard", "scores_wide", "current_scores", "metric_summaries"} <= set(views)
        numbers = 0
        for view in views:
            rows = connection.sql(f'from "{view}"').to_arrow_table().to_pylist()
            assert list(mixtures(rows)) == [], view
            numbers += sum(isinstance(cell, float) for row in rows for cell in row.values())
        assert numbers > 100


def test_no_question_of_the_cookbook_mixes_them(mixed: Database) -> None:
    with mixed.fenced() as connection:
        for one in questions():
            assert list(mixtures(connection.sql(one.query).to_arrow_table().to_pylist())) == [], one.name


def test_no_export_mixes_them(mixed: Database, tmp_path: Path) -> None:
    files = export_runs(mixed, contenders_or_all(mixed, []), "parquet", tmp_path / "out")
    tables = {path.stem: parquet.read_table(path).to_pylist() for path in files if path.suffix == ".parquet"}
    assert {"scores", "scores_wide", "summaries"} <= tables.keys()
    for name, rows in tables.items():
        assert list(mixtures(rows)) == [], name


def test_neither_the_command_nor_the_page_of_an_article_mixes_them(mixed: Database) -> None:
    for shown in (board(mixed, prefer=()), board(mixed, by_evaluator=True)):
        assert list(mixtures(shown.records)) == []
    with mixed.read() as connection:
        ((page,),) = connection.execute("select min(page_id) from completions").fetchall()
    columns = board(mixed, by_evaluator=True).columns
    asked = [[column.metric for column in columns], [column.evaluator_id for column in columns]]
    rows = mixed.table("browse_article_means", SNAPSHOT, page, *asked).to_pylist()
    assert rows and list(mixtures(rows)) == []


def test_of_rows_that_another_has_scored_it_is_said_who(mixed: Database) -> None:
    with mixed.read() as connection:
        rows = connection.sql("select run_id, sbert, sbert_status, sbert_scored_by from leaderboard").fetchall()
    told = {run_id: rest for run_id, *rest in rows}
    assert told["older"] == [None, "another evaluator", "by-older"]
    assert told["newer"] == [pytest.approx(-1e6 + 21), "ok", "by-newer"]


def test_every_model_that_scores_is_chosen_by_an_option_of_the_command() -> None:
    options = {option for parameter in command.score.params for option in parameter.opts}
    needed = needs_of([*evaluators.all().values(), *set_evaluators.all().values()])
    assert needed == set(makers.all())
    for part in needed - {"facts"}:  # which are stored with the snapshot, and made by no model
        assert "model" in makers.get(part).options, part
        assert set(makers.get(part).options.values()) <= options, part


@pytest.mark.parametrize(("metric", "changes", "options"), [
    ("sbert", {"dtype": "bfloat16"}, "--embedder-dtype …"),
    ("sbert_truncated", {"backend": "openvino-cpu"}, "--embedder-backend …"),
    ("mauve", {"model": "another", "dtype": "bfloat16"}, "--embedder … --embedder-dtype …"),
    ("sbert", {"model_sha256": "1"}, ""),
])  # fmt: skip
def test_the_remedy_names_the_option_that_mends_it(
    database: Path, metric: str, changes: dict[str, str], options: str
) -> None:
    stored = Database(database)
    given: dict[str, Any] = {
        "name": "semantic",
        "version": "1",
        "model": "minilm",
        "model_sha256": "0",
        "dtype": "float32",
        "backend": "torch",
    }
    one, other = Fingerprint("one", **given), Fingerprint("other", **given | changes)
    for run_id, by in (("a", one), ("b", other)):
        add_scored_runs(stored, {run_id: {metric: [0.1, 0.2]}}, by)
    made: dict[str, list[Scoring]] = {metric: text_scorings(stored, ["a", "b"])}
    assert (
        re.sub(r"\s+`$", "`", remedy(stored, made))
        == f"`{f'newwiki score --missing --metrics {metric} {options}'}".rstrip() + "`"
    )
