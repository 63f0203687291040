"""Leaderboard, comparison and SQL cut by what the articles are: each part by the house's own estimator."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import flows.api
from evaluators import statistics
from flows.commands.compare import compare as compare_command
from flows.commands.leaderboard import leaderboard as show
from flows.comparing.board import board
from flows.comparing.difference import columns
from flows.comparing.differences import compare
from flows.presenting.numbers import digits
from flows.progress import Silent
from flows.report.page import render
from newwiki.anchors import ANCHORS, ARTICLE, OTHER
from newwiki.comparison_requests import LeaderboardRequest, ReportRequest
from newwiki.errors import TerminalError, UsageError
from newwiki.records import Completion, Metric, RunScore, Score, Stratum
from storage import anchors, runs, strata
from storage.anchors import AnchorScore
from storage.comparison import contenders
from storage.database import Database
from tests.flows.scored import RULES, SNAPSHOT, add_run

PAGES = 60


@pytest.fixture(scope="module")
def cut(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Sixty articles, of which each third has an infobox, and two runs on them with two kept texts a prompt.

    `good` is better by 1 where there is an infobox, and nowhere else.
    """
    path = tmp_path_factory.mktemp("cut") / "newwiki.duckdb"
    path.write_bytes(published.read_bytes())
    database = Database(path)
    with database.write() as connection:
        for table in ("stored_articles", "article_structure"):
            connection.execute(
                f"insert into {table} select one.* replace (10000 + number as page_id{_CHANGES[table]}) "  # noqa: S608
                f"from (select * from {table} limit 1) as one, range({PAGES}) as numbers (number)"
            )
            connection.execute(f"delete from {table} where page_id < 10000")  # noqa: S608
    random = np.random.default_rng(3)
    base = random.normal(size=(PAGES, 2))
    better = np.array([[number % 3 == 0] for number in range(PAGES)])
    _score(database, "plain", base)
    _score(database, "good", base + better + random.normal(size=(PAGES, 2)) / 10)
    return database


_CHANGES = {
    "stored_articles": ", 500 + number as words",
    "article_structure": ", (number % 3 = 0)::bigint as infoboxes",
}


def _score(database: Database, run_id: str, values: Any) -> None:
    add_run(database, run_id, "sample", samples=2, keep=2, prompts=PAGES)
    texts = [Completion(10000 + page, n, f"{n}", 1, 1, "stop", False) for page in range(PAGES) for n in (0, 1)]
    runs.add_completions(database, run_id, texts)
    runs.complete(database, run_id, 2)
    runs.register(database, [RULES], [Metric("density", "", None, None, "higher", "", "")])
    runs.register(database, [RULES], [Metric("self_bleu", "", None, None, "lower", "", "", "run")])
    scores = [
        Score(
            10000 + page,
            n,
            "density",
            None if (page, n) == (0, 0) else float(value),
            _status(page, n),
            RULES.evaluator_id,
        )
        for (page, n), value in np.ndenumerate(values)
    ]
    runs.add_scores(database, run_id, scores)
    runs.add_run_scores(database, run_id, [RunScore("self_bleu", 0.5, None, "ok", RULES.evaluator_id, 120)])
    runs.finish_scoring(database, run_id, {RULES.evaluator_id})


def _status(page: int, sample: int) -> str:
    return "no words" if (page, sample) == (0, 0) else "ok"


def _values(database: Database, run_id: str, pages: list[int]) -> Any:
    with database.read() as connection:
        asked = (
            "select page_id, value from scores where run_id = ? and page_id in (select unnest(?)) and value is not null"
        )
        found = connection.execute(asked, [run_id, pages]).fetchall()
    return statistics.by_cluster([value for _, value in found], [page for page, _ in found])


