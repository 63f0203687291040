from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.analysis import Analysis, Analyst
from evaluators.length import sentences, words
from evaluators.readability import flesch_kincaid_grade
from newwiki.records import Unscorable

Counted = Callable[[str], Analysis]


@pytest.mark.by_hand("words", "sentences")
def test_length_by_hand(counted: Counted) -> None:
    # The dash is no word, and "It does." is too short for a sentence.
    text = counted("The old bridge fell – or so they say. It does. Nobody saw it!")
    assert words(text, text) == 13
    assert sentences(text, text) == 2


@pytest.mark.parametrize("text", ["", " \n", "...", "🙂 🎉"])
def test_a_text_without_words_is_of_length_nought(counted: Counted, text: str) -> None:
    assert words(counted(text), counted("A reference.")) == 0
    assert sentences(counted(text), counted("A reference.")) == 0


def test_digits_and_scripts_with_spaces_are_words(counted: Counted) -> None:
    assert words(counted("1234 5678"), counted("")) == 2
    assert words(counted("هذا نص عربي."), counted("")) == 3


@pytest.mark.parametrize("text", ["这是第一句话。这是第二句话。", "นี่คือประโยค.", "これは文です."])
def test_sentences_of_scripts_without_spaces_cannot_be_told(counted: Counted, text: str) -> None:
    assert sentences(counted(text), counted("")) == Unscorable("written without spaces between words")


@pytest.mark.parametrize(("text", "letters"), [("这是第一句话。", 6), ("東京は1868年に", 6), ("นี่คือ", 3)])
def test_each_letter_of_a_script_without_spaces_is_a_word(counted: Counted, text: str, letters: int) -> None:
    assert words(counted(text), counted("")) == letters


def test_a_text_that_just_stops_has_no_sentences_to_count(counted: Counted) -> None:
    assert sentences(counted("a text that just stops"), counted("")) == Unscorable("no sentence end")


@given(st.lists(st.sampled_from(["Wikipedia's", "animal", "is", "long,", "however!", "it?", "–"]), max_size=40))
def test_they_are_what_the_readability_formulas_divide_by(some: list[str]) -> None:
    (analysis,) = Analyst().analyse([" ".join([*some, "at last."])], frozenset())
    w, s = words(analysis, analysis), sentences(analysis, analysis)
    assert isinstance(w, int) and isinstance(s, int)
    expected = 0.39 * w / s + 11.8 * analysis.readability.syllables / w - 15.59
    assert flesch_kincaid_grade(analysis, analysis) == pytest.approx(expected)
