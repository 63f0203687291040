"""Whatever happens to a page's markup: no exception, no leak, and time in proportion to its length."""

import random
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from newwiki.text.language import Language
from newwiki.text.prose import extract_prose
from tests.newwiki.text.leaks import leaks

SHREDS = ["{{", "}}", "[[", "]]", "{|", "\n|}", "<ref>", "</ref>", "|", "<!--", "''", "\n", "<nowiki>", "[", "]", "("]
MUTATED = 400
# What MediaWiki shows too where markup is broken: a stroke, an arrow, a name that is no link's, `<no<b>wiki>`.
HARMLESS = ["|", "Category:", "( ", "(, ", "(;", ",,", "-->", "<>", "a tag"]


def mutated(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 12)):
        start = chance.randrange(len(text))
        match chance.randrange(4):
            case 0:
                text = text[:start] + text[start + chance.randint(1, 40) :]
            case 1:
                text = text[:start] + chance.choice(SHREDS) * chance.choice([1, 1, 2, 500]) + text[start:]
            case 2:
                text = text[:start] + text[start : start + 300] + text[start:]
            case _:
                place = text.find(chance.choice(SHREDS[:8]), start)
                text = text[:place] + text[place + 2 :] if place >= 0 else text
    return text


def test_a_page_whose_markup_is_broken_leaks_none_of_it(english: Language, sample_wiki: Path) -> None:
    wiki = ElementTree.parse(sample_wiki)
    texts = [element.text for element in wiki.iter() if element.tag.endswith("}text") and element.text]
    chance = random.Random(7)
    for number in range(MUTATED):
        text = mutated(chance.choice(texts), chance)
        start = time.process_time()
        prose = extract_prose(text, english)
        assert time.process_time() - start < 10, number
        assert leaks(prose, but=HARMLESS) == [], (number, text)


@pytest.mark.parametrize(
    "text",
    [
        "{{" * 416_000, "[[" * 83_000, "{{a|" * 83_000, "{{nowrap|" * 500 + "x" + "}}" * 500, "<ref>" * 50_000,
        "{|\n" * 50_000, "[http://x " * 33_000, "'''" * 50_000, "(" * 83_000 + "{{x}}" + ")" * 83_000,
        "{{x}}, " * 50_000, "[[File:a|" * 33_000, "<table>" * 33_000 + "</table>" * 33_000, "<!--" * 83_000,
        "{{lang|en|" + "a|" * 83_000 + "}}", "({{x}}" * 33_000, "&#" * 83_000, "\n==x" * 33_000,
        "a<b " * 33_000, "<b x=" * 33_000, "<b x='" * 25_000, "<ref " * 33_000, "<ref " * 33_000 + ">",
        "<ref" + "a" * 83_000, "<ref" + " " * 83_000, "<h2>a" * 8_000, "<h2 " * 33_000, "<code>" * 25_000,
        "<nowiki>&" * 16_000, "<nowiki>" + "a<" * 8_000 + "</nowiki>", "<syntaxhighlight inline>" * 8_000,
        "<includeonly>" * 16_000, "<noinclude>" * 16_000, "<poem>" * 25_000, "<span><i>" * 16_000,
        "\n<!-- a -->" * 16_000, "\n----" * 33_000, "__a" * 50_000, "__NOTOC__" * 16_000,
        "[http://" + "a" * 83_000,
        "[mailto:a " * 16_000, "mailto:" * 25_000, "file:" * 33_000, "file:" * 33_000 + "]]",
        "[[" * 900 + "file:" * 49_500,
        "xcite web |" * 6_000, "{{PAGENAME}}" * 16_000, "{{lang-rus|" * 16_000, "{{USA|" * 25_000,
        "( " * 16_000 + "{{x}}" + " )" * 16_000, "([ " * 6_000 + "{{x}}" + " ])" * 6_000,
        "[{" * 6_000 + "[[" + "{[" * 6_000, "{{nowrap|" + " " * 19_000 + "!=x}}",
        ("[[(" + " " * 19_000 + "|]]") * 20,
        "a" + "\u0301\u0316" * 33_000, "\n== See also ==\na" * 8_000, "{{x}} {{y}}, " * 8_000, "“" * 50_000,
    ],
    ids=lambda text: repr(text[:10]),
)  # fmt: skip
def test_a_page_that_is_nothing_but_openers_takes_seconds_a_megabyte_at_most(english: Language, text: str) -> None:
    start = time.process_time()
    prose = extract_prose(text, english)
    assert time.process_time() - start < 4 * max(0.6, len(text) / 1e6)
    assert leaks(prose, but=HARMLESS) == []
