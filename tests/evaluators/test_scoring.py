import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from evaluators.analysis import Analysis, Analyst
from evaluators.corpus import Corpus
from evaluators.embedding import Embedder
from evaluators.entities import load_tagger
from evaluators.scoring import fingerprint, is_broken, needs_of, reads_article, score, score_set, select
from newwiki.errors import TerminalError, UsageError
from newwiki.records import Metric, RunScore, SetScore, Unscorable
from newwiki.registry import Evaluator, SetEvaluator, evaluators, set_evaluators

CORE = {
    "flesch_reading_ease",
    "gunning_fog",
    "gunning_fog_newwiki",
    "distinct_2",
    "rep_4",
    "information_density",
    "entity_overlap",
    "sbert",
    "bleu",
    "prompt_copied",
    "sbert_new",
}


def names(chosen: list[Evaluator]) -> set[str]:
    return {metric.name for evaluator in chosen for metric in evaluator.metrics}


def made_up(function: Callable[[Analysis, Analysis], object], *metrics: str) -> Evaluator:
    declared = tuple(Metric(name, "", None, None, "none", "", "") for name in metrics)
    return Evaluator(name="made_up", function=function, metrics=declared, version="1")


def score_one(evaluator: Evaluator) -> list[tuple[str, float | None, str]]:
    analyst = Analyst()
    analyses = analyst.analyse(["A text."], frozenset())
    fingerprints = {evaluator.name: fingerprint(evaluator, analyst)}
    return [
        (one.metric, one.value, one.status)
        for one in score([evaluator], fingerprints, [(7, 0)], analyses, {7: analyses[0]})
    ]


def made_up_set(function: Callable[[Corpus], object], *metrics: str) -> SetEvaluator:
    declared = tuple(Metric(name, "", None, None, "none", "", "", "run") for name in metrics)
    return SetEvaluator(name="made_up", function=function, metrics=declared, version="1")


def test_core_is_the_metrics_of_the_paper_that_need_no_other_model_and_the_share_of_copied_words() -> None:
    assert names(select("core")) == CORE
    assert names(select("core")) <= names(select("all"))


def test_metrics_are_chosen_by_name() -> None:
    assert [evaluator.name for evaluator in select("rep_4, bleu,rep_4")] == ["rep_4", "bleu"]


@pytest.mark.parametrize("choice", ["rouge", "", "bleu,", "core,rouge"])
def test_an_unknown_metric_is_misuse_and_lists_the_known(choice: str) -> None:
    with pytest.raises(UsageError, match=r"bleu, .*distinct_2, .*entity_overlap"):
        select(choice)


def test_needs_are_those_of_all_that_run() -> None:
    assert needs_of(select("bleu,rep_4")) == frozenset()
    assert needs_of(select("core")) == {"entities", "embedding", "new_embedding"}


def test_every_metric_says_what_it_is() -> None:
    for evaluator in select("all"):
        for metric in evaluator.metrics:
            assert metric.unit
            assert metric.definition
            assert metric.source
        assert evaluator.function.__doc__


def test_every_text_gets_one_score_for_every_metric_in_its_range(analyst: Analyst) -> None:
    chosen = select("core")
    article, *texts = ["Anna Berg of Oslo wrote two novels. They are long.", "Anna Berg sings.", "", "1234 5678", "🙂"]
    (reference, *analyses) = analyst.analyse([article, *texts], needs_of(chosen))
    fingerprints = {evaluator.name: fingerprint(evaluator, analyst) for evaluator in chosen}
    scores = score(chosen, fingerprints, [(7, sample) for sample in range(4)], analyses, {7: reference})
    assert {(one.sample, one.metric) for one in scores} == {(sample, name) for sample in range(4) for name in CORE}
    assert len(scores) == 4 * len(CORE)
    metrics = {metric.name: metric for evaluator in chosen for metric in evaluator.metrics}
    for one in scores:
        assert (one.value is None) == (one.status != "ok")
        if one.value is not None:
            metric = metrics[one.metric]
            assert (metric.minimum or -math.inf) <= one.value <= (metric.maximum or math.inf)
    assert {one.status for one in scores if one.sample == 1} == {"no words"}


def test_an_article_is_scored_against_itself(analyst: Analyst) -> None:
    chosen = select("entity_overlap,sbert,bleu")
    analyses = analyst.analyse(["Anna Berg of Oslo wrote two novels."], needs_of(chosen))
    fingerprints = {evaluator.name: fingerprint(evaluator, analyst) for evaluator in chosen}
    values = {one.metric: one.value for one in score(chosen, fingerprints, [(7, 0)], analyses, {7: analyses[0]})}
    assert values == pytest.approx({"entity_overlap": 1, "sbert": 1, "bleu": 100})


