"""Parse the wikitext of a template, as a page that uses it gets it, into text, parameters and calls.

The rules of braces are those of MediaWiki's preprocessor (https://www.mediawiki.org/wiki/Preprocessor_ABNF). A source
with unbalanced braces or links is refused: what it shows depends on the page around it.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from newwiki.text.tags import CONTROL, without_raw

_LONGEST = 100_000  # characters of a source
_DEEPEST = 40  # constructs within each other
_MOST_RAW = 200  # tags whose content is literal

_TOKEN = re.compile(r"\{\{+|\}\}+|\[\[|\]\]|\|")
_INCLUSION = re.compile(
    r"<!--.*?(?:-->|\Z)|<(nowiki|pre)(?:\s[^<>]*+)?(?<!/)>.*?</\1\s*+>|"
    r"<noinclude(?:\s[^<>]*+)?(?:/>|>.*?(?:</noinclude\s*+>|\Z))|</?includeonly(?:\s[^<>]*+)?/?>",
    re.DOTALL | re.IGNORECASE,
)
_ONLY = re.compile(r"<onlyinclude\s*+>(.*?)(?:</onlyinclude\s*+>|\Z)", re.DOTALL | re.IGNORECASE)
_RAW = re.compile(r"<(?:nowiki|pre)\b", re.IGNORECASE)
_SAFESUBST = "safesubst:"
_VARIANT = "-{"  # Chinese variants are chosen before templates are read


class NotExpandable(Exception):
    """Raised for a template whose text cannot be told from wikitext; says why."""


@dataclass(frozen=True)
class Parameter:
    """`{{{name|default}}}`; without a default, MediaWiki shows the braces."""

    name: "Nodes"
    default: "Nodes | None"


@dataclass(frozen=True)
class Call:
    """`{{name|argument|…}}`, of a template or a parser function."""

    parts: tuple["Nodes", ...]


@dataclass(frozen=True)
class Link:
    """What stands between `[[` and `]]`, whose bars and equals signs are no template's."""

    content: "Nodes"


Node = str | Parameter | Call | Link
Nodes = tuple[Node, ...]


@functools.lru_cache(maxsize=4000)
def parse(source: str) -> Nodes:
    """Parse the part of a template's wikitext that is for the pages that use it. Raises NotExpandable."""
    if len(source) > _LONGEST:
        raise NotExpandable(f"it has more than {_LONGEST:,} characters")
    if _VARIANT in source:
        raise NotExpandable("it chooses between variants of Chinese")
    if len(_RAW.findall(source)) > _MOST_RAW:
        raise NotExpandable(f"it has more than {_MOST_RAW} tags with literal content")
    return _Parser().parse(without_raw(included(CONTROL.sub("", source))))


def included(source: str) -> str:
    """Return what a page that uses the template gets: without `<noinclude>`, or only what is in `<onlyinclude>`."""
    text = _INCLUSION.sub(lambda tag: tag[0] if tag[1] else "", source)
    only = _ONLY.findall(text)
    return "".join(only) if only else re.sub(r"</?onlyinclude\s*/?>", "", text, flags=re.IGNORECASE)


@functools.lru_cache(maxsize=4000)
def called_names(source: str) -> frozenset[str]:
    """Return the names of all calls that are written out in a template's wikitext, without `safesubst:`; of a parser
    function also its first argument, up to the first parameter in it. Raises NotExpandable."""
    return frozenset(_names(parse(source)))


def _names(nodes: Nodes) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Call):
            yield from _name(node.parts[0])
            for part in node.parts:
                yield from _names(part)
        elif isinstance(node, Parameter):
            yield from _names(node.name)
            yield from _names(node.default or ())
        elif isinstance(node, Link):
            yield from _names(node.content)


def _name(nodes: Nodes) -> Iterator[str]:
    written = ""
    for node in nodes:
        if isinstance(node, str):
            written += node
        elif not (isinstance(node, Parameter) and _is_substitution(node)):
            if ":" in written:
                yield written.strip()
            return
    yield without_safesubst(written)


def _is_substitution(node: Parameter) -> bool:
    """Tell whether a parameter is there for `subst:` alone: `{{{|safesubst:}}}`, `{{{subst|}}}`."""
    return node.default == () or (
        node.default is not None and len(node.default) == 1 and str(node.default[0]).strip().lower() == _SAFESUBST
    )


def without_safesubst(name: str) -> str:
    """Return a call's name without white space around it and without `safesubst:`, which changes only saved pages."""
    name = name.strip()
    return name[len(_SAFESUBST) :].lstrip() if name[: len(_SAFESUBST)].lower() == _SAFESUBST else name


@dataclass
class _Open:
    """An opener that is not closed yet: how many braces (0 for a link), and the parts read so far."""

    braces: int
    parts: list[list[Node]]


class _Parser:
    def __init__(self) -> None:
        self._open = [_Open(-1, [[]])]

    def parse(self, text: str) -> Nodes:
        position = 0
        for token in _TOKEN.finditer(text):
            self._add(text[position : token.start()])
            position = token.end()
            self._token(token[0])
        self._add(text[position:])
        if len(self._open) > 1:
            raise NotExpandable("its braces are not balanced")
        return tuple(self._open[0].parts[0])

    def _add(self, node: Node) -> None:
        if node:
            self._open[-1].parts[-1].append(node)

    def _token(self, token: str) -> None:
        innermost = self._open[-1]
        if token[0] == "{" or token == "[[":
            if len(self._open) > _DEEPEST:
                raise NotExpandable(f"it nests more than {_DEEPEST} constructs")
            self._open.append(_Open(len(token) if token[0] == "{" else 0, [[]]))
        elif token == "|" and innermost.braces > 0:
            innermost.parts.append([])
        elif token == "]]" and innermost.braces == 0:
            self._open.pop()
            self._add(Link(("[[", *innermost.parts[0], "]]")))
        elif token[0] == "}":
            self._close(len(token))
        else:
            self._add(token)

    def _close(self, count: int) -> None:
        while count >= 2:
            opened = self._open.pop()
            if opened.braces <= 0:
                raise NotExpandable("its braces are not balanced")
            width = min(opened.braces, count, 3)
            parts = [tuple(part) for part in opened.parts]
            node = Call(tuple(parts)) if width == 2 else Parameter(parts[0], parts[1] if len(parts) > 1 else None)
            count -= width
            if (left := opened.braces - width) >= 2:
                self._open.append(_Open(left, [[node]]))
            else:
                self._add("{" * left)
                self._add(node)
        self._add("}" * count)
