"""Sixty sentences from text to answer: split, looked up in their articles, labelled by a script, stored, read again."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import pytest

from evaluators.claims.checking import by_article
from evaluators.scoring import select
from flows.experiments.verifiability.metrics import differences, metrics_of
from flows.experiments.verifiability.result_tables import VerifiabilityMetric
from flows.experiments.verifiability.texts import Texts, of_articles, of_run
from flows.progress import Silent
from flows.scoring.score_run import LoadedEvaluators, score_run
from newwiki.records import Completion, Run
from newwiki.registry import makers
from newwiki.settings import Settings
from storage import runs, snapshots
from storage.database import Database
from tests.evaluators.claims.sixty_sentences import PAGES
from tests.flows.experiments.invented import publish_month
from tests.flows.experiments.verifiability.scripted import Scripted

pytestmark = pytest.mark.slow

METRIC = "claims_article_supported"


@pytest.fixture(scope="module")
def scorer() -> Iterator[Scripted]:
    usual, made = makers.get("claims_article"), Scripted()
    makers.put("claims_article", replace(usual, load=lambda settings: by_article("claims_article", cast(Any, made))))
    yield made
    makers.put("claims_article", usual)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """The twelve pages as a snapshot."""
    from benchmarks.cutoff_seeds import Article

    made = Database(tmp_path_factory.mktemp("sixty") / "newwiki.duckdb")
    pages = [Article(0, page.title, page.evidence[0], " ".join(page.evidence[1:])) for page in PAGES]
    publish_month(made, "2026-08", pages, 1)
    return made


@pytest.fixture(scope="module")
def articles(database: Database) -> list[Any]:
    [(snapshot_id,)] = database_rows(database, "select snapshot_id from snapshots")
    return snapshots.articles(database, str(snapshot_id))


@pytest.fixture(scope="module")
def evaluator_id(database: Database, scorer: Scripted, articles: list[Any]) -> str:
    """The two runs are written and scored: `once`, whose texts are the five sentences of each page, and `twice`, whose
    third text (of a page that it refutes thrice) says two things that are supported, and the first of them again."""
    loaded = LoadedEvaluators(select(METRIC), Settings(), budget=100)
    for run_id, changed in (("once", {}), ("twice", {REPEATING: REPEATED})):
        texts = {page.title: " ".join(sentence for sentence, *_ in page.sentences) for page in PAGES} | changed
        run = written(database, run_id, [(one.page_id, texts[one.title]) for one in articles])
        score_run(database, run, articles, loaded, Silent())
    return loaded.fingerprints["claims_article"].evaluator_id


REPEATING = "Grauven"
REPEATED = "It has 9,000 inhabitants. It has 40,000 inhabitants. It has 9,000 inhabitants. Its streets are quiet."


def written(database: Database, run_id: str, texts: list[tuple[int, str]]) -> Run:
    run = Run(
        run_id=run_id, snapshot_id="inventedwiki-2026-08", model="toy", model_sha256="0" * 64, backend="hf",
        decoder="greedy" if run_id == "once" else "beam:length_penalty=1,num_beams=5", decoder_parameters="{}",
        prompt_template="{title} {first_sentence}", prompts=12, seed=0, samples=1, keep=1, max_new_tokens=8,
        dtype="float32", versions="{}",
    )  # fmt: skip
    runs.start(database, run)
    completions = [Completion(page, 0, text, 9, len(text.split()), "stop", truncated=False) for page, text in texts]
    runs.add_completions(database, run_id, completions)
    runs.complete(database, run_id, 1)
    return run


def database_rows(database: Database, sql: str) -> list[Any]:
    with database.read() as connection:
        return connection.execute(sql).fetchall()


@pytest.fixture(scope="module")
def read(database: Database, articles: list[Any], evaluator_id: str) -> dict[str, Texts]:
    by_page = {one.page_id: one for one in articles}
    human = of_articles(database, "inventedwiki-2026-08", by_page, METRIC, evaluator_id)
    runs_read = {name: of_run(database, name, ("toy", name), METRIC, evaluator_id) for name in ("once", "twice")}
    return {"human": human, **runs_read}


def means(texts: Texts, human: Texts) -> dict[str, VerifiabilityMetric]:
    return {one.metric: one for one in metrics_of(texts, human, "someone")}


def test_the_four_metrics_are_those_computed_by_hand(read: dict[str, Texts], database: Database) -> None:
    labels = dict(database_rows(database, "select label, count(*) from claims where run_id = 'once' group by label"))
    assert labels == {"supported": 20, "refuted": 20, "not enough info": 20}
    found = means(read["once"], read["human"])
    # equations 2 to 5: 20 / 60; 5.05 / 11; 15 / 60; 5.5 / 11 (the sums are in evaluators/claims/test_verifiability.py)
    assert [found[name].mean for name in ("spg", "spv", "uspg", "uspv")] == pytest.approx(
        [1 / 3, 5.05 / 11, 1 / 4, 0.5]
    )
    assert [found[name].texts for name in ("spg", "spv")] == [12, 11]
    assert [found[name].undefined for name in ("spg", "spv", "uspg", "uspv")] == [0, 1, 0, 1]


def test_a_repeated_supported_sentence_raises_spg_and_not_uspg(read: dict[str, Texts]) -> None:
    """Grauven: 1 supported and 3 refuted by two sentences become 2 supported by one and 1 refuted."""
    once, twice = (means(read[name], read["human"]) for name in ("once", "twice"))
    assert once["spg"].mean == pytest.approx(20 / 60)
    assert twice["spg"].mean == pytest.approx(21 / 60)
    assert twice["uspg"].mean == once["uspg"].mean == pytest.approx(15 / 60)
    [spg] = [one for one in differences([read["once"], read["twice"]], read["once"], 0) if one.metric == "spg"]
    assert (spg.prompts, spg.difference, spg.verdict) == (12, pytest.approx(1 / 60), "too few prompts")


def test_what_is_stored_is_not_asked_again(
    database: Database, scorer: Scripted, articles: list[Any], evaluator_id: str
) -> None:
    asked, before = scorer.asked, database_rows(database, "from claims order by all")
    assert asked
    loaded = LoadedEvaluators(select(METRIC), Settings(), budget=100)
    score_run(database, written(database, "once", []), articles, loaded, Silent())
    assert scorer.asked == asked
    assert database_rows(database, "from claims order by all") == before


def test_the_articles_are_a_row_of_their_own(read: dict[str, Texts]) -> None:
    human = means(read["human"], read["human"])
    assert (human["four_gram_proportion"].mean, human["four_gram_proportion"].undefined) == (1.0, 0)
    assert (human["spg"].texts, human["spg"].model, human["spg"].decoder) == (12, "Wikipedia", "reference")


def test_a_text_without_sentences_supports_nothing(database: Database, articles: list[Any], scorer: Scripted) -> None:
    run = written(database, "empty", [(articles[0].page_id, ""), (articles[1].page_id, "It burnt.")])
    loaded = LoadedEvaluators(select(METRIC), Settings(), budget=100)
    score_run(database, run, articles[:2], loaded, Silent())
    found = of_run(database, "empty", ("toy", "x"), METRIC, loaded.fingerprints["claims_article"].evaluator_id)
    assert [(one.spg, one.spv) for one in found.support.values()] == [(0, None), (0, None)]
