"""Wikitext to prose: paragraphs of running text, without the apparatus around them.

References, files, categories, tables, lists, infoboxes and tail sections go; inline templates that carry prose are
rendered. `EXTRACTOR_VERSION` changes whenever the output may: a snapshot's content hash covers it.
"""

import functools
import json
import re
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from html.entities import html5

from newwiki.text.language import Language
from newwiki.text.markup import HOLE, OPEN_LINK, OPEN_TABLE, STRAY_CLOSER, resolve
from newwiki.text.repair import repair

EXTRACTOR_VERSION = "3"

_LIST_ITEM = "\x01"  # a line that holds it is an item of an HTML list
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufeff\u200b\u200e\u200f\u2060\u00ad\ud800-\udfff]")
_CONTROL_BUT_HOLE = re.compile("[\x00\x01\x03-\x08\x0b-\x1f\x7f\ufeff\u200b\u200e\u200f\u2060\u00ad\ud800-\udfff]")
_ENTITY = re.compile(r"&(?:#[xX]([0-9a-fA-F]{1,8})|#([0-9]{1,10})|([a-zA-Z][a-zA-Z0-9]{1,30}));")
_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)(?:[\s/][^<>]*)?>")
_BLOCK_TAGS = frozenset(["p", "div", "blockquote", "center", "hr", "ul", "ol", "dl", "table", "tr", "section"])
_ITEM_TAGS = frozenset(["li", "dd", "dt"])
_HEADING = re.compile(r"(={1,6})(.+?)(={1,6})[\s\x02]*$")
# Of three apostrophes the first is a real one, as in L'''Aquila'': behind a word of one letter, else of more.
_APOSTROPHE_BEFORE_ITALIC = (re.compile(r"(?<=\s\w)'''(?!')|(?<=^\w)'''(?!')"), re.compile(r"(?<=\w\w)'''(?!')"))
_STYLE = re.compile(r"'{2,}")
_EXTERNAL_LINK = re.compile(
    r"\[(?:https?:|ftp:|mailto:|news:|irc:)?//[^\s\[\]<>]*[^\S\n]*([^\[\]\n]*)\]", re.IGNORECASE
)
_ADDRESS = re.compile(r"\b(?:https?|ftp)://[^\s<>\[\]|]*[^\s<>\[\]|.,;:!?)'\"]|\bhttps?:[\w/]*")
_HATNOTE_WORDS = 25
_MAGIC_WORD = re.compile(r"__[^\W\d_]+__")
_LEFTOVER = re.compile(
    r"\{\{+|\}\}+|'{2,}|\[\[+|\]\]+|\{\||\|\}|__+|\[\d{1,3}\]|</?ref\w*(?:\s*\w*\s*=\s*(?:\"[^\"\n]*\"|[^\s<>\"]+))*\s*/?>?|"
    r"\b(?:thumb(?:nail)?|frame(?:less)?|upright|left|right|cent(?:er|re)|\d*x?\d+px)\s*\|"
)
_LINK_MARKS = re.compile(f"[{OPEN_LINK}{STRAY_CLOSER}]+")


@dataclass(frozen=True)
class Heading:
    """A heading: its level (2 is that of a section) and where in the prose the text begins that follows it."""

    level: int
    title: str
    offset: int


@dataclass(frozen=True)
class Extract:
    """What a page says: paragraphs separated by one empty line, and the headings that stand between them.

    Headings of tail sections and of sections without prose are there too; their offset is that of the next text that
    was kept, or the length of the prose.
    """

    prose: str
    headings: tuple[Heading, ...]

    @property
    def headings_json(self) -> str:
        """A list of [level, title, offset in characters of the prose]."""
        return json.dumps([[h.level, h.title, h.offset] for h in self.headings], ensure_ascii=False)


def extract(wikitext: str, language: Language) -> Extract:
    """The running text of a page and its headings; the prose is empty where there is none."""
    text = resolve(_CONTROL.sub("", wikitext), language)
    text = _ADDRESS.sub(HOLE, _EXTERNAL_LINK.sub(_link_text, _TAG.sub(_tag, text)))
    prose: list[str] = []
    headings: list[Heading] = []
    offset = 0
    for block in _blocks(text, language):
        if isinstance(block, Heading):
            headings.append(Heading(block.level, block.title, offset))
        else:
            prose.append(block)
            offset += len(block) + len("\n\n")
    joined = "\n\n".join(prose)
    return Extract(joined, tuple(Heading(h.level, h.title, min(h.offset, len(joined))) for h in headings))


def extract_prose(wikitext: str, language: Language) -> str:
    """The running text of a page, paragraphs separated by one empty line; empty where there is none."""
    return extract(wikitext, language).prose


