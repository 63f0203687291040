from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.analysis import Analysis, Analyst
from evaluators.ngrams import distinct, distinct_2, diversity, rep, rep_4
from evaluators.ngrams_at_256 import ngrams_at_256
from newwiki.records import Unscorable


@pytest.mark.by_hand(
    "distinct_1_at_256",
    "distinct_2_at_256",
    "distinct_3_at_256",
    "rep_2_at_256",
    "rep_3_at_256",
    "rep_4_at_256",
    "diversity_at_256",
)
def test_the_first_256_words_by_hand(counted: Callable[[str], Analysis]) -> None:
    # "a b" 128 times has two different n-grams of each length; the words after it do not count.
    text = counted(" ".join(["a b"] * 128 + ["and then other words"] * 20))
    assert ngrams_at_256(text, text) == pytest.approx(
        {
            "distinct_1_at_256": 2 / 256,
            "distinct_2_at_256": 2 / 256,
            "distinct_3_at_256": 2 / 256,
            "rep_2_at_256": 1 - 2 / 255,
            "rep_3_at_256": 1 - 2 / 254,
            "rep_4_at_256": 1 - 2 / 253,
            "diversity_at_256": (2 / 255) * (2 / 254) * (2 / 253),
        }
    )


@given(st.lists(st.sampled_from(["a", "b", "c d"]), min_size=256, max_size=300))
def test_measures_at_256_are_those_of_the_first_256_words(words: list[str]) -> None:
    whole, cut = Analyst().analyse([" ".join(words), " ".join(" ".join(words).split()[:256])], frozenset())
    assert ngrams_at_256(whole, whole) == {
        "distinct_2_at_256": distinct_2(cut, cut),
        "rep_4_at_256": rep_4(cut, cut),
        "diversity_at_256": diversity(cut, cut),
        **{f"{name}_at_256": value for name, value in (distinct(cut, cut) | rep(cut, cut)).items()},
    }


def test_a_shorter_text_has_no_score(counted: Callable[[str], Analysis]) -> None:
    short = counted("word " * 255)
    assert ngrams_at_256(short, short) == Unscorable("fewer than 256 words")
