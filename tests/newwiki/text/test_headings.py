import json
from collections.abc import Callable
from pathlib import Path

from newwiki.text.language import Language
from newwiki.text.prose import Heading, extract


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