@pytest.mark.parametrize("stratum", ["length", "infobox"])
def test_each_part_has_the_estimate_of_its_own_texts(cut: Database, stratum: Stratum) -> None:
    shown = board(cut, SNAPSHOT, by=stratum)
    parts = strata.pages(cut, stratum, SNAPSHOT)
    assert [record["part"] for record in shown.records if record["run_id"] == "good"] == list(parts)
    for record in shown.records:
        totals, counts = _values(cut, record["run_id"], parts[record["part"]].tolist())
        expected = statistics.estimate(totals, counts)
        for name, value in (("density", expected.mean), ("density_low", expected.low), ("density_high", expected.high)):
            assert record[name] == pytest.approx(float(value[0]), rel=1e-6)
        assert record["density_texts"] == counts.sum()
        assert (record["prompts"], record["completions"]) == (
            len(parts[record["part"]]),
            2 * len(parts[record["part"]]),
        )
    of_first = next(one for one in shown.records if one["density_texts"] != one["completions"])
    assert of_first["density_status"] == f"{of_first['density_texts']} of {of_first['completions']}: no words 1"


def test_each_part_is_calibrated_by_the_anchors_of_its_own_articles(cut: Database, tmp_path: Path) -> None:
    """By the definition, on the articles of the part that have a number; the whole is calibrated as before."""
    database = Database(tmp_path / "anchored.duckdb")
    database.path.write_bytes(cut.path.read_bytes())
    random = np.random.default_rng(4)
    ends = {OTHER: random.normal(-3, 0.5, PAGES), ARTICLE: random.normal(3, 0.5, PAGES)}
    scores = [
        AnchorScore(
            anchor, 10000 + page, "density", RULES.evaluator_id, float(ends.get(anchor, ends[OTHER])[page]), "ok"
        )
        for anchor in ANCHORS
        for page in range(PAGES)
    ]
    anchors.add(database, SNAPSHOT, 15, "1", scores)
    [whole] = [one for one in board(database, SNAPSHOT).records if one["run_id"] == "good"]
    by_part = {one["part"]: one for one in board(database, SNAPSHOT, by="infobox").records if one["run_id"] == "good"}
    pages = strata.pages(database, "infobox", SNAPSHOT) | {"whole": np.arange(10000, 10000 + PAGES)}
    assert len(by_part) == 2
    for part, record in (by_part | {"whole": whole}).items():
        totals, counts = _values(database, "good", pages[part].tolist())
        mine = np.isin(np.arange(10000, 10000 + PAGES), pages[part])
        other, article = ends[OTHER][mine], ends[ARTICLE][mine]
        expected = 100 * ((totals / counts).ravel() - other).mean() / (article - other).mean()
        assert record["density_calibrated"] == pytest.approx(float(expected), rel=1e-6)
        assert record["density_calibrated_low"] < record["density_calibrated"] < record["density_calibrated_high"]
    assert whole["density_calibrated"] not in {one["density_calibrated"] for one in by_part.values()}


def test_the_parts_together_are_the_whole(cut: Database) -> None:
    [whole] = [one for one in board(cut, SNAPSHOT).records if one["run_id"] == "good"]
    for stratum in ("length", "citations", "infobox", "age"):
        parts = [one for one in board(cut, SNAPSHOT, by=stratum).records if one["run_id"] == "good"]
        assert sum(one["density_texts"] for one in parts) == whole["density_texts"]
        mean = sum(one["density"] * one["density_texts"] for one in parts) / whole["density_texts"]
        assert mean == pytest.approx(whole["density"])


def test_lengths_are_cut_at_the_thirds_of_the_snapshot(cut: Database) -> None:
    assert [(one.value, one.articles, one.least, one.most) for one in strata.parts(cut, "length", [SNAPSHOT])] == [
        ("short", 20, 500, 519),
        ("medium", 20, 520, 539),
        ("long", 20, 540, 559),
    ]


def test_what_cannot_be_cut_is_told(cut: Database) -> None:
    shown = board(cut, SNAPSHOT, by="infobox")
    assert [column.name for column in shown.columns] == ["density"]
    assert shown.notes[-2:] == (
        f"infobox of {SNAPSHOT}: yes (20 articles), no (40 articles)",
        "left out, as they are of whole runs and have no parts: self_bleu",
    )
    with pytest.raises(TerminalError, match="nobody has looked up what the articles"):
        board(cut, SNAPSHOT, by="topic")
    with pytest.raises(UsageError, match="--by cannot be 'lenght'; did you mean 'length'"):
        flows.api.leaderboard(by="lenght", db=cut.path)
    with pytest.raises(UsageError, match="`newwiki compare --by length` shows in which parts runs differ"):
        LeaderboardRequest(snapshot=SNAPSHOT, rank="density", by="length")


