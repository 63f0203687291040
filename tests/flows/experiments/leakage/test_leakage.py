"""Who has read the old month shows a gap, and who has read neither shows none: models that are trained here."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.cutoff_seeds import articles, trained_further
from flows.api import experiment, report
from flows.comparing.one_evaluator import left_out_words, of_all
from newwiki.errors import UsageError
from storage import experiments
from storage.comparison import Scoring
from storage.database import Database
from tests.flows.experiments import recomputed
from tests.flows.experiments.invented import publish_month
from tests.flows.experiments.leakage import recomputed as again
from tests.flows.experiments.stored import rows as stored

OLD, NEW = "inventedwiki-2026-08", "inventedwiki-2026-09"
EACH = 24


@pytest.fixture(scope="module")
def reader_of_old(well_read: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What `well_read` becomes by reading the old month."""
    read = [one.text for one in articles(np.random.default_rng(1), 0, EACH)]
    return str(trained_further(well_read, read, tmp_path_factory.mktemp("models") / "old"))


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    database = Database(tmp_path_factory.mktemp("months") / "newwiki.duckdb")
    publish_month(database, "2026-08", articles(np.random.default_rng(1), 0, EACH), 1)
    publish_month(database, "2026-09", articles(np.random.default_rng(2), 1, EACH), 1001)
    return database.path


def ask(db: Path, model: str, **asked: str) -> dict[str, Any]:
    """The gap by bits per byte."""
    rows = experiment("leakage", model, old=OLD, snapshot=NEW, db=db, quiet=True, **asked).to_pylist()
    [row] = [one for one in rows if one["metric"] == "bits_per_byte"]
    return row


@pytest.fixture(scope="module")
def asked(db: Path, reader_of_old: str, well_read: Path) -> dict[str, dict[str, Any]]:
    """The gaps of who has read the old month, alone and beside a control, and of who has read neither."""
    return {
        "alone": ask(db, reader_of_old),
        "beside": ask(db, reader_of_old, control=str(well_read)),
        "neither": ask(db, str(well_read)),
    }


def test_who_has_read_the_old_month_shows_a_gap(asked: dict[str, dict[str, Any]]) -> None:
    alone, beside = asked["alone"], asked["beside"]
    assert alone["verdict"] == "better on old articles"
    assert alone["high"] < 0
    assert beside["verdict"] == "better on old articles"
    assert beside["difference_high"] < 0


def test_who_has_read_neither_shows_none(asked: dict[str, dict[str, Any]]) -> None:
    row = asked["neither"]
    assert row["verdict"] == "no difference shown"
    assert row["low"] < 0 < row["high"]


@pytest.mark.usefixtures("asked")
def test_the_blind_baseline_cannot_tell_articles_of_one_kind(db: Path, reader_of_old: str) -> None:
    rows = stored(db, "select distinct * exclude (experiment_id) from leakage_memberships")
    rows = [one for one in rows if one["model"] == reader_of_old]
    assert {one["score"] for one in rows} == {"bits_per_byte", "min_k_percent"}
    [by_bits] = [one for one in rows if one["score"] == "bits_per_byte"]
    assert by_bits["low"] > 0.85
    assert by_bits["blind_low"] < 0.5 < by_bits["blind_high"]
    assert by_bits["difference_low"] > 0


def test_asked_again_it_is_the_same_answer_and_stored_once(
    db: Path, asked: dict[str, dict[str, Any]], well_read: Path
) -> None:
    before = [stored(db, f"from {table} order by all") for table in ("experiments", "leakage_gaps", "leakage_pairs")]
    assert ask(db, str(well_read)) == asked["neither"]
    after = [stored(db, f"from {table} order by all") for table in ("experiments", "leakage_gaps", "leakage_pairs")]
    assert after == before


@pytest.mark.usefixtures("asked")
def test_the_answer_says_what_it_rests_on_and_what_it_cannot_tell(db: Path) -> None:
    said = "select words from experiments where verdict = 'better on old articles' and request->>'control' is null"
    [answer] = stored(db, said)
    told = "\n".join(answer["words"])
    [pairs] = set(re.findall(r"over (\d+) pairs of articles", told))
    assert f"with {pairs} pairs a gap of 0.0" in told and "bits a byte would be seen in 80 of 100 cases" in told
    assert f"of {EACH} old articles ({OLD}) are matched with as many of {EACH} new ones ({NEW}) by length" in told
    assert "a --control that has read neither tells the two apart" in told


def test_a_metric_that_not_all_runs_have_from_one_evaluator_is_told() -> None:
    now = datetime(2026, 10, 1, tzinfo=UTC)
    asked = [("old", "sbert", "a"), ("new", "sbert", "b"), ("old", "rep_4", "c"), ("new", "rep_4", "c")]
    asked.append(("old", "bleu", "d"))
    evaluators, left_out = of_all([Scoring(*one, now) for one in asked], ["old", "new"])
    assert (evaluators, left_out) == ({"rep_4": "c"}, ["bleu", "sbert"])
    [told] = left_out_words(left_out)
    assert "bleu, sbert; `newwiki score --missing --metrics bleu,sbert`" in told
    assert left_out_words([]) == []


