"""A verdict on two runs: one sentence by all directed metrics, on articles that neither model can have seen."""

import json

import numpy as np
import pytest

from flows.comparing.judge_pair import judge_pair
from flows.comparing.overall_verdict import MetricOutcome, Outcome, overall
from flows.presenting.verdict_sentence import verdict_sentence
from newwiki.verdict_request import VerdictRequest
from storage.database import Database
from storage.run_names import Contender
from tests.flows.conftest import Run
from tests.flows.experiments import recomputed
from tests.flows.scored import SNAPSHOT, add_run, score

NOISE = np.array([-0.1, 0.1, 0.05, -0.05] * 10)
MINE, BASE = (Contender(name, f"models/{name}", "greedy", SNAPSHOT, 0) for name in ("mine", "base"))


def outcome(metric: str, outcome: Outcome, difference: float = 0.02) -> MetricOutcome:
    return MetricOutcome(
        metric=metric, mean_baseline=0.4, mean_candidate=0.4 + difference, difference=difference,
        low=difference - 0.01, high=difference + 0.01, lacking=None, articles=40, visible=0.03, outcome=outcome,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("outcomes", "verdict", "sentence"),
    [
        (
            [outcome("sbert", "cannot tell"), outcome("rouge", "better")],
            "better",
            "models/mine/greedy is better than models/base/greedy: rouge +0.020 [+0.010, +0.030], better by 1 of 2 "
            "metrics; with 40 articles a difference of 0.030 would be seen",
        ),
        (
            [outcome("sbert", "worse", -0.02)],
            "worse",
            "models/mine/greedy is worse than models/base/greedy: sbert −0.020 [−0.030, −0.010]; with 40 articles a "
            "difference of 0.030 would be seen",
        ),
        (
            [outcome("sbert", "worse"), outcome("rouge", "better")],
            "cannot tell",
            "cannot tell whether models/mine/greedy is better than models/base/greedy: better by rouge, worse by "
            "sbert; with 40 articles a difference of 0.030 would be seen",
        ),
        (
            [outcome("sbert", "cannot tell"), outcome("bits_per_byte", "cannot tell", 0.5)],
            "cannot tell",
            "cannot tell models/mine/greedy from models/base/greedy: bits_per_byte +0.500 [+0.490, +0.510], by none "
            "of 2 metrics after Holm's correction; with 40 articles a difference of 0.030 would be seen",
        ),
        (
            [outcome("words", "different")],
            "different",
            "models/mine/greedy differs from models/base/greedy: words +0.020 [+0.010, +0.030], and no side of it is "
            "better; with 40 articles a difference of 0.030 would be seen",
        ),
        ([outcome("sbert", "within the margin"), outcome("rouge", "cannot tell")], "cannot tell", None),
    ],
)
def test_verdict_is_better_only_if_no_metric_says_worse(
    outcomes: list[MetricOutcome], verdict: str, sentence: str | None
) -> None:
    judged = overall(MINE, BASE, outcomes)
    assert judged.verdict == verdict
    assert sentence is None or verdict_sentence(judged, MINE, BASE) == sentence


def test_lower_is_better_where_the_metric_says_so_and_undirected_metrics_do_not_decide(stored: Database) -> None:
    for run_id, worse in (("base", 0.0), ("mine", 0.3)):
        add_run(stored, run_id, prompts=40)
        score(stored, run_id, {"repeated": 0.5 + worse + NOISE * (1 + worse)}, direction="lower")
        score(stored, run_id, {"length": 9 - worse + NOISE}, direction="none")
    judged = judge_pair(stored, VerdictRequest(candidate="mine", baseline="base"))
    assert (judged.verdict.verdict, judged.verdict.metric, judged.verdict.metrics) == ("worse", "repeated", 1)
    assert "--metrics all also tests length, which have no better direction" in judged.notes
    named = judge_pair(stored, VerdictRequest(candidate="mine", baseline="base", metrics="length"))
    assert named.verdict.verdict == "different"


