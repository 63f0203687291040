"""Templates are expanded from their own wikitext, or not at all."""

import time
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.text.language import load_language
from newwiki.text.prose import Extract, extract
from newwiki.text.templates.expansion import redirect_target, templates_within, title_of

ENGLISH, GERMAN = load_language("en"), load_language("de")


def read(wikitext: str, title: str = "", **sources: str) -> Extract:
    named = {name.replace("_", " "): source for name, source in sources.items()}
    return extract(wikitext, ENGLISH, title, named)


@pytest.mark.parametrize(
    ("call", "source", "text"),
    [
        ("{{x|a}}", "{{{1}}} {{{2|none}}}", "a none"),
        ("{{x|2=b|a}}", "{{{1}}} {{{2}}}", "a b"),
        ("{{x|a|b=}}", "{{#if:{{{b|}}}|with|without}} {{{1}}}", "without a"),
        ("{{x|[[Rome|city]]}}", "the ''{{{1}}}''", "the city"),
        ("{{x|a}}", "{{#if:{{{1|}}}|<!-- a comment -->{{{1}}}}}<noinclude>docs</noinclude>", "a"),
        ("{{x|1912}}", "{{ {{{|safesubst:}}}#ifeq:{{{1}}}|1912|that year|later}}", "that year"),
        ("{{x|a}}", "{{{{{subst|}}}#if:{{{1|}}}|{{SafeSubst:lc:{{{1}}}}}}}", "a"),
        ("{{x}}", "{{lc:ABC}} {{ucfirst:abc}} {{formatnum:12345}}", "abc Abc 12,345"),
        ("{{x}}", "of {{PAGENAME}}", "of Lumen"),
        ("{{x|5}}", "{{convert|{{{1}}}|km}}", "5 kilometres"),
        ("{{x|a}}", "{{{1}}}{{#invoke:Check for unknown parameters|check|showblankpositional=1|1}}", "a"),
        ("{{x|a}}", "{{{1}}}<ref>source</ref>", "a"),
        ("{{x|a}}", '{{{1}}}<sup class="reference">[source?]</sup><span class="noprint">[b]</span>', "a"),
        ("{{x|{{y|b}}}}", "<{{{1}}}>", "<'b'>"),
    ],
)
def test_a_simple_template_reads_as_its_wikitext_says(call: str, source: str, text: str) -> None:
    found = read(f"It {call} was.", "Lumen", X=source, Y="'{{{1}}}'")
    assert found.prose == f"It {text} was."
    assert not found.holes


@pytest.mark.parametrize(
    "source",
    [
        "{{#invoke:Something|main}}",
        "{{#expr:1+1}}",
        "{{#if:|{{#time:Y}}|shown}}",
        "{{{1}}} and {{{not given}}}",
        "{{X|{{{1}}}}}",
        "{{Absent}} {{{1}}}",
        "{{{1}} }",
        "{{{{{1}}}|b}}",
        "-{zh-hans:a;zh-hant:b}-",
        '<span style="display:none">a [[b]] <i>c</i></span>{{{1}}}',
        "a" * 30_000,
        "{{#if:{{Cite web|title=x}}|a|b}}",
    ],
)
def test_a_template_that_needs_more_is_a_counted_hole(source: str) -> None:
    found = read("It has {{x|a}} now.", X=source)
    assert found.holes == {"X": 1}
    assert found.prose == read("It has {{x|a}} now.").prose


@pytest.mark.parametrize(
    "source",
    [
        "{|\n| {{{1}}}\n|}",
        '<table class="wikitable"><tr><td>a</td></tr></table>',
        '<div class="navbox">a</div>',
        '<div role="note" class="ambox mbox-small">a</div>',
        '<sup class="noprint">[a]</sup>',
        "[[Category:A]]",
        "<noinclude>a</noinclude>",
    ],
)
def test_a_template_that_shows_a_box_or_nothing_leaves_no_hole(source: str) -> None:
    found = read("It was {{x|a}} so.", X=source)
    assert found.prose == "It was so."
    assert not found.holes


def test_a_template_is_known_by_all_its_names() -> None:
    """A renderer of ours goes first, under whatever name."""
    found = read(
        "{{Distance of|5|km}} ({{Greek|Le Monde}}) and {{two hops|a}}{{Flag it}} end.",
        Distance_of="#REDIRECT [[Template:Convert]]",
        Greek="#redirect: [[ template:lang-fr ]]",
        Two_hops="#REDIRECT [[Template:One hop]]",
        One_hop="#REDIRECT [[Template:X]]",
        X="x {{{1}}}",
        Flag_it="#REDIRECT [[Template:Citation needed]]",
    )
    assert found.prose == "5 kilometres (French: Le Monde) and x a end."
    assert not found.holes
    assert redirect_target("#WEITERLEITUNG [[Vorlage:Höhe]]", GERMAN) == "Höhe"
    assert redirect_target("#REDIRECT [[Rome]]", ENGLISH) is None


