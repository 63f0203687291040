"""Expand a template from its own wikitext, if that is parameters, `#if`, `#ifeq`, `#switch` and such templates.

Our renderers go first, also for templates within templates. Whatever needs more than wikitext (Lua, `#expr`, the time
of day, a template that is not known) makes the whole template `NotExpandable`: half of its text would be wrong. So does
a condition on text that is missing. Each page has a budget, so hostile templates cost little: the time is proportional
to the page and the sources that it uses.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from newwiki.text.language import Language
from newwiki.text.tags import HOLE, LOST
from newwiki.text.templates import UNSAID, TemplateArguments, render
from newwiki.text.templates.renderer import template_name
from newwiki.text.templates.template_source import (
    Call,
    Link,
    Nodes,
    NotExpandable,
    Parameter,
    called_names,
    parse,
    without_safesubst,
)

NO_TEMPLATES: Mapping[str, str] = MappingProxyType({})

_BUDGET = 1_000_000  # characters read and written for one page, each construct counting as one
_LONGEST = 20_000  # characters of a text, as of any inline template
_DEEPEST = 60  # constructs and templates within each other

_MISSING = re.compile(f"[{HOLE}{LOST}{UNSAID}]")
_REDIRECT = re.compile(r"\s*#[^\s\[\]:#]+\s*:?\s*\[\[:?\s*([^\[\]|#]+)")
_ILLEGAL = re.compile(r"[\x00-\x1f\x7f<>\[\]{}|#]")
_LONGEST_NAME = 255  # bytes
_BLOCK_START = re.compile(r"[*#:;]|\{\|")
_CASES: dict[str, Callable[[str], str]] = {
    "lc": str.lower,
    "uc": str.upper,
    "lcfirst": lambda text: text[:1].lower() + text[1:],
    "ucfirst": lambda text: text[:1].upper() + text[1:],
}
_ARTICLE = {"NAMESPACE": "", "NAMESPACENUMBER": "0", "!": "|", "=": "="}
_FUNCTIONS = ("#if", "#ifeq", "#switch")
_CHECKS = ("check for unknown parameters", "check for deprecated parameters", "check for clobbered parameters")

_BOX = re.compile(
    r"\s*(?:\{\||<table\b|<\w+(?=\s)[^<>]*\bclass\s*=\s*[\"']?[^\"'<>]*"
    r"(?:noprint|navbox|mbox|ambox|metadata|infobox|hatnote|sidebar))",
    re.IGNORECASE,
)
_UNSEEN = r"(?:display\s*:\s*none|visibility\s*:\s*hidden|\bclass\s*=\s*[\"']?[^\"'<>]*\b(?:noprint|reference)\b)"
_HIDDEN = re.compile(rf"<(\w+)(?=\s)[^<>]*{_UNSEEN}[^<>]*>[^<]*</\1\s*>", re.IGNORECASE)
_STILL_HIDDEN = re.compile(rf"<\w[^<>]*{_UNSEEN}", re.IGNORECASE)


def title_of(written: str, language: Language) -> str | None:
    """Return the title of a template without its namespace, as MediaWiki normalizes it: ` foo_bar ` is Foo bar. None if
    no template can have this name, or if it names a page elsewhere or a parser function."""
    name = template_name(written)
    prefix, colon, rest = name.partition(":")
    if colon:
        if prefix.strip().lower() not in language.template_namespaces:
            return None
        name = template_name(rest)
    if not name or name[0] in "/:" or ":" in name or _ILLEGAL.search(name) or len(name.encode()) > _LONGEST_NAME:
        return None
    return name


def redirect_target(source: str, language: Language) -> str | None:
    """Return the title of the template that a redirect leads to; None for any other page."""
    match = _REDIRECT.match(source)
    if match is None or ":" not in match[1]:
        return None
    return title_of(match[1], language)


def templates_within(source: str, language: Language) -> frozenset[str]:
    """Return the titles of the templates whose sources a template may need; none if it cannot be expanded."""
    if target := redirect_target(source, language):
        return frozenset() if _is_known(target, language) else frozenset({target})
    try:
        return _calls_of(source, language)
    except NotExpandable:
        return frozenset()


def within_reach(wanted: Iterable[str], sources: Mapping[str, str], language: Language) -> Mapping[str, str]:
    """Return those of the sources that the wanted templates may need, so that no other source changes a text."""
    reached: dict[str, str] = {}
    left = list(wanted)
    while left:
        title = left.pop()
        if title in sources and title not in reached:
            reached[title] = sources[title]
            left += templates_within(sources[title], language)
    return reached


def _calls_of(source: str, language: Language) -> frozenset[str]:
    """Return the titles of the templates without a renderer that a source calls. Raises NotExpandable if it calls a
    parser function that needs more than wikitext, even where it may not come to that."""
    titles = set()
    for name in called_names(source):
        if name.startswith("#"):
            _require_function(name)
        elif name not in _ARTICLE and (title := title_of(name, language)) and not _is_known(name, language):
            titles.add(title)
    return frozenset(titles)


def _require_function(name: str) -> None:
    function, _, first = name.partition(":")
    if function.strip().lower() not in _FUNCTIONS and not _is_check(function, first):
        raise NotExpandable(f"it needs {name[:50]}")


def _is_check(function: str, module: str) -> bool:
    """Tell whether a call is of a Lua module that only files the page under categories of errors."""
    return function.strip().lower() == "#invoke" and module.strip().lower() in _CHECKS


def _is_known(name: str, language: Language) -> bool:
    return language.renderer_of(name) is not None or language.is_silent(name) or language.is_omitted(name)


@dataclass
class _Frame:
    """A template that is being expanded, the one that calls it, the templates that its source calls, and its arguments.

    An argument is evaluated when it is first needed; `unread` says whether it has a name, and so no white space around.
    """

    title: str
    outer: "_Frame | None"
    calls: frozenset[str]
    values: dict[str, str] = field(default_factory=dict)
    unread: dict[str, tuple[Nodes, bool]] = field(default_factory=dict)


class Expansion:
    """Expands the templates of one page. `read` has the titles of those whose sources decide about the page's text."""

    def __init__(self, sources: Mapping[str, str], language: Language, title: str) -> None:
        self._sources = sources
        self._language = language
        self._title = title
        self._left = _BUDGET
        self._depth = 0
        self.read: set[str] = set()

    def expand(self, name: str, parts: Sequence[str]) -> str:
        """Return the wikitext that a template shows, without templates; `parts` are its arguments, already rendered.

        The template itself is not rendered by a renderer, which has failed if there is one. Returns nothing for a
        template that shows a box, a table, or what is not for print. Raises NotExpandable.
        """
        self._depth = 0
        text = self._call(Call(((name,), *((part,) for part in parts))), None)
        if len(text) > _LONGEST:
            raise NotExpandable(f"it shows more than {_LONGEST:,} characters")
        return _seen(text)

    def _spend(self, amount: int) -> None:
        self._left -= amount
        if self._left < 0:
            raise NotExpandable("the templates of the page show too much")

    def _text(self, nodes: Nodes, frame: _Frame | None) -> str:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NotExpandable(f"it nests more than {_DEEPEST} constructs")
        written: list[str] = []
        for node in nodes:
            if isinstance(node, str):
                text = node
            elif isinstance(node, Link):
                text = self._text(node.content, frame)
            elif isinstance(node, Parameter):
                text = self._parameter(node, frame)
            else:
                text = self._call(node, frame)
            self._spend(1 + len(text))
            written.append(text)
        self._depth -= 1
        return "".join(written)

    def _parameter(self, node: Parameter, frame: _Frame | None) -> str:
        name = self._text(node.name, frame).strip()
        if frame is not None and name in frame.unread:
            nodes, has_name = frame.unread.pop(name)
            text = self._text(nodes, frame.outer)
            frame.values[name] = text.strip() if has_name else text
        if frame is not None and name in frame.values:
            return frame.values[name]
        if node.default is None:
            raise NotExpandable(f"its argument {name} is not given")
        return self._text(node.default, frame)

    def _call(self, call: Call, frame: _Frame | None) -> str:
        name = without_safesubst(self._text(call.parts[0], frame))
        function, colon, first = name.partition(":")
        function = function.strip()
        if name in _ARTICLE:
            return _ARTICLE[name]
        if function.startswith("#"):
            return self._function(function.lower(), first.strip(), call.parts[1:], frame)
        if colon and function.lower() in _CASES:
            return _CASES[function.lower()](first.strip())
        if colon and function.lower() == "ns" and first.strip() in ("", "0"):
            return ""
        return self._template(name, call, frame)

    def _function(self, function: str, first: str, parts: Sequence[Nodes], frame: _Frame | None) -> str:
        _require_function(f"{function}:{first}")
        if function == "#invoke":
            return ""
        if function == "#if":
            return self._branch(0 if _complete(first) else 1, parts, frame)
        if function == "#ifeq":
            second = self._text(parts[0], frame).strip() if parts else ""
            return self._branch(1 if _are_equal(first, second) else 2, parts, frame)
        return self._switch(first, parts, frame)

    def _branch(self, number: int, parts: Sequence[Nodes], frame: _Frame | None) -> str:
        return self._text(parts[number], frame).strip() if number < len(parts) else ""

    def _switch(self, value: str, parts: Sequence[Nodes], frame: _Frame | None) -> str:
        matched, otherwise, default_next = False, None, False
        last = ""
        for place, part in enumerate(parts):
            case, result = _split(part)
            if result is None:
                last = self._text(case, frame).strip()
                if place == len(parts) - 1:
                    return last if otherwise is None else self._text(otherwise, frame).strip()
                default_next = default_next or last == "#default"
                matched = matched or _are_equal(value, last)
                continue
            name = self._text(case, frame).strip()
            if matched or _are_equal(value, name):
                return self._text(result, frame).strip()
            if default_next or name == "#default":
                otherwise, default_next = result, False
        return "" if otherwise is None else self._text(otherwise, frame).strip()

    def _template(self, name: str, call: Call, frame: _Frame | None) -> str:
        parts = call.parts[1:]
        seen: set[str] = set()
        while True:
            if (frame is not None or seen) and self._language.renderer_of(name) is not None:
                given = [self._text(part, frame) for part in parts]
                return render(name, TemplateArguments(given, title=self._title), self._language)
            title = title_of(name, self._language)
            if title is None:
                raise NotExpandable(f"it needs {name[:50]}")
            if self._language.is_silent(title):
                return HOLE
            if self._language.is_omitted(title):
                return HOLE + LOST
            source = self._sources.get(title) if frame is None or title in frame.calls or seen else None
            if source is None:
                raise NotExpandable(f"there is no text of the template {title}")
            if title not in self.read:
                self.read.add(title)
                self._spend(len(source))
            if (target := redirect_target(source, self._language)) is None:
                return self._expanded(title, source, parts, frame)
            if target in seen:
                raise NotExpandable(f"{title} redirects to itself")
            seen.add(target)
            name = target

    def _expanded(self, title: str, source: str, parts: Sequence[Nodes], outer: _Frame | None) -> str:
        above = outer
        while above is not None:
            if above.title == title:
                raise NotExpandable(f"{title} contains itself")
            above = above.outer
        frame = _Frame(title, outer, _calls_of(source, self._language))
        position = 0
        for part in parts:
            key, value = _split(part)
            if value is None:
                position += 1
                frame.unread[str(position)] = part, False
            else:
                frame.unread[self._text(key, outer).strip()] = value, True
        return self._text(parse(source), frame)


def _split(part: Nodes) -> tuple[Nodes, Nodes | None]:
    """Split an argument at its first equals sign; the second half is None if there is none."""
    for place, node in enumerate(part):
        if isinstance(node, str) and "=" in node:
            before, _, after = node.partition("=")
            return (*part[:place], before), (after, *part[place + 1 :])
    return part, None


def _complete(text: str) -> str:
    """Return the text of a condition. Raises NotExpandable if a part of it is missing."""
    if _MISSING.search(text):
        raise NotExpandable("a condition needs text that is missing")
    return text


def _are_equal(one: str, other: str) -> bool:
    """Compare as ParserFunctions do: two numbers by their value."""
    if _complete(one) == _complete(other):
        return True
    first, second = _number(one), _number(other)
    return first is not None and first == second


def _number(text: str) -> float | None:
    if not re.fullmatch(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?", text, re.ASCII):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def _seen(text: str) -> str:
    """Return what a reader sees of an expanded text: nothing of a box, and nothing that is hidden."""
    if _BOX.match(text):
        return ""
    text = _HIDDEN.sub("", text)
    if _STILL_HIDDEN.search(text):
        raise NotExpandable("it hides a part of what it shows")
    return f"\n{text}" if _BLOCK_START.match(text) else text