def count_words(prose: str) -> int:
    """Words separated by white space that hold a letter or digit."""
    return sum(any(character.isalnum() for character in word) for word in prose.split())


def _tag(tag: re.Match[str]) -> str:
    name = tag[1].lower()
    if name == "br":
        return "\n\x02"
    if name in _ITEM_TAGS:
        return "\n" if tag[0][1] == "/" else f"\n{_LIST_ITEM}"
    return "\n\n" if name in _BLOCK_TAGS else ""


def _link_text(link: re.Match[str]) -> str:
    return link[1] or HOLE


def _blocks(text: str, language: Language) -> Iterator[str | Heading]:
    """Paragraphs, made of lines up to an empty one or a heading, without lists and tail sections; and headings.

    A tail section is one of the page's top level: "Books" below "Career" is prose, "Bibliography" beside it is none.
    """
    lines = [*text.split("\n"), ""]
    top_level = max(2, min((found.level for found in map(_heading, lines) if found), default=2))
    paragraph: list[str] = []
    in_tail = False
    in_table = False
    no_prose = _no_prose(language.media_namespaces | language.category_namespaces)
    for line in lines:
        heading = _heading(line)
        blank = not line.strip(" \t\x02")
        if heading or blank:
            if paragraph and (finished := _finish(" ".join(paragraph), language)):
                yield finished
            paragraph = []
        if heading:
            in_table = False
            title = _finish(_unstyled(heading.title), language)
            if heading.level <= top_level:
                in_tail = title.lower().rstrip(":") in language.tail_headings
            yield Heading(heading.level, title, 0)
        elif OPEN_TABLE in line:
            in_table = True
        elif not in_tail and not blank and not _is_list_or_table(line, in_table):
            kept = _unstyled(no_prose.sub("", line).strip())
            if not (paragraph == [] and _is_hatnote(kept, language)):
                paragraph.append(kept)


def _is_list_or_table(line: str, in_table: bool) -> bool:
    return line[0] in "*#:;|" or _LIST_ITEM in line or (in_table and line[0] == "!")


def _is_hatnote(line: str, language: Language) -> bool:
    return line.lower().startswith(language.hatnotes) and len(line.split()) < _HATNOTE_WORDS


def _heading(line: str) -> Heading | None:
    found = _HEADING.fullmatch(line)
    if found is None or not found[2].strip(" \t="):
        return None
    level = min(len(found[1]), len(found[3]))
    return Heading(level, "=" * (len(found[1]) - level) + found[2] + "=" * (len(found[3]) - level), 0)


@functools.cache
def _no_prose(namespaces: frozenset[str]) -> re.Pattern[str]:
    """A link to a file or category whose brackets do not match: it takes its line with it, or goes up to its end."""
    names = "|".join(sorted(map(re.escape, namespaces)))
    return re.compile(
        rf"(?:[{OPEN_LINK}\[]\s*(?:{names})\s*:[^\n]*|(?:\b(?:{names})\s*:[^\n{OPEN_LINK}{STRAY_CLOSER}]*{STRAY_CLOSER}))",
        re.IGNORECASE,
    )


def _unstyled(line: str) -> str:
    """The line without the apostrophes of bold and italic, told from real ones as MediaWiki does it."""
    if "''" not in line:
        return line
    runs = [len(run[0]) for run in _STYLE.finditer(line)]
    bold = sum(run in (3, 4) or run >= 5 for run in runs)
    italic = sum(run == 2 or run >= 5 for run in runs)
    if bold % 2 and italic % 2:
        places = (place.search(line) for place in _APOSTROPHE_BEFORE_ITALIC)
        if single := next(filter(None, places), None):
            line = f"{line[: single.start()]}&#39;{line[single.start() + 1 :]}"
    return _STYLE.sub(lambda run: "'" * (1 if len(run[0]) == 4 else max(0, len(run[0]) - 5)), line)


def _finish(text: str, language: Language) -> str:
    text = _CONTROL_BUT_HOLE.sub("", _ENTITY.sub(_character, _LINK_MARKS.sub("", text)))
    text = repair(_LEFTOVER.sub("", _MAGIC_WORD.sub("", text)), language)
    while _LEFTOVER.search(text):  # brackets that have come together
        text = repair(_LEFTOVER.sub("", text), language)
    return unicodedata.normalize("NFC", text).strip()


def _character(entity: re.Match[str]) -> str:
    """The character of an entity; the entity itself where there is none."""
    if entity[2] is None and entity[1] is None:
        return html5.get(f"{entity[3]};", entity[0])
    number = int(entity[1], 16) if entity[1] else int(entity[2])
    return chr(number) if 0 < number <= sys.maxunicode else entity[0]
