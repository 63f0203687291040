"""Mark the holes of a page, which are templates whose text cannot be known, and count them by template.

A mark carries its template's number through the extraction, so that only the holes in running text are counted: not
those in tables, lists, captions and tail sections. Templates that the language's data file names in `silent_templates`
show nothing in a sentence and leave no hole; the text of `omitted_templates` (pronunciations, coordinates) is left out
on purpose. A template written over several lines is a box, and no part of a sentence.
"""

import re
from collections import Counter
from collections.abc import Mapping

from newwiki.text.language import Language
from newwiki.text.tags import DIGITS, HOLE, HOLE_TAGS, LOST, digits
from newwiki.text.templates import UNSAID
from newwiki.text.templates.renderer import template_name

_MARK = re.compile(rf"([{HOLE}{UNSAID}])({LOST}?)([{DIGITS}]*)")
_UNCOUNTED = re.compile(rf"{UNSAID}(?![{DIGITS}])")
_MARKS = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f]|{UNSAID}")
_TITLE_ONLY = re.compile(r"\|\s*display\s*=\s*t(?:itle)?\s*(?:\||\Z)", re.IGNORECASE)
_LONGEST_NAME = 255  # characters; MediaWiki allows as many bytes


class Holes:
    """The templates of one page that have no text here, each with the number that its marks carry."""

    def __init__(self) -> None:
        self._names = [f"<{tag}>" for tag in HOLE_TAGS]
        self._numbers = {name: number for number, name in enumerate(self._names)}
        self._counts: Counter[str] = Counter()
        self._within: dict[str, set[str]] = {}

    def mark(self, template: str, language: Language) -> str:
        """Return the mark for a template without a renderer; `template` is what stands between its braces."""
        written = template.partition("|")[0]
        name = shown_name(written)
        if not name or "\n" in template.strip() or language.is_silent(template_name(written)):
            return HOLE
        if language.is_omitted(name):
            return HOLE if _TITLE_ONLY.search(template) else HOLE + LOST
        within = {self._names[_number(mark[3])] for mark in _MARK.finditer(template) if mark[3]}
        self._within.setdefault(name, set()).update(within)
        return HOLE + LOST + self._digits(name)

    def mark_unsaid(self, text: str, template: str) -> str:
        """Count the template in the first `UNSAID` of its rendered text, unless a template within it is counted."""
        if UNSAID not in text or not _UNCOUNTED.search(text) or any(mark[3] for mark in _MARK.finditer(text)):
            return text
        number = self._digits(shown_name(template.partition("|")[0]))
        return _UNCOUNTED.sub(UNSAID + number, text, count=1)

    def count(self, text: str) -> str:
        """Count the holes of a text; returns it with a lone `LOST`, `HOLE` or `UNSAID` for each."""
        return _MARK.sub(self._counted, text) if HOLE in text or UNSAID in text else text

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of counted holes by template, in the order of the names."""
        return dict(sorted(self._counts.items()))

    @property
    def within(self) -> frozenset[str]:
        """The names of the counted holes and of those in their arguments, which show once the outer one has a text."""
        found: set[str] = set()
        left = list(self._counts)
        while left:
            if (name := left.pop()) not in found:
                found.add(name)
                left += self._within.get(name, ())
        return frozenset(found)

    def _digits(self, name: str) -> str:
        number = self._numbers.setdefault(name, len(self._names))
        if number == len(self._names):
            self._names.append(name)
        return digits(number)

    def _counted(self, mark: re.Match[str]) -> str:
        if mark[3]:
            self._counts[self._names[_number(mark[3])]] += 1
        return LOST if mark[2] else mark[1]


def is_counted(mark: str) -> bool:
    """Tell whether a hole with this mark is counted, if it is in running text."""
    return mark[-1:] in tuple(DIGITS)


def without_numbers(text: str) -> str:
    """Return the text with lone marks, without counting them."""
    return _MARK.sub(lambda mark: mark[1], text) if HOLE in text or UNSAID in text else text


def shown_name(written: str) -> str:
    """Return a template's name as MediaWiki normalizes it (`foo_bar` is Foo bar), of a parser function the part up to
    its colon; nothing if the name is empty."""
    name = template_name(_MARKS.sub("", written))[:_LONGEST_NAME]
    return name.partition(":")[0] if name.startswith("#") else name


def _number(written: str) -> int:
    number = 0
    for digit in written:
        number = number * 4 + DIGITS.index(digit)
    return number
