"""Which sections of a page are no prose: the tail, and what of it belongs to the article all the same."""

import re

from newwiki.text.language import Language
from newwiki.text.tags import HOLE
from newwiki.text.words import count_words

_SET_APART = re.compile(r"''+[^'\n]*+''+|\"[^\"\n]*+\"|“[^”\n]*+”|„[^“\n]*+“|«[^»\n]*+»")
_END = re.compile(r"[.!?…][\"'”’»)\]]*+\s*+\Z")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*+")
_MINIMUM_WORDS = 10


class Tail:
    """The tail sections that are open, as headings go by: `tail_headings` and `work_headings` of the top level.

    They go up to the next heading of the top level. Of references and their like nothing is prose. Under a heading of
    works, and in a subsection with a heading of its own, what reads as prose is.
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
        """Whether a paragraph, whose lines still have their quotation marks and italics, is none of the article's."""
        return self._within and (self._strict or not _reads_as_prose(" ".join(lines), self._language))


def _reads_as_prose(paragraph: str, language: Language) -> bool:
    """Whether it ends as a sentence and has a verb outside of titles; an entry of a list of works has none."""
    if language.spaceless:
        closed = paragraph.rstrip(f"{HOLE}」』”）").endswith(tuple("。！？"))
        return closed and count_words(paragraph) >= 2 * _MINIMUM_WORDS
    words = _WORD.findall(_SET_APART.sub(" ", paragraph))
    return (
        len(words) >= _MINIMUM_WORDS
        and _END.search(paragraph) is not None
        and any(word in language.verbs for word in words)
    )
