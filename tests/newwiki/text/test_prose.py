import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.text.language import load_language
from newwiki.text.prose import extract_prose
from newwiki.text.words import count_words

Prose = Callable[[str], str]

FRAGMENTS = [
    "{{", "}}", "[[", "]]", "{|", "|}", "|-", "||", "|", "<ref>", "</ref>", "<ref name=x />", "<!--", "-->", "'''",
    "''", "==", "== See also ==", "\n", "\n\n", "* ", "# ", ":", "; ", "&amp;", "&#8212;", "<br>", "<div>",
    "</div>", "<nowiki>", "</nowiki>", "<math>x</math>", "__TOC__", "[http://wiki.example here]", "{{nowrap|",
    "{{lang|fr|", "[[File:A.jpg|",
    "word", "Sentence.", " ", "(", ")", ";", ",", "🙂", "שלום", "\u200b", "\x00", "\x01",
]  # fmt: skip


@pytest.mark.parametrize(
    "nothing", ["", " ", "\n\n\n", "{{Infobox}}", "<!-- only a remark -->", "== Heading ==", "* one"]
)
def test_without_running_text_there_is_no_prose(prose: Prose, nothing: str) -> None:
    assert prose(nothing) == ""


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("One [[link]], one [[Target|piped]] one, [[plural]]s.", "One link, one piped one, plurals."),
        ("A [[:Category:Rivers]] that is meant.", "A Category:Rivers that is meant."),
        ("A [http://wiki.example/ title] and [[Page#Part|a part]].", "A title and a part."),
        ("The '''bold''', the ''italic'', the '''''both'''''.", "The bold, the italic, the both."),
        ("O'Neil's d'Artagnan’s", "O'Neil's d'Artagnan’s"),
        ("H<sub>2</sub>O, <small>small</small>, <span style='color:red'>red</span>.", "H2O, small, red."),
        ("Code <code>x = 1</code> and math <math>x^2</math> go.", "Code x = 1 and math go."),
        ("Before.<!-- a remark -->After.", "Before.After."),
        ("[[Category:Rivers]]Text.[[fr:Fleuve]][[de:Fluss]][[zh-min-nan:X]][[simple:River]]", "Text."),
        ("__NOTOC__Text.__DISAMBIG__", "Text."),
        ("<nowiki>''not italic''</nowiki> stays", "''not italic'' stays"),
    ],
)
def test_links_and_styles_leave_what_a_reader_sees(prose: Prose, wikitext: str, text: str) -> None:
    assert prose(wikitext) == text


@pytest.mark.parametrize("title", ["CSI: Miami", "FBI: International", "Re:Zero", "Ys: Origin"])
def test_a_title_with_a_colon_is_not_an_interwiki_link(prose: Prose, title: str) -> None:
    assert prose(f"She played in [[{title}]] and [[{title}|others]].") == f"She played in {title} and others."


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("{{lang|fr|Le Monde}} is read.", "Le Monde is read."),
        ("{{transliteration|ru|Moskva}} and {{transl|ru|ISO|Moskva}}", "Moskva and Moskva"),
        ("It is {{convert|5|km|mi}} away.", "It is 5 kilometres away."),
        ("It is {{cvt|5|-|8|km|mi}} or {{convert|3|by|4|m|ft}}.", "It is 5–8 km or 3 by 4 metres."),
        ("Built {{circa|1900}}, {{c.|1910}}.", "Built c. 1900, c. 1910."),
        ("{{As of|2020|3}} it is {{nowrap|10 000}}.", "As of March 2020 it is 10 000."),
        ("{{as of|2020|3|7}} it stood.", "As of 7 March 2020 it stood."),
        ("1900{{ndash}}1910{{snd}}ten{{nbsp}}years{{'}}", "1900–1910 – ten years'"),
        ("{{Short description|A river}}{{Use dmy dates|date=May 2020}}The river.", "The river."),
        ("{{Infobox river\n| name = Lumen\n| length = {{convert|5|km}}\n}}\nThe river.", "The river."),
        ("{{nowrap|a {{lang|fr|b [[c|d]] ''e''}} <b>f</b>}}", "a b d e f"),
        ("{{lang|fr}}{{nowrap}}{{circa}}", "c."),
        ("{{ NOWRAP | x }} {{Spaced_ndash}} y", "x – y"),
    ],
)
def test_templates_that_carry_prose_are_rendered_and_others_go(prose: Prose, wikitext: str, text: str) -> None:
    assert prose(wikitext) == text


def test_an_argument_that_is_numbered_by_hand_is_an_argument(prose: Prose) -> None:
    assert prose("{{nowrap|1=E = mc}} and {{lang|fr|2=Le Monde}} are read.") == "E = mc and Le Monde are read."


