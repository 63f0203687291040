"""Sets of phrases, common and unique, of scripted responses: by hand and beside `evaluators.statistics`."""

from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np
import pytest

from evaluators import statistics
from evaluators.bounded_intervals import bounded_interval
from flows.experiments.corpora.findings import frequencies, phrases, responses_of
from flows.experiments.corpora.phrase_sets import PhraseSets
from flows.experiments.corpora.responses import Responses
from flows.experiments.corpora.result_tables import CorpusPhrase
from flows.experiments.corpora.words import verdict
from newwiki.records import Run

PROMPTS = 20


class Named:
    """A run as far as it is read."""

    def __init__(self, corpus: str, decoder: str) -> None:
        self.run_id, self.decoder = f"{corpus}-{decoder}", decoder


def response(corpus: str, decoder: str, having: Mapping[str, Iterable[int]], prompts: int = PROMPTS) -> Responses:
    """A response to each prompt; each phrase is in those to the prompts that are named."""
    of_prompt: dict[tuple[int, int], tuple[str, ...]] = {
        (page, 0): tuple(phrase for phrase, pages in having.items() if page in pages) for page in range(prompts)
    }
    return Responses(corpus, cast(Run, Named(corpus, decoder)), of_prompt)


RESPONSES = [
    response("wos", "top-k", {"water": range(20), "energy": range(3), "school": range(2)}),
    response("wos", "nucleus", {"water": range(2), "wage": range(5, 8)}),
    response("scopus", "top-k", {"water": range(3), "energy": range(10), "poverty": range(20)}),
    response("scopus", "nucleus", {"poverty": range(10), "wage": range(2)}),
]


@pytest.fixture
def sets() -> PhraseSets:
    return PhraseSets(RESPONSES, 0.1)


def of(found: list[CorpusPhrase], corpus: str, phrase: str) -> CorpusPhrase:
    [one] = [one for one in found if (one.corpus, one.phrase) == (corpus, phrase)]
    return one


def test_a_phrase_counts_that_is_in_more_than_a_tenth_under_any_decoder(sets: PhraseSets) -> None:
    """Two of twenty are a tenth, and no more: school counts nowhere, wage in one corpus."""
    assert sets.sets == {"wos": {"water", "energy", "wage"}, "scopus": {"water", "energy", "poverty"}}
    assert sets.common == {"water", "energy"}


@pytest.mark.parametrize(("threshold", "responses"), [(0.1, 500), (0.29, 100), (0.07, 100), (0.3, 10)])
def test_the_share_itself_is_not_above_the_share(threshold: float, responses: int) -> None:
    at = round(threshold * responses)
    one = response("wos", "top-k", {"at": range(at), "above": range(at + 1)}, responses)
    assert PhraseSets([one], threshold).counting(one) == {"above"}


def test_frequencies_are_of_every_phrase_in_every_corpus_under_every_decoder(sets: PhraseSets) -> None:
    found = {(one.phrase, one.corpus, one.decoder): one for one in frequencies(sets)}
    assert len(found) == 4 * 2 * 2
    wage = found["wage", "scopus", "nucleus"]
    assert (wage.responses, wage.share, wage.counts) == (2, 0.1, False)
    assert found["wage", "wos", "nucleus"].counts
    assert found["poverty", "wos", "top-k"].responses == 0


def test_shares_count_each_decoder_alike_with_intervals_by_prompt(sets: PhraseSets) -> None:
    one = of(phrases(sets, seed=0), "wos", "water")
    by_prompt = np.array([1.0 if page < 2 else 0.5 for page in range(PROMPTS)])[:, None]
    expected = bounded_interval(statistics.estimate(by_prompt, np.ones_like(by_prompt)), 0.0, 1.0)
    assert (one.kind, one.corpora) == ("common", 2)
    assert (one.share, one.low, one.high) == pytest.approx((0.55, expected.low[0], expected.high[0]))
    assert (one.against, one.verdict, one.p) == (None, None, None)


