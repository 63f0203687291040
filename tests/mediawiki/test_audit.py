"""Our prose beside what a real MediaWiki shows of the same wikitext: nothing lost or added that no rule explains."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from newwiki.text.language import load_language
from newwiki.text.prose import extract_prose
from tests.newwiki.text.leaks import leaks

from .audit import compare_all, read_pages, show
from .comparing import UNEXPLAINED, Comparison, compare
from .languages import CODES, pages_of, templates_of, write_export
from .rendering import words
from .wiki import Wiki

ENGLISH = load_language("en")
LACKING = '<a class="new" title="Template:Convert (page does not exist)">Template:Convert</a>'
REVISIONS = 100  # texts that are compared at least


def unexplained(compared: list[Comparison]) -> list[tuple[str, str, str]]:
    return [
        (each.title, " ".join(difference.lost), " ".join(difference.invented))
        for each in compared
        for difference in each.differences
        if difference.rule == UNEXPLAINED
    ]


def numbers(compared: list[Comparison]) -> list[tuple[str, str]]:
    return [(each.title, number) for each in compared for number in each.wrong_numbers]


def test_no_revision_of_the_sample_wiki_differs_from_what_a_wiki_shows(served_sample: Wiki, sample_wiki: Path) -> None:
    """The newest revision of each page and, as one revision is much like the next, every fourth of the others."""
    every = sorted(set(read_pages(sample_wiki, every_revision=True)))
    texts = sorted({*every[::4], *read_pages(sample_wiki)})
    compared = compare_all(texts, served_sample, ENGLISH)
    assert len(compared) >= REVISIONS
    assert unexplained(compared) == []
    assert numbers(compared) == []


def test_no_real_page_differs_from_what_a_wiki_shows(served_sample: Wiki, beside: Callable[[str], Path]) -> None:
    compared = compare_all(list(read_pages(beside("wikitext"))), served_sample, ENGLISH)
    assert len(compared) >= 35
    assert unexplained(compared) == []
    assert numbers(compared) == []
    assert sum(each.found for each in compared) >= sum(each.found_by_strip_code for each in compared)


@pytest.mark.parametrize("code", ["fr", "zh"])
def test_no_page_of_another_language_differs_from_what_its_wiki_shows(
    wiki: Callable[[Path], Wiki], tmp_path: Path, code: str
) -> None:
    """Two languages stand for the others, which `make audit LANG=de` compares."""
    served = wiki(write_export(code, tmp_path / "templates.xml"))
    compared = compare_all(list(read_pages(pages_of(code))), served, load_language(code))
    assert unexplained(compared) == []
    assert numbers(compared) == []
    assert [each.found for each in compared] == [each.grams for each in compared]


@pytest.mark.parametrize("code", CODES)
def test_the_pages_of_each_language_leave_prose_without_markup(code: str) -> None:
    pages = list(read_pages(pages_of(code)))
    assert len(pages) >= 2
    assert templates_of(code)
    for title, text in pages:
        prose = extract_prose(text, load_language(code), title)
        assert len(words(prose)) >= 80, title
        assert leaks(prose) == [], title


@pytest.mark.parametrize(
    ("wikitext", "html", "rule", "number"),
    [
        ("It has 1023 legs.", "<p>It has 10<sup>23</sup> legs.</p>", UNEXPLAINED, "1023"),
        ("It has six legs.", "<p>It has six legs and a tail.</p>", UNEXPLAINED, None),
        ("It is {{convert|5|km}} long.", f"<p>It is {LACKING} long.</p>", "template", None),
        ("It is {{convert|5|km}} and 6 long.", f"<p>It is {LACKING} long.</p>", "template", "6"),
        ("It is.", "<p>It is.<sup class='reference'>[1]</sup></p>", "reference", None),
        ("It is.", "<p>It is.</p><div class='thumb'><p>A tail</p></div>", "caption", None),
        ("It is.", "<p>It is.</p><h2>See also</h2><p>Another.</p>", "tail section", None),
    ],
)
def test_each_difference_has_its_rule_and_a_wrong_number_is_named(
    wikitext: str, html: str, rule: str, number: str | None
) -> None:
    compared = compare("A page", wikitext, html, ENGLISH)
    assert rule in [each.rule for each in compared.differences]
    assert compared.wrong_numbers == ([number] if number else [])


def test_the_table_has_a_row_a_page_and_their_sum_and_names_what_is_unexplained() -> None:
    compared = [compare(title, "One 2 three four.", "<p>One two three four.</p>", ENGLISH) for title in ("A", "B")]
    written = io.StringIO()
    show(compared, Console(width=160, file=written), every=False)
    lines = [line for line in written.getvalue().splitlines() if line.strip()]
    assert [line.split()[0] for line in lines[:4]] == ["page", "A", "B", "all"]
    assert "A · unexplained · lost: two · added: 2" in lines
    assert "A · a number that MediaWiki does not show: 2" in lines
