"""What MediaWiki knows is a tag, and everything else is text."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.text.language import Language, load_language
from newwiki.text.prose import Heading, extract, extract_prose
from newwiki.text.tags import known
from tests.newwiki.text.leaks import leaks

Prose = Callable[[str], str]

LISTS = known()
ELEMENTS = LISTS["elements"]
EXTENSIONS = [*LISTS["removed"], *LISTS["holes"]]
KNOWN = {*ELEMENTS, *EXTENSIONS, *LISTS["literal"], *LISTS["quoted"], *LISTS["included"], *LISTS["transparent"]}
PIECES = [
    "<", ">", "</", "/>", " < ", " > ", "<3", "->", "<=", "a<x", "c>d", "<foo>", "</foo>", "List<String>", "word",
    "Sentence.", " ", "and", ",", "x=3", "\n",
]  # fmt: skip
WORDS = st.from_regex(r"[A-Za-zéשש字]{1,8}", fullmatch=True).filter(lambda word: word.lower() not in KNOWN)


def words(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


@given(st.lists(st.one_of(st.sampled_from(PIECES), WORDS), max_size=30).map("".join))
def test_text_with_no_known_tag_keeps_every_word_in_order(text: str) -> None:
    text = re.sub(r"^ +", "", text, flags=re.MULTILINE)  # a line that begins with a space is preformatted
    assert words(extract_prose(text, load_language("en"))) == words(text)


@pytest.mark.parametrize("name", sorted(KNOWN - {"includeonly", "ref", "references"}))
def test_words_between_less_than_and_greater_than_signs_are_not_attributes(prose: Prose, name: str) -> None:
    """MediaWiki loses the words of `a<b we have, since c>d`; whoever wrote them meant no tag.

    A reference is one however it is mangled, and `includeonly` goes to the end of the page where nothing closes it.
    """
    text = f"For a<{name} we have many words; since c>d holds."
    assert prose(text) == text
    assert words(prose(text.replace("; ", ".\n\n"))) == words(text)


@pytest.mark.parametrize("name", ELEMENTS)
def test_the_elements_that_mediawiki_lets_through_are_tags(prose: Prose, name: str) -> None:
    for written in (name, name.upper()):
        text = prose(f'One <{written}>two</{written}> <{written} id="a">three</{written} > four <{written} /> five.')
        assert leaks(text) == [] and "<" not in text
        assert set(text.split()) <= {"One", "two", "three", "four", "five."}, "no word is another"
    if name not in (*LISTS["items"], "pre", "table", "ul", "ol", "dl", *[f"h{level}" for level in range(1, 7)]):
        assert prose(f"One <{name} style='color: red' nowrap>two</{name}> three.").split() == ["One", "two", "three."]


@pytest.mark.parametrize("name", EXTENSIONS)
def test_the_content_of_an_extension_tag_is_not_prose(prose: Prose, name: str) -> None:
    assert prose(f"One <{name} a=b>[[two]] <b>two</b></{name.upper()} >three <{name} x />four.") == "One three four."


@pytest.mark.parametrize("name", ["foo", "a", "img", "script", "style", "tbody", "thead", "bx", "refs", "codex", "h7"])
def test_a_tag_that_mediawiki_does_not_know_is_text(prose: Prose, name: str) -> None:
    text = f'One <{name} href="x">two</{name}> and <{name}/> three.'
    assert prose(text) == text


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("I <3 it, x<y, y>z, List<String> and a <- b", "I <3 it, x<y, y>z, List<String> and a <- b"),
        ("A <http://wiki.example/> here, <me@wiki.example> there.", "A here, <me@wiki.example> there."),
        ("Type <code>[[x|y]] ''z'' a<b</code> or {{code|1=x = 1|lang=py}}.", "Type y z a<b or x = 1."),
        ("So <syntaxhighlight lang=c inline>List<int> [[x]] = '''{{y}}''' &lt;</syntaxhighlight> it is.",
         "So List<int> [[x]] = '''{{y}}''' &lt; it is."),
        ('So <source enclose="none">x</source> it is.', "So x it is."),
        ("So:\n<syntaxhighlight lang=c>\nint x;\n</syntaxhighlight>\nis.", "So:\n\nis."),
        ("<nowiki>&lt; ''a'' &amp;lt; [[b]] <!-- c --></nowiki> d", "< ''a'' &lt; [[b]] <!-- c --> d"),
        ("One <nowiki><!--</nowiki> two --> three", "One <!-- two --> three"),
        ("&lt;ref&gt; and &#91;&#91;x]] and &#x7B;{{PAGENAME}}", "<ref> and [[x and {"),
        ("One <includeonly>[[two]]</includeonly><noinclude>three</noinclude> <onlyinclude>four</onlyinclude>.",
         "One three four."),
        ("One<includeonly> two three", "One"),
        ("One '''<small>[[File:A.jpg]]</small>''' and ''two''<span>''three''</span>.", "One and twothree."),
        ("L'''<b>a</b>''", "L'a"),
        ("[[River|<span title=\"a|b\">The '''river'''</span>]] runs.", "The river runs."),
        ("One\n<!-- two -->\nthree\n <!-- --> <!-- -->\nfour.", "One three four."),
        ("<poem>\nOne line\nand [[another]]\n</poem>", "One line and another"),
        ('One<ref name="a>b">two</ref> three<ref name="x<y">four</ref>.', 'One three.'),
        ("One <ref>two three", "One two three"),
        ("One <ref two <!-- three", "One two"),
        ("A <span style=\"color: red>red</span> <br clear=all /><font color='a\" size=2>one</font>.", "A red\n\none."),
    ],
)  # fmt: skip
def test_a_tag_and_what_it_holds_is_what_a_reader_sees(prose: Prose, wikitext: str, text: str) -> None:
    assert prose(wikitext).split() == text.split()


@pytest.mark.parametrize(
    ("wikitext", "text"),
    [
        ("The method __init__ and __main__, x__y, __toto__.", "The method __init__ and __main__, x__y, __toto__."),
        ("__NOTOC__One__notoc__ two__HIDDENCAT__ __hiddencat__ __index__.", "One two __hiddencat__ __index__."),
        ("One\n----\ntwo ---- three\n-----four", "One\n\ntwo ---- three\n\nfour"),
        ("[mailto:a@wiki.example Write], [mailto:a@wiki.example], mailto:a@wiki.example.", "Write."),
        ("[news:alt.x a], [tel:12 b], [ftps://x c], [//x d], [note: e], [sic].", "a, b, c, d, [note: e], [sic]."),
    ],
)
def test_switches_rules_and_addresses(prose: Prose, wikitext: str, text: str) -> None:
    assert prose(wikitext) == text


@pytest.mark.parametrize(
    ("code", "switch"), [("de", "__KEIN_INHALTSVERZEICHNIS__"), ("fr", "__SOMMAIRE__"), ("fr", "__NOTOC__")]
)
def test_each_language_has_its_own_switches(code: str, switch: str) -> None:
    assert extract_prose(f"{switch}Eins __eins__.", load_language(code)) == "Eins __eins__."
    assert switch == "__NOTOC__" or switch in extract_prose(f"One {switch}.", load_language("en"))


def test_a_heading_in_html_is_a_heading(english: Language) -> None:
    found = extract(
        "Lead <h2 id=a>''One''\n<b>more</b></h2> text.\n<h3>Two</h3>Three. <h2>References</h2>four.", english
    )
    assert found.prose == "Lead\n\ntext.\n\nThree."
    assert found.headings == (Heading(2, "One more", 6), Heading(3, "Two", 13), Heading(2, "References", 19))


@pytest.mark.parametrize(
    ("code", "wikitext", "times"),
    [("en", "{{PAGENAME}} {{FULLPAGENAME}} {{SUBPAGENAME}} {{BASEPAGENAME}} {{ROOTPAGENAME}} {{ARTICLEPAGENAME}}", 6),
     ("de", "{{SEITENNAME}} {{VOLLER_SEITENNAME}} {{PAGENAME}}", 3), ("fr", "{{NOMPAGE}} {{nowrap|{{PAGENAME}}}}", 2)],
)  # fmt: skip
def test_the_page_shows_its_title(code: str, wikitext: str, times: int) -> None:
    title = "*AT&T's ''x''"
    assert extract_prose(f"It is {wikitext}.", load_language(code), title) == f"It is{times * f' {title}'}."
    assert extract_prose("{{PAGENAME:Rhine}}", load_language(code), "Lumen") == "Rhine"
    assert extract_prose("A {{PAGENAME}} b", load_language(code)) == "A b"
