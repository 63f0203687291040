"""Resolve nested markup in one pass: templates, links and tables, innermost first.

The text is read once, so a page takes time in proportion to its length, however its braces are nested or left open. An
opener that is never closed, and a closer that closes nothing, lose only themselves. Markup that vanishes inside a line
leaves the mark `HOLE`, so that the brackets and spaces around it can be repaired.
"""

import re

from newwiki.text.holes import Holes
from newwiki.text.language import Language
from newwiki.text.tags import ATTRIBUTES, BLOCK_MARK, HOLE, TAG_MARK, without_dress, without_raw
from newwiki.text.templates import TemplateArguments, render

OPEN_TABLE, OPEN_LINK, STRAY_CLOSER = "\x03", "\x04", "\x05"  # marks for markup that is never closed or never opened

_MAX_OPEN = 1000  # pages nest some ten levels; deeper openers are treated as stray
_MAX_INLINE = 20_000  # characters; no link or inline template is longer

# A citation that lost its opening braces and is glued to the word before: `the 1980scite web |url=x}}`.
_BEHEADED = re.compile(r"[Cc](?<=[^\s{|].)ite [a-z]{3,12}+ ?\|[^{}<>\n]{0,1000}+\}\}")
_TOKEN = re.compile(
    r"\{\{([^{}\[\]<]++)\}\}(?!\})|\[\[([^{}\[\]<]++)\]\](?!\])|"  # most of them contain nothing nested
    r"\{\{+|\}\}+|\[\[+|\]\]+|^[ \t:*#;]*\{\|(?!\})|^[ \t]*\|\}(?!\})|"
    rf"</?(?:table|ul|ol|dl){ATTRIBUTES}>",
    re.MULTILINE | re.IGNORECASE,
)


def resolve(wikitext: str, language: Language, title: str, holes: Holes) -> str:
    """Render the templates, show the links, and remove tables, files, categories and references.

    `title` is the page's title for templates that show it; without it they show nothing. `holes` gives the marks for
    templates without text.
    """
    return _Resolver(language, title, holes).resolve(_BEHEADED.sub("", without_dress(without_raw(wikitext))))


