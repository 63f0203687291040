"""Whether our interval holds a paper's number, and when that is not asked."""

import math
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evaluators.statistics import ALIKE, TOO_FEW
from flows.reproducing import scale
from flows.reproducing.chosen_models import ChosenModel, ChosenModels
from flows.reproducing.evaluations import evaluation_reader
from flows.reproducing.matching import (
    FAILS,
    HOLDS,
    NOT_RUN,
    UNKNOWN,
    UNLIKE,
    Match,
    Ours,
    canonical,
    match,
    numbers_by_row,
)
from flows.reproducing.step import Outcome, Reproduction
from newwiki.papers.published import Paper, papers
from newwiki.records import Metric, Score
from newwiki.reproduce_request import ReproduceRequest
from newwiki.settings import Settings
from storage import runs, snapshots
from storage.database import Database
from tests.flows.experiments import recomputed
from tests.flows.scored import RULES, SNAPSHOT, made_up_run

PAPER = papers()["003"]
TABLE = PAPER.table("3")
GPT2 = 2  # the row of the table


def found(title: str, ours: Ours | str, row: int = GPT2) -> Match:
    """Ours beside the number of GPT-2 in table 3: 60.456 for FK-Score, 5.048 for the essay score."""
    [number] = [one for place, one in numbers_by_row(PAPER, TABLE) if place == row and one.metric.title == title]
    return match(PAPER, TABLE, row, number, ours)


def ours(value: float, low: float | None, high: float | None, lacking: str | None = None) -> Ours:
    return Ours(value=value, low=low, high=high, lacking=lacking, whose="toy", metric="any", source="run")


@pytest.mark.parametrize(
    ("low", "high", "standing"),
    [(60.0, 61.0, HOLDS), (60.456, 61.0, HOLDS), (60.0, 60.456, HOLDS), (60.5, 61.0, FAILS), (59.0, 60.4, FAILS)],
)
def test_an_interval_holds_the_number_or_not(low: float, high: float, standing: str) -> None:
    assert found("FK-Score", ours(60.2, low, high)).standing == standing


def test_without_an_interval_nothing_is_said_but_why() -> None:
    one = found("FK-Score", ours(60.456, None, None, TOO_FEW))
    assert (one.standing, one.why) == (UNKNOWN, TOO_FEW)


def test_what_does_not_vary_is_its_own_interval() -> None:
    """The articles' overlap with themselves is 1, in the paper too."""
    articles = 10
    one = found("Entity overlap", ours(1.0, None, None, ALIKE), articles)
    assert (one.number.model and one.number.model.name, one.standing) == ("Wikipedia", HOLDS)
    assert found("Entity overlap", ours(0.9, None, None, ALIKE), articles).standing == FAILS


def test_a_metric_on_another_scale_is_shown_and_not_judged() -> None:
    one = found("Essay scoring", ours(5.0, 4.0, 6.0))
    assert (one.standing, one.ours and one.ours.value) == (UNLIKE, 5.0)
    assert "was not published" in one.why


def test_what_was_measured_on_something_else_is_shown_and_not_judged() -> None:
    one = found("FK-Score", replace(ours(60.2, 60.0, 61.0), unlike="on stories in the paper"))
    assert (one.standing, one.why) == (UNLIKE, "on stories in the paper")


def test_what_is_not_run_has_its_reason() -> None:
    one = found("FK-Score", "not on this machine")
    assert (one.standing, one.ours, one.why) == (NOT_RUN, None, "not on this machine")


def test_ours_is_told_in_the_papers_unit() -> None:
    """Massarelli et al. 2020 print 64.51 % for top-k 2, which is 0.6451 here."""
    paper = papers()["004"]
    table = paper.table("1")
    [number] = [
        one for row, one in numbers_by_row(paper, table) if row == 1 and one.metric.title == "4-gram proportion"
    ]
    one = match(paper, table, 1, number, ours(0.65, 0.64, 0.66))
    assert (number.value, one.standing) == (64.51, HOLDS)
    assert one.ours and (one.ours.value, one.ours.low, one.ours.high) == pytest.approx((65, 64, 66))


@pytest.mark.parametrize("paper", papers().values(), ids=papers())
def test_every_number_has_its_row(paper: Paper) -> None:
    for exhibit in paper.exhibits:
        numbers = list(numbers_by_row(paper, exhibit))
        assert [number for _, number in numbers] == list(paper.numbers(exhibit))
        for row, number in numbers:
            assert (exhibit.rows[row].decoder, exhibit.rows[row].labels) == (number.decoder, number.labels)


