"""Read a page's structure from its wikitext: infoboxes, citations, templates, links, images and sections.

mwparserfromhell parses the page. It takes quadratic time for markup that is opened and not closed, and gives up on the
rest of such a page. So it gets a page in which only closed constructs are markup: one linear pass finds the pairs, and
every other markup sign is replaced until the text is read. `STRUCTURE_VERSION`, which is stored with every page's
structure, changes whenever the result may.
"""

import functools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from fnmatch import translate
from typing import Any, Self
from urllib.parse import urlsplit

from newwiki.text.language import Language
from newwiki.text.maintenance import Tag, read_tags
from newwiki.text.prose import extract_prose
from newwiki.text.tags import without_raw
from newwiki.text.templates.renderer import template_name

STRUCTURE_VERSION = "2"

_DEEPEST = 30  # mwparserfromhell gives up at 40
_LONGEST_NAME = 300  # characters of a template's name or a link's target
_LONGEST = 100_000  # characters of a template, a link or a reference; longer ones are treated as text
_PIECE = 20_000  # characters parsed at once, or more if a construct is longer
_MOST = 50_000  # signs that open or close something: seconds of work; a long article has some five thousand

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufeff]")
_SIGNS = "{}[]<>&'*#:;-="
_HIDDEN = str.maketrans({sign: chr(0x0E + place) for place, sign in enumerate(_SIGNS)})
_SHOWN = str.maketrans({chr(0x0E + place): sign for place, sign in enumerate(_SIGNS)})
_HIDDEN_BUT_EQUALS = {sign: name for sign, name in _HIDDEN.items() if sign != ord("=")}
_SEVERAL_EQUALS = re.compile("==+")
_NOT_RAW = frozenset({"ref", "references", "gallery"})
_TOKEN = re.compile(r"\{\{+|\}\}+|\[\[+|\]\]+|<ref(?:\s[^<>]*+)?>|</ref\s*+>", re.IGNORECASE)
_PAIRS = {"}": ("{{", "{{{"), "]": ("[[",), "<": ("<",)}
_HEADING = re.compile(r"^(={1,6})[^\n=][^\n]*?\1[ \t]*$", re.MULTILINE)
_GALLERY = re.compile(r"<(/?)gallery(?:\s[^<>]*+)?>", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s|\[\]<>{}\"]+", re.IGNORECASE)
_IMAGE = re.compile(r"[^|\[\]{}<>\n]+\.(?:jpe?g|png|svg|gif|tiff?|webp)", re.IGNORECASE)
_ITEM = re.compile(r"<br\s*+/?>|</?(?:li|p)(?:\s[^<>]*+)?>|(?:^|\n)\s*[*#:;]+|\n\s*\n", re.IGNORECASE)
_REFERENCE = re.compile(r"<ref>.*?</ref>", re.DOTALL)
_PLAIN = re.compile(r"[\w ,.()/–-]+")


@dataclass(frozen=True)
class Fact:
    """An infobox parameter and its value as a reader sees it, with list items separated by `; `. `infobox` is the
    infobox's number on the page, from 1."""

    infobox: int
    template: str
    parameter: str
    value: str


@dataclass(frozen=True)
class Citation:
    """A citation template, or a footnote without one (`template` None). `host` is that of its address, `date` is as
    written; each is None if missing."""

    template: str | None
    host: str | None
    date: str | None


@dataclass(frozen=True)
class Structure:
    """A page's infobox parameters with a value, its citations in order, how often it uses each template, and its number
    of links to pages, images and headings.

    `holes` are those of its prose (`newwiki.text.prose.Extract`), by template; None if they were not counted. `tags`
    are its maintenance templates in order; None in a structure that an older version staged.
    """

    infoboxes: int
    facts: tuple[Fact, ...]
    citations: tuple[Citation, ...]
    templates: Mapping[str, int]
    links: int
    images: int
    sections: int
    version: str = STRUCTURE_VERSION
    holes: Mapping[str, int] | None = None
    tags: tuple[Tag, ...] | None = None

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        fields = json.loads(text)
        facts = tuple(Fact(**fact) for fact in fields.pop("facts"))
        if fields.get("tags") is not None:
            fields["tags"] = tuple(Tag(**tag) for tag in fields["tags"])
        return cls(facts=facts, citations=tuple(Citation(**cited) for cited in fields.pop("citations")), **fields)


