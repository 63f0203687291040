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
from flows.experiments.verifiability.request import SWEEPS, TABLE_1, VerifiabilityRequest
from flows.progress import Silent
from newwiki.decoding.grammar import parse
from newwiki.errors import UsageError
from newwiki.settings import Settings
from storage.database import Database
from tests.evaluators.claims.indexed import index_of
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
    "max_new_tokens": 16,
}


# The scorer counts what is good and what is bad; of the other nothing is either, so no sentence on it is verified.
ARTICLES = (
    Article(0, "Arn", "Arn is a town.", "It stands on a good river. Anna Berg was born there. The bridge is bad."),
    Article(0, "Bel", "Bel is a town.", "It stands on a long river. Anna Berg was born there. The bridge is new."),
)


@pytest.fixture(scope="module")
def scorer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return judge(tmp_path_factory.mktemp("judge"))


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    database = Database(tmp_path_factory.mktemp("months") / "newwiki.duckdb")
    publish_month(database, "2026-08", ARTICLES, 1)
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
    return rows(db, "from verifiability_metrics")


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
    """As SQL says it of the stored claims."""
    sql = """
        select decoder, avg(share) as mean, count(share) as texts, count(*) - count(share) as undefined from (
            select coalesce(decoder, 'reference') as decoder, page_id, sample,
                count(*) filter (label = 'supported') / nullif(count(*) filter (label <> 'not enough info'), 0) as share
            from claims left join runs using (run_id) where sentence < 5 group by all
        ) group by decoder"""
    by_hand = {one["decoder"]: one for one in rows(db, sql)}
    spv = [one for one in answered if one["metric"] == "spv"]
    for one in spv:
        assert {name: one[name] for name in ("mean", "texts", "undefined")} == {
            name: by_hand[one["decoder"]][name] for name in ("mean", "texts", "undefined")
        }
    assert {one["decoder"]: one["undefined"] for one in spv}["reference"] == 1
    assert not any(one["undefined"] for one in answered if one["metric"] not in ("spv", "uspv"))
    told = " ".join(one["word"] for one in rows(db, "select unnest(words) as word from experiments"))
    assert "texts without one have none, and are left out of the means" in told


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
    publish_month(Database(whole), "2026-08", ARTICLES, 1)
    experiment("verifiability", str(toy_checkpoint), db=whole, quiet=True, pair_scorer=str(scorer), **ASKED)
    for name in ("claims", "verifiability_metrics", "verifiability_differences"):
        assert rows(whole, f"from {name} order by all") == rows(db, f"from {name} order by all")


def test_where_an_index_is_named_it_is_the_evidence(
    answered: list[dict[str, Any]], db: Path, scorer: Path, toy_checkpoint: Path, tmp_path: Path
) -> None:
    """What supports a sentence stands on a page that only the index has."""
    index = index_of(tmp_path, {"Cor": "Its town is good.", "Arn": "It stands on a river."})
    asked = {**ASKED, "decoder": "greedy", "evidence": str(index), "pair_scorer": str(scorer)}
    experiment("verifiability", str(toy_checkpoint), db=db, quiet=True, **asked)
    sql = """
        select distinct evaluators.name as name, evidence_title
        from claims
        join evaluators using (evaluator_id)
        join verifiability_metrics using (evaluator_id)
        join experiments using (experiment_id)
        where label = 'supported' and words[1] like '%beside an index of many pages, as in the paper%'"""
    found = rows(db, sql)
    assert {one["name"] for one in found} == {"claims_wiki"}
    assert "Cor" in {one["evidence_title"] for one in found}


def test_the_report_shows_it_with_the_figures(answered: list[dict[str, Any]], db: Path, tmp_path: Path) -> None:
    page = report(snapshot=SNAPSHOT, out=tmp_path / "report.html", db=db, quiet=True).read_text("utf-8")
    assert "Effects of decoding on verifiability" in page
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
        ({"sweep": "delay", "decoder": ("greedy",)}, "--sweep and --decoder exclude each other"),
        ({"likelihood_only": True, "decoder": ()}, "this experiment needs generated texts"),
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