@pytest.mark.usefixtures("asked")
def test_the_report_of_the_new_month_shows_it(db: Path, tmp_path: Path) -> None:
    page = report(snapshot=NEW, out=tmp_path / "report.html", db=db, quiet=True).read_text("utf-8")
    assert "Old articles against new ones" in page
    assert re.search('<p class="answer">.* does better on old articles, which it may have read', page)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"old": NEW}, "are not older than those of"),
        ({"old": OLD, "control": "itself"}, "--control itself is also one of the models"),
        ({}, "there is no snapshot of old articles of inventedwiki here"),
        ({"old": OLD, "backend": "openai"}, "backend 'openai' reads no articles; say by --decoder how it is to write"),
    ],
)
def test_what_cannot_be_asked(db: Path, asked: dict[str, str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        experiment("leakage", "itself", snapshot=NEW, db=db, quiet=True, **asked)


@recomputed.recomputes("leakage_gaps")
def test_the_numbers_are_those_of_a_recomputation_from_stored_scores(
    db: Path, asked: dict[str, dict[str, Any]]
) -> None:
    """Plain Python, from the scores of the two models and the pairs of articles alone."""
    from scipy.stats import nct, t

    row = asked["beside"]
    pairs = [
        (one["old_page_id"], one["new_page_id"])
        for one in stored(db, "select distinct * exclude (experiment_id) from leakage_pairs")
    ]
    score = {
        (one["model"], one["snapshot_id"], one["page_id"]): one["value"]
        for one in stored(
            db,
            "select r.model, r.snapshot_id, s.page_id, s.value from scores s join runs r using (run_id) "
            "where s.metric = 'bits_per_byte'",
        )
    }
    gap, difference = [], []
    for old, new in pairs:
        of_model, of_control = (
            score[name, OLD, old] - score[name, NEW, new] for name in (row["model"], row["control"])
        )
        gap.append(of_model)
        difference.append(of_model - of_control)
    count = len(pairs)
    assert row["pairs"] == count
    for values, columns in (
        (gap, ("gap", "low", "high", "sd")),
        (difference, ("difference", "difference_low", "difference_high", "difference_sd")),
    ):
        expected = recomputed.interval(values)
        ours = (expected.mean, expected.low, expected.high, expected.sd)
        assert tuple(row[name] for name in columns) == pytest.approx(ours, rel=1e-9)
    # One model, and bits per byte is corrected for models alone
    p, difference_p = recomputed.p_of_mean(gap), recomputed.p_of_mean(difference)
    assert recomputed.close(row["p"], p) and row["p_holm"] == row["p"]
    assert recomputed.close(row["difference_p_holm"], difference_p)
    assert difference_p <= recomputed.LEVEL and sum(difference) < 0
    assert row["verdict"] == "better on old articles"
    effect, edge = row["visible"] / row["difference_sd"] * count**0.5, t.ppf(0.975, count - 1)
    assert nct.sf(edge, count - 1, effect) + nct.cdf(-edge, count - 1, effect) == pytest.approx(0.8)


@recomputed.recomputes("leakage_memberships")
@pytest.mark.usefixtures("asked")
def test_the_areas_are_those_of_a_recomputation_from_stored_scores_and_texts(db: Path, reader_of_old: str) -> None:
    """By counting pairs of an old and a new article; the blind classifier is fitted again to the stored texts."""
    rows = [one for one in stored(db, "from leakage_memberships") if one["model"] == reader_of_old]
    answer = rows[-1]["experiment_id"]
    rows = [one for one in rows if one["experiment_id"] == answer]
    pairs = [
        (one["old_page_id"], one["new_page_id"])
        for one in stored(db, f"from leakage_pairs where experiment_id = '{answer}'")
    ]
    texts = {
        one["page_id"]: f"{one['title']}\n{one['first_sentence']} {one['completion']}"
        for one in stored(db, "select page_id, title, first_sentence, completion from articles")
    }
    blind = again.blind([texts[old] for old, _ in pairs], [texts[new] for _, new in pairs], seed=0)
    blind_area = again.area(*blind)
    for row in rows:
        sign = {"bits_per_byte": -1, "min_k_percent": 1}[row["score"]]  # what was read has fewer bits
        scores = {
            one["page_id"]: sign * one["value"]
            for one in stored(db, "from scores join runs using (run_id)")
            if (one["model"], one["metric"]) == (reader_of_old, row["score"])
        }
        ours = [scores[old] for old, _ in pairs], [scores[new] for _, new in pairs]
        area = again.area(*ours)
        assert (row["auc"], row["pairs"]) == (pytest.approx(area), len(pairs))
        assert (row["low"], row["high"]) == pytest.approx(again.ends(area, len(pairs)), abs=2e-4)
        # The fit is as exact as its tolerance, so that two texts may change places
        assert row["blind_auc"] == pytest.approx(blind_area, abs=2.5 / len(pairs) ** 2)
        assert (row["blind_low"], row["blind_high"]) == pytest.approx(again.ends(blind_area, len(pairs)), abs=5e-3)
        low, high, deviation = again.difference_ends(ours, blind)
        found = row["difference_low"], row["difference_high"]
        assert found == pytest.approx((low, high), abs=0.3 * deviation)
        [told] = [one for one in experiments.stored(Database(db), answer).words if one.startswith(f"{row['score']} of")]
        assert ("it says no more than the texts do" not in told) == (low > 0)
        assert f" {area:.0%} of pairs [{row['low']:.0%}, {row['high']:.0%}]" in told
    assert {one["score"] for one in rows} == {"bits_per_byte", "min_k_percent"}
