import json
from collections.abc import Callable
from pathlib import Path

import pytest

from newwiki.text.language import Language, load_language
from newwiki.text.prose import Heading, extract, extract_prose


def test_headings_stand_beside_the_prose_and_say_where_their_text_begins(english: Language) -> None:
    found = extract("Lead.\n== Old ==\nOne.\n=== [[Deep|Deeper]] ===\nTwo.\n\nThree.\n== ''New'' ==\nFour.", english)
    assert found.prose == "Lead.\n\nOne.\n\nTwo.\n\nThree.\n\nFour."
    assert [(h.level, h.title, found.prose[h.offset :][:4]) for h in found.headings] == [
        (2, "Old", "One."), (3, "Deeper", "Two."), (2, "New", "Four"),
    ]  # fmt: skip


def test_headings_of_the_tail_are_kept_and_no_text_is_theirs(english: Language) -> None:
    found = extract("Lead.\n== See also ==\n* x\n=== Notes ===\ny\n== After ==\nMore.\n== References ==\nz", english)
    assert found.headings == (
        Heading(2, "See also", 7), Heading(3, "Notes", 7), Heading(2, "After", 7), Heading(2, "References", 12),
    )  # fmt: skip
    assert len(found.prose) == 12


def test_headings_are_stored_as_a_list_of_level_title_and_offset(english: Language) -> None:
    assert json.loads(extract('A.\n== "B" é ==\nC.', english).headings_json) == [[2, '"B" é', 4]]
    assert extract("A.", english).headings_json == "[]"


def test_every_heading_of_a_real_page_is_there(english: Language, beside: Callable[[str], Path]) -> None:
    found = extract((beside("wikitext") / "Altimont-Butler.txt").read_text("utf-8"), english)
    assert [h.title for h in found.headings] == [
        "Youth career", "Professional career", "International", "Coaching career", "References", "External links",
    ]  # fmt: skip
    assert found.prose[found.headings[2].offset :].startswith("In 1985, Butler started his career")


@pytest.mark.parametrize(("code", "heading"), [("en", "Sources"), ("en", "Books"), ("de", "Quellen"), ("fr", "Œuvres")])
def test_of_a_list_of_works_what_reads_as_prose_is_prose(code: str, heading: str) -> None:
    verb = {"en": "was", "de": "war", "fr": "est"}[code]
    told = f"The longest of the eleven books {verb} ''The Lumen'', of which a good deal is lost."
    listed = f"Berg, Ada (1900). ''How it {verb} done in the north''. 2nd ed. Ostrel: University of Ostrel Press."
    wikitext = f"Lead.\n== {heading} ==\n{told}\n\n{listed}\n\n* {told}\n=== Others ===\n{told}\n\nNovels, 1900"
    assert extract_prose(wikitext, load_language(code)).replace("The Lumen", "''The Lumen''") == "\n\n".join(
        ["Lead.", told, told]
    )


def test_of_references_nothing_is_prose_but_a_section_of_the_article_below_them_is(english: Language) -> None:
    told = "The river was long known to the people of the valley, who fished in it."
    wikitext = f"Lead.\n== References ==\n{told}\n=== Notes ===\n{told}\n=== Course ===\n{told}\n\nBerg, 1900, p. 3."
    assert extract_prose(wikitext, english) == f"Lead.\n\n{told}"
    assert extract_prose(f"{wikitext}\n== Works ==\nIt runs.", english) == f"Lead.\n\n{told}\n\nIt runs."


def test_a_tail_heading_within_a_section_takes_nothing_with_it(english: Language) -> None:
    wikitext = "Lead.\n== Scent ==\nOne.\n=== Notes ===\nTwo.\n==== See also ====\nThree.\n== Use ==\nFour."
    assert extract_prose(wikitext, english) == "Lead.\n\nOne.\n\nTwo.\n\nThree.\n\nFour."
