"""Means, intervals and comparisons of scripted texts, by hand and beside `evaluators.statistics`."""

import re
from dataclasses import replace

import numpy as np
import pytest

from evaluators import statistics
from evaluators.bounded_intervals import bounded_interval
from evaluators.claims.verifiability import Support
from flows.experiments.directions import judged
from flows.experiments.verifiability.figures import families, figures
from flows.experiments.verifiability.metrics import differences, metrics_of
from flows.experiments.verifiability.result_tables import VerifiabilityMetric
from flows.experiments.verifiability.show import findings
from flows.experiments.verifiability.texts import Texts
from flows.experiments.verifiability.words import verdict
from newwiki.papers.published import papers

PROMPTS = 30
RANDOM = np.random.default_rng(5)
NOISE = RANDOM.integers(0, 4, PROMPTS)


def texts(decoder: str, raised: int = 0, *, undefined: bool = False, four_grams: int = 100) -> Texts:
    """Of each prompt two texts with some of five sentences supported, none refuted, and `raised` more in the one."""
    found, grams = {}, {}
    for page in range(PROMPTS):
        for sample in (0, 1):
            share = (NOISE[page] + (raised if sample else 0)) / 5
            share_of_verified = None if undefined and page % 2 else 1.0
            found[page, sample] = Support(spg=share, spv=share_of_verified, uspg=share / 2, uspv=share_of_verified)
            grams[page, sample] = four_grams + int(NOISE[page])
    return Texts("toy", decoder, found, grams, grams)


ARTICLES = Texts("Wikipedia", "reference", {}, {(page, 0): 200 + page for page in range(PROMPTS)}, {})


def of(metric: str, found: list[VerifiabilityMetric]) -> VerifiabilityMetric:
    [one] = [one for one in found if one.metric == metric]
    return one


def test_a_mean_is_over_texts_and_its_interval_by_prompts() -> None:
    one = of("spg", metrics_of(texts("greedy"), ARTICLES, "someone"))
    found = statistics.estimate(NOISE[:, None] * 2 / 5, np.full((PROMPTS, 1), 2.0))
    expected = bounded_interval(found, 0.0, 1.0)
    assert (one.texts, one.prompts, one.evaluator_id) == (60, PROMPTS, "someone")
    assert (one.mean, one.low, one.high) == pytest.approx((NOISE.mean() / 5, expected.low[0], expected.high[0]))


def test_texts_without_a_verified_sentence_are_counted_and_left_out() -> None:
    found = metrics_of(texts("greedy", undefined=True), ARTICLES, "someone")
    assert [(of(name, found).texts, of(name, found).undefined) for name in ("spv", "uspv", "spg")] == [
        (30, 30), (30, 30), (60, 0),
    ]  # fmt: skip
    one = of("spv", found)
    assert (one.mean, one.high, one.no_interval) == (1.0, 1.0, None)
    assert one.low == pytest.approx(0.77, abs=0.01)  # Wilson's of 15 prompts of 15


def test_the_proportion_is_the_ratio_of_the_means() -> None:
    found = metrics_of(texts("greedy"), ARTICLES, "someone")
    one, grams = of("four_gram_proportion", found), 100 + NOISE
    assert one.mean == pytest.approx(grams.mean() / np.mean([200 + page for page in range(PROMPTS)]))
    assert one.mean is not None and one.low is not None and one.high is not None
    assert one.low < one.mean < one.high
    assert of("distinct_4grams", found).mean == pytest.approx(grams.mean())


def test_no_text_with_a_number_is_null() -> None:
    none = {key: replace(one, spv=None, uspv=None) for key, one in texts("greedy").support.items()}
    one = of("spv", metrics_of(replace(texts("greedy"), support=none), ARTICLES, "someone"))
    assert (one.mean, one.low, one.texts, one.undefined) == (None, None, 0, 60)


