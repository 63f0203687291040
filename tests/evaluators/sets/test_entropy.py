from collections import Counter
from collections.abc import Callable
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.corpus import Corpus
from evaluators.sets.entropy import ngram_entropy
from newwiki.records import SetScore, Unscorable

TEXTS = st.lists(st.lists(st.sampled_from("abc"), max_size=8), min_size=1, max_size=5)


@pytest.mark.by_hand("ngram_entropy_1", "ngram_entropy_2", "ngram_entropy_3")
def test_entropy_by_hand(corpus: Callable[..., Corpus]) -> None:
    # a twice and b, c once: -(1/2 ln 1/2 + 2 · 1/4 ln 1/4). The bigrams "a b" and "a c" once each, no trigram.
    found = ngram_entropy(corpus(["a b", "a c"]))
    assert found["ngram_entropy_1"] == SetScore(pytest.approx(1.5 * log(2)))
    assert found["ngram_entropy_2"] == SetScore(pytest.approx(log(2)))
    assert found["ngram_entropy_3"] == Unscorable("no text has three words")
    # The trigram "a b c" twice and "b c d" once: -(2/3 ln 2/3 + 1/3 ln 1/3) = ln 3 - 2/3 ln 2.
    longer = ngram_entropy(corpus(["a b c d", "a b c"]))
    assert longer["ngram_entropy_3"] == SetScore(pytest.approx(log(3) - 2 / 3 * log(2)))


def test_one_text_that_repeats_itself_has_none(corpus: Callable[..., Corpus]) -> None:
    assert ngram_entropy(corpus(["la la la la"])) == {f"ngram_entropy_{n}": SetScore(0.0) for n in (1, 2, 3)}


def test_draws_are_of_one_text_a_prompt() -> None:
    # One draw has "a" and "c", the other "b" and "c": ln 2 each, where all four texts together would have ln 3.
    texts = {(1, 0): ("a",), (1, 1): ("b",), (2, 0): ("c",), (2, 1): ("c",)}
    assert ngram_entropy(Corpus(texts, {1: (), 2: ()}))["ngram_entropy_1"] == SetScore(pytest.approx(log(2)), 0.0)


@given(TEXTS)
def test_entropy_is_that_of_a_plain_count(texts: list[list[str]]) -> None:
    corpus = Corpus(
        {(page, 0): tuple(words) for page, words in enumerate(texts)}, dict.fromkeys(range(len(texts)), ("a",))
    )
    for n in (1, 2, 3):
        counts = Counter(tuple(words[start : start + n]) for words in texts for start in range(len(words) - n + 1))
        shares = [count / counts.total() for count in counts.values()]
        found = ngram_entropy(corpus)[f"ngram_entropy_{n}"]
        if isinstance(found, SetScore):
            assert found.value == pytest.approx(-sum(share * log(share) for share in shares), abs=1e-12)
            assert 0 <= found.value <= log(counts.total()) + 1e-12
        else:
            assert not shares