@pytest.mark.parametrize(
    "reference",
    ["<ref>A book.</ref>", "<ref name=a />", '<ref name="a">{{cite web|url=x|title=[[y]]}}</ref>', "<REF>x</REF>"],
)
def test_references_go_and_leave_no_hole(prose: Prose, reference: str) -> None:
    assert prose(f"One{reference} two,{reference} three{reference}.{reference} Four.") == "One two, three. Four."


@pytest.mark.parametrize(
    "table",
    [
        '{| class="wikitable"\n! a !! b\n|-\n| c || d\n|}',
        "{|\n| outer\n{|\n| inner\n|}\n|}",
        "<table><tr><td>a</td></tr></table>",
        "<gallery>\nA.jpg|caption\n</gallery>",
        "* one\n* two\n** deeper [[link]]",
        "# one\n# two",
        "; term : what it is\n: indented",
        "<ul><li>one</li><li>two</li></ul>",
        "[[File:A.jpg|thumb|A [[link]] in ''its'' caption.]]",
        "[[Image:A.jpg]]",
    ],
)
def test_tables_lists_and_files_are_not_prose(prose: Prose, table: str) -> None:
    assert prose(f"Before.\n\n{table}\n\nAfter.") == "Before.\n\nAfter."


def test_a_table_behind_an_indent_is_a_table(prose: Prose) -> None:
    """MediaWiki reads `:{|` as an indented table; the article "United Kingdom" has one."""
    assert prose('Before.\n:{|class="wikitable"\n|-\n! Index\n|-\n|14||187\n|}\n\nAfter.') == "Before.\n\nAfter."


@pytest.mark.parametrize("marked", ["{{Unclosed\n| name = x\n\nText.", "Text {{ and [[ more.", "Text }} and ]] more."])
def test_braces_that_match_nothing_lose_only_themselves(prose: Prose, marked: str) -> None:
    text = prose(marked)
    assert "Text" in text
    assert not any(mark in text for mark in ("{{", "}}", "[[", "]]"))


def test_a_tail_section_goes_with_its_subsections_and_no_further(prose: Prose) -> None:
    wikitext = (
        "Lead.\n== History ==\nOld.\n== See also ==\nx\n=== Below ===\ny\n== Rivers ==\nNew.\n"
        "=== Course ===\nDown.\n== REFERENCES ==\nq\n== ''External links'' ==\nq"
    )
    assert prose(wikitext) == "Lead.\n\nOld.\n\nNew.\n\nDown."


def test_only_a_section_of_the_pages_top_level_is_a_tail(prose: Prose) -> None:
    """As in the article Elizabeth Gilbert, whose "Career" has a subsection "Books" in prose."""
    career = "== Career ==\nOne.\n=== Books ===\nTwo.\n==== The first ====\nThree."
    wikitext = f"Lead.\n{career}\n== Bibliography ==\n=== Novels ===\nx"
    assert prose(wikitext) == "Lead.\n\nOne.\n\nTwo.\n\nThree."
    assert prose("= Title =\nLead.\n== References ==\nx") == "Lead."
    assert prose("Lead.\n=== History ===\nOne.\n=== References ===\nx") == "Lead.\n\nOne."


def test_a_heading_is_not_prose_and_separates_paragraphs(prose: Prose) -> None:
    assert (
        prose("One.\n== [[River|Rivers]] and {{lang|fr|lacs}} ==\nTwo.\n===Three===\nFour.") == "One.\n\nTwo.\n\nFour."
    )


def test_lines_form_a_paragraph_until_an_empty_line(prose: Prose) -> None:
    assert prose("One\ntwo\n\n\n\nthree<br>four<p>five</p>six") == "One two\n\nthree four\n\nfive\n\nsix"


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("Lumen ({{IPA|x}}; born 1900) is.", "Lumen (born 1900) is."),
        ("Lumen (born 1900; {{IPA|x}}) is.", "Lumen (born 1900) is."),
        ("Lumen ({{IPA|x}}) is [{{IPA|x}}] here.", "Lumen is here."),
        ("Lumen ({{IPA|x}}, {{IPA|y}}; ) is.", "Lumen is."),
        ("Lumen (a, {{x}}, b) is.", "Lumen (a, b) is."),
        ("One {{x}}, two {{x}}; three {{x}}.", "One, two; three."),
        ("It runs on .NET and (.NET) and .5 mm.", "It runs on .NET and (.NET) and .5 mm."),
        ("Ends ( here )", "Ends (here)"),
    ],
)
def test_holes_in_brackets_are_closed_and_names_keep_their_dots(prose: Prose, wikitext: str, text: str) -> None:
    assert prose(wikitext) == text


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("a &amp; b &lt; c&nbsp;d &mdash; e &#233; &#x1F642;", "a & b < c d — e é 🙂"),
        ("&bogus; &#0; &#x110000;", "&bogus; &#0; &#x110000;"),
        ("&amp;nbsp;", "&nbsp;"),
    ],
)
def test_entities_are_characters(prose: Prose, wikitext: str, text: str) -> None:
    assert prose(wikitext) == text