def read_structure(wikitext: str, language: Language, title: str = "") -> Structure | None:
    """Read the structure of a page; `title` is what `{{PAGENAME}}` shows in a value. Returns None for a page with more
    than 50,000 signs that open or close a template, a link or a reference: no person writes such a page.

    Takes time in proportion to the length of the page, whatever is left open in it.
    """
    text = without_raw(_CONTROL.sub("", wikitext), _NOT_RAW)
    marks = _marks(text)
    if len(marks) > _MOST:
        return None
    reader = _Reader(language, title)
    for piece in _pieces(text, marks):
        reader.read(piece)
    return Structure(
        reader.infoboxes,
        tuple(reader.facts),
        tuple(reader.citations),
        dict(sorted(reader.templates.items())),
        reader.links,
        reader.images + _in_galleries(text),
        reader.sections,
        tags=read_tags(wikitext, language),
    )


def structure_json(
    wikitext: str, language: Language, title: str = "", holes: Mapping[str, int] | None = None
) -> str | None:
    """Return `read_structure` with the holes of the page's prose as JSON, the form in which it is stored until
    publication."""
    structure = read_structure(wikitext, language, title)
    return replace(structure, holes=holes).to_json() if structure else None


class _Reader:
    """Collects what the pieces contain."""

    def __init__(self, language: Language, title: str) -> None:
        self._language = language
        self._title = title
        self.infoboxes = self.links = self.images = self.sections = 0
        self.facts: list[Fact] = []
        self.citations: list[Citation] = []
        self.templates: Counter[str] = Counter()

    def read(self, piece: str) -> None:
        from mwparserfromhell import nodes, parse

        for node in parse(piece, skip_style_tags=True).ifilter():
            if isinstance(node, nodes.Template):
                self._template(node)
            elif isinstance(node, nodes.Wikilink):
                self._link(_shown(node.title))
            elif isinstance(node, nodes.Heading):
                self.sections += 1
            elif isinstance(node, nodes.Tag):
                self._footnote(node)

    def _template(self, template: Any) -> None:
        name = template_name(_shown(template.name))
        if name.startswith("#"):
            return
        self.templates[name] += 1
        if _is_any(name, self._language.infobox_templates):
            self._infobox(name, template)
        elif _is_any(name, self._language.citation_templates):
            self.citations.append(self._citation(name, template))

    def _infobox(self, name: str, template: Any) -> None:
        self.infoboxes += 1
        values = {_shown(parameter.name).strip(): parameter.value for parameter in template.params if parameter.showkey}
        for parameter, value in values.items():
            if _IMAGE.fullmatch(_shown(value).strip()):
                self.images += 1
            elif text := self._text(value):
                self.facts.append(Fact(self.infoboxes, name, parameter, text))

    def _citation(self, name: str, template: Any) -> Citation:
        values = {_shown(each.name).strip().lower(): each.value for each in template.params if each.showkey}
        addresses = (_shown(values[name]) for name in self._language.citation_addresses if name in values)
        dates = (self._text(values[name]) for name in self._language.citation_dates if name in values)
        return Citation(name, next(filter(None, map(_host, addresses)), None), next(filter(None, dates), None))

    def _footnote(self, tag: Any) -> None:
        called = (template_name(_shown(template.name)) for template in tag.contents.ifilter_templates())
        written = _shown(tag.contents)
        if written.strip() and not any(_is_any(name, self._language.citation_templates) for name in called):
            self.citations.append(Citation(None, _host(written), None))

    def _link(self, target: str) -> None:
        prefix, colon, _ = target.partition(":")
        namespace = prefix.strip().lower()
        if not colon or not self._language.is_no_prose(namespace):
            self.links += 1
        elif namespace in self._language.media_namespaces:
            self.images += 1

    def _text(self, value: Any) -> str:
        """Return what a reader sees of a value."""
        written = _shown(_REFERENCE.sub("", self._listed(value))).strip()
        if _PLAIN.fullmatch(written):
            return " ".join(written.split())
        items = (extract_prose(item.strip(), self._language, self._title) for item in _ITEM.split(written))
        return "; ".join(filter(None, (" ".join(item.split()).rstrip(",; ") for item in items)))

    def _listed(self, value: Any) -> str:
        """Return the wikitext, with the lists that templates make written as wikitext lists."""
        from mwparserfromhell.nodes import Template

        return "".join(
            "".join(f"\n* {self._listed(item.value)}" for item in node.params if not item.showkey)
            if isinstance(node, Template) and _is_any(template_name(_shown(node.name)), self._language.list_templates)
            else str(node)
            for node in value.nodes
        )


def _shown(wikitext: object) -> str:
    return str(wikitext).translate(_SHOWN)


