from collections.abc import Callable
from itertools import pairwise
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.util import ngrams

from evaluators.analysis import Analysis, Analyst
from evaluators.ngrams import distinct, distinct_2, diversity, rep, rep_4
from newwiki.records import Unscorable

Counted = Callable[[str], Analysis]
FEW_WORDS = st.lists(st.sampled_from(["a", "A", "b", "b.", "مرحبا"]), min_size=4, max_size=60)


@pytest.mark.by_hand("distinct_2")
def test_distinct_2_by_hand(counted: Counted) -> None:
    # "a b", "b a" and "b A" are the different bigrams of five words: words keep their case.
    assert distinct_2(counted("a b a b A"), counted("")) == pytest.approx(3 / 5)


@pytest.mark.by_hand("rep_4")
def test_rep_4_by_hand(counted: Counted) -> None:
    # Six words have three 4-grams, all of them the same.
    assert rep_4(counted("la la la la la la"), counted("")) == pytest.approx(1 - 1 / 3)


@given(FEW_WORDS)
def test_ngrams_are_those_of_nltk_and_scores_stay_in_range(words: list[str]) -> None:
    (analysis,) = Analyst().analyse([" ".join(words)], frozenset())
    distinct, repeated = distinct_2(analysis, analysis), rep_4(analysis, analysis)
    assert distinct == len(set(ngrams(words, 2))) / len(words)
    assert repeated == 1 - len(set(ngrams(words, 4))) / len(list(ngrams(words, 4)))
    assert 0 < distinct < 1
    assert 0 <= repeated < 1


@given(FEW_WORDS)
def test_many_repetitions_bound_the_variety(words: list[str]) -> None:
    (analysis,) = Analyst().analyse([" ".join(words)], frozenset())
    distinct, repeated = distinct_2(analysis, analysis), rep_4(analysis, analysis)
    # Each different 4-gram begins with one bigram, and at most two bigrams begin none.
    assert len(set(pairwise(words))) <= (1 - repeated) * (len(words) - 3) + 2 + 1e-9
    assert distinct <= 1


@pytest.mark.parametrize("text", ["", "\n", "... ! ! ! !", "🙂 🎉 🙂 🎉 🙂"])
def test_a_text_without_words_has_no_score(counted: Counted, text: str) -> None:
    assert distinct_2(counted(text), counted("")) == rep_4(counted(text), counted("")) == Unscorable("no words")


def test_a_text_too_short_for_one_ngram_has_no_score(counted: Counted) -> None:
    assert distinct_2(counted("one"), counted("")) == Unscorable("fewer than two words")
    assert rep_4(counted("one two three"), counted("")) == Unscorable("fewer than four words")


def test_ten_megabytes_of_repetition(counted: Counted) -> None:
    analysis = counted("again and again " * 625_000)
    assert rep_4(analysis, analysis) == pytest.approx(1, abs=1e-5)


@pytest.mark.by_hand("distinct_1", "distinct_3", "rep_2", "rep_3", "diversity")
def test_the_other_measures_by_hand(counted: Counted) -> None:
    # Three different words, bigrams (a b, b a, a c), trigrams (a b a, b a b, b a c) and 4-grams, of 6, 5, 4 and 3.
    text = counted("a b a b a c")
    assert distinct(text, text) == pytest.approx({"distinct_1": 3 / 6, "distinct_3": 3 / 6})
    assert rep(text, text) == pytest.approx({"rep_2": 1 - 3 / 5, "rep_3": 1 - 3 / 4})
    assert diversity(text, text) == pytest.approx(3 / 5 * 3 / 4 * 3 / 3)


@given(FEW_WORDS)
def test_every_measure_is_that_of_a_plain_count(words: list[str]) -> None:
    (analysis,) = Analyst().analyse([" ".join(words)], frozenset())
    different = {n: len({" ".join(gram) for gram in ngrams(words, n)}) for n in (1, 2, 3, 4)}
    total = {n: sum(1 for _ in ngrams(words, n)) for n in (1, 2, 3, 4)}
    assert distinct(analysis, analysis) == {f"distinct_{n}": different[n] / len(words) for n in (1, 3)}
    assert rep(analysis, analysis) == {f"rep_{n}": 1 - different[n] / total[n] for n in (2, 3)}
    product = diversity(analysis, analysis)
    assert product == pytest.approx(prod(different[n] / total[n] for n in (2, 3, 4)))
    assert 0 < product <= 1
    repeated = rep_4(analysis, analysis)
    assert isinstance(repeated, float)
    assert product <= 1 - repeated + 1e-9


def test_what_is_too_short_says_so_metric_by_metric(counted: Counted) -> None:
    two = counted("one two")
    assert distinct(two, two) == {"distinct_1": 1, "distinct_3": Unscorable("fewer than three words")}
    assert rep(two, two) == {"rep_2": 0, "rep_3": Unscorable("fewer than three words")}
    assert diversity(two, two) == Unscorable("fewer than four words")
