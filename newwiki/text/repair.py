"""Close the gaps that vanished markup leaves in a paragraph: brackets, separators and spaces, until nothing changes.

A bracket, a pair of quotation marks or a separator is removed only where there was markup (`HOLE`) or where it encloses
nothing but spaces. Everything that an author wrote stays: `main()`, `.NET`, `(c)`, `:)`, and French spacing.
"""

import re
import unicodedata

from newwiki.text.language import Language
from newwiki.text.tags import HOLE

_ROUNDS = 12  # deeper nested text loses its brackets
_NO_BRACKETS = str.maketrans("", "", "()[]")
_MARKS = (
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u06d6-\u06ed\u0730-\u074a\u07eb-\u07f3\u0816-\u082d"
    "\u08d3-\u08ff\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\u302a-\u302f\u3099\u309a\ua66f-\ua67d\ufe20-\ufe2f]"
)
_STACKED = re.compile(f"{_MARKS}{{30}}(?={_MARKS})")
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
_BEFORE_STOP = re.compile(rf"[,;] ?{HOLE} ?(?=\.(?:\s|$))")
_TWO_STOPS = re.compile(r"(?<![.\s])\. \.(?! ?\.)(?=\s|$)")
_SPACE_BEFORE_MARK = re.compile(r"(?<![.\s]) ([,;.](?=\s|$))")
_SPACE_BEFORE_COMMA_OR_STOP = re.compile(r"(?<![.\s]) ([,.](?=\s|$))")


def repair(text: str, language: Language) -> str:
    """Return the repaired paragraph on one line."""
    if not _ODD.search(text):
        return text
    for _ in range(_ROUNDS):
        if text == (text := _closed(text, language)):
            break
    else:
        text = _closed(text.translate(_NO_BRACKETS), language)
    return _SPACE.sub(" ", text.replace(HOLE, "")).strip()


def compose(text: str) -> str:
    """Normalize to Unicode's form C, with at most thirty stacked marks at a time as its Stream-Safe Text Format
    asks."""
    return text if text.isascii() else unicodedata.normalize("NFC", _STACKED.sub("\\g<0>\u034f", text))


def _closed(text: str, language: Language) -> str:
    text = _HOLES.sub(lambda row: f"{HOLE} " if " " in row[0] else HOLE, _SPACE.sub(" ", text))
    text = _ROW.sub(r"\1", text)
    text = _EMPTY.sub(_less_brackets, text)
    text = _EMPTY_SQUARE.sub(HOLE, _SPACES_ONLY.sub(HOLE, text))
    text = _AFTER_OPENER.sub(r"\1", text)
    text = _BEFORE_CLOSER.sub(r"\1", text)
    text = _BEFORE_STOP.sub("", text)
    text = _BEFORE_MARK.sub(r"\1", text)
    text = (_SPACE_BEFORE_COMMA_OR_STOP if language.spaced_punctuation else _SPACE_BEFORE_MARK).sub(r"\1", text)
    return _TWO_STOPS.sub(".", text)


def _less_brackets(empty: re.Match[str]) -> str:
    pairs = min(len(empty[1]), len(empty[2]))
    return f"{empty[1][pairs:]}{HOLE}{empty[2][pairs:]}"


_SEPARATORS = "、，；：,;:"
_AFTER_WIDE_OPENER = re.compile(rf"(（)(?=[\s{_SEPARATORS}]*{HOLE})[\s{_SEPARATORS}{HOLE}]+")
_BEFORE_WIDE_CLOSER = re.compile(rf"[\s{_SEPARATORS}]*{HOLE}[\s{_SEPARATORS}{HOLE}]*(）)")
_WIDE_ROW = re.compile(rf"([{_SEPARATORS}])\s*(?:{HOLE}\s*[{_SEPARATORS}]\s*)+")
_EMPTY_WIDE = re.compile(rf"（[\s{_SEPARATORS}{HOLE}]*）|「{HOLE}」|『{HOLE}』|《{HOLE}》|“{HOLE}”")
_BEFORE_WIDE_MARK = re.compile(rf"\s*{HOLE}\s*(?=[、，。；：！？])")


def repair_wide(text: str) -> str:
    """Remove full-width brackets and separators that enclose nothing any more."""
    text = _BEFORE_WIDE_CLOSER.sub(r"\1", _AFTER_WIDE_OPENER.sub(r"\1", _WIDE_ROW.sub(r"\1", text)))
    return _BEFORE_WIDE_MARK.sub("", _EMPTY_WIDE.sub(HOLE, text))
