"""The experiment on invented articles: a toy checkpoint writes, and a scorer that counts words judges."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.cutoff_seeds import Article
from flows.api import experiment, query, report
from flows.evaluating.evaluate_all import RunSteps
from flows.experiments.answering import answer
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import named
from flows.progress import Silent
from newwiki.decoding.grammar import parse
from newwiki.errors import UsageError
from newwiki.settings import Settings
from newwiki.verifiability_request import SWEEPS, TABLE_1, VerifiabilityRequest
from storage.database import Database
from tests.evaluators.handmade import judge
from tests.flows.experiments.invented import publish_month

SNAPSHOT = "inventedwiki-2026-08"
TABLES = (
    "runs",
    "completions",
    "scores",
    "claims",
    "experiments",
    "verifiability_metrics",
    "verifiability_differences",
)
ASKED: dict[str, Any] = {
    "decoder": ("greedy", "sample:top_k=2", "delayed-beam:delay=[1,2],top_k=2,num_beams=2"),
    "prompts": 2,
    "samples": 2,
    "max_new_tokens": 40,
}


@pytest.fixture(scope="module")
def scorer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return judge(tmp_path_factory.mktemp("judge"))


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    database = Database(tmp_path_factory.mktemp("months") / "newwiki.duckdb")
    text = "The town stands on a river, and its bridge is good. Anna Berg was born there. The river is bad."
    publish_month(database, "2026-08", [Article(0, name, f"{name} is a town.", text) for name in ("Arn", "Bel")], 1)
    return database.path


def rows(db: Path, sql: str) -> list[dict[str, Any]]:
    return query(sql, db=db).to_pylist()


@pytest.fixture(scope="module")
def answered(db: Path, scorer: Path, toy_checkpoint: Path) -> list[dict[str, Any]]:
    """Interrupted while the third decoder's texts are scored, and then asked again."""
    settings = Settings(db=str(db), pair_scorer=str(scorer))
    request = VerifiabilityRequest(models=(str(toy_checkpoint),), **ASKED)
    with pytest.raises(KeyboardInterrupt):
        answer(named("verifiability"), Evaluations(Database(db), settings, Silent(), Interrupted(2)), request)
    before = {name: rows(db, f"from {name} order by all") for name in ("completions", "claims")}
    assert before["claims"]
    answer(named("verifiability"), Evaluations(Database(db), settings, Silent()), request)
    for name, earlier in before.items():
        there = rows(db, f"from {name} order by all")
        assert all(_without_keeping(row) in map(_without_keeping, there) for row in earlier)
        assert len(there) > len(earlier)
    return rows(db, "from verifiability_metrics order by rowid")


class Interrupted(RunSteps):
    """Somebody stops it after so many scorings."""

    def __init__(self, after: int) -> None:
        self.left = after

    def score(self, *given: Any) -> None:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        super().score(*given)


def _without_keeping(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "kept"}


def test_each_decoder_and_the_articles_have_each_metric(answered: list[dict[str, Any]]) -> None:
    decoders = [decoder.canonical for one in ASKED["decoder"] for decoder in parse(one)]
    assert list(dict.fromkeys(one["decoder"] for one in answered)) == ["reference", *decoders]
    names = ["distinct_4grams", "four_gram_proportion", "spg", "spv", "uspg", "uspv"]
    assert [one["metric"] for one in answered] == names * (1 + len(decoders))


def test_decoders_that_draw_have_more_texts(answered: list[dict[str, Any]]) -> None:
    texts = {one["decoder"].partition(":")[0]: one["texts"] for one in answered if one["metric"] == "spg"}
    assert texts == {"reference": 2, "greedy": 2, "sample": 4, "delayed-beam": 4}


