"""Decide which sections of a page are not prose: the tail, except for the parts that read as prose."""

import re

from newwiki.text.language import Language
from newwiki.text.tags import HOLE_MARKS
from newwiki.text.words import count_words

_SET_APART = re.compile(r"''+[^'\n]*+''+|\"[^\"\n]*+\"|“[^”\n]*+”|„[^“\n]*+“|«[^»\n]*+»")
_END = re.compile(r"[.!?…][\"'”’»)\]]*+\s*+\Z")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*+")
_MINIMUM_WORDS = 10


class Tail:
    """Tracks whether the current section is in the tail: below a top-level heading of `tail_headings` or
    `work_headings`, up to the next top-level heading.

    A section of references holds no prose at all. A section of works, and a subsection with a heading of its own, holds
    prose where it reads like prose.
    """

    def __init__(self, language: Language, top_level: int) -> None:
        self._language = language
        self._top_level = top_level
        self._within = False
        self._strict = False

    def enter(self, level: int, title: str) -> None:
        name = title.lower().rstrip(":")
        self._strict = name in self._language.tail_headings
        if level <= self._top_level:
            self._within = self._strict or name in self._language.work_headings

    def drops(self, lines: list[str]) -> bool:
        """Tell whether a paragraph is to be dropped; its lines still have their quotation marks and italics."""
        return self._within and (self._strict or not _reads_as_prose(" ".join(lines), self._language))


def _reads_as_prose(paragraph: str, language: Language) -> bool:
    """Tell whether it ends like a sentence and has a verb outside of titles; an entry in a list of works has none."""
    if language.spaceless:
        closed = paragraph.rstrip(f"{HOLE_MARKS}」』”）").endswith(tuple("。！？"))
        return closed and count_words(paragraph) >= 2 * _MINIMUM_WORDS
    words = _WORD.findall(_SET_APART.sub(" ", paragraph))
    return (
        len(words) >= _MINIMUM_WORDS
        and _END.search(paragraph) is not None
        and any(word in language.verbs for word in words)
    )
