"""Twenty pages of each language beside English, German and French, in the wikitext of its Wikipedia."""

import tomllib
from pathlib import Path

import pytest

from newwiki.text.first_sentence import why_no_sentence
from newwiki.text.language import load_language
from newwiki.text.prompts import split
from newwiki.text.prose import extract_prose
from tests.newwiki.text.leaks import leaks

CODES = ["es", "it", "ja", "nl", "pl", "pt", "ru", "zh"]
PAGES = {
    code: tomllib.loads((Path(__file__).parent / "pages" / f"{code}.toml").read_text("utf-8"))["page"] for code in CODES
}


@pytest.mark.parametrize(
    ("code", "page"), [pytest.param(code, page, id=f"{code}-{page['title']}") for code in CODES for page in PAGES[code]]
)
def test_a_page_begins_with_its_first_sentence_and_leaks_no_wikitext(code: str, page: dict[str, str]) -> None:
    language = load_language(code)
    prose = extract_prose(page["wikitext"], language, page["title"])
    sentence, _ = split(prose, language)
    assert sentence == page["first"]
    assert leaks(prose) == []
    assert why_no_sentence(sentence, language, page["title"]) is None


@pytest.mark.parametrize("code", CODES)
def test_each_language_has_twenty_pages(code: str) -> None:
    assert len(PAGES[code]) == 20
