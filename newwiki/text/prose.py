"""Wikitext to prose: paragraphs of running text, without the apparatus around them.

References, files, categories, tables, lists, infoboxes and tail sections go; inline templates that carry prose are
rendered. `EXTRACTOR_VERSION` changes whenever the output may: a snapshot's content hash covers it.
"""

import re
import unicodedata
from collections.abc import Iterator

import mwparserfromhell
from mwparserfromhell.nodes import ExternalLink, Heading, HTMLEntity, Tag, Template, Text, Wikilink
from mwparserfromhell.wikicode import Wikicode

from newwiki.text.language import Language
from newwiki.text.templates import render

EXTRACTOR_VERSION = "1"

_HEADING = "\x00"  # a line that starts with it is a heading: its level, then its title
_LIST_ITEM = "\x01"  # a line that starts with it is a list item or indented

_DROPPED_TAGS = frozenset(
    [
        "ref",
        "references",
        "table",
        "gallery",
        "math",
        "chem",
        "ce",
        "score",
        "timeline",
        "syntaxhighlight",
        "source",
        "pre",
        "code",
        "imagemap",
        "templatestyles",
        "graph",
        "mapframe",
        "maplink",
        "poem",
        "section",
        "indicator",
        "hiero",
        "style",
        "script",
    ]
)
_LIST_TAGS = frozenset(["li", "dd", "dt"])
_BLOCK_TAGS = frozenset(["p", "div", "blockquote", "ul", "ol", "dl", "center", "hr", "br"])
_STYLE = re.compile(r"'{2,5}")
_MAGIC_WORD = re.compile(r"__[A-Z]+__")
_LEFTOVER = re.compile(r"\{\{|\}\}|\[\[|\]\]|\{\||\|\}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufeff\u200b\u2060\u00ad]")
_INDENTED_TABLE = re.compile(r"^[:*#;]+[ \t]*(?=\{\|)", re.MULTILINE)
_INTERWIKI = re.compile(r"[a-z]{2,3}(-[a-z-]+)?$|simple$")


def extract_prose(wikitext: str, language: Language) -> str:
    """The running text of a page, paragraphs separated by one empty line; empty where there is none."""
    parsed = mwparserfromhell.parse(_INDENTED_TABLE.sub("", _CONTROL.sub("", wikitext)), skip_style_tags=True)
    lines = _STYLE.sub("", "".join(_pieces(parsed, language))).split("\n")
    paragraphs = (_tidy(paragraph) for paragraph in _paragraphs(lines, language))
    return unicodedata.normalize("NFC", "\n\n".join(paragraph for paragraph in paragraphs if paragraph))


def count_words(prose: str) -> int:
    """Words separated by white space that hold a letter or digit."""
    return sum(any(character.isalnum() for character in word) for word in prose.split())


def _pieces(code: Wikicode, language: Language) -> Iterator[str]:
    for node in code.nodes:
        if isinstance(node, Text):
            yield str(node)
        elif isinstance(node, Wikilink):
            yield _link(node, language)
        elif isinstance(node, ExternalLink):
            yield _text(node.title, language) if node.title is not None else ""
        elif isinstance(node, Template):
            positional = (p for p in node.params if not p.showkey or str(p.name).strip().isdigit())
            yield render(
                str(node.name),
                [_text(p.value, language) for p in positional],
            )
        elif isinstance(node, Heading):
            title = _text(node.title, language).strip().replace("\n", " ")
            yield f"\n{_HEADING}{node.level}{title}\n"
        elif isinstance(node, HTMLEntity):
            yield _entity(node)
        elif isinstance(node, Tag):
            yield _tag(node, language)


def _text(code: Wikicode, language: Language) -> str:
    return "".join(_pieces(code, language))


def _link(link: Wikilink, language: Language) -> str:
    title = str(link.title).strip()
    prefix, colon, _ = title.partition(":")
    prefix = prefix.strip()
    namespace = prefix.lower()
    if colon and (
        namespace in language.media_namespaces
        or namespace in language.category_namespaces
        or _INTERWIKI.fullmatch(prefix)
    ):
        return ""
    shown = title.lstrip(":") if link.text is None else _text(link.text, language)
    return shown.replace("\n", " ")


def _entity(entity: HTMLEntity) -> str:
    try:
        character = str(entity.normalize())
    except ValueError:  # a number that no character has
        return str(entity)
    return "" if "\ud800" <= character <= "\udfff" else _CONTROL.sub("", character)


def _tag(tag: Tag, language: Language) -> str:
    name = str(tag.tag).strip().lower()
    if name in _DROPPED_TAGS:
        return ""
    if name in _LIST_TAGS:
        marker = _LIST_ITEM if tag.wiki_markup else f"\n{_LIST_ITEM}"
        return marker + ("" if tag.contents is None else _text(tag.contents, language).replace("\n", " "))
    inside = "" if tag.contents is None else _text(tag.contents, language)
    if name == "br":
        return "\n"
    return f"\n\n{inside}\n\n" if name in _BLOCK_TAGS else inside


def _paragraphs(lines: list[str], language: Language) -> Iterator[str]:
    """Joins lines to paragraphs at empty lines and headings; leaves out lists and tail sections."""
    paragraph: list[str] = []
    tail_level: int | None = None
    for line in lines:
        if line.startswith(_HEADING):
            yield " ".join(paragraph)
            paragraph = []
            level, title = int(line[1]), line[2:].strip().lower()
            if tail_level is None or level <= tail_level:
                tail_level = level if title in language.tail_headings else None
        elif tail_level is not None or _LIST_ITEM in line:
            continue
        elif line.strip():
            paragraph.append(line.strip())
        else:
            yield " ".join(paragraph)
            paragraph = []
    yield " ".join(paragraph)


def _tidy(paragraph: str) -> str:
    """Closes the holes that references and dropped templates leave in spacing and brackets."""
    text = _LEFTOVER.sub("", _MAGIC_WORD.sub("", paragraph))
    before = None
    while before != text:
        before = text
        text = re.sub(r"\s+", " ", text)
        text = re.sub(r"\(\s*(?:[;,:]\s*)+", "(", text)
        text = re.sub(r"\s*(?:[;,:]\s*)*\s+\)|(?:[;,]\s*)+\)", ")", text)
        text = re.sub(r"\s?\(\s*\)|\s?\[\s*\]", "", text)
        text = re.sub(r"([;,])(?:\s*[;,])+", r"\1", text)
        text = re.sub(r"\s+([,;:!?](?=\s|$)|\.(?=\s|$))", r"\1", text)
    return text.strip()
