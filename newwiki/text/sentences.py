"""Where the first sentence of a paragraph ends."""

import re

from newwiki.text.language import Language

_END = re.compile(r"[.!?…。！？؟।]+[\"'”’»)\]]*(?=\s|$)|[。！？]")
_LAST_WORD = re.compile(r"[^\s(\[\"“‘«]+$")
_DOTTED_CAPITALS = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]?")


def first_sentence(paragraph: str, language: Language) -> str:
    """The first sentence, with its end mark; the whole paragraph where none is found.

    Full stops in brackets, after abbreviations and after initials do not end it.
    """
    for end in _ends(paragraph):
        if _ends_sentence(paragraph, end, language):
            return paragraph[: end.end()]
    return paragraph


def _ends(paragraph: str) -> list[re.Match[str]]:
    """End marks outside of brackets; all of them where a bracket is never closed."""
    outside, depth, position = [], 0, 0
    ends = list(_END.finditer(paragraph))
    for end in ends:
        for character in paragraph[position : end.start()]:
            depth += (character in "([") - (character in ")]")
        if depth <= 0:
            outside.append(end)
        position = end.start()
    return outside if depth <= 0 or outside else ends


def _ends_sentence(paragraph: str, end: re.Match[str], language: Language) -> bool:
    following = paragraph[end.end() :].lstrip()
    if not following:
        return True
    opener = following.lstrip("\"'“‘«([")
    if opener[:1].islower():
        return False
    if end.group() != ".":
        return True
    before = _LAST_WORD.search(paragraph[: end.start()])
    word = before.group() if before else ""
    if word.lower() in language.abbreviations:
        return False
    if len(word) == 1 and word.isalpha() and word.isupper():
        return False
    if _DOTTED_CAPITALS.fullmatch(word):
        return re.split(r"\W", opener, maxsplit=1)[0] in language.sentence_starters
    return True
