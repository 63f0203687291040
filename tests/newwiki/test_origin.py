"""The summaries are of the kinds that MediaWiki, its Content Translation tool and en.wikipedia's guidelines produce."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from newwiki.origin import origin
from newwiki.snapshot import Page
from newwiki.text.language import Language

LUMEN = Page(7, "Lumen", datetime(2026, 9, 1, tzinfo=UTC))


@pytest.mark.parametrize("tag", ["contenttranslation", "contenttranslation-v2", "sectiontranslation"])
def test_the_tag_of_a_translation_tool_makes_a_translation_in_any_language(english: Language, tag: str) -> None:
    page = replace(LUMEN, tags=("visualeditor", tag), summary="Neu")
    wordless = replace(english, translation_summaries=frozenset(), quoting_summaries=frozenset())
    assert origin(page, english) == origin(page, wordless) == "translation"


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ('Created by translating the page "[[:fr:Special:Redirect/revision/1|Lumen]]"', "translation"),
        ('Created by translating the opening section from the page "[[:de:Lumen]]"', "translation"),
        (
            "Content in this edit is translated from the existing German Wikipedia article at [[:de:Lumen]]",
            "translation",
        ),
        ("Translated from [[:es:Lumen]], see its history for attribution", "translation"),
        ("translation of [[:nl:Lumen]]", "translation"),
        ("Split from [[Rivers of Lum]]", "split"),
        ("new article, split off from [[Rivers of Lum]] per talk page", "split"),
        ("Copied content from [[Rivers of Lum]]; see that page's history for attribution", "split"),
        ("Created page", "original"),
        ("", "original"),
        ("The river's name has two translations", "original"),
    ],
)
def test_a_summary_says_how_a_page_came_to_be(english: Language, summary: str, expected: str) -> None:
    assert origin(replace(LUMEN, summary=summary), english) == expected


def test_a_summary_that_quotes_the_page_says_nothing_of_the_edit(english: Language) -> None:
    """MediaWiki writes one itself where nobody has."""
    quoting = "Created page with 'The Lumen is a poem, translated from the Latin and split from a longer one'"
    assert origin(replace(LUMEN, summary=quoting), english) == "original"
    assert origin(replace(LUMEN, summary=f"←{quoting}"), english) == "original"


def test_a_page_that_is_translated_and_split_is_a_translation(english: Language) -> None:
    assert origin(replace(LUMEN, summary="Split from [[A]], translated from [[:de:A]]"), english) == "translation"


def test_a_language_without_phrases_knows_no_origin_from_a_summary(english: Language) -> None:
    wordless = replace(
        english, translation_summaries=frozenset(), split_summaries=frozenset(), quoting_summaries=frozenset()
    )
    assert origin(replace(LUMEN, summary="Translated from [[:de:Lumen]]"), wordless) == "original"