RANGES = {"flesch_reading_ease": (-math.inf, math.inf), "rep_4": (0.0, 1.0), "distinct_2": (0.0, 1.0)}


def add_scores(database: Database, run_id: str, means: dict[str, float], spread: float) -> None:
    """Two texts of each of 15 prompts, whose numbers lie about these means and vary by this part of them."""
    random = np.random.default_rng(len(run_id))
    runs.register(database, [RULES], [Metric(name, "", *RANGES[name], "higher", "", "") for name in means])
    scores = [
        Score(page, sample, name, mean * (1 + spread * random.uniform(-1, 1)), "ok", RULES.evaluator_id)
        for name, mean in means.items()
        for page in range(1, 16)
        for sample in range(2)
    ]
    runs.add_scores(database, run_id, scores)
    runs.finish_scoring(database, run_id, {RULES.evaluator_id})


@recomputed.recomputes("matches")
def test_standings_are_those_of_a_recomputation_from_stored_scores(database: Path) -> None:
    """Plain Python, from the paper's file and the scores of a run and of the articles, which do not vary."""
    db = Database(database)
    decoder = canonical("sample:top_p=1,top_k=20,temperature=0.9")
    run = made_up_run("ours", decoder, model="toy", samples=2, keep=2, prompts=15)
    runs.start(db, run)
    add_scores(db, run.run_id, {"flesch_reading_ease": 61.0, "rep_4": 0.02, "distinct_2": 0.6}, 0.2)
    add_scores(db, f"reference:{SNAPSHOT}", {"rep_4": 0.007, "distinct_2": 0.7}, 0.0)
    models: dict[str, ChosenModel | str] = {one.name: "not here" for one in PAPER.models}
    models["GPT-2"] = ChosenModel("GPT-2", "toy", "hf", stands_in=True)
    reproduction = Reproduction(
        PAPER, ReproduceRequest(paper="003"), Settings(db=str(database), entities="rules-v1"), db,
        ChosenModels(models, {}), snapshots.resolve(db, SNAPSHOT), None,
    )  # fmt: skip
    made = Outcome(runs=[run], scored_by=frozenset({RULES.evaluator_id}))
    ours_of = evaluation_reader(reproduction, {"toy, in the place of GPT-2 on new articles": made})
    matches = [
        match(PAPER, TABLE, row, number, ours_of(TABLE, number) or "") for row, number in numbers_by_row(PAPER, TABLE)
    ]
    printed = tomllib.loads(Path("newwiki/papers/003.toml").read_text("utf-8"))
    [table] = [one for one in printed["exhibits"] if (one["kind"], one["number"]) == ("table", "3")]
    found = [one for one in matches if one.ours]
    assert len(found) == 5
    for one in found:
        assert one.ours
        title, metric = one.number.metric.title, one.ours.metric
        with db.read() as connection:
            sql = "select avg(value) from scores where run_id = ? and metric = ? group by page_id order by page_id"
            values = [value for (value,) in connection.execute(sql, [one.ours.source, metric]).fetchall()]
        factor = next(entry.get("factor", 1) for entry in printed["metrics"] if entry["title"] == title)
        theirs = table["rows"][one.row]["values"][table["columns"].index(title)]
        mean = sum(values) / len(values)
        of_mean = recomputed.interval(values)
        ends = (mean, mean) if math.isnan(of_mean.low) else (of_mean.low, of_mean.high)
        least, most = RANGES[metric]
        low, high = (min(max(end, least), most) for end in ends)
        expected = tuple(number / factor for number in (mean, low, high))
        assert (one.ours.value, one.ours.low, one.ours.high) == pytest.approx(expected)
        assert one.standing == (HOLDS if low - 1e-9 <= factor * theirs <= high + 1e-9 else FAILS), title
    assert {one.standing for one in found} == {HOLDS, FAILS}


def test_the_scale_leaves_what_an_interval_takes() -> None:
    assert [scale.prompts(2000, share).here for share in (1.0, 0.5, 0.01, 0.001)] == [2000, 1000, 20, 13]
    assert scale.prompts(2000, 0.01, 10).here == 10
    assert [scale.samples(20, share).here for share in (1.0, 0.1, 0.01)] == [20, 2, 1]
    assert [scale.tokens(512, share).here for share in (1.0, 0.5, 0.01)] == [512, 256, 64]
    assert scale.tokens(64, 0.01).here == 64
    assert scale.words([scale.prompts(2000, 0.01), scale.tokens(64, 1.0)]) == (
        "prompts: 20 (2,000 in the paper); tokens at most: 64"
    )