def test_an_evaluator_may_return_several_metrics_and_say_which_it_cannot_give() -> None:
    evaluator = made_up(lambda analysis, reference: {"a": 1, "b": Unscorable("too short")}, "a", "b")
    assert score_one(evaluator) == [("a", 1.0, "ok"), ("b", None, "too short")]


def test_one_reason_stands_for_all_metrics() -> None:
    evaluator = made_up(lambda analysis, reference: Unscorable("no words"), "a", "b")
    assert score_one(evaluator) == [("a", None, "no words"), ("b", None, "no words")]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_no_score(number: float) -> None:
    assert score_one(made_up(lambda analysis, reference: number, "a")) == [("a", None, "not finite")]


@pytest.mark.parametrize("returned", [{"a": 1.0, "c": 1.0}, {"c": 1.0}, {"a": 1.0}, 1.0])
def test_returning_other_metrics_than_declared_is_an_error(returned: object) -> None:
    with pytest.raises(TerminalError, match="declares a, b but returned"):
        score_one(made_up(lambda analysis, reference: returned, "a", "b"))


def test_a_fingerprint_is_the_same_for_the_same_evaluator(analyst: Analyst) -> None:
    for evaluator in select("core"):
        mark = fingerprint(evaluator, analyst)
        assert mark == fingerprint(evaluator, analyst)
        assert re.fullmatch("[0-9a-f]{16}", mark.evaluator_id)


def test_scores_of_two_taggers_have_different_evaluators(spacy_pipeline: Path) -> None:
    rules, pipeline = Analyst(load_tagger("rules-v1")), Analyst(load_tagger(f"spacy:{spacy_pipeline}"))
    for evaluator in select("information_density,entity_overlap"):
        assert fingerprint(evaluator, rules).model == "rules-v1"
        assert fingerprint(evaluator, pipeline).model == "spacy:en_two_cities-1.0"
        assert fingerprint(evaluator, pipeline).dependencies.keys() == {"spacy"}
        assert fingerprint(evaluator, rules).evaluator_id != fingerprint(evaluator, pipeline).evaluator_id
    (plain,) = select("rep_4")
    assert fingerprint(plain, rules) == fingerprint(plain, pipeline)


def test_whatever_changes_the_numbers_changes_the_evaluator_id(analyst: Analyst, embedder: Embedder) -> None:
    (evaluator,) = select("sbert")
    mark = fingerprint(evaluator, analyst)
    assert mark.model_sha256 == embedder.model_sha256
    assert (mark.dtype, mark.parameters["chunk_tokens"]) == ("float32", 256)
    changed = [
        replace(evaluator, version="2"),
        replace(evaluator, parameters={"window": 5}),
        replace(evaluator, packages=("numpy",)),
        replace(evaluator, name="other"),
    ]
    ids = {fingerprint(other, analyst).evaluator_id for other in changed}
    assert len(ids | {mark.evaluator_id}) == 5


def test_an_evaluator_that_is_not_ours_is_another_where_the_readability_counts_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (ours,) = select("rep_4")
    theirs = made_up(lambda analysis, reference: analysis.readability.syllables, "a")
    before = [fingerprint(evaluator, Analyst()).evaluator_id for evaluator in (ours, theirs)]
    monkeypatch.setattr("evaluators.scoring.READABILITY_VERSION", "other")
    after = [fingerprint(evaluator, Analyst()).evaluator_id for evaluator in (ours, theirs)]
    assert before[0] == after[0] and before[1] != after[1]


def test_there_is_no_fingerprint_without_the_model() -> None:
    for evaluator in select("sbert,entity_overlap"):
        with pytest.raises(TerminalError, match="no loaded model makes the part"):
            fingerprint(evaluator, Analyst())


def test_a_package_that_is_not_installed_is_named() -> None:
    evaluator = replace(made_up(lambda analysis, reference: 1.0, "a"), packages=("no-such-package",))
    with pytest.raises(TerminalError, match="pip install no-such-package"):
        fingerprint(evaluator, Analyst())


def test_a_set_evaluator_may_return_numbers_spreads_and_reasons() -> None:
    returned = {"a": 1, "b": SetScore(2.0, 0.5), "c": Unscorable("no texts"), "d": SetScore(math.nan, 1.0)}
    corpus = Corpus({(1, 0): ("a",), (1, 1): ()}, {1: ()})
    assert score_set(made_up_set(lambda corpus: returned, "a", "b", "c", "d"), "id", corpus) == [
        RunScore("a", 1.0, None, "ok", "id", 2),
        RunScore("b", 2.0, 0.5, "ok", "id", 2),
        RunScore("c", None, None, "no texts", "id", 2),
        RunScore("d", None, None, "not finite", "id", 2),
    ]
    with pytest.raises(TerminalError, match="declares a, b but returned a, b, c, d"):
        score_set(made_up_set(lambda corpus: returned, "a", "b"), "id", corpus)