def test_what_is_undefined_is_null_and_counted(answered: list[dict[str, Any]], db: Path) -> None:
    """By hand from the stored claims: of the articles' three sentences one is good, one bad, and one says neither."""
    [human] = [one for one in answered if (one["decoder"], one["metric"]) == ("reference", "spv")]
    labels = [one["label"] for one in rows(db, f"from claims where run_id = 'reference:{SNAPSHOT}' order by all")]
    assert len(labels) == 6
    assert human["texts"] + human["undefined"] == 2
    for one in answered:
        assert (one["mean"] is None) == (one["texts"] == 0)
        if one["metric"] in ("spg", "uspg"):
            assert one["undefined"] == 0
    lacking = [one for one in answered if one["undefined"]]
    told = " ".join(rows(db, "select unnest(words) as word from experiments")[n]["word"] for n in range(3))
    assert bool(lacking) == ("texts without one have none, are counted, and left out" in told)


def test_asked_again_nothing_is_made_again(
    answered: list[dict[str, Any]], db: Path, scorer: Path, toy_checkpoint: Path
) -> None:
    before = {name: rows(db, f"from {name} order by all") for name in TABLES}
    experiment("verifiability", str(toy_checkpoint), db=db, quiet=True, pair_scorer=str(scorer), **ASKED)
    assert {name: rows(db, f"from {name} order by all") for name in TABLES} == before


def test_an_interruption_changes_no_row(
    answered: list[dict[str, Any]], db: Path, scorer: Path, toy_checkpoint: Path, tmp_path: Path
) -> None:
    whole = tmp_path / "whole.duckdb"
    text = "The town stands on a river, and its bridge is good. Anna Berg was born there. The river is bad."
    articles = [Article(0, name, f"{name} is a town.", text) for name in ("Arn", "Bel")]
    publish_month(Database(whole), "2026-08", articles, 1)
    experiment("verifiability", str(toy_checkpoint), db=whole, quiet=True, pair_scorer=str(scorer), **ASKED)
    for name in ("claims", "verifiability_metrics", "verifiability_differences"):
        assert rows(whole, f"from {name} order by all") == rows(db, f"from {name} order by all")


def test_the_report_shows_it_with_the_figures(answered: list[dict[str, Any]], db: Path, tmp_path: Path) -> None:
    page = report(snapshot=SNAPSHOT, out=tmp_path / "report.html", db=db, quiet=True).read_text("utf-8")
    assert "What decoding does to truth" in page
    assert "as the paper&#39;s figure 5; the dashed line is sample:top_k=2" in page
    assert "as the paper&#39;s figure 3; the dashed line is sample:top_k=2" in page


def test_the_decoders_are_those_of_table_1() -> None:
    assert [parse(one)[0].name for one in TABLE_1] == [
        "sample", "sample", "greedy", "beam", "group-beam", "sibling-beam", "delayed-beam", "beam",
    ]  # fmt: skip
    asked = VerifiabilityRequest(models=("m",))
    assert (asked.decoder, asked.samples, asked.keep, asked.max_new_tokens) == (TABLE_1, 3, 3, 256)


@pytest.mark.parametrize(("sweep", "decoders"), [("delay", 7), ("blocking", 6)])
def test_a_sweep_names_its_decoders(sweep: Any, decoders: int) -> None:
    asked = VerifiabilityRequest(models=("m",), sweep=sweep)
    assert asked.decoder == SWEEPS[asked.sweep]  # type: ignore[index]
    assert sum(len(parse(one)) for one in asked.decoder) == decoders


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"sweep": "delay", "decoder": ("greedy",)}, "leave --decoder out, or --sweep"),
        ({"likelihood_only": True, "decoder": ()}, "this is asked of texts that models write"),
    ],
)
def test_what_cannot_be_asked(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        VerifiabilityRequest(models=("m",), **asked)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"against": "sample:top_k=9"}, "must be one of the decoders; name it by --decoder, too"),
        ({"metrics": "all"}, "name what is measured beside the claims"),
        ({"pair_scorer": "nobody"}, "there is no pair scorer 'nobody'"),
    ],
)
def test_what_cannot_be_answered(asked: dict[str, Any], told: str, db: Path, toy_checkpoint: Path) -> None:
    with pytest.raises(UsageError, match=told):
        experiment("verifiability", str(toy_checkpoint), db=db, quiet=True, decoder="greedy", **asked)
