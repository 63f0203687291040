from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.analysis import Analysis
from evaluators.sentences import distinct_sentences, first_sentence_of, split_sentences
from newwiki.records import Unscorable

Counted = Callable[[str], Analysis]


@pytest.mark.by_hand("distinct_sentences")
def test_distinct_sentences_by_hand(counted: Counted) -> None:
    # "It rained." twice, "it rained!" and what is cut off.
    text = counted("It rained. It\u00a0 rained.\nit rained! It was")
    assert distinct_sentences(text, text) == 3


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Dr. J. R. Berg of the U.S. Navy left. He ran.", ["Dr. J. R. Berg of the U.S. Navy left.", "He ran."]),
        ("It cost $3.5 million (see No. 5). Why? ...", ["It cost $3.5 million (see No. 5).", "Why?"]),
        ("She said no. He left.", ["She said no.", "He left."]),
        ("“It fell!” he said. “So?” “So.”", ["“It fell!” he said.", "“So?”", "“So.”"]),
        ("A heading\nA line. And more", ["A heading", "A line.", "And more"]),
        ("这是第一句话。「这是第二句话。」完", ["这是第一句话。", "「这是第二句话。」", "完"]),
        ("هل هذا نص؟ نعم.", ["هل هذا نص؟", "نعم."]),
        ("no end at all", []),
        ("🙂 🎉. ...", []),
        ("1234 5678.", ["1234 5678."]),
    ],
)
def test_where_sentences_end(text: str, sentences: list[str]) -> None:
    assert split_sentences(text, None) == sentences


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (" a clerk. He left.", ("a clerk.", True)),
        (" a clerk of Dr. Berg in the U.S. Navy. Then", ("a clerk of Dr. Berg in the U.S. Navy.", True)),
        (" a clerk", ("a clerk", False)),
        ("\n\n a clerk\nof the court.", ("a clerk", True)),
        ("他是医生。她也是。", ("他是医生。", True)),
        ("", ("", False)),
    ],
)
def test_what_a_completion_begins_with(text: str, first: tuple[str, bool]) -> None:
    assert first_sentence_of(text, None) == first


@given(st.text(alphabet="aA1 .!?”。\n—", max_size=60))
def test_sentences_are_the_words_of_the_text_in_order(text: str) -> None:
    letters = [character for sentence in split_sentences(text, None) for character in sentence if character.isalnum()]
    assert letters in ([], [character for character in text if character.isalnum()])


@pytest.mark.parametrize(("text", "reason"), [("", "no words"), ("...", "no words"), ("just stops", "no sentence end")])
def test_what_has_no_sentences_has_a_reason_for_a_number(counted: Counted, text: str, reason: str) -> None:
    assert distinct_sentences(counted(text), counted("A reference.")) == Unscorable(reason)
