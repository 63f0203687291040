from dataclasses import fields

import pytest

from newwiki.errors import TerminalError
from newwiki.text.language import Language, load_language
from newwiki.text.templates import find_renderer

CODES = ["de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt", "ru", "zh"]
OF_SPACED_SCRIPTS = {"abbreviations", "titles", "number_abbreviations"}
AS_WRITTEN = {"sentence_starters", "disambiguation_words", "ordinal_followers", "quotation_parameters", "switches"}


@pytest.mark.parametrize("code", ["xx", "", "../en", "en.toml", "zh-hant"])
def test_an_unknown_language_is_named_with_what_there_is_and_what_to_do(code: str) -> None:
    with pytest.raises(TerminalError) as error:
        load_language(code)
    assert f"'{code}'" in str(error.value)
    assert "there are files for: de, en, es, fr, it, ja, nl, pl, pt, ru, zh." in str(error.value)
    assert f"newwiki/text/{code}.toml" in str(error.value)


@pytest.mark.parametrize("code", CODES)
def test_words_are_stored_as_they_are_compared(code: str) -> None:
    language = load_language(code)
    for field in fields(Language):
        words = getattr(language, field.name)
        if isinstance(words, frozenset) and field.name not in AS_WRITTEN:
            read = not (language.spaceless and field.name in OF_SPACED_SCRIPTS)
            assert bool(words) == read and all(word == word.lower() for word in words), field.name
    assert bool(language.sentence_starters) != language.spaceless
    assert all(word[:1].isupper() for word in language.sentence_starters)
    assert all(name == name.lower() for name in language.templates)


@pytest.mark.parametrize("code", CODES)
def test_an_abbreviation_is_written_without_its_last_full_stop(code: str) -> None:
    language = load_language(code)
    assert not [word for word in language.abbreviations | language.titles if word.endswith(".")]


@pytest.mark.parametrize("code", CODES)
def test_every_template_has_a_renderer(code: str) -> None:
    for renderer in set(load_language(code).templates.values()):
        assert callable(find_renderer(renderer))


@pytest.mark.parametrize(("code", "title"), [("de", "Lumen (Begriffsklärung)"), ("fr", "Lumen (homonymie)")])
def test_each_language_knows_its_files_its_redirects_and_its_disambiguation_pages(code: str, title: str) -> None:
    language = load_language(code)
    assert title.lower().endswith(language.disambiguation_title)
    assert language.is_no_prose({"de": "datei", "fr": "fichier"}[code])
    assert {"de": "#weiterleitung", "fr": "#redirection"}[code] in language.redirect_words
    assert len(language.months) == 12