def test_a_set_evaluator_has_a_fingerprint_with_what_it_reads(analyst: Analyst, embedder: Embedder) -> None:
    (mauve,) = select("mauve")
    mark = fingerprint(mauve, analyst)
    assert mark.model_sha256 == embedder.model_sha256
    assert mark.dependencies.keys() >= {"scikit-learn", "torch"}
    assert (mark.parameters["corpus"], mark.parameters["draws"], mark.parameters["seeds"]) == ("2", 5, 5)
    assert fingerprint(replace(mauve, version="2"), analyst).evaluator_id != mark.evaluator_id


def test_two_evaluators_of_one_name_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_evaluators, "_pieces", dict(set_evaluators.all()))
    set_evaluators.add("bleu", made_up_set(lambda corpus: 1, "a"))
    with pytest.raises(TerminalError, match="two evaluators of different kinds are named 'bleu'; rename one"):
        select("core")


@pytest.mark.parametrize(
    ("returned", "status"),
    [
        (None, "no number: None"),
        ("many", "no number: 'many'"),
        (math.inf, "not finite"),
        (math.nan, "not finite"),
        (10**400, f"no number: {str(10**400)[:80]}"),
        (1.7, "out of range: 1.7 is above 1"),
        (-0.2, "out of range: -0.2 is below 0"),
    ],
    ids=repr,
)
def test_what_is_no_number_of_the_metric_is_null_with_its_reason(returned: object, status: str) -> None:
    bounded = replace(made_up(lambda *_: returned, "share"), metrics=(Metric("share", "", 0, 1, "none", "", ""),))
    assert score_one(bounded) == [("share", None, status)]
    assert is_broken(status) or status == "not finite"


@pytest.mark.parametrize(("number", "side"), [(1.7e308, "above 1e+100"), (-1e101, "below -1e+100")])
def test_number_whose_mean_would_overflow_is_out_of_range(number: float, side: str) -> None:
    unbounded = replace(made_up(lambda *_: number, "wild"), metrics=(Metric("wild", "", None, None, "none", "", ""),))
    assert score_one(unbounded) == [("wild", None, f"out of range: {number:.6g} is {side}")]


def test_rounding_may_lie_beyond_a_bound() -> None:
    one = replace(made_up(lambda *_: 1.000001, "share"), metrics=(Metric("share", "", 0, 1, "none", "", ""),))
    assert score_one(one) == [("share", 1.000001, "ok")]


def test_an_exception_is_the_status_of_its_text_and_the_others_go_on() -> None:
    analyst = Analyst()
    analyses = analyst.analyse(["", "Two words."], frozenset())
    failing = made_up(lambda analysis, reference: 1 / len(analysis.words), "inverse")
    made = score([failing], {"made_up": fingerprint(failing, analyst)}, [(7, 0), (7, 1)], analyses, {7: analyses[1]})
    assert [(one.value, one.status) for one in made] == [
        (None, "error: ZeroDivisionError: division by zero"),
        (0.5, "ok"),
    ]


def test_an_exception_of_a_set_evaluator_is_its_status() -> None:
    failing = made_up_set(lambda corpus: next(iter([])), "first")
    (made,) = score_set(failing, "id", Corpus({}, {}))
    assert (made.value, made.status) == (None, "error: StopIteration")


def test_what_is_wrong_with_the_machine_or_the_request_is_no_status() -> None:
    def short_of_memory(*_: object) -> float:
        raise MemoryError

    with pytest.raises(MemoryError):
        score_one(made_up(short_of_memory, "share"))
    with pytest.raises(TerminalError, match="without entities"):
        score_one(made_up(lambda analysis, _: len(analysis.named()), "share"))


def test_which_evaluators_look_at_the_article() -> None:
    """Those whose numbers change with it: the names are those of the functions that name their second argument."""
    looking = {name for name, one in evaluators.all().items() if reads_article(one)}
    assert {"bleu", "entity_overlap", "fact_recall", "rouge_l", "sbert", "tfidf_relevance"} < looking
    assert looking.isdisjoint({"rep_4", "words", "information_density", "likelihood_coherence"})


def test_a_function_that_does_not_say_what_it_reads_may_look_at_the_article() -> None:
    def passes_on(*both: Analysis) -> float:
        return len(both[1].text)

    def within(analysis: Analysis, article: Analysis) -> list[bool]:
        return [word in article.text for word in analysis.words]

    def never(analysis: Analysis, article: Analysis) -> int:
        return len(analysis.text)

    functions = (passes_on, within, never)
    made = [Evaluator(name="any", function=one, metrics=(), version="1") for one in functions]
    assert [reads_article(one) for one in made] == [True, True, False]
    assert not reads_article(replace(made[0], alone=True))