@pytest.mark.parametrize("entity", ["&#xD800;", "&#57343;"])
def test_half_a_character_does_not_reach_the_prose(prose: Prose, entity: str) -> None:
    """Half of a surrogate pair is no character: no file, hash or database takes it."""
    assert prose(f"Alpha {entity} beta.").encode().startswith(b"Alpha")


@pytest.mark.parametrize("entity", ["&#1;", "&#x1;", "&#2;"])
def test_a_control_character_by_number_loses_no_text(prose: Prose, entity: str) -> None:
    assert prose(f"Alpha {entity} beta.") == "Alpha beta."


def test_prose_is_composed_and_holds_no_invisible_marks(prose: Prose) -> None:
    assert prose("Cafe\u0301 soft\u00adhyphen zero\u200bwidth \ufeffmark") == "Café softhyphen zerowidth mark"


@pytest.mark.parametrize(
    "text",
    ["שלום עולם. טקסט נוסף.", "تقع المدينة (بالعربية) على النهر؟ نعم.", "👩‍👩‍👧 🙂🏽 🇳🇱", "नदी बहती है। पानी।", "词语"],
)
def test_any_script_passes_unchanged(prose: Prose, text: str) -> None:
    assert prose(text) == text


def test_a_page_of_three_megabytes_is_read_whole(prose: Prose) -> None:
    paragraph = "The river runs to the sea. " * 400 + "It is [[Lumen|long]].<ref>x</ref>\n\n"
    page = paragraph * (3_000_000 // len(paragraph) + 1)
    assert count_words(prose(page)) == page.count("\n\n") * (400 * 6 + 3)


def test_a_long_row_of_commas_is_one_hole(prose: Prose) -> None:
    """As it remains of a long line of templates, each followed by a comma."""
    assert prose("One" + "{{x}}, " * 1000 + "two.") == "One, two."


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join))
def test_whatever_the_markup_prose_is_clean_paragraphs(wikitext: str) -> None:
    text = extract_prose(wikitext, load_language("en"))
    written = ("{{", "}}", "[[", "]]", "{|", "|}") if "<nowiki>" not in wikitext else ()
    assert not any(mark in text for mark in (*written, "\x00", "\x01", "\u200b"))
    assert text == unicodedata.normalize("NFC", text)
    assert all(paragraph == " ".join(paragraph.split()) != "" for paragraph in text.split("\n\n") if text)


@given(st.lists(st.from_regex(r"[A-Za-zéшש字🙂]{1,8}[.,]?", fullmatch=True), min_size=1, max_size=30).map(" ".join))
def test_plain_words_are_their_own_prose(text: str) -> None:
    assert extract_prose(text, load_language("en")) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("—", 0),
        ("one", 1),
        ("one — two, 3", 3),
        ("a-b c/d", 2),
        ("שלום עולם", 2),
        ("🙂 . !", 0),
        ("a\n\nb", 2),
    ],
)
def test_a_word_holds_a_letter_or_digit(text: str, words: int) -> None:
    assert count_words(text) == words


@pytest.mark.parametrize(
    ("name", "start"),
    [
        (
            "Charlie-Milstead",
            "Charles Frank Milstead (born November 21, 1937 in Tyler, Texas) is a former American football",
        ),
        ("Runtime-Callable-Wrapper", "A Runtime Callable Wrapper (RCW) is a proxy object generated by the .NET Common"),
        ("Goryeo-ware", "Goryeo ware (고려도자기; Goryeo dojagi) refers to all types of Korean pottery"),
        ("toronto", "Toronto is the most populous city in Canada and the provincial capital of Ontario."),
        (
            "HMS-Irresistible",
            "Mindestens vier Schiffe der britischen Royal Navy trugen den Namen HMS Irresistible nach",
        ),
    ],
)
def test_real_pages_begin_as_a_reader_sees_them(
    prose: Prose, beside: Callable[[str], Path], name: str, start: str
) -> None:
    assert prose((beside("wikitext") / f"{name}.txt").read_text()).startswith(start)


def test_real_pages_leave_no_markup(prose: Prose, beside: Callable[[str], Path]) -> None:
    left = {}
    for file in sorted(beside("wikitext").glob("*.txt")):
        text = prose(file.read_text())
        left[file.stem] = [mark for mark in ("{{", "[[", "<ref", "'''", "||", "|-", "==", "&nbsp;") if mark in text]
    assert len(left) >= 35
    assert {name: marks for name, marks in left.items() if marks} == {}


