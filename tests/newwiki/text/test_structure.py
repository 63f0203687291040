"""What stands beside the prose, read by mwparserfromhell; and mwparserfromhell as another reader of the prose."""

import re
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import mwparserfromhell
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.text.language import Language, load_language
from newwiki.text.prose import extract_prose
from newwiki.text.structure import Citation, Fact, Structure, read_structure
from newwiki.text.templates.renderer import template_name

LIGHTHOUSE = """{{short description|A light}}
{{Infobox lighthouse <!-- see its documentation -->
| name = '''Cold Ledge'''<ref>{{cite web|url=https://www.Example.org:8080/a?b=c|title=A|date=2 May 2019}}</ref>
| image = Cold Ledge.jpg
| caption = [[File:Other.png|20px]] seen from [[Skarrow|the west]]
| year_built = {{start date|1859|5|2}} – 1864
| keepers = {{plainlist|
* [[Lars Brandal]]
* Peder Roe,
}}
| height = {{convert|38|m|ft|abbr=on}}<br />above the rock
| empty =
| website = {{URL|example.org}}
| module = {{Infobox bell|weight=2,140 kg}}
}}
The '''light''' stands on [[rock]]s.<ref name="a">Brandal 1904, p. 3. [http://archive.example/x here]</ref> It is
lit.<ref name="a" /> So it is.{{sfn|Roe|1987}} {{unknown
template}} <nowiki>{{no template}} [[no link]]</nowiki>
== History ==
[[Category:Lights]] [[de:Leuchtturm]] [[:Category:Ships]]
<gallery>
File:One.jpg|One
File:Two.jpg
</gallery>
=== Since 1900 ===
== References ==
{{reflist}}
"""
WORDS = st.text("abcdefgß é-", min_size=1, max_size=6).map(str.strip).filter(lambda word: re.search(r"\w", word))
DRESSED = st.one_of(
    WORDS,
    st.tuples(st.sampled_from(["[[{}]]", "[[Lumen|{}]]", "''{}''", "'''{}'''", "{}<!-- so -->"]), WORDS).map(
        lambda pair: pair[0].format(pair[1])
    ),
)
PARAGRAPHS = st.lists(st.lists(DRESSED, min_size=2, max_size=8).map(" ".join).map("Xa {} ya.".format), min_size=1)
HOLDS_MORE = re.compile(r"[{}<>*#|&]|^[:;=]|\[http|\[\[(?:File|Image|Category):", re.MULTILINE)


@pytest.fixture(scope="module")
def lighthouse(english: Language) -> Structure:
    found = read_structure(LIGHTHOUSE, english, "Cold Ledge")
    assert found
    return found


def test_infoboxes_say_what_a_reader_sees(lighthouse: Structure) -> None:
    assert lighthouse.infoboxes == 2
    assert list(lighthouse.facts) == [
        Fact(1, "Infobox lighthouse", "name", "Cold Ledge"),
        Fact(1, "Infobox lighthouse", "caption", "seen from the west"),
        Fact(1, "Infobox lighthouse", "year_built", "May 2, 1859 – 1864"),
        Fact(1, "Infobox lighthouse", "keepers", "Lars Brandal; Peder Roe"),
        Fact(1, "Infobox lighthouse", "height", "38 m; above the rock"),
        Fact(1, "Infobox lighthouse", "website", "example.org"),
        Fact(2, "Infobox bell", "weight", "2,140 kg"),
    ]


def test_citations_are_templates_and_footnotes_without_one(lighthouse: Structure) -> None:
    assert list(lighthouse.citations) == [
        Citation("Cite web", "example.org", "2 May 2019"),
        Citation(None, "archive.example", None),
        Citation("Sfn", None, None),
    ]


def test_links_images_headings_and_templates_are_counted(lighthouse: Structure) -> None:
    assert (lighthouse.links, lighthouse.images, lighthouse.sections) == (4, 4, 3)
    assert lighthouse.templates == dict.fromkeys(
        [
            "Cite web", "Convert", "Infobox bell", "Infobox lighthouse", "Plainlist", "Reflist", "Sfn",
            "Short description", "Start date", "URL",
        ], 1,
    )  # fmt: skip


def test_it_is_the_same_after_it_was_stored(lighthouse: Structure) -> None:
    assert Structure.from_json(lighthouse.to_json()) == lighthouse


@pytest.mark.parametrize(
    ("written", "name"), [("cite_web", "Cite web"), (" Infobox\n person ", "Infobox person"), ("ß", "SS"), ("", "")]
)
def test_a_template_has_one_name(written: str, name: str) -> None:
    assert template_name(written) == name


@pytest.mark.parametrize(
    ("code", "wikitext", "facts", "citations"),
    [
        (
            "de",
            "{{Infobox Fluss|LÄNGE=2.140 km}}<ref>{{Internetquelle|url=http://a.example|datum=2. Mai 2019}}</ref>",
            ["2.140 km"],
            [Citation("Internetquelle", "a.example", "2. Mai 2019")],
        ),
        (
            "fr",
            "{{Infobox Rivière|longueur=12 km}}{{Lien web|url=http://b.example|date=mai 2019}}",
            ["12 km"],
            [Citation("Lien web", "b.example", "mai 2019")],
        ),
    ],
)
def test_other_languages_name_their_own_templates(
    code: str, wikitext: str, facts: list[str], citations: list[Citation]
) -> None:
    found = read_structure(wikitext, load_language(code))
    assert found and ([fact.value for fact in found.facts], list(found.citations)) == (facts, citations)


