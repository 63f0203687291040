"""Convert wikitext to prose: paragraphs of running text, without references, tables and navigation.

References, files, categories, tables, lists, infoboxes and tail sections are removed; inline templates that carry prose
are rendered. `EXTRACTOR_VERSION` changes whenever the output may: a snapshot's content hash covers it.
"""

import functools
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html.entities import html5

from newwiki.text.clauses import without_unsaid
from newwiki.text.holes import Holes, without_numbers
from newwiki.text.language import Language
from newwiki.text.markup import OPEN_LINK, OPEN_TABLE, STRAY_CLOSER, resolve
from newwiki.text.preformatted import without_preformatted
from newwiki.text.repair import compose, repair, repair_wide
from newwiki.text.scripts import on_the_line
from newwiki.text.sections import Tail
from newwiki.text.tags import (
    BLOCK_MARK,
    CONTROL,
    HOLE,
    HOLE_MARKS,
    LIST_ITEM,
    TAG_MARK,
    without_switches,
    without_tags,
)
from newwiki.text.templates.expansion import NO_TEMPLATES, Expansion, title_of, within_reach
from newwiki.text.words import split_words

EXTRACTOR_VERSION = "5"

_ENTITY = re.compile(r"&(?:#[xX]([0-9a-fA-F]{1,8})|#([0-9]{1,10})|([a-zA-Z][a-zA-Z0-9]{1,30}));")
# A character that the author wrote as an entity is not markup: it is replaced by another sign until the end.
_ESCAPED = {character: chr(0x0E + place) for place, character in enumerate("{}[]|<>'_&")}
_UNESCAPED = str.maketrans({sign: character for character, sign in _ESCAPED.items()})
_HEADING = re.compile(r"(={1,6})(.+?)(={1,6})[\s\x02\x06]*+")
_RULE = re.compile(r"^-{4,}", re.MULTILINE)
# Of three apostrophes the first may be a real one, as in L'''Aquila'': first choice after a one-letter word.
_APOSTROPHE_BEFORE_ITALIC = (re.compile(r"(?<=\s\w)'''(?!')|(?<=^\w)'''(?!')"), re.compile(r"(?<=\w\w)'''(?!')"))
_STYLE = re.compile(r"'{2,}")
_EXTERNAL_LINK = re.compile(
    r"\[(?:(?:https?:|ftps?:|sftp:|git:|gopher:|ircs?:|mms:|nntp:|redis:|ssh:|svn:|telnet:|worldwind:)?//|"
    r"(?:bitcoin|geo|magnet|mailto|matrix|news|sips?|sms|tel|urn|xmpp):(?=[^\s\[\]<>]))"
    r"[^\s\[\]<>\x02\x06]*+[^\S\n]*+([^\[\]\n]*+)\]",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\b(?:(?:https?|ftp)://|mailto:)[^\s<>\[\]|\x06]*[^\s<>\[\]|\x06.,;:!?)'\"]|\bhttps?:[\w/]*")
_NO_ADDRESS = re.compile(f"<{HOLE}>")
_LIST_MARKS = tuple("*#:;|")
_HATNOTE_WORDS = 25
_NOTHING = f" \t{HOLE_MARKS}{TAG_MARK}{BLOCK_MARK}"
_MAY_BE_LEFTOVER = re.compile(r"[{}\[\]<|]|''")  # every leftover has one of these, and few paragraphs have
_LEFTOVER = re.compile(
    r"\{\{+|\}\}+|'{2,}|\[\[+|\]\]+|\{\||\|\}|\[\d{1,3}\]|<ref\w*+=(?:\"[^\"\n]*+\"|[^\s<>\"]++)\s*+/?>?|"
    r"</?ref(?:erences?)?(?![\w\-])(?:\s*+\w++\s*+=\s*+(?:\"[^\"\n]*+\"|[^\s<>\"]++))*+\s*+/?>?|"
    r"\b(?:thumb(?:nail)?|frame(?:less)?|upright|left|right|cent(?:er|re)|\d*x?\d+px)\s*+\|"
)
_BRACKETS = str.maketrans("", "", "{}[]|'<>")
_ROUNDS = 8
_OPEN_CITATION = re.compile(r"[Cc](?<!\w.)ite [a-z]{3,12}+ ?\|[^\n]*+")
_OPEN_TARGET = re.compile(rf"{OPEN_LINK}[^|{OPEN_LINK}{STRAY_CLOSER}]{{1,300}}\|")
_LINK_MARKS = re.compile(f"[{OPEN_LINK}{STRAY_CLOSER}]+")


@dataclass(frozen=True)
class Heading:
    """A heading: its level (2 for a section), and the offset in the prose of the text that follows it."""

    level: int
    title: str
    offset: int


@dataclass(frozen=True)
class Extract:
    """The text of a page: paragraphs separated by one empty line, and the headings between them.

    Headings of tail sections and of sections without prose are included; their offset is that of the next text that
    was kept, or the length of the prose. `holes` has the templates in the running text whose text is missing, each with
    their number, and `<math>` and other tags whose content cannot be written as text. `wanted` has the titles of the
    templates whose sources could fill these holes, `read` those of the sources that decided about the prose.
    """

    prose: str
    headings: tuple[Heading, ...]
    holes: Mapping[str, int]
    wanted: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()

    @property
    def headings_json(self) -> str:
        """A JSON list of [level, title, offset in characters of the prose]."""
        return json.dumps([[h.level, h.title, h.offset] for h in self.headings], ensure_ascii=False)


def extract(wikitext: str, language: Language, title: str = "", templates: Mapping[str, str] = NO_TEMPLATES) -> Extract:
    """Extract the running text of a page and its headings; the prose is empty if there is none.

    `title` is what `{{PAGENAME}}` and similar templates show. `templates` has the wikitext of templates by title
    (without their namespace), from which holes are filled. The page is read twice then, because only templates that it
    calls, and those that these call, may change its text.
    """
    plain = _extract(wikitext, language, title, NO_TEMPLATES)
    reached = within_reach(plain.wanted, templates, language) if templates else NO_TEMPLATES
    return _extract(wikitext, language, title, reached) if reached else plain


def _extract(wikitext: str, language: Language, title: str, templates: Mapping[str, str]) -> Extract:
    wikitext = CONTROL.sub("", wikitext)
    if language.spaceless:
        wikitext = without_variants(wikitext)
    holes, expansion = Holes(), Expansion(templates, language, title)
    text = without_tags(on_the_line(without_preformatted(resolve(wikitext, language, title, holes, expansion))))
    text = _RULE.sub("\n\n", without_switches(text, language.switches))
    text = _NO_ADDRESS.sub(HOLE, _ADDRESS.sub(HOLE, _EXTERNAL_LINK.sub(_link_text, text)))
    prose: list[str] = []
    headings: list[Heading] = []
    offset = 0
    for block in _blocks(text, language, holes):
        if isinstance(block, Heading):
            headings.append(Heading(block.level, block.title, offset))
        else:
            prose.append(block)
            offset += len(block) + len("\n\n")
    joined = "\n\n".join(prose)
    return Extract(
        joined,
        tuple(Heading(h.level, h.title, min(h.offset, len(joined))) for h in headings),
        holes.counts,
        frozenset(filter(None, (title_of(name, language) for name in holes.within))),
        frozenset(expansion.read),
    )


def extract_prose(
    wikitext: str, language: Language, title: str = "", templates: Mapping[str, str] = NO_TEMPLATES
) -> str:
    """Extract the running text of a page, paragraphs separated by one empty line; empty if there is none."""
    return extract(wikitext, language, title, templates).prose


def _link_text(link: re.Match[str]) -> str:
    return link[1] or HOLE


def _blocks(text: str, language: Language, holes: Holes) -> Iterator[str | Heading]:
    """Yield headings and paragraphs. A paragraph ends at an empty line, a heading, a list or a table; lists, tables and
    tail sections are left out.

    A tail section belongs to the page's top level: "Books" below "Career" is prose, "Bibliography" next to it is not.
    """
    lines = [*text.split("\n"), ""]
    tail = Tail(language, max(2, min((heading.level for heading in map(_heading, lines) if heading), default=2)))
    paragraph: list[str] = []
    in_table = False
    no_prose = _no_prose(language.media_namespaces | language.category_namespaces)
    for line in lines:
        heading = _heading(line)
        ends = not line.strip(_NOTHING) or OPEN_TABLE in line or _is_list_or_table(line, in_table)
        if heading or ends:
            if finished := _paragraph(paragraph, tail, language, holes):
                yield finished
            paragraph = []
        if heading:
            in_table = False
            title = _finish(without_numbers(_unstyled(heading.title)), language)
            tail.enter(heading.level, title)
            yield Heading(heading.level, title, 0)
        elif OPEN_TABLE in line:
            in_table = True
        elif not ends:
            kept = no_prose(line).strip()
            if paragraph or not _is_hatnote(kept.strip(_NOTHING), language):
                paragraph.append(kept)


def _paragraph(lines: list[str], tail: Tail, language: Language, holes: Holes) -> str:
    if not lines or tail.drops(lines):
        return ""
    return _finish(holes.count(" ".join(map(_unstyled, lines))), language)


def _is_list_or_table(line: str, in_table: bool) -> bool:
    line = line.lstrip(BLOCK_MARK)
    return line[:1] in _LIST_MARKS or LIST_ITEM in line or (in_table and line[:1] == "!")


def _is_hatnote(line: str, language: Language) -> bool:
    return line.lower().startswith(language.hatnotes) and len(split_words(line)) < _HATNOTE_WORDS


def _heading(line: str) -> Heading | None:
    match = _HEADING.fullmatch(line.lstrip(f"{TAG_MARK}{BLOCK_MARK}"))
    if match is None or not match[2].strip(" \t="):
        return None
    level = min(len(match[1]), len(match[3]))
    return Heading(level, "=" * (len(match[1]) - level) + match[2] + "=" * (len(match[3]) - level), 0)


@functools.cache
def _no_prose(namespaces: frozenset[str]) -> Callable[[str], str]:
    """Return a function that removes from a line file and category links with unmatched brackets, and unclosed
    citations, together with the text up to the closing brackets or the end of the line. Of another link that is never
    closed it removes the target."""
    names = "|".join(sorted(map(re.escape, namespaces)))
    opened = re.compile(rf"[{OPEN_LINK}\[]\s*+(?:{names})\s*+:[^\n]*+", re.IGNORECASE)
    named = re.compile(rf"\b(?:{names})\s*+:", re.IGNORECASE)

    def take_out(line: str) -> str:
        line = _OPEN_TARGET.sub("", _OPEN_CITATION.sub("", opened.sub("", line)))
        *closed, last = line.split(STRAY_CLOSER)
        for place, part in enumerate(closed):
            if link := named.search(part, part.rfind(OPEN_LINK) + 1):
                closed[place] = part[: link.start()]
        return STRAY_CLOSER.join([*closed, last])

    return take_out


def _unstyled(line: str) -> str:
    """Remove the apostrophes of bold and italic; real apostrophes are recognized as MediaWiki does it."""
    if "''" not in line:
        return line.replace(TAG_MARK, "")
    runs = [len(run[0]) for run in _STYLE.finditer(line)]
    bold = sum(run in (3, 4) or run >= 5 for run in runs)
    italic = sum(run == 2 or run >= 5 for run in runs)
    if bold % 2 and italic % 2:
        places = (place.search(line) for place in _APOSTROPHE_BEFORE_ITALIC)
        if single := next(filter(None, places), None):
            line = f"{line[: single.start()]}&#39;{line[single.start() + 1 :]}"
    return _STYLE.sub(lambda run: "'" * (1 if len(run[0]) == 4 else max(0, len(run[0]) - 5)), line).replace(
        TAG_MARK, ""
    )


def _finish(text: str, language: Language) -> str:
    text = _LINK_MARKS.sub("", text)
    text = _ENTITY.sub(_character, text) if "&" in text else text
    text = _LEFTOVER.sub("", text) if _MAY_BE_LEFTOVER.search(text) else text
    text = without_unsaid(text, language)
    text = repair(repair_wide(text) if language.spaceless else text, language)
    for left in range(_ROUNDS, 0, -1):  # removals may bring brackets together
        if not (_MAY_BE_LEFTOVER.search(text) and _LEFTOVER.search(text)):
            break
        text = repair(_LEFTOVER.sub("", text) if left > 1 else text.translate(_BRACKETS), language)
    return compose(text.translate(_UNESCAPED)).strip()


def _character(entity: re.Match[str]) -> str:
    """Return the character of an entity, nothing if a text cannot hold it, and unknown entities unchanged."""
    if entity[3]:
        character = html5.get(f"{entity[3]};", entity[0])
    else:
        number = int(entity[1], 16) if entity[1] else int(entity[2])
        character = CONTROL.sub("", chr(number)) if 0 < number <= sys.maxunicode else entity[0]
    return _ESCAPED.get(character, character)


_VARIANT_MARK = re.compile(r"-\{(?!\{)((?:(?!-\{|\}-)[^\n]){0,2000})\}-")
_VARIANT_FLAGS = re.compile(r"\s*([A-Za-z;\s-]*?)\s*\|")
_VARIANT_CODE = r"[a-z]{2,3}(?:-[a-z]+)?\s*:"
_VARIANT_RULE = re.compile(
    rf"\s*(?:[^:;=]*=>)?\s*([a-z]{{2,3}}(?:-[a-z]+)?)\s*:\s*((?:(?!;\s*(?:{_VARIANT_CODE}|\s*$)).)*)"
)
_VARIANT_ORDER = ("zh", "zh-hans", "zh-cn", "zh-sg", "zh-my", "zh-hant", "zh-tw", "zh-hk", "zh-mo")
_HIDDEN_FLAGS = frozenset("HT-")  # rules for the page or its title
_NESTED_VARIANTS = 4  # nested marks


def without_variants(wikitext: str) -> str:
    """Replace each mark by one of its variants, and remove rules that show nothing."""
    for _ in range(_NESTED_VARIANTS):
        wikitext, count = _VARIANT_MARK.subn(_shown_variant, wikitext)
        if not count:
            break
    return wikitext


def _shown_variant(mark: re.Match[str]) -> str:
    content = mark[1]
    if prefix := _VARIANT_FLAGS.match(content):
        flags = {flag.strip().upper() for flag in prefix[1].split(";")}
        content = content[prefix.end() :]
        if flags & _HIDDEN_FLAGS:
            return ""
        if "R" in flags:
            return content
    rules = {rule[1]: rule[2].strip() for rule in _VARIANT_RULE.finditer(content)}
    return next(
        (rules[code] for code in _VARIANT_ORDER if code in rules), content if not rules else next(iter(rules.values()))
    )
