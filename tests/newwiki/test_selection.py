import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.selection import draw, is_disambiguation, is_redirect, judge, sha1
from newwiki.snapshot import Judged, Page, Selection
from newwiki.text.language import Language
from newwiki.text.structure import structure_json

DAY = datetime(2026, 9, 1, tzinfo=UTC)
ASKED = Selection(min_revisions=3, min_words=4, sample=10)
LUMEN = Page(7, "Lumen", DAY, 70, DAY, 5, "The '''Lumen''' is a long river there. It is blue.\n\nIt runs.")


def not_asked(page: Page) -> int:
    raise AssertionError(f"nobody needs the revisions of {page.title}")


@pytest.fixture
def judged(english: Language) -> Callable[..., Judged]:
    def judge_page(count: Callable[[Page], int] = not_asked, **changes: Any) -> Judged:
        return judge(replace(LUMEN, **changes), ASKED, english, count)

    return judge_page


def test_a_page_that_passes_has_its_text_split_and_its_numbers(
    judged: Callable[..., Judged], english: Language
) -> None:
    assert judged() == Judged(
        page_id=7,
        title="Lumen",
        created_at=DAY,
        verdict="selected",
        detail=None,
        rev_id=70,
        revised_at=DAY,
        revisions=3,
        words=12,
        first_sentence="The Lumen is a long river there.",
        completion="It is blue.\n\nIt runs.",
        sha1=sha1(LUMEN.wikitext or ""),
        headings="[]",
        structure=structure_json(LUMEN.wikitext or "", english, "Lumen", {}),
    )


def test_a_page_with_more_holes_than_allowed_is_dropped(english: Language) -> None:
    holed = replace(LUMEN, wikitext=f"{LUMEN.wikitext} In {{{{Xyzzy}}}}. The {{{{Xyzzy}}}} {{{{Plugh}}}} runs.")
    for at_most, verdict in ((None, "selected"), (3, "selected"), (2, "many_holes"), (0, "many_holes")):
        judged = judge(holed, replace(ASKED, max_holes=at_most), english, lambda _: 3)
        assert judged.verdict == verdict
    assert judged.detail == "the text of 3 templates is missing, 0 at most are allowed: Xyzzy, Plugh"
    assert judge(LUMEN, replace(ASKED, max_holes=0), english, lambda _: 3).verdict == "selected"


def test_the_sha1_is_of_the_wikitext_as_utf_8() -> None:
    """By `printf 'Ähre' | sha1sum`."""
    assert sha1("Ähre") == "782234ba21be8e50cc6f769a010b8d9614e2b6f6"


@pytest.mark.parametrize(
    ("changes", "verdict", "detail"),
    [
        ({"wikitext": None, "absent": "hidden"}, "hidden", None),
        ({"wikitext": None, "absent": "moved"}, "moved", None),
        ({"wikitext": None, "absent": "missing"}, "missing", None),
        ({"wikitext": None}, "missing", None),
        ({"wikitext": "#REDIRECT [[Rhine]]"}, "redirect", None),
        ({"title": "Lumen (disambiguation)"}, "disambiguation", None),
        ({"wikitext": "A b c d. E f.{{Disambig}}"}, "disambiguation", None),
        ({"wikitext": ""}, "few_words", "0 of 4 words"),
        ({"wikitext": "One two."}, "few_words", "2 of 4 words"),
        ({"wikitext": "One is two, three and four."}, "one_sentence", "nothing follows the first sentence"),
        ({"wikitext": "One is two. And three."}, "no_sentence", "the first sentence has 3 of 6 words"),
        ({"wikitext": "The old long river of the north. It is."}, "no_sentence", "the first sentence has no verb"),
        (
            {"wikitext": "and it is the longest river there. It is blue."},
            "no_sentence",
            "the first sentence begins with a small letter",
        ),
        ({"wikitext": "it is the longest river there. It is blue.", "title": "It"}, "selected", None),
        (
            {"wikitext": "This is a list of the rivers.\n\nLumen in the north\n\nUpper Lumen, east and west of it"},
            "mostly_lists",
            "61% of the words stand in lines that are no sentences",
        ),
        ({"revisions": 2}, "few_revisions", "2 of 3 revisions at the cutoff"),
        ({"revisions": 3}, "selected", None),
    ],
)
def test_every_verdict_has_its_case(
    judged: Callable[..., Judged], changes: dict[str, Any], verdict: str, detail: str | None
) -> None:
    result = judged(**changes)
    assert (result.verdict, result.detail) == (verdict, detail)
    assert (result.first_sentence is None) == (result.completion is None) == (verdict != "selected")


def test_a_page_that_shows_its_own_name_has_its_title_there(judged: Callable[..., Judged]) -> None:
    found = judged(title="eBay (river)", wikitext="{{lc:{{PAGENAME}}}} is a long river there. It is {{FULLPAGENAME}}.")
    assert (found.first_sentence, found.completion) == ("ebay (river) is a long river there.", "It is eBay (river).")