def test_a_unique_phrase_is_set_against_the_corpus_without_it(sets: PhraseSets) -> None:
    found = phrases(sets, seed=0)
    poverty, wage = of(found, "scopus", "poverty"), of(found, "wos", "wage")
    assert (poverty.kind, poverty.corpora, poverty.against, poverty.against_share) == ("unique", 1, "wos", 0.0)
    assert (poverty.difference, poverty.share) == (pytest.approx(0.75), pytest.approx(0.75))
    assert poverty.verdict == "beyond chance"
    # 3 of 40 responses against 2 of 40: above the threshold here and below it there, and no more than that
    assert (wage.difference, wage.verdict) == (pytest.approx(1 / 40), "may be chance")
    assert poverty.p_holm == pytest.approx(min(1.0, 4 * cast(float, poverty.p))), "of all four that might be unique"
    assert verdict(found) == "2 noun phrases in common, 2 unique, 1 of them beyond chance"


def test_a_phrase_might_count_that_both_corpora_together_have_often_enough(sets: PhraseSets) -> None:
    """School is in two of twenty responses of both, a tenth of one's own; energy is in 13."""
    assert sets.might_count("wos", "scopus") == {"water", "energy", "poverty", "wage"}
    assert sets.might_count("wos", "scopus") == sets.might_count("scopus", "wos")


def test_where_corpora_teach_the_same_nothing_is_beyond_chance() -> None:
    """200 phrases, each in 5 % of the responses after either corpus. Of 40 answers, two at most may say otherwise: 12
    would if p were corrected only for the phrases that came to be unique, which are chosen for their difference."""
    random, wrong, unique = np.random.default_rng(0), 0, 0
    for _ in range(40):
        drawn = [
            response(name, "top-k", {f"{at}": {*np.flatnonzero(random.random(100) < 0.05)} for at in range(200)}, 100)
            for name in ("wos", "scopus")
        ]
        found = phrases(PhraseSets(drawn, 0.1), seed=0)
        unique += len(found)
        wrong += any(one.verdict == "beyond chance" for one in found)
    assert unique > 40, "there are phrases that chance alone made unique"
    assert wrong <= 2


def test_of_several_corpora_that_lack_it_the_one_counts_that_has_it_most() -> None:
    third = [
        response("openalex", "top-k", {"poverty": range(2), "energy": range(20)}),
        response("openalex", "nucleus", {"poverty": range(2)}),
    ]
    found = phrases(PhraseSets([*RESPONSES, *third], 0.1), seed=0)
    poverty, water = of(found, "scopus", "poverty"), of(found, "wos", "water")
    assert (poverty.against, poverty.against_share) == ("openalex", pytest.approx(0.1))
    assert (water.kind, water.corpora, water.against) == ("unique", 2, "openalex")


def test_a_phrase_that_all_responses_have_is_told_apart_without_an_interval() -> None:
    both = [response("wos", "top-k", {"water": range(20)}), response("scopus", "top-k", {"water": []})]
    one = of(phrases(PhraseSets(both, 0.1), seed=0), "wos", "water")
    assert (one.difference, one.difference_low) == (1.0, None)
    assert (one.share, one.high, one.no_interval) == (1.0, 1.0, None)
    assert one.low == pytest.approx(0.82, abs=0.01)  # Wilson's of 20 prompts of 20, by Student's t
    assert one.verdict == "beyond chance"


def test_twelve_prompts_are_too_few_to_say_more() -> None:
    both = [response("wos", "top-k", {"water": range(12)}, 12), response("scopus", "top-k", {"fire": [0, 1]}, 12)]
    found = phrases(PhraseSets(both, 0.1), seed=0)
    assert {(one.verdict, one.p, one.low) for one in found} == {("too few prompts", None, None)}
    assert verdict(found) == "0 noun phrases in common, 2 unique, with too few prompts to say more"


def test_samples_of_a_prompt_share_its_weight_and_empty_responses_count() -> None:
    of_prompts: dict[tuple[int, int], tuple[str, ...]] = {(0, 0): ("water",), (0, 1): (), (1, 0): (), (1, 1): ()}
    sampled = Responses("wos", cast(Run, Named("wos", "top-k")), of_prompts)
    found = PhraseSets([sampled], 0.1)
    assert found.shares("wos", ["water"]).tolist() == [[0.5], [0.0]]
    [counted] = responses_of(found)
    assert (counted.responses, counted.without_phrase, counted.phrases) == (4, 3, 1)


def test_without_any_phrase_there_is_an_answer() -> None:
    both: list[Any] = [response("wos", "top-k", {}), response("scopus", "top-k", {})]
    assert phrases(PhraseSets(both, 0.1), seed=0) == []
    assert verdict([]) == "no noun phrase counts"