def test_sql_says_what_the_command_says(cut: Database) -> None:
    with cut.read() as connection:
        found = connection.execute(
            "select run_id, value, mean, sd, low, high, no_interval, texts from leaderboard_by_stratum "
            "where stratum = 'infobox' and metric = 'density' order by run_id, place"
        ).fetchall()
    parts = ("", "_sd", "_low", "_high", "_no_interval", "_texts")
    assert found == [
        (one["run_id"], one["part"], *(one[f"density{part}"] for part in parts))
        for one in sorted(board(cut, SNAPSHOT, by="infobox").records, key=lambda one: str(one["run_id"]))
    ]


def test_a_part_of_few_prompts_has_no_interval(cut: Database) -> None:
    with cut.read() as connection:
        asked = "select no_interval, low from stratum_summaries where pages < 13"
        assert all(row == ("too few prompts", None) for row in connection.execute(asked).fetchall())


def test_runs_are_compared_on_each_part_with_one_correction(cut: Database) -> None:
    good, plain = contenders(cut, ["good", "plain"])
    rows, notes = compare(cut, plain, good, by="infobox")
    assert [(row.part, row.prompts, row.verdict) for row in rows] == [
        ("yes", 20, "different"),
        ("no", 40, "cannot be told apart"),
    ]
    assert rows[0].difference == pytest.approx(1, abs=0.1)
    assert [row.p_holm for row in rows] == pytest.approx(statistics.holm(np.array([row.p for row in rows])))
    assert (rows[0].status_a, rows[1].status_a) == ("39 of 40: no words 1", "ok")
    assert notes[0] == f"infobox of {SNAPSHOT}: yes (20 articles), no (40 articles)"


def test_a_part_is_compared_as_if_it_were_all(cut: Database) -> None:
    """But for the correction, and what rests on it."""
    good, plain = contenders(cut, ["good", "plain"])
    [whole], _ = compare(cut, plain, good)
    [part], _ = compare(cut, plain, good, by="age")
    assert (part.part, whole.part) == ("2026-09", None)
    assert [getattr(part, name) for name in columns(None)] == [getattr(whole, name) for name in columns(None)]


def test_the_api_and_the_command_take_the_same_name(cut: Database) -> None:
    shown = flows.api.leaderboard(SNAPSHOT, by="infobox", db=cut.path, quiet=True)
    assert shown.column("part").to_pylist() == ["yes", "no"] * 2
    compared = flows.api.compare("plain", "good", by="infobox", db=cut.path, quiet=True)
    assert compared.column("part").to_pylist() == ["yes", "no"]
    assert "part" not in flows.api.compare("plain", "good", db=cut.path, quiet=True).column_names
    for command, arguments in ((show, []), (compare_command, ["plain", "good"])):
        asked = [*arguments, "--by", "infobox", "--db", str(cut.path), "--format", "json", "--quiet"]
        told = CliRunner().invoke(command, asked, catch_exceptions=False)
        assert {row["part"] for row in json.loads(told.stdout)} == {"yes", "no"}
    told = CliRunner().invoke(compare_command, ["plain", "good", "--by", "infobox", "--db", str(cut.path), "--quiet"])
    assert "part" in told.stdout and "yes" in told.stdout


@pytest.mark.slow
def test_the_report_has_a_table_for_each_stratum(cut: Database) -> None:
    html, _ = render(cut, Silent(), ReportRequest(snapshot=SNAPSHOT))
    section = html.partition('<section id="strata"')[2].partition("</section>")[0]
    assert "yes<span" in section and "20 articles" in section and "500 to 519 words" in section
    assert "By age" not in section
    lacking = html.partition('id="lacking"')[2]
    assert "<b>By age</b>: all articles are in one group, 2026-09." in lacking
    assert "nobody has looked up what the articles" in lacking
    for record in board(cut, SNAPSHOT, by="infobox").records:
        assert f"{digits(record['density'])}<span" in section.replace("<strong>", "").replace("</strong>", "")
