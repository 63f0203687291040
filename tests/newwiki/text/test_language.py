from dataclasses import fields

import pytest

from newwiki.errors import TerminalError
from newwiki.text.language import Language, load_language


@pytest.mark.parametrize("code", ["xx", "", "../en", "en.toml", "zh-hant"])
def test_an_unknown_language_is_named_with_what_there_is_and_what_to_do(code: str) -> None:
    with pytest.raises(TerminalError) as error:
        load_language(code)
    assert f"'{code}'" in str(error.value)
    assert "there is for: en." in str(error.value)
    assert f"newwiki/text/{code}.toml" in str(error.value)


def test_words_are_stored_as_they_are_compared(english: Language) -> None:
    for field in fields(Language):
        words = getattr(english, field.name)
        assert words, field.name
        if field.name == "sentence_starters":
            assert all(word[:1].isupper() for word in words)
        elif field.name != "disambiguation_words":
            assert all(word == word.lower() for word in words), field.name


def test_an_abbreviation_is_written_without_its_last_full_stop(english: Language) -> None:
    assert not [word for word in english.abbreviations if word.endswith(".")]