class _Resolver:
    """The text written so far, and the positions in it where the open constructs begin."""

    def __init__(self, language: Language, title: str, holes: Holes) -> None:
        self._language = language
        self._title = title
        self._holes = holes
        self._written: list[str] = []
        self._length = 0
        self._open: list[tuple[str, int, int]] = []  # kind, and where it began: in pieces and in characters
        self._count = dict.fromkeys(["{{", "{{{", "[[", "{|", "table", "ul", "ol", "dl"], 0)

    def resolve(self, text: str) -> str:
        position = 0
        for token in _TOKEN.finditer(text):
            self._write(text[position : token.start()])
            position = token.end()
            mark = token[0]
            if token.lastindex:
                self._write(self._rendered(token[1]) if token[1] else self._linked(token[2]))
                continue
            match mark[0], mark[-1]:
                case "{", "{":
                    self._open_braces(len(mark))
                case "}", _:
                    self._close_braces(len(mark))
                case "[", _:
                    self._write("[" * (len(mark) % 2))
                    for _ in range(len(mark) // 2):
                        self._begin("[[", OPEN_LINK)
                case "]", _:
                    self._close_brackets(len(mark))
                case "<", _:
                    self._html(mark)
                case _, "|":
                    self._begin("{|", f"\n{OPEN_TABLE}")
                case _:
                    self._drop("{|")
        self._write(text[position:])
        return "".join(self._written)

    def _write(self, text: str) -> None:
        if text:
            self._written.append(text)
            self._length += len(text)

    def _begin(self, kind: str, mark: str = "") -> None:
        if len(self._open) < _MAX_OPEN:
            self._open.append((kind, len(self._written), self._length))
            self._count[kind] += 1
        self._write(mark)

    def _end(self, kind: str) -> tuple[int, int]:
        """Close the innermost construct of this kind; constructs inside it that are still open are treated as stray."""
        while True:
            opened, pieces, length = self._open.pop()
            self._count[opened] -= 1
            if opened == kind:
                return pieces, length

    def _take(self, pieces: int) -> str:
        content = "".join(self._written[pieces:])
        self._cut(pieces, len(content))
        return content

    def _cut(self, pieces: int, length: int) -> None:
        del self._written[pieces:]
        self._length -= length

    def _drop(self, kind: str) -> None:
        if self._count[kind]:
            pieces, length = self._end(kind)
            self._cut(pieces, self._length - length)
            self._write(f"{BLOCK_MARK}\n\n{BLOCK_MARK}")

    def _html(self, tag: str) -> None:
        name = tag.strip("</>").split()[0].lower()
        if tag[1] == "/":
            self._drop(name)
        else:
            self._begin(name)

    def _open_braces(self, count: int) -> None:
        """Open what MediaWiki reads: of an odd number of braces, the innermost three are a parameter."""
        is_odd = count % 2
        for _ in range(min(count // 2 - is_odd, _MAX_OPEN)):
            self._begin("{{")
        if is_odd:
            self._begin("{{{")

    def _close_braces(self, count: int) -> None:
        while count >= 2 and (self._count["{{"] or self._count["{{{"]):
            innermost = next(kind for kind, _, _ in reversed(self._open) if kind in ("{{", "{{{"))
            pieces, length = self._end(innermost)
            if innermost == "{{{" and count >= 3:
                count -= 3
                self._write(self._take(pieces).partition("|")[2])
            else:
                count -= 2
                self._template(pieces, length)
        self._write("}" * (count % 2))

    def _template(self, pieces: int, length: int) -> None:
        size = self._length - length
        name = self._written[pieces].partition("|")[0] if len(self._written) > pieces else ""
        if self._language.renderer_of(name) is None:
            self._write(self._holes.mark(self._take(pieces), self._language))
            return
        if size > _MAX_INLINE:
            return
        self._write(self._rendered(self._take(pieces)))

    def _rendered(self, template: str) -> str:
        """Return what a reader sees of a template whose text has nothing open any more."""
        name, *parts = template.split("|")
        if self._language.renderer_of(name) is None:
            return self._holes.mark(template, self._language)
        if len(template) > _MAX_INLINE:
            return template
        text = render(name, TemplateArguments(parts, title=self._title), self._language)
        return self._holes.mark_unsaid(text, template) or HOLE

    def _linked(self, link: str) -> str:
        return _shown(link, self._language) if len(link) <= _MAX_INLINE else OPEN_LINK + link

    def _close_brackets(self, count: int) -> None:
        if count % 2 and self._single_bracket_is_open():
            self._write("]")
            count -= 1
        while count >= 2 and self._count["[["]:
            count -= 2
            pieces, length = self._end("[[")
            if self._length - length <= _MAX_INLINE:
                self._write(self._linked(self._take(pieces).lstrip(OPEN_LINK)))
        self._write("]" if count == 1 else STRAY_CLOSER if count else "")

    def _single_bracket_is_open(self) -> bool:
        return bool(self._written) and self._written[-1].rfind("[") > self._written[-1].rfind("]")


def _shown(link: str, language: Language) -> str:
    """Return what a reader sees of an internal link; nothing for files, categories and interlanguage links."""
    target, *rest = link.split("|")
    prefix, colon, _ = target.partition(":")
    namespace = prefix.strip().lower()
    if colon and language.is_no_prose(namespace):
        return HOLE if namespace in language.media_namespaces else TAG_MARK
    text = rest[-1] if rest else target.strip().lstrip(":")
    if rest and not text.strip():
        text = re.sub(r"(?<!\s)\s*+\([^()]*\)\s*+$|,[^,]*+$", "", target)
    return text.replace("\n", " ")