def _host(text: str) -> str | None:
    if not (address := _ADDRESS.search(text)):
        return None
    try:
        return (urlsplit(address[0]).hostname or "").removeprefix("www.") or None
    except ValueError:
        return None


def _is_any(name: str, patterns: tuple[str, ...]) -> bool:
    return _any_of(patterns).match(name.lower()) is not None


@functools.cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, patterns)))


def _in_galleries(text: str) -> int:
    """Count the non-empty lines between gallery tags."""
    images, start = 0, None
    for tag in _GALLERY.finditer(text):
        if tag[1] and start is not None:
            images += sum(bool(line.strip()) for line in text[start : tag.start()].split("\n"))
        start = None if tag[1] or tag[0].endswith("/>") else tag.end()
    return images


def _marks(text: str) -> list[tuple[int, int, int]]:
    """Return the positions of the markup that mwparserfromhell may see: openers (1), closers (-1), headings (0)."""
    headings = ((heading.start(), heading.end(), 0) for heading in _HEADING.finditer(text))
    return sorted([*_closed(text), *headings])


def _pieces(text: str, marks: Iterable[tuple[int, int, int]]) -> Iterator[str]:
    """Yield the text with only these marks as markup, cut between lines where nothing is open."""
    piece: list[str] = []
    size = depth = position = 0
    for start, end, step in marks:
        if start < position or (depth and not step):
            continue  # a heading inside another construct is not a heading
        hidden = _hidden(text[position:start])
        if size > _PIECE and not depth and "\n" in hidden:
            before, line_end, hidden = hidden.partition("\n")
            yield "".join([*piece, before, line_end])
            piece, size = [], 0
        mark = _mark(text[start:end], step)
        piece += hidden, mark
        size += len(hidden) + len(mark)
        depth += step
        position = end
    yield "".join([*piece, _hidden(text[position:])])


def _mark(mark: str, step: int) -> str:
    if mark[0] == "<":
        return "<ref>" if step > 0 else "</ref>"
    if mark[0] == "=":
        level = len(mark) - len(mark.lstrip("="))
        return f"{mark[:level]}{_all_hidden(mark.rstrip()[level:-level])}{mark[:level]}"
    return mark


def _hidden(text: str) -> str:
    return _SEVERAL_EQUALS.sub(lambda several: _all_hidden(several[0]), text.translate(_HIDDEN_BUT_EQUALS))


def _all_hidden(text: str) -> str:
    return text.translate(_HIDDEN)


def _closed(text: str) -> list[tuple[int, int, int]]:
    """Return the positions of the signs that open (1) or close (-1) a readable template, link or reference.

    Stops early if there are too many.
    """
    kept: list[tuple[int, int, int]] = []
    opened: list[tuple[str, int, int]] = []
    count = dict.fromkeys(("{{", "{{{", "[[", "<"), 0)
    for token in _TOKEN.finditer(text):
        if len(kept) > _MOST:
            break
        mark, start, end = token[0], token.start(), token.end()
        if mark[0] in "{[" or (mark[0] == "<" and mark[1] != "/"):
            for kind, begins, ends in _openers(mark, start, end):
                if len(opened) < _DEEPEST:
                    opened.append((kind, begins, ends))
                    count[kind] += 1
            continue
        kinds, width = _PAIRS[mark[0]], 2 if mark[0] in "}]" else end - start
        while end - start >= width and any(count[kind] for kind in kinds):
            while True:
                kind, begins, ends = opened.pop()
                count[kind] -= 1
                if kind in kinds:
                    break
            if kind == "{{{" and end - start >= 3:
                start += 3
                continue
            if kind != "{{{" and _is_readable(text, kind, ends, start):
                kept += (begins, ends, 1), (start, start + width, -1)
            start += width
    return kept


def _openers(mark: str, start: int, end: int) -> Iterable[tuple[str, int, int]]:
    if mark[0] == "<":
        return () if mark.endswith("/>") else (("<", start, end),)
    if mark == "{{{":
        return (("{{{", start, end),)
    return ((mark[:2], place, place + 2) for place in range(start + len(mark) % 2, end, 2))


def _is_readable(text: str, kind: str, start: int, end: int) -> bool:
    """Tell whether the construct has a name and a reasonable length."""
    if end - start > _LONGEST:
        return False
    if kind == "<":
        return True
    bar = text.find("|", start, min(end, start + _LONGEST_NAME))
    name = text[start : end if bar < 0 else bar].strip(" \t\n" if kind == "{{" else " ")
    return 0 < len(name) <= _LONGEST_NAME and not any(sign in name for sign in "{}[]<>\n")