def test_what_is_raised_is_higher_and_nothing_else() -> None:
    """Of each prompt's two texts one has a supported sentence more: 0.1 of SPG, half of it of USPG."""
    against = texts("greedy")
    found = judged(differences([against, texts("beam", 1), texts("sample")], against, seed=0))
    assert {(one.decoder, one.metric): one.verdict for one in found if one.verdict != "cannot tell"} == {
        ("beam", "spg"): "higher",
        ("beam", "uspg"): "higher",
    }
    spg = next(one for one in found if (one.decoder, one.metric) == ("beam", "spg"))
    assert (spg.difference, spg.prompts, spg.against) == (pytest.approx(0.1), PROMPTS, "greedy")
    assert verdict(found, "greedy") == "USPG of 2 decoders beside greedy: 1 higher, 1 cannot be told from it"


def test_a_prompt_without_a_number_under_both_is_left_out() -> None:
    against = texts("greedy", undefined=True)
    found = differences([texts("beam", 1), against], against, seed=0)
    assert {one.metric: one.prompts for one in found} == {
        "distinct_4grams": 30, "spg": 30, "spv": 15, "uspg": 30, "uspv": 15,
    }  # fmt: skip


def test_one_decoder_is_compared_with_none() -> None:
    assert differences([texts("greedy")], texts("greedy"), seed=0) == []
    assert verdict([], "greedy") == "one decoder, compared with none"


def test_decoders_that_differ_in_one_parameter_are_a_curve_with_its_line() -> None:
    asked = [
        "delayed-beam:delay=1,num_beams=6,top_k=100",
        "delayed-beam:delay=5,num_beams=6,top_k=100",
        "delayed-beam:delay=5,num_beams=6,top_k=10",
        "beam:length_penalty=1,num_beams=15",
        "beam:length_penalty=1,no_repeat_ngram_size=3,num_beams=15",
        "beam:length_penalty=1,no_repeat_ngram_size=20,num_beams=15",
        "reference",
        "a-plugin-that-is-not-here",
    ]
    found = [one for name in asked for one in metrics_of(texts(name), ARTICLES, "someone")]
    delays, blocked = families(found)
    assert (delays.parameter, list(delays.by_value), delays.line) == ("delay", [1, 5], None)
    assert (blocked.parameter, list(blocked.by_value)) == ("no_repeat_ngram_size", [3, 20])
    assert blocked.line is not None
    assert blocked.line[0] == "beam:num_beams=15"


def test_the_headline_figures_stand_before_all_others_over_the_papers_points() -> None:
    found = [one for name in ("greedy", "beam") for one in metrics_of(texts(name), ARTICLES, "someone")]
    drawn = figures(found)
    first = [one for one in drawn if one.first]
    assert [one.caption.split(" by decoder")[0].split(", of")[0] for one in first] == [
        "USPV against USPG", "SPG against distinct 4-grams in 256 words",
    ]  # fmt: skip
    assert drawn[: len(first)] == first
    published = papers()["004"].table("1")
    diamonds = re.findall(r'fill="#00000000"', str(first[0].image))
    assert len(diamonds) == len([row for row in published.rows if row.model in ("large", "Wikipedia")])


def test_what_cannot_be_told_is_listed_and_never_said_to_be_equal() -> None:
    against = texts("greedy")
    found = findings(judged(differences([against, texts("beam", 1), texts("sample")], against, seed=0)))
    assert found.fails is None
    assert [sentence.partition(" with")[0] for sentence in found.holds] == [
        "toy: SPG is higher than", "toy: USPG is higher than",
    ]  # fmt: skip
    assert found.unknown == [
        "toy: whether distinct 4-grams, SPV, USPV differ from greedy under beam; sample",
        "toy: whether SPG, USPG differ from greedy under sample",
        "what people would call supported: none labelled a sentence, the checker alone did",
    ]
    assert not any("equal" in sentence or "same" in sentence for sentence in found.unknown)
