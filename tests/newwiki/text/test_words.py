import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.text.words import count_words, split_words, without_spaces


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The Lumen – 3.5 km – is long.", ["The", "Lumen", "–", "3.5", "km", "–", "is", "long."]),
        ("Beijing (北京) is large.", ["Beijing", "(北京)", "is", "large."]),
        ("река Люмен", ["река", "Люмен"]),
        ("北京很大。", ["北", "京", "很", "大"]),
        ("東京は1868年に、Tokyo Metropolisとした。", [*"東京は", "1868", *"年に", "Tokyo", "Metropolis", *"とした"]),
        ("長さは3.5キロ・メートル", [*"長さは", "3.5", *"キロメートル"]),
        ("佐々木が", [*"佐々木が"]),
        ("นี่คือ", ["นี่", "คื", "อ"]),
        ("", []),
    ],
)
def test_words_stand_between_spaces_or_are_letters_where_there_are_none(text: str, words: list[str]) -> None:
    assert split_words(text) == words


def test_a_few_characters_of_a_script_without_spaces_do_not_hide_the_words() -> None:
    assert not without_spaces("Beijing (北京) is large.")
    assert without_spaces("北京很大。 Beijing.")


@given(st.text("abc déЖ.,–3 \n北の"))
def test_only_what_holds_a_letter_or_digit_counts(text: str) -> None:
    assert count_words(text) <= len(split_words(text))
    assert bool(count_words(text)) == any(map(str.isalnum, text))


@given(st.text("abc déЖ.,–3 \n"))
def test_words_between_spaces_are_what_white_space_separates(text: str) -> None:
    assert split_words(text) == text.split()
