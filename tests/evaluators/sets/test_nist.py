from collections.abc import Callable
from math import exp, log, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.translate.nist_score import corpus_nist

from evaluators.corpus import Corpus
from evaluators.sets.nist import nist
from newwiki.records import SetScore, Unscorable

WORDS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=9)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5)


@pytest.mark.by_hand("nist")
def test_nist_by_hand(corpus: Callable[..., Corpus]) -> None:
    # Of 5 words in the article each is there once, so a word tells log2 5 bits, and what follows it nothing more. The
    # text shares 4 of its 6 words; it is not too short.
    found = nist(corpus(["a b c d x y"], ["a b c d e"]))
    assert found == SetScore(pytest.approx(4 * log2(5) / 6))


def test_a_text_of_two_thirds_is_worth_half(corpus: Callable[..., Corpus]) -> None:
    # 6 of 9 words; the a, there twice, tells log2 4.5 bits a time, and the b after it 1 more.
    found = nist(corpus(["a b c d e f"], ["a b c d e f g h a"]))
    bits = (log2(9 / 2) + 5 * log2(9)) / 6 + log2(2 / 1) / 5
    assert found == SetScore(pytest.approx(bits * exp(log(0.5))))


@given(PAIRS)
def test_nist_is_that_of_nltk(pairs: list[tuple[list[str], list[str]]]) -> None:
    corpus = Corpus(
        {(page, 0): tuple(words) for page, (words, _) in enumerate(pairs)},
        {page: tuple(words) for page, (_, words) in enumerate(pairs)},
    )
    found = nist(corpus)
    if all(len(words) < 5 for words, _ in pairs):
        assert found == Unscorable("no text has five words")
    else:
        expected = corpus_nist([[article] for _, article in pairs], [words for words, _ in pairs])
        assert found == SetScore(pytest.approx(expected, abs=1e-12))
