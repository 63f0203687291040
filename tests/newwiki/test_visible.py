"""What steers a terminal, a page or a table is written out in every format, and what people write stays."""

import json
import unicodedata
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as some
from markdown_it import MarkdownIt
from markupsafe import escape

from newwiki.visible import (
    code_in_markdown,
    in_csv,
    in_json,
    in_markdown,
    in_markup,
    in_message,
    link_in_markdown,
    visible,
)

_STEERING = (
    "\x00\x07\x1b\x7f\x85\x9b\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202e\u2066\u2069\ufeff\ud800\uffff\U000e0041"
)
_MARKUP = "|`*_~<>&[]()!#\\\"'=+-@:; \t\n\r"
_hostile = some.text(
    some.one_of(some.characters(), some.sampled_from(_STEERING + _MARKUP + "abאب\u200c\u200d")), max_size=40
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\u001b[31mred"),
        ("\x9b31mred", "\\u009b31mred"),  # the same in one character of C1
        ("\x1b]0;title\x07", "\\u001b]0;title\\u0007"),
        ("over\rwritten", "over\\u000dwritten"),
        ("a\x00b\x7f", "a\\u0000b\\u007f"),
        ("evil\u202egpj.exe", "evil\\u202egpj.exe"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("a\u200bb\ufeff\u2028\U000e0041", "a\\u200bb\\ufeff\\u2028\\U000e0041"),
        ("m\u200dodel\u200c", "m\\u200dodel\\u200c"),
        ("می\u200cخواهم, क्\u200dष, עברית", "می\u200cخواهم, क्\u200dष, עברית"),
        ("Zürich, 東京, القاهرة, 👩‍🚀", "Zürich, 東京, القاهرة, 👩‍🚀"),
    ],
)
def test_control_characters_are_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(_hostile)
@example("\ud800")
def test_nothing_that_steers_is_left_in_any_format(text: str) -> None:
    as_json = in_json(json.dumps(text, ensure_ascii=False))
    formats = (visible, in_markup, in_csv, in_markdown, code_in_markdown)
    for shown in (*(form(text) for form in formats), link_in_markdown(text, f"https://x.org/{text}"), as_json):
        assert not [letter for letter in shown if _steers(letter)]
    assert visible(visible(text)) == visible(text)


def _steers(letter: str) -> bool:
    kind = unicodedata.category(letter)
    is_joiner = letter in "\u200c\u200d"
    is_shaped = kind == "Cf" and unicodedata.bidirectional(letter) in ("AN", "AL", "L") and letter not in "\u061c\u200e"
    return kind in ("Cc", "Cf", "Cs", "Zl", "Zp") and letter not in "\n\t" and not is_joiner and not is_shaped


@given(_hostile)
def test_json_keeps_its_value(text: str) -> None:
    assert json.loads(in_json(json.dumps([text], ensure_ascii=False))) == [text]


@given(_hostile)
def test_markup_is_xml_whose_text_is_what_is_visible(text: str) -> None:
    made = f"<name>{escape(in_markup(text))}</name>"
    assert "".join(ElementTree.fromstring(made).itertext()) == in_markup(text)


@given(some.lists(_hostile, min_size=1, max_size=3))
def test_a_cell_of_markdown_is_one_cell_of_plain_text(cells: list[str]) -> None:
    heads = " | ".join(["head"] * len(cells))
    rules = " | ".join(["---"] * len(cells))
    table = f"| {heads} |\n| {rules} |\n| {' | '.join(map(in_markdown, cells))} |\n"
    parsed = MarkdownIt("gfm-like", {"linkify": False}).parse(table)
    written = [token for token in parsed if token.type == "inline"][len(cells) :]
    assert len(written) == len(cells)
    assert all(part.type in ("text", "text_special") for cell in written for part in cell.children or ())
    shown = ["".join(part.content for part in cell.children or ()) for cell in written]
    assert shown == [" ".join(visible(cell).split()) for cell in cells]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//x.org", "file:///etc/passwd"])
def test_a_link_of_markdown_is_of_the_web_or_none(url: str) -> None:
    assert link_in_markdown("a name", url) == "a name"
    assert link_in_markdown("a]name", "https://x.org/a b)c") == "[a]name](https://x.org/a%20b%29c)"


@given(_hostile)
def test_no_cell_of_csv_is_a_formula(text: str) -> None:
    assert not in_csv(text).startswith(("=", "+", "-", "@", "\t", "\r"))


@given(_hostile | some.text(min_size=100).map(lambda text: text * 1_000) | some.integers() | some.none())
def test_a_message_quotes_a_short_ascii_line(value: str | int | None) -> None:
    shown = in_message(value)
    assert shown.isprintable()
    assert shown.removesuffix("…").isascii()
    assert len(shown) <= 81