def test_redirects_in_a_circle_are_holes() -> None:
    found = read("It has {{a}} now.", A="#REDIRECT [[Template:B]]", B="#REDIRECT [[Template:A]]")
    assert found.holes == {"A": 1}


def test_without_sources_the_page_tells_which_it_wants() -> None:
    page = "It has {{foo_bar|{{Inner|1}}}} and {{template:Baz}}, {{convert|1|km}}, {{User:A/b}} <math>x_1</math>.{{cn}}"
    assert read(page).wanted == {"Foo bar", "Inner", "Baz"}
    assert read(page).read == set()


def test_the_sources_that_decided_are_told_and_no_others() -> None:
    found = read("It has {{x|1}} and {{lua}}.", X="{{Y}}", Y="y", Lua="{{#invoke:A|b}}", Z="z")
    assert found.read == {"X", "Y", "Lua"}


def test_what_a_source_calls_is_known_before_it_is_expanded() -> None:
    source = (
        "{{#if:{{{1|}}}|{{Y|{{z z}}}}|{{convert|1|km}}}}{{cn}}{{{{{|safesubst:}}}Safe}}<noinclude>{{Doc}}</noinclude>"
    )
    assert templates_within(source, ENGLISH) == {"Y", "Z z", "Safe"}
    assert templates_within("#REDIRECT [[Template:Other]]", ENGLISH) == {"Other"}
    assert templates_within("{{#invoke:A|b}} {{Y}}", ENGLISH) == set()
    # A name made of arguments is not known before, so it is never used
    assert read("It has {{x|Y}} now.", X="{{ {{{1}}} }}", Y="y").holes == {"X": 1}


def test_a_renderer_that_cannot_tell_gives_way_to_the_wikitext() -> None:
    assert read("It is the {{ordinal|x}} one.", Ordinal="{{{1}}}-th").prose == "It is the x-th one."
    assert read("It is the {{ordinal|2}} one.", Ordinal="{{{1}}}-th").prose == "It is the 2nd one."


def test_a_template_outside_the_running_text_is_not_wanted() -> None:
    """Its source, which another page of the snapshot may have asked for, changes nothing either."""
    page = "* {{x}}\n\n{| \n| {{x}}\n|}\n\nIt is so.\n\n== See also ==\n{{x}}"
    assert read(page).wanted == set()
    assert read(page, X="text") == read(page)


@pytest.mark.parametrize(
    ("written", "title"),
    [
        (" foo_bar ", "Foo bar"),
        ("template: x", "X"),
        ("Talk:X", None),
        (":X", None),
        ("/x", None),
        ("#if:", None),
        ("a|b", None),
        ("é" * 200, None),
        ("", None),
    ],
)
def test_a_name_is_normalized_as_mediawiki_does(written: str, title: str | None) -> None:
    assert title_of(written, ENGLISH) == title


def _bomb(levels: int) -> Mapping[str, str]:
    bomb = {f"L{level}": f"{{{{L{level + 1}}}}}" * 10 for level in range(levels)}
    return bomb | {f"L{levels}": "lol"}


@pytest.mark.parametrize(
    "sources",
    [
        _bomb(9),
        {"L0": "{{#if:1|" * 3000 + "}}" * 3000},
        {"L0": "{{{1|" * 20_000},
        {"L0": "<nowiki>" * 12_000},
        {"L0": "<!--" * 20_000},
        {"L0": "[[" * 30_000},
        {f"L{number}": f"{{{{L{number + 1}}}}}" for number in range(500)},
        {"L0": "{{L1|{{{1|}}}{{{1|}}}{{{1|}}}}}", "L1": "{{L2|{{{1|}}}{{{1|}}}{{{1|}}}}}", "L2": "{{{1}}}" * 1000},
    ],
)
def test_hostile_templates_cost_little_and_leave_holes(sources: Mapping[str, str]) -> None:
    page = "It has {{l0|" + "x" * 1000 + "}} now. " * 2000
    started = time.process_time()
    found = extract(page, ENGLISH, "", sources)
    assert time.process_time() - started < 5
    assert len(found.prose) < 2 * len(page)


@given(
    st.dictionaries(
        st.sampled_from(["A", "B", "C"]),
        st.lists(
            st.sampled_from(
                ["{{", "}}", "{{{", "}}}", "|", "=", "[[", "]]", "1", "a", "A", "B", "#if:", "#switch:", "<noinclude>",
                 "</noinclude>", "<!--", "-->", "#default", " ", "\n", "{|", "|}", "''"]
            ),
            max_size=25,
        ).map("".join),
    )
)  # fmt: skip
def test_no_source_breaks_the_extraction_or_leaves_braces(sources: Mapping[str, str]) -> None:
    found = extract("One {{a|1|x=2}} two {{b|{{c}}}} three.", ENGLISH, "", sources)
    assert "{{" not in found.prose
    assert found.read <= sources.keys()
    # The sources that decided are enough, and so a snapshot can be rebuilt from them
    pinned = {title: sources[title] for title in found.read}
    assert extract("One {{a|1|x=2}} two {{b|{{c}}}} three.", ENGLISH, "", pinned).prose == found.prose
