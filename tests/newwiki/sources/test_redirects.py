import pytest

from newwiki.sources.moves import left_by_move, redirect_target


@pytest.mark.parametrize(
    ("wikitext", "leads_to"),
    [
        ("#REDIRECT [[Rhine]]", "Rhine"),
        (" #redirect: [[Rhine#Source|the source]]", "Rhine"),
        ("#WEITERLEITUNG [[:Kategorie:Flüsse_und_Seen]]", "Kategorie:Flüsse und Seen"),
        ("#تحويل [[نهر]]", "نهر"),
        ("#REDIRECT Rhine", None),
        ("# first\n# [[Rhine]]", None),
        ("The [[Rhine]]", None),
        ("", None),
    ],
)
def test_a_redirect_is_known_in_any_language(wikitext: str, leads_to: str | None) -> None:
    assert redirect_target(wikitext) == leads_to


@pytest.mark.parametrize(
    ("title", "wikitext", "summary", "left"),
    [
        ("Old", "#REDIRECT [[New]]", "Writer moved page [[Old]] to [[New]]: a reason", True),
        ("Old", "#WEITERLEITUNG [[New]]", "Writer verschob die Seite [[Old]] nach [[New]]", True),
        ("Old", "#REDIRECT [[New]]", "Redirected page to [[New]]", False),
        ("Old", "A text.", "Writer moved page [[Old]] to [[New]]", False),
        ("Old", "#REDIRECT [[New]]", "", False),
        ("Old", "#REDIRECT [[New]]", "Writer moved page [[Other]] to [[New]]", False),
    ],
)
def test_a_redirect_left_by_a_move_is_distinguished_from_written_text(
    title: str, wikitext: str, summary: str, left: bool
) -> None:
    assert left_by_move(title, wikitext, summary) is left