def test_the_first_question_that_a_page_fails_is_its_verdict(judged: Callable[..., Judged]) -> None:
    """Each page fails all the questions that follow its verdict too."""
    few = {"revisions": 0}
    assert judged(wikitext=None, absent="hidden", title="A (disambiguation)", **few).verdict == "hidden"
    assert judged(wikitext="#redirect [[B]] {{dab}}", title="A (disambiguation)", **few).verdict == "redirect"
    assert judged(wikitext="Few.", title="A (disambiguation)", **few).verdict == "disambiguation"
    assert judged(wikitext="Few.", **few).verdict == "few_words"
    assert judged(wikitext="One is two, three and four.", **few).verdict == "one_sentence"


def test_revisions_are_counted_only_for_a_page_that_passed_everything_else(judged: Callable[..., Judged]) -> None:
    assert judged(revisions=None, wikitext="One is two, three and four.").verdict == "one_sentence"
    assert judged(lambda page: 2, revisions=None).verdict == "few_revisions"
    assert judged(lambda page: 3, revisions=None).verdict == "selected"


def test_revisions_are_stored_no_further_than_they_were_asked_for(judged: Callable[..., Judged]) -> None:
    """So that a source which counts all and one which stops counting give the same snapshot."""
    assert judged(revisions=500) == judged(revisions=3) == judged(lambda page: 3, revisions=None)


@pytest.mark.parametrize(
    ("wikitext", "answer"),
    [("#REDIRECT [[A]]", True), ("\n #redirect:[[A]]", True), ("#Redirect[[A]]", True), ("# one", False),
     ("See #REDIRECT", False), ("", False)],
)  # fmt: skip
def test_a_redirect_begins_with_its_word(english: Language, wikitext: str, answer: bool) -> None:
    assert is_redirect(wikitext, english) is answer


@pytest.mark.parametrize(
    ("title", "wikitext", "answer"),
    [
        ("Lumen (disambiguation)", "", True),
        ("Lumen (Disambiguation)", "", True),
        ("Disambiguation", "", False),
        ("Lumen", "__DISAMBIG__", True),
        ("Lumen", "x {{disambiguation}}", True),
        ("Lumen", "{{ Disambiguation | geo }}", True),
        ("Lumen", "{{human_name disambiguation}}", True),
        ("Lumen", "{{hndis|name=Lumen}}", True),
        ("Lumen", "{{disambiguation\n|geo}}", True),
        ("Lumen", "{{disambiguation needed}}", False),
        ("Lumen", "A disambiguation. {{about|x}}", False),
        ("Lumen", "{{dab", False),
    ],
)
def test_a_disambiguation_page_says_so(english: Language, title: str, wikitext: str, answer: bool) -> None:
    assert is_disambiguation(title, wikitext, english) is answer


@pytest.mark.slow
def test_a_template_that_never_closes_is_read_once() -> None:
    """One page must not hold up a refresh: with a backtracking search this takes hours, else no time at all."""
    program = (
        "from newwiki.selection import is_disambiguation; from newwiki.text.language import load_language;"
        "print(is_disambiguation('Lumen', '{{' + ' ' * 20_000 + '<', load_language('en')))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=10)
    assert answer.stdout == "False\n"


def test_the_sample_is_that_of_the_hashes() -> None:
    """By `printf '0:A' | sha256sum` the order is C B E A D, and with seed 7 it is A C B D E."""
    assert draw("ABCDE", Selection(sample=2, seed=0)) == {"C", "B"}
    assert draw("ABCDE", Selection(sample=3, seed=7)) == {"A", "C", "B"}


TITLES = st.lists(st.text(max_size=8), unique=True, max_size=20)


@given(TITLES, st.integers(0, 25), st.integers(0, 3), st.randoms())
def test_the_sample_does_not_depend_on_the_order(titles: list[str], sample: int, seed: int, random: Any) -> None:
    selection = Selection(sample=sample, seed=seed)
    drawn = draw(titles, selection)
    assert len(drawn) == min(sample, len(titles))
    assert drawn <= set(titles)
    shuffled = random.sample(titles, len(titles))
    assert draw(shuffled, selection) == drawn
    assert drawn <= draw(titles, Selection(sample=sample + 1, seed=seed))


def test_every_page_is_drawn_as_often_as_any_other() -> None:
    """400 draws of 5 in 20: each page about 100 times; 43.82 is the 99.9 % point of chi-square with 19 degrees."""
    titles = [f"Page {number}" for number in range(20)]
    counts = dict.fromkeys(titles, 0)
    for seed in range(400):
        for title in draw(titles, Selection(sample=5, seed=seed)):
            counts[title] += 1
    assert sum((count - 100) ** 2 / 100 for count in counts.values()) < 43.82
