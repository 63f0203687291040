from collections.abc import Callable

import pytest

from evaluators.corpus import Corpus
from evaluators.sets.fourgrams import four_grams
from newwiki.records import SetScore, Unscorable


@pytest.mark.by_hand("distinct_4grams", "four_gram_proportion")
def test_four_grams_by_hand(corpus: Callable[..., Corpus]) -> None:
    # One different 4-gram of three, and two of two: 1.5 on the average. The articles have four and none: 2.
    found = four_grams(corpus(["la la la la la la", "a b c d e"], ["a b c d e f g", "a b"]))
    assert found == {"distinct_4grams": SetScore((1 + 2) / 2), "four_gram_proportion": SetScore(1.5 / 2)}


def test_only_the_first_256_words_count(corpus: Callable[..., Corpus]) -> None:
    text = " ".join(map(str, range(1000)))
    assert four_grams(corpus([text]))["distinct_4grams"] == SetScore(253.0)


def test_without_four_words_anywhere_there_is_no_number(corpus: Callable[..., Corpus]) -> None:
    none = Unscorable("no text has four words")
    assert four_grams(corpus(["a b c"], ["a b c d"])) == {"distinct_4grams": none, "four_gram_proportion": none}
    found = four_grams(corpus(["a b c d"], ["a b c"]))
    assert found == {
        "distinct_4grams": SetScore(1.0),
        "four_gram_proportion": Unscorable("no article has four words"),
    }