OPENERS = [
    "{{a|", "{{{a|", "<ref name=a", "<ref>", "[[a|", "* a\n", "''", "'''", "{|\n", "<b>", "[http://a ", "&amp;", "<!--",
    "<nowiki>", "<gallery>", "==\n", "{{a|x=", "{{infobox a|b=", "{{" * 20 + "a" + "}}" * 19, "}}", "]]",
]  # fmt: skip


@pytest.mark.parametrize("opener", OPENERS)
def test_a_page_of_openers_alone_takes_no_time(english: Language, opener: str) -> None:
    """mwparserfromhell alone takes 26 s for 20 kB of `{{a|`, and four times as long for twice as much."""
    started = time.process_time()
    read_structure(opener * (500_000 // len(opener)), english)
    assert time.process_time() - started < 30


def test_what_no_person_writes_is_not_read(english: Language) -> None:
    assert read_structure("{{a}}" * 2_000_000, english) is None
    some = read_structure("{{a}}" * 5_000, english)
    assert some and some.templates == {"A": 5_000}


@given(
    st.lists(st.sampled_from([*OPENERS, "|", "x", "=", "\n", "<ref>", "</ref>", "== y ==", "[[x]]", "\x0e", "{{x}}"]))
)
def test_nothing_that_is_written_breaks_it(parts: list[str]) -> None:
    found = read_structure("".join(parts), load_language("en"), "Title")
    assert found and all(count > 0 for count in found.templates.values())


@given(st.lists(st.sampled_from(["{{a|b}}", "[[c]]", "\n== d ==\n", "<ref>e</ref>", "text\n", "{{f|[[g]]|h={{i}}}}"])))
def test_what_is_closed_is_counted_as_mwparserfromhell_alone_counts_it(parts: list[str]) -> None:
    wikitext = "".join(parts)
    code, found = mwparserfromhell.parse(wikitext), read_structure(wikitext, load_language("en"))
    assert found
    assert sum(found.templates.values()) == len(code.filter_templates())
    assert found.links == len(code.filter_wikilinks())
    assert found.sections == len(code.filter_headings())
    assert len(found.citations) == sum(str(tag.tag) == "ref" for tag in code.filter_tags())


# Read off the pages by eye.
REAL = {
    "Charlie-Milstead": (
        1,
        {"birth_place": "Tyler, Texas", "statvalue5": "2,365", "position": "Quarterback; Defensive back"},
    ),
    "royal_cinema": (
        4,
        {"opened": "1939", "architect": "Benjamin Swartz", "former names": "The Pylon, The Golden Princess"},
    ),
    "Elizabeth-Gilbert": (35, {"birth_date": "July 18, 1969", "notableworks": "Eat, Pray, Love (2006)"}),
}


@pytest.mark.parametrize("name", REAL)
def test_real_pages_say_what_stands_there(name: str, beside: Callable[[str], Path], english: Language) -> None:
    citations, values = REAL[name]
    found = read_structure((beside("wikitext") / f"{name}.txt").read_text("utf-8"), english, name)
    assert found and len(found.citations) == citations
    said = {fact.parameter: fact.value for fact in found.facts}
    assert {parameter: said.get(parameter) for parameter in values} == values


def test_real_pages_hold_no_markup_in_their_facts(beside: Callable[[str], Path], english: Language) -> None:
    for file in sorted(beside("wikitext").glob("*.txt")):
        found = read_structure(file.read_text("utf-8"), english, file.stem)
        assert found
        for fact in found.facts:
            assert not re.search(r"\{\{|\}\}|\[\[|\]\]|<ref|''|[\x00-\x1f]", fact.value), (file.name, fact)
        assert not any(re.search(r"[{}\[\]<>|\x00-\x1f]", name) for name in found.templates), file.name


def test_the_sample_wiki_says_what_stands_there(english: Language) -> None:
    found = read_structure(_sample("Grauven")[-1], english, "Grauven")
    assert found and {fact.parameter: fact.value for fact in found.facts} == {
        "name": "Grauven", "settlement_type": "Town", "image_caption": "Headframe of the Margaret shaft",
        "subdivision_type": "Country", "subdivision_name": "Vareska", "established_title": "Town charter",
        "established_date": "1741", "leader_title": "Mayor", "leader_name": "Ruth Ellender", "elevation_m": "640",
        "population_total": "6870", "population_as_of": "2021",
    }  # fmt: skip
    assert [citation.template for citation in found.citations]


@given(PARAGRAPHS)
def test_our_prose_is_that_of_strip_code_where_both_must_agree(paragraphs: list[str]) -> None:
    wikitext = "\n\n".join(paragraphs)
    assert _words(extract_prose(wikitext, load_language("en"))) == _words(mwparserfromhell.parse(wikitext).strip_code())


def test_our_prose_of_the_sample_wiki_is_that_of_strip_code(english: Language) -> None:
    """Of every paragraph without templates, references, lists, tables, files, and headings."""
    paragraphs = {part for text in _sample() for part in text.split("\n\n") if not HOLDS_MORE.search(part)}
    assert len(paragraphs) > 50
    for paragraph in paragraphs:
        assert _words(extract_prose(paragraph, english)) == _words(mwparserfromhell.parse(paragraph).strip_code())


def _words(text: str) -> list[str]:
    return text.split()


def _sample(title: str | None = None) -> list[str]:
    """The wikitexts of the sample wiki's revisions, of one page or of all."""
    wiki = files("newwiki.sample") / "wiki.xml"
    pages = [page for _, page in ElementTree.iterparse(str(wiki)) if page.tag.endswith("}page")]
    return [
        text.text or ""
        for page in pages
        if title in (None, page.findtext("{*}title"))
        for text in page.iterfind("{*}revision/{*}text")
    ]