def test_verdict_names_the_articles_with_the_largest_differences(stored: Database) -> None:
    values = np.linspace(0, 0.1, 40)
    more = values.copy()
    more[[7, 3, 20]] += [0.9, -0.8, 0.7]
    for run_id, numbers in (("base", values), ("mine", more)):
        score(stored, add_run(stored, run_id, prompts=40), {"sbert": numbers})
    judged = judge_pair(stored, VerdictRequest(candidate="mine", baseline="base", metrics="sbert"))
    assert [one.page_id for one in judged.articles] == [8, 4, 21]
    assert [one.difference for one in judged.articles] == pytest.approx([0.9, -0.8, 0.7])


@recomputed.recomputes("verdict")
def test_verdict_is_that_of_a_recomputation_from_stored_scores(stored: Database) -> None:
    """From the scores alone: every text of 14 prompts by three metrics, of which two differ."""
    random = np.random.default_rng(3)
    shared = random.normal(size=(14, 1))
    for run_id in ("a", "b"):
        numbers = {
            name: shared + random.exponential(0.5, size=(14, 2)) + more * (run_id == "b")
            for name, more in (("much", 1.0), ("some", 0.35), ("none", 0.0))
        }
        score(stored, add_run(stored, run_id, prompts=14), numbers)
    judged = judge_pair(stored, VerdictRequest(candidate="b", baseline="a", metrics="all"))
    with stored.read() as connection:
        sql = "select metric, run_id, page_id, avg(value) from scores group by all"
        means = {tuple(key): value for *key, value in connection.execute(sql).fetchall()}
    apart = [
        [means[one.metric, "b", page] - means[one.metric, "a", page] for page in range(1, 15)]
        for one in judged.outcomes
    ]
    corrected = recomputed.holm([recomputed.p_of_mean(differences) for differences in apart])
    for one, differences, p in zip(judged.outcomes, apart, corrected, strict=True):
        expected = recomputed.interval(differences)
        assert (one.difference, one.low, one.high) == pytest.approx((expected.mean, expected.low, expected.high))
        assert one.outcome == ("better" if p <= recomputed.LEVEL and expected.mean > 0 else "cannot tell")
    assert judged.verdict.verdict == "better"
    assert {one.outcome for one in judged.outcomes} == {"better", "cannot tell"}


def test_verdict_fits_a_terminal_and_a_pull_request_and_is_the_first_line_of_compare(
    in_process: Run, stored: Database
) -> None:
    for run_id, shift in (("base", 0.0), ("mine", 0.2)):
        score(stored, add_run(stored, run_id, prompts=40), {"sbert": 0.5 + shift + NOISE * (1 + shift)})
    asked = ("base", "mine", "--metrics", "sbert", "--db", stored.path)
    table = in_process("verdict", "mine", "base", *asked[2:], COLUMNS="80")
    assert table.returncode == 0, table.stderr
    sentence = "models/toy/greedy (mine) is better than models/toy/greedy (base): sbert +0.200 [+0.195"
    lines = table.stdout.splitlines()
    assert " ".join(lines[:3]).startswith(sentence)
    assert max(map(len, lines)) <= 80 and "differ most by sbert" in table.stdout
    compared = in_process("compare", *asked, COLUMNS="80").stdout.splitlines()
    assert compared[:3] == lines[:3]
    assert max(map(len, compared)) <= 80
    markdown = in_process("verdict", "mine", "base", *asked[2:], "--format", "markdown").stdout
    assert markdown.startswith("**models/toy/greedy")
    (row,) = json.loads(in_process("verdict", "mine", "base", *asked[2:], "--format", "json").stdout)
    assert (row["verdict"], row["candidate"], row["articles"], row["generalizes_over"]) == (
        "better", "mine", 40, "articles",
    )  # fmt: skip
