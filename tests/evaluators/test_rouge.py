import time
from collections.abc import Callable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.analysis import Analysis, Analyst
from evaluators.rouge import longest_common, rouge_l
from newwiki.records import Unscorable

Counted = Callable[[str], Analysis]
SOME = st.lists(st.sampled_from(["a", "b", "Ça", "ça", "中"]), min_size=1, max_size=20)
FEW = st.lists(st.sampled_from("abc"), max_size=9)


def test_rouge_l_is_that_of_lins_example(counted: Counted) -> None:
    # Lin 2004, section 3.1: "police the gunman" and "the gunman police" share two words in order with the reference's.
    reference = counted("police killed the gunman")
    assert rouge_l(counted("police kill the gunman"), reference) == pytest.approx(3 / 4)
    assert rouge_l(counted("the gunman kill police"), reference) == pytest.approx(2 / 4)


@pytest.mark.by_hand("rouge_l")
def test_rouge_l_by_hand(counted: Counted) -> None:
    # "the bridge fell" are three of four words and three of five: 2 · 3 / (4 + 5).
    assert rouge_l(counted("The bridge, it fell."), counted("the old bridge fell down")) == pytest.approx(6 / 9)


@given(FEW, FEW)
def test_the_longest_common_subsequence_is_the_longest_of_all(one: list[str], other: list[str]) -> None:
    def subsequences(words: list[str]) -> set[tuple[str, ...]]:
        return {some for length in range(len(words) + 1) for some in combinations(words, length)}

    assert longest_common(one, other) == max(map(len, subsequences(one) & subsequences(other)))


@given(SOME, SOME)
def test_rouge_l_is_symmetric_and_a_ratio(mine: list[str], theirs: list[str]) -> None:
    here, there = Analyst().analyse([" ".join(mine), " ".join(theirs)], frozenset())
    score = rouge_l(here, there)
    assert isinstance(score, float)
    assert 0 <= score <= 1
    assert score == rouge_l(there, here)
    assert rouge_l(here, here) == 1


def test_five_thousand_words_take_no_minute(counted: Counted) -> None:
    one = counted(" ".join(f"w{number * number % 997}" for number in range(5000)))
    other = counted(" ".join(f"w{number * 7 % 997}" for number in range(5000)))
    started = time.perf_counter()
    assert isinstance(rouge_l(one, other), float)
    assert time.perf_counter() - started < 10


def test_what_would_take_minutes_has_a_reason_for_a_score(counted: Counted) -> None:
    book = counted("a b " * 60_000)
    assert rouge_l(book, book) == Unscorable("too long to compare")


@pytest.mark.parametrize("text", ["", "...", "🙂"])
def test_a_text_without_words_has_no_score(counted: Counted, text: str) -> None:
    assert rouge_l(counted(text), counted("Words.")) == Unscorable("no words")
    assert rouge_l(counted("Words."), counted(text)) == Unscorable("the reference has no words")
