"""Closes what vanished markup leaves open in a paragraph: brackets, separators and spaces, until nothing changes.

A bracket, a pair of quotation marks or a separator goes only where markup stood (`HOLE`) or where it encloses nothing
but spaces; what an author wrote stays: `main()`, `.NET`, `(c)`, `:)`, and the spaces of French punctuation.
"""

import re

from newwiki.text.language import Language
from newwiki.text.markup import HOLE

_ODD = re.compile(rf"{HOLE}|\s\s|[^\S ]|[(\[][\s;,]|\s[)\],;.]|[,;]\s?[,;]")
_SPACE = re.compile(r"\s+")
_HOLES = re.compile(rf"{HOLE}(?: ?{HOLE})+")
_ROW = re.compile(rf"([,;])(?: ?{HOLE}?(?: ?{HOLE})* ?[,;])+")
_EMPTY = re.compile(rf"(?<!\()(\(+)[ ;,:–—-]*(?:{HOLE}[ ;,:–—-]*)+(\)+)")
_EMPTY_SQUARE = re.compile(rf"\[[ ;,:]*{HOLE}[ ;,:]*\]|“{HOLE}”|\"{HOLE}\"|„{HOLE}“|«\s?{HOLE}\s?»")
_SPACES_ONLY = re.compile(r"\( +\)|\[ +\]")
_AFTER_OPENER = re.compile(rf"([(\[])(?:[ ;,:]*{HOLE}[ ;,:]*(?=[^)\] ;,:{HOLE}])|[ ;,]+)")
_BEFORE_CLOSER = re.compile(rf"(?:(?<![ ;,:(\[{HOLE}])[ ;,:]*{HOLE}[ ;,:]*| +)([)\]])")
_BEFORE_MARK = re.compile(rf" ?{HOLE} ?([,;:!?.])(?=[\s{HOLE}]|$)")
_TWO_STOPS = re.compile(r"(?<![.\s])\. \.(?! ?\.)(?=\s|$)")
_SPACE_BEFORE_MARK = re.compile(r"(?<![.\s]) ([,;.](?=\s|$))")
_SPACE_BEFORE_COMMA_OR_STOP = re.compile(r"(?<![.\s]) ([,.](?=\s|$))")


def repair(text: str, language: Language) -> str:
    """The paragraph, whole again, on one line."""
    if not _ODD.search(text):
        return text
    before_mark = _SPACE_BEFORE_COMMA_OR_STOP if language.spaced_punctuation else _SPACE_BEFORE_MARK
    before = None
    while before != text:
        before = text
        text = _HOLES.sub(HOLE, _SPACE.sub(" ", text))
        text = _ROW.sub(r"\1", text)
        text = _EMPTY.sub(_less_brackets, text)
        text = _EMPTY_SQUARE.sub(HOLE, _SPACES_ONLY.sub(HOLE, text))
        text = _AFTER_OPENER.sub(r"\1", text)
        text = _BEFORE_CLOSER.sub(r"\1", text)
        text = _BEFORE_MARK.sub(r"\1", text)
        text = before_mark.sub(r"\1", text)
        text = _TWO_STOPS.sub(".", text)
    return _SPACE.sub(" ", text.replace(HOLE, "")).strip()


def _less_brackets(empty: re.Match[str]) -> str:
    pairs = min(len(empty[1]), len(empty[2]))
    return f"{empty[1][pairs:]}{HOLE}{empty[2][pairs:]}"
