"""The experiment's numbers once more, by plain loops over stored texts and verdicts, without `evaluators`."""

import hashlib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.cutoff_seeds import articles
from flows.experiments.answering import answer
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import named
from flows.experiments.verifiability.request import VerifiabilityRequest
from flows.progress import Silent
from newwiki.settings import Settings
from storage.database import Database
from tests.evaluators.handmade import judge
from tests.flows.experiments import recomputed
from tests.flows.experiments.invented import publish_month
from tests.flows.experiments.stored import rows

pytestmark = pytest.mark.slow

PROMPTS = 13  # the fewest that have intervals, and of which all patterns of signs are tried
AGAINST = "greedy"
SHARES = ("spg", "spv", "uspg", "uspv")
Numbers = Mapping[tuple[str, str], Mapping[int, float]]  # by decoder and metric, by page


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory, toy_checkpoint: Path) -> Path:
    """The answer to verdicts that are drawn by a hash, as those of a scorer that is sure of what it says."""
    path = tmp_path_factory.mktemp("verifiability") / "newwiki.duckdb"
    database, scorer = Database(path), judge(tmp_path_factory.mktemp("judge"))
    publish_month(database, "2026-08", articles(np.random.default_rng(6), 0, PROMPTS), 1)
    request = VerifiabilityRequest(
        models=(str(toy_checkpoint),), decoder=(AGAINST, "sample:top_k=2"), samples=1, max_new_tokens=32
    )
    evaluations = Evaluations(database, Settings(db=str(path), pair_scorer=str(scorer)), Silent())
    answer(named("verifiability"), evaluations, request)
    with database.write() as connection:
        connection.execute("delete from experiments")
        connection.execute("delete from experiment_rows")
        changed = []
        for (*key,) in connection.execute("select run_id, page_id, sample, sentence from claims").fetchall():
            drawn = hashlib.sha256(repr(key).encode()).digest()
            label = ("supported", "refuted", "not enough info")[drawn[0] % 3]
            evidence = (None, None) if label == "not enough info" else (f"Page {drawn[1] % 2}", drawn[2] % 2)
            changed.append([*key, label, *evidence])
        connection.execute(
            "update claims set label = d.label, evidence_title = d.title, evidence_sentence = d.place from ("
            "select unnest($1) as run_id, unnest($2) as page_id, unnest($3) as sample, unnest($4) as sentence, "
            "unnest($5) as label, unnest($6) as title, unnest($7) as place) as d where claims.run_id = d.run_id and "
            "claims.page_id = d.page_id and claims.sample = d.sample and claims.sentence = d.sentence",
            [list(column) for column in zip(*changed, strict=True)],
        )
    answer(named("verifiability"), evaluations, request)
    return path


@pytest.fixture(scope="module")
def numbers(db: Path) -> Numbers:
    """Of each decoder, and of the articles, by metric and prompt; a prompt has one text of each."""
    found: dict[tuple[str, str], dict[int, float]] = {}
    decoders = {one["run_id"]: one["decoder"] for one in rows(db, "from runs")}
    texts = rows(db, "select run_id, page_id, text from completions where kept union all "
                     "select 'reference', page_id, completion from stored_articles")  # fmt: skip
    for one in texts:
        words = one["text"].split()[:256] if any(letter.isalnum() for letter in one["text"]) else []
        grams = {" ".join(words[at : at + 4]) for at in range(len(words) - 3)}
        found.setdefault((decoders.get(one["run_id"], "reference"), "distinct_4grams"), {})[one["page_id"]] = len(grams)
    verdicts: dict[tuple[str, int], list[tuple[str, Any]]] = {}
    checked = "metric = 'claims_article_supported' and status in ('ok', 'no sentences')"
    for one in rows(db, f"select distinct run_id, page_id from scores where {checked}"):  # noqa: S608 (our own words)
        verdicts[decoders.get(one["run_id"], "reference"), one["page_id"]] = []
    for one in rows(db, "from claims where sentence < 5"):
        verdict = (one["label"], (one["evidence_title"], one["evidence_sentence"]))
        verdicts[decoders.get(one["run_id"], "reference"), one["page_id"]].append(verdict)
    for (decoder, page), told in verdicts.items():
        verified = [one for one in told if one[0] != "not enough info"]
        supported, alone = [one for one in verified if one[0] == "supported"], set(verified)
        supported_alone = {one for one in alone if one[0] == "supported"}
        found.setdefault((decoder, "spg"), {})[page] = len(supported) / 5
        found.setdefault((decoder, "uspg"), {})[page] = len(supported_alone) / 5
        if verified:
            found.setdefault((decoder, "spv"), {})[page] = len(supported) / len(verified)
            found.setdefault((decoder, "uspv"), {})[page] = len(supported_alone) / len(alone)
    return found


def near(value: float | None, other: float) -> bool:
    return value is None if math.isnan(other) else value == pytest.approx(other, rel=1e-6, abs=1e-9)


def test_the_verdicts_are_such_that_shares_can_differ(numbers: Numbers) -> None:
    assert len({round(value, 3) for of_page in numbers.values() for value in of_page.values()}) > 10


def test_every_mean_and_interval_of_table_1_is_that_of_the_stored_texts(db: Path, numbers: Numbers) -> None:
    found = [one for one in rows(db, "from verifiability_metrics") if one["metric"] != "four_gram_proportion"]
    assert {(one["decoder"], one["metric"]) for one in found} == set(numbers)
    for one in found:
        values = list(numbers[one["decoder"], one["metric"]].values())
        assert one["texts"] == one["prompts"] == len(values)
        assert near(one["mean"], sum(values) / len(values)), one
        if len(values) < PROMPTS:
            assert one["no_interval"] == "too few prompts"
            continue
        expected = recomputed.interval(values)
        ends = recomputed.bounded(values, 0, 1) if one["metric"] in SHARES else (max(expected.low, 0), expected.high)
        assert near(one["low"], ends[0]) and near(one["high"], ends[1]), one


def test_the_proportion_is_that_of_the_stored_texts(db: Path, numbers: Numbers) -> None:
    articles_own = numbers["reference", "distinct_4grams"]
    for one in rows(db, "from verifiability_metrics where metric = 'four_gram_proportion'"):
        mine = numbers[one["decoder"], "distinct_4grams"]
        assert near(one["mean"], sum(mine.values()) / sum(articles_own[page] for page in mine)), one


@recomputed.recomputes("verifiability_differences")
def test_every_difference_is_that_of_the_stored_texts(db: Path, numbers: Numbers) -> None:
    found = rows(db, "from verifiability_differences")
    assert len(found) == 5
    enough, p_values = [], []
    for one in found:
        mine, other = (numbers[decoder, one["metric"]] for decoder in (one["decoder"], AGAINST))
        apart = [mine[page] - other[page] for page in sorted(mine.keys() & other.keys())]
        expected = recomputed.interval(apart)
        assert one["prompts"] == len(apart)
        assert near(one["difference"], sum(apart) / len(apart)), one
        if len(apart) < PROMPTS:
            assert one["verdict"] == "too few prompts"
            continue
        assert near(one["low"], expected.low) and near(one["high"], expected.high), one
        enough.append(one)
        p_values.append(max(recomputed.sign_flips(apart), 0.0 if math.isnan(expected.p) else expected.p))
        assert near(one["p"], p_values[-1]), one
    assert enough
    for one, p in zip(enough, recomputed.holm(p_values), strict=True):
        assert near(one["p_holm"], p), one
        way = "cannot tell" if p > 0.05 else "higher" if one["difference"] > 0 else "lower"
        assert one["verdict"] == way
