"""Texts of known quality: each has the promised length and content, and depends only on the seed and the article."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evaluators import perturbations
from newwiki.text.words import first_words, split_words, without_spaces

LORN = "Lorn is a town."
SENTENCES = ["It has a mill.", "It has a church.", "It has a river.", "It has a school."]


@pytest.mark.parametrize(
    ("text", "count", "beginning"),
    [
        ("a b  c d", 3, "a b  c"),
        ("a\n\nb", 2, "a\n\nb"),
        ("a b", 5, "a b"),
        ("a b", 0, ""),
        ("", 3, ""),
        ("東京は日本の首都。", 3, "東京は"),
        ("مرحبا بالعالم اليوم", 2, "مرحبا بالعالم"),
    ],
)
def test_first_words_keeps_white_space_and_counts_as_split_words(text: str, count: int, beginning: str) -> None:
    assert first_words(text, count) == beginning


@given(st.text("ab \n", max_size=60) | st.text("東京。", max_size=60), st.integers(0, 40))
def test_first_words_has_the_first_words(text: str, count: int) -> None:
    """As long as the beginning is split by the same rule: a single 京 is not yet a text without spaces."""
    beginning = first_words(text, count)
    assume(without_spaces(beginning) == without_spaces(text))
    assert split_words(beginning) == split_words(text)[:count]


@pytest.mark.parametrize(("words", "text"), [(4, LORN), (6, "Lorn is a town. Lorn is"), (1, "Lorn")])
def test_repeated_sentence_is_cut_at_the_words(words: int, text: str) -> None:
    assert perturbations.repeated(LORN, words) == text


def test_sentences_of_a_text_without_spaces_are_repeated_without_spaces() -> None:
    assert perturbations.repeated("東京は都。", 7) == "東京は都。東京は"


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "It has a mill. It has a church. It has a river. It has a school."),
        (0.5, "A. It has a church. B. It has a school."),
        (1, "A. B. A. B."),
    ],
)
def test_replaced_sentences_are_evenly_spread(share: float, text: str) -> None:
    assert perturbations.replaced(SENTENCES, ["A.", "B."], share) == text


@given(st.text("abc .", max_size=80), st.integers(0, 9), st.integers(0, 9))
def test_shuffled_texts_have_the_same_words_and_the_same_draw(text: str, seed: int, page_id: int) -> None:
    shuffled = perturbations.shuffled_words(text, seed, page_id)
    assert sorted(shuffled.split()) == sorted(text.split())
    assert shuffled == perturbations.shuffled_words(text, seed, page_id)


@given(st.dictionaries(st.integers(0, 99), st.sampled_from(["history", "sport", None]), min_size=2), st.integers(0, 9))
def test_each_page_gets_another_page_and_each_page_is_given_once(strata: dict[int, str | None], seed: int) -> None:
    others = perturbations.derangement(strata, seed)
    assert sorted(others) == sorted(others.values()) == sorted(strata)
    assert all(page_id != other for page_id, other in others.items())
    assert others == perturbations.derangement(dict(reversed(strata.items())), seed)


def test_other_articles_are_of_the_same_stratum_where_it_has_two() -> None:
    strata = {page_id: "sport" if page_id % 2 else "history" for page_id in range(20)}
    assert all(strata[page] == strata[other] for page, other in perturbations.derangement(strata, 0).items())


@pytest.mark.parametrize("strata", [{}, {1: None}])
def test_fewer_than_two_pages_have_no_derangement(strata: dict[int, str | None]) -> None:
    assert perturbations.derangement(strata, 0) == {}