def test_a_reference_whose_tag_is_mangled_leaves_no_tag(prose: Prose) -> None:
    assert prose('One<refme="x">two</ref> three.') == "Onetwo three."


LISTS = [
    "* a",
    "# a",
    "; a : b",
    ": a",
    "** a",
    "*# a",
    " a",
    "<ul><li>a</li></ul>",
    "<ol>\n<li>a</li>\n</ol>",
    "<dl><dt>a</dt><dd>b</dd></dl>",
    "<table><tr><td>a</td></tr></table>",
    "{|\n| a\n|}",
    ":{|\n| a\n|}",
]
SENTENCES = {
    "en": ("The effects are:", "The other is small."),
    "de": ("Die Folgen sind:", "Die andere ist klein."),
    "fr": ("Les effets sont :", "L'autre est petit."),
    "es": ("Los efectos son:", "El otro es bajo."),
    "it": ("Gli effetti sono:", "L'altro è piccolo."),
    "pt": ("Os efeitos são:", "O outro é pequeno."),
    "nl": ("De gevolgen zijn:", "Het andere is klein."),
    "pl": ("Skutki są:", "Drugi jest mały."),
    "ru": ("Последствия таковы:", "Другое мало."),
    "zh": ("影响如下：", "其他影响很小。"),
    "ja": ("影響は次の通り：", "他の影響は小さい。"),
}


@pytest.mark.parametrize("code", SENTENCES)
@pytest.mark.parametrize("listed", LISTS)
def test_a_list_or_a_table_ends_the_paragraph_before_it(code: str, listed: str) -> None:
    before, after = SENTENCES[code]
    language = load_language(code)
    assert extract_prose(f"{before}\n{listed}\n{after}", language) == f"{before}\n\n{after}"
    assert extract_prose(f"{before}\n{listed}\n{listed}\n{after}\n{after}", language) == (
        f"{before}\n\n{after} {after}"
    )
    if listed[0] == "<":
        assert extract_prose(f"{before} {listed} {after}", language) == f"{before}\n\n{after}"


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("He wrote\n preformatted text here\nand left.", "He wrote\n\nand left."),
        ("One\n<div>\n two\n</div>\n three\nfour", "One\n\nfour"),
        ("One <div> two</div> three", "One\n\ntwo\n\nthree"),
        ("<blockquote>\n One in quotes\n</blockquote>\nTwo", "One in quotes\n\nTwo"),
        ("<poem>\n One line\n another\n</poem>", "One line another"),
        ("One\n{|\n| a\n|} two\nthree", "One\n\ntwo three"),
        ("One\n[[Category:A]] two\n<ref>x</ref> three<br> four", "One two three four"),
        ("One\n \ntwo\n\t three", "One\n\ntwo three"),
        (
            "A.\n This line has ten words, and it ends as a sentence.\nB.",
            "A.\n\nThis line has ten words, and it ends as a sentence.\n\nB.",
        ),
        (
            "A.\n This has ten words on two lines, and it\n ends as a sentence.\nB.",
            "A.\n\nThis has ten words on two lines, and it ends as a sentence.\n\nB.",
        ),
    ],
)
def test_preformatted_lines_are_those_of_mediawiki(prose: Prose, wikitext: str, text: str) -> None:
    assert prose(wikitext) == text


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("It has {{{{{x}}}}} walls.", "It has walls."),
        ("It has {{{x}}} and {{{y|two}}} walls.", "It has and two walls."),
        ("It has {{{{x}}}} and {{{{{{x}}}}}} walls.", "It has and walls."),
        ("It has } walls | doors, and }} roofs {{.", "It has } walls | doors, and roofs."),
        ("On the [[River Foo|Foo and old. It has a [[castle]].", "On the Foo and old. It has a castle."),
        ("It lies on the [[Foo and has a [[castle]].", "It lies on the Foo and has a castle."),
        (
            "A [[File:A.jpg|thumb|a [[link]] caption. More\nis old.\n\nIt has a [[castle]].",
            "A is old.\n\nIt has a castle.",
        ),
    ],
)
def test_markup_that_is_open_or_stray_loses_only_itself(prose: Prose, wikitext: str, text: str) -> None:
    assert prose(wikitext) == text


@given(
    st.recursive(
        st.sampled_from(["x", "x|y", "[[z", ""]),
        lambda inner: st.tuples(st.integers(1, 6), st.lists(inner, max_size=3).map("".join), st.integers(0, 6)).map(
            lambda part: "{" * part[0] + part[1] + "}" * part[2]
        ),
        max_leaves=12,
    )
)
def test_braces_however_they_nest_leave_the_text_around_them(braces: str) -> None:
    text = extract_prose(f"Before them.\n\n{braces}\n\nAfter them.", load_language("en"))
    assert text.startswith("Before them.")
    assert "{{" not in text
    assert "}}" not in text
